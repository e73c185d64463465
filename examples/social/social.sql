-- A social network on Vitess. Who follows whom is stored twice, once from each side, and a new post
-- is copied into the feeds of its author's followers when it is written, so that reading a feed
-- asks one place.
--
-- Every figure is assumed: 30 million people with 180 followers each in the mean, 60 posts a second.
-- Popularity is steep: a handful of accounts have most of the readers. There is no plan yet.
-- @target engine=vitess shards=16 nodes=16

-- @table rows=30M growth=20k/day row_size=400B
CREATE TABLE users (
  user_id         bigint NOT NULL PRIMARY KEY,     -- @column generated=snowflake
  handle          varchar(30) NOT NULL UNIQUE,     -- @column distinct=30M distinct_growth=20k/day size=14B
  display_name    varchar(80) NOT NULL,
  bio             varchar(300) NOT NULL,           -- @column size=120B
  follower_count  bigint NOT NULL DEFAULT 0,       -- @column mutable=true
  following_count bigint NOT NULL DEFAULT 0        -- @column mutable=true
);

-- Whom a person follows.
-- @table rows=5.4B growth=3M/day row_size=40B
CREATE TABLE follows (
  follower_id bigint NOT NULL,                     -- @column distinct=28M skew=zipf(0.3)
  -- @column distinct=25M skew="{top: [0.4%, 0.3%, 0.2%], rest: zipf(0.6)}"
  followee_id bigint NOT NULL,
  since       datetime NOT NULL,                   -- @column monotonic=true
  PRIMARY KEY (follower_id, followee_id),
  FOREIGN KEY (follower_id) REFERENCES users (user_id),
  FOREIGN KEY (followee_id) REFERENCES users (user_id)
);

-- The same, from the other side.
-- @table rows=5.4B growth=3M/day row_size=40B
CREATE TABLE followers (
  -- @column distinct=25M skew="{top: [0.4%, 0.3%, 0.2%], rest: zipf(0.6)}"
  followee_id bigint NOT NULL,
  follower_id bigint NOT NULL,                     -- @column distinct=28M skew=zipf(0.3)
  since       datetime NOT NULL,                   -- @column monotonic=true
  PRIMARY KEY (followee_id, follower_id),
  FOREIGN KEY (followee_id) REFERENCES users (user_id),
  FOREIGN KEY (follower_id) REFERENCES users (user_id)
);

-- The growth is the rate of "publish".
-- @table rows=4B growth=60/s row_size=420B
CREATE TABLE posts (
  post_id    bigint NOT NULL PRIMARY KEY,          -- @column generated=snowflake
  author_id  bigint NOT NULL,                      -- @column distinct=18M skew=zipf(0.5)
  body       varchar(1000) NOT NULL,               -- @column size=300B
  like_count bigint NOT NULL DEFAULT 0,            -- @column mutable=true
  created_at datetime NOT NULL,                    -- @column monotonic=true
  FOREIGN KEY (author_id) REFERENCES users (user_id)
);

-- @table rows=60B growth=900/s row_size=32B
CREATE TABLE likes (
  post_id  bigint NOT NULL,                        -- @column distinct=3B distinct_growth=45/s skew=zipf(0.6)
  user_id  bigint NOT NULL,                        -- @column distinct=24M skew=zipf(0.5)
  liked_at datetime NOT NULL,                      -- @column monotonic=true
  PRIMARY KEY (post_id, user_id),
  FOREIGN KEY (post_id) REFERENCES posts (post_id),
  FOREIGN KEY (user_id) REFERENCES users (user_id)
);

-- 30 days of 10,800 a second: the steady state.
-- @table rows=28B growth=10800/s retention=30d row_size=40B
CREATE TABLE feed_entries (
  user_id   bigint NOT NULL,                       -- @column distinct=20M skew=zipf(0.3)
  post_id   bigint NOT NULL,                       -- @column distinct=155M
  author_id bigint NOT NULL,                       -- @column distinct=9M skew=zipf(0.6)
  PRIMARY KEY (user_id, post_id),
  FOREIGN KEY (user_id) REFERENCES users (user_id),
  FOREIGN KEY (post_id) REFERENCES posts (post_id)
);

