-- The leaderboards of a game on DynamoDB. A season is one week of one game mode, such as
-- 2026-w31-duel; a player's score in it is one item, and an index by season and region puts the
-- scores in order.
--
-- DynamoDB has no CREATE TABLE: the statements describe items and requests in ordinary SQL, so that
-- a team can review them, and the plan stands in leaderboard.yaml.
--
-- Every figure is assumed: 5 million players, 1.2 million matches a day with ten players each, eight
-- modes and eight regions. A stream adds up the scores, so that finishing a match stays in the
-- match's own partition. DynamoDB makes its partitions itself, so 24 of them is an estimate.
-- @target engine=dynamodb shards=24

-- @table rows=5M growth=15k/day row_size=400B
CREATE TABLE players (
  player_id  text PRIMARY KEY,                              -- @column generated=uuid4
  handle     text NOT NULL,                                 -- @column distinct=5M distinct_growth=15k/day size=14B
  -- @column skew="{top: [28%, 21%, 15%], rest: uniform}"
  region     text NOT NULL CHECK (region IN ('africa', 'andes', 'atlantic', 'baltic', 'danube', 'gulf', 'pacific', 'sahel')),
  profile    text NOT NULL,                                 -- @column size=280B mutable=true
  created_at timestamp NOT NULL                             -- @column monotonic=true
);

-- Eight modes, 104 weeks.
-- @table rows=832 growth=8/week row_size=300B
CREATE TABLE seasons (
  season_id text PRIMARY KEY,                               -- @column distinct=832 distinct_growth=8/week size=16B
  mode      text NOT NULL,                                  -- @column distinct=8
  starts_at timestamp NOT NULL,                             -- @column monotonic=true
  ends_at   timestamp NOT NULL                              -- @column monotonic=true
);

-- 90 days of them: the steady state. The growth is the rate of "finish match".
-- @table rows=108M growth=1.2M/day retention=90d row_size=250B
CREATE TABLE matches (
  match_id  text PRIMARY KEY,                               -- @column generated=uuid4
  season_id text NOT NULL,                                  -- @column distinct=104 distinct_growth=8/week size=16B
  map       text NOT NULL,                                  -- @column distinct=14
  played_at timestamp NOT NULL,                             -- @column monotonic=true
  seconds   int NOT NULL
);

-- @table rows=1.08B growth=12M/day retention=90d row_size=160B
CREATE TABLE match_players (
  match_id  text NOT NULL REFERENCES matches (match_id),    -- @column distinct=108M distinct_growth=1.2M/day
  player_id text NOT NULL REFERENCES players (player_id),   -- @column distinct=3M skew=zipf(0.3)
  played_at timestamp NOT NULL,                             -- @column monotonic=true
  place     int NOT NULL,                                   -- @column distinct=10
  points    int NOT NULL,
  PRIMARY KEY (match_id, player_id)
);

-- @table rows=47M growth=900k/week row_size=120B
CREATE TABLE scores (
  player_id text NOT NULL REFERENCES players (player_id),   -- @column distinct=5M distinct_growth=15k/day skew=zipf(0.2)
  season_id text NOT NULL REFERENCES seasons (season_id),   -- @column distinct=832 distinct_growth=8/week
  -- @column skew="{top: [28%, 21%, 15%], rest: uniform}"
  region    text NOT NULL CHECK (region IN ('africa', 'andes', 'atlantic', 'baltic', 'danube', 'gulf', 'pacific', 'sahel')),
  score     bigint NOT NULL,                                -- @column mutable=true
  matches   int NOT NULL,                                   -- @column mutable=true
  PRIMARY KEY (player_id, season_id)
);

-- @pattern name="player by id" rate=1200/s peak=3x p99=15ms consistency=eventual
SELECT * FROM players WHERE player_id = :p;

-- @pattern name="log in" rate=60/s peak=3x p99=40ms consistency=eventual rows=1
SELECT player_id, handle FROM players WHERE handle = :h;