-- @pattern name="home feed" rate=4000/s peak=2x p99=60ms
SELECT post_id, author_id FROM feed_entries WHERE user_id = :u ORDER BY post_id DESC LIMIT 30;

-- Nine of ten pages are put together from the cache.
-- @pattern name="posts of a feed page" rate=4000/s peak=2x p99=120ms served_by=cache(90%)
SELECT post_id, author_id, body, like_count, created_at
FROM posts WHERE post_id IN (:p1, :p2, :p3, :p4, :p5, :p6, :p7, :p8, :p9, :p10);

-- @pattern name="one post" rate=2000/s peak=2x p99=50ms served_by=cache(80%) popularity.p=zipf(0.9)
SELECT author_id, body, like_count, created_at FROM posts WHERE post_id = :p;

-- @pattern name="posts of an author" rate=1500/s peak=2x p99=80ms popularity.a=zipf(0.8)
SELECT post_id, body, like_count, created_at FROM posts WHERE author_id = :a ORDER BY post_id DESC LIMIT 20;

-- @pattern name="publish" rate=60/s peak=3x popularity.a=zipf(0.5)
INSERT INTO posts (post_id, author_id, body, like_count, created_at) VALUES (:p, :a, :body, 0, now());

-- 60 posts a second to 180 followers each, by a queue's workers.
-- @pattern name="fan out" rate=10800/s peak=2x
INSERT INTO feed_entries (user_id, post_id, author_id) VALUES (:u, :p, :a);

-- @pattern name="read followers to fan out" rate=60/s peak=3x rows=180 popularity.a=zipf(0.5)
SELECT follower_id FROM followers WHERE followee_id = :a;

-- @pattern name="follow" rate=3.7M/day popularity.v=zipf(0.8)
BEGIN;
INSERT INTO follows (follower_id, followee_id, since) VALUES (:u, :v, now());
INSERT INTO followers (followee_id, follower_id, since) VALUES (:v, :u, now());
UPDATE users SET following_count = following_count + 1 WHERE user_id = :u;
UPDATE users SET follower_count = follower_count + 1 WHERE user_id = :v;
COMMIT;

-- @pattern name="unfollow" rate=700k/day
BEGIN;
DELETE FROM follows WHERE follower_id = :u AND followee_id = :v;
DELETE FROM followers WHERE followee_id = :v AND follower_id = :u;
UPDATE users SET following_count = following_count - 1 WHERE user_id = :u;
UPDATE users SET follower_count = follower_count - 1 WHERE user_id = :v;
COMMIT;

-- @pattern name="followers of a person" rate=300/s popularity.v=zipf(0.9)
SELECT follower_id, since FROM followers WHERE followee_id = :v AND follower_id > :after ORDER BY follower_id LIMIT 50;

-- @pattern name="whom a person follows" rate=250/s
SELECT followee_id, since FROM follows WHERE follower_id = :u AND followee_id > :after ORDER BY followee_id LIMIT 50;

-- @pattern name="do I follow" rate=1500/s popularity.v=zipf(0.8)
SELECT since FROM follows WHERE follower_id = :u AND followee_id = :v;

-- @pattern name="like" rate=900/s peak=3x popularity.p=zipf(0.8)
BEGIN;
INSERT INTO likes (post_id, user_id, liked_at) VALUES (:p, :u, now());
UPDATE posts SET like_count = like_count + 1 WHERE post_id = :p;
COMMIT;

-- @pattern name="did I like" rate=5000/s peak=2x p99=30ms popularity.p=zipf(0.8)
SELECT liked_at FROM likes WHERE post_id = :p AND user_id = :u;

-- @pattern name="likes of a post" rate=100/s popularity.p=zipf(0.9)
SELECT user_id, liked_at FROM likes WHERE post_id = :p LIMIT 50;

-- @pattern name="profile" rate=3000/s served_by=cache(85%) popularity.u=zipf(0.9)
SELECT handle, display_name, bio, follower_count, following_count FROM users WHERE user_id = :u;

-- @pattern name="profile by handle" rate=120/s p99=80ms
SELECT user_id, display_name, bio, follower_count, following_count FROM users WHERE handle = :h;

-- @pattern name="sign up" rate=20k/day
INSERT INTO users (user_id, handle, display_name, bio, follower_count, following_count)
VALUES (:u, :h, :name, :bio, 0, 0);