-- @pattern name="create player" rate=15k/day
INSERT INTO players (player_id, handle, region, profile, created_at) VALUES (:p, :h, :region, :profile, now());

-- @pattern name="change profile" rate=90k/day
UPDATE players SET profile = :profile WHERE player_id = :p;

-- Every client asks for its season when it starts.
-- @pattern name="season by id" rate=600/s served_by=cache(99%) consistency=eventual
SELECT * FROM seasons WHERE season_id = :s;

-- @pattern name="open season" rate=8/week
INSERT INTO seasons (season_id, mode, starts_at, ends_at) VALUES (:s, :mode, :start, :end);

-- @pattern name="finish match" rate=1.2M/day peak=4x p99=100ms
BEGIN;
INSERT INTO matches (match_id, season_id, map, played_at, seconds) VALUES (:m, :s, :map, :at, :seconds);
-- @times 10 each=p,place,points
INSERT INTO match_players (match_id, player_id, played_at, place, points) VALUES (:m, :p, :at, :place, :points);
COMMIT;

-- By the stream's consumer, one for each player of a match; the popularity is that of the eight open seasons.
-- @pattern name="add to score" rate=12M/day peak=4x popularity.s="{top: [30%, 20%, 14%, 11%, 9%, 7%, 5%, 4%]}"
UPDATE scores SET score = score + :points, matches = matches + 1 WHERE player_id = :p AND season_id = :s;

-- @pattern name="first score of a season" rate=900k/week peak=4x popularity.s="{top: [30%, 20%, 14%, 11%, 9%, 7%, 5%, 4%]}"
INSERT INTO scores (player_id, season_id, region, score, matches) VALUES (:p, :s, :region, :points, 1);

-- @pattern name="match with its players" rate=150/s p99=30ms rows=11 consistency=eventual
SELECT m.*, mp.* FROM matches m JOIN match_players mp ON mp.match_id = m.match_id WHERE m.match_id = :m;

-- shardwright: ignore[scatter-read] leaderboard.yaml plans a global index by player for this
-- @pattern name="matches of a player" rate=200/s peak=3x p99=40ms consistency=eventual
SELECT match_id, played_at, place, points FROM match_players WHERE player_id = :p ORDER BY played_at DESC LIMIT 20;

-- @pattern name="score of a player" rate=900/s peak=3x p99=15ms
SELECT score, matches FROM scores WHERE player_id = :p AND season_id = :s;

-- @pattern name="scores of a player" rate=100/s rows=10 consistency=eventual
SELECT season_id, score, matches FROM scores WHERE player_id = :p;

-- @pattern name="top of a region" rate=100/s peak=3x p99=50ms served_by=cache(90%) consistency=eventual popularity.s="{top: [30%, 20%, 14%, 11%, 9%, 7%, 5%, 4%]}"
SELECT player_id, score, matches FROM scores WHERE season_id = :s AND region = :region ORDER BY score DESC LIMIT 100;

-- The eight regions' tops, merged.
-- @pattern name="top of the world" rate=60/s peak=3x p99=100ms served_by=cache(98%) consistency=eventual popularity.s="{top: [30%, 20%, 14%, 11%, 9%, 7%, 5%, 4%]}"
SELECT player_id, region, score, matches FROM scores
WHERE season_id = :s AND region IN ('africa', 'andes', 'atlantic', 'baltic', 'danube', 'gulf', 'pacific', 'sahel')
ORDER BY score DESC LIMIT 100;

-- @pattern name="rank around a score" rate=80/s peak=3x p99=50ms consistency=eventual popularity.s="{top: [30%, 20%, 14%, 11%, 9%, 7%, 5%, 4%]}"
SELECT player_id, score FROM scores
WHERE season_id = :s AND region = :region AND score >= :low AND score <= :high ORDER BY score DESC LIMIT 20;
