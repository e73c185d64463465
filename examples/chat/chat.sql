-- A chat service before its database is chosen: messages could be placed by time, by id or by
-- conversation, and a few users talk far more than the rest.
--
-- Every figure is assumed: 400,000 people a day write 20 messages each (8M messages a day) and
-- open conversations about a hundred times as often as they write.
-- @target engine=generic shards=8 nodes=4

-- @table rows=4M growth=5k/day row_size=300B
CREATE TABLE users (
  user_id       bigint PRIMARY KEY,                   -- @column generated=snowflake
  email         text NOT NULL UNIQUE,                 -- @column distinct=4M distinct_growth=5k/day size=28B
  display_name  text NOT NULL,                        -- @column size=20B
  password_hash text NOT NULL,                        -- @column size=60B
  created_at    timestamptz NOT NULL DEFAULT now()    -- @column monotonic=true
);

-- @table rows=30M growth=40k/day row_size=120B
CREATE TABLE conversations (
  conversation_id bigint PRIMARY KEY,                 -- @column generated=snowflake
  kind            text NOT NULL CHECK (kind IN ('direct', 'group', 'channel')),
  title           text,                               -- @column size=30B nulls=70%
  created_at      timestamptz NOT NULL DEFAULT now(), -- @column monotonic=true
  last_message_at timestamptz NOT NULL                -- @column mutable=true
);

-- @table rows=150M growth=200k/day row_size=48B
CREATE TABLE members (
  conversation_id bigint NOT NULL REFERENCES conversations (conversation_id),  -- @column distinct=30M skew=zipf(0.5)
  user_id         bigint NOT NULL REFERENCES users (user_id),                  -- @column distinct=4M skew=zipf(0.6)
  joined_at       timestamptz NOT NULL DEFAULT now(),                          -- @column monotonic=true
  last_read_id    bigint NOT NULL DEFAULT 0,                                   -- @column mutable=true
  PRIMARY KEY (conversation_id, user_id)
);

-- The growth is the rate of "send message".
-- @table rows=3B growth=8M/day row_size=320B
CREATE TABLE messages (
  message_id      bigint PRIMARY KEY,                                          -- @column generated=snowflake
  conversation_id bigint NOT NULL REFERENCES conversations (conversation_id),  -- @column distinct=30M skew=zipf(0.7)
  sender_id       bigint NOT NULL REFERENCES users (user_id),                  -- @column distinct=4M skew=zipf(1.0)
  sent_at         timestamptz NOT NULL DEFAULT now(),                          -- @column monotonic=true
  edited_at       timestamptz,                                                 -- @column nulls=97%
  body            text NOT NULL                                                -- @column size=240B
);

-- @table rows=700M growth=2M/day row_size=48B
CREATE TABLE reactions (
  conversation_id bigint NOT NULL REFERENCES conversations (conversation_id),  -- @column distinct=20M skew=zipf(0.7)
  message_id      bigint NOT NULL REFERENCES messages (message_id),            -- @column distinct=300M determines=conversation_id
  user_id         bigint NOT NULL REFERENCES users (user_id),                  -- @column distinct=3M skew=zipf(0.8)
  emoji           text NOT NULL,                                               -- @column distinct=400 skew=zipf(1.2) size=8B
  PRIMARY KEY (conversation_id, message_id, user_id, emoji)
);

-- @table rows=6M growth=8k/day row_size=220B
CREATE TABLE devices (
  user_id    bigint NOT NULL REFERENCES users (user_id),   -- @column distinct=4M
  device_id  uuid NOT NULL,                                -- @column generated=uuid4
  push_token text NOT NULL,                                -- @column size=160B mutable=true
  PRIMARY KEY (user_id, device_id)
);

-- @pattern name="open a conversation" rate=2000/s peak=3x p99=50ms popularity.c=zipf(0.9)
SELECT message_id, sender_id, sent_at, edited_at, body
FROM messages WHERE conversation_id = :c ORDER BY message_id DESC LIMIT 50;

-- @pattern name="older messages" rate=300/s peak=3x p99=100ms popularity.c=zipf(0.9)
SELECT message_id, sender_id, sent_at, edited_at, body
FROM messages WHERE conversation_id = :c AND message_id < :before ORDER BY message_id DESC LIMIT 50;

-- @pattern name="send message" rate=8M/day peak=4x p99=150ms popularity.c=zipf(0.7) popularity.u=zipf(1.0)
BEGIN;
INSERT INTO messages (message_id, conversation_id, sender_id, sent_at, body) VALUES (:m, :c, :u, now(), :body);
UPDATE conversations SET last_message_at = now() WHERE conversation_id = :c;
COMMIT;

-- @pattern name="edit message" rate=240k/day
UPDATE messages SET body = :body, edited_at = now() WHERE conversation_id = :c AND message_id = :m;

-- A shared link carries the message's id and nothing else.
-- @pattern name="message by link" rate=5/s p99=200ms
SELECT conversation_id, sender_id, sent_at, body FROM messages WHERE message_id = :m;

-- @pattern name="conversations of a user" rate=600/s peak=3x p99=100ms popularity.u=zipf(1.0)
SELECT c.conversation_id, c.kind, c.title, c.last_message_at, m.last_read_id
FROM members m JOIN conversations c ON c.conversation_id = m.conversation_id
WHERE m.user_id = :u ORDER BY c.last_message_at DESC LIMIT 30;

-- @pattern name="members of a conversation" rate=150/s popularity.c=zipf(0.9)
SELECT user_id, last_read_id FROM members WHERE conversation_id = :c;

-- @pattern name="mark as read" rate=400/s peak=3x
UPDATE members SET last_read_id = :m WHERE conversation_id = :c AND user_id = :u;

-- @pattern name="start a conversation" rate=40k/day
BEGIN;
INSERT INTO conversations (conversation_id, kind, title, created_at, last_message_at) VALUES (:c, :kind, :title, now(), now());
-- @times 3 each=u
INSERT INTO members (conversation_id, user_id, joined_at, last_read_id) VALUES (:c, :u, now(), 0);
COMMIT;

-- With the above: 200k new members a day.
-- @pattern name="join a conversation" rate=80k/day
INSERT INTO members (conversation_id, user_id, joined_at, last_read_id) VALUES (:c, :u, now(), 0);

-- @pattern name="react" rate=2M/day peak=4x popularity.c=zipf(0.7)
INSERT INTO reactions (conversation_id, message_id, user_id, emoji) VALUES (:c, :m, :u, :emoji);

-- @pattern name="reactions of a page" rate=2000/s peak=3x p99=50ms popularity.c=zipf(0.9)
SELECT message_id, emoji, count(*)
FROM reactions WHERE conversation_id = :c AND message_id BETWEEN :first AND :last GROUP BY message_id, emoji;

-- @pattern name="profile" rate=1500/s served_by=cache(90%) popularity.u=zipf(1.0)
SELECT display_name, created_at FROM users WHERE user_id = :u;

-- @pattern name="log in" rate=10/s p99=200ms
SELECT user_id, password_hash FROM users WHERE email = :e;

-- @pattern name="push tokens" rate=370/s peak=4x
SELECT device_id, push_token FROM devices WHERE user_id = :u;

-- @pattern name="refresh push token" rate=100k/day
UPDATE devices SET push_token = :token WHERE user_id = :u AND device_id = :d;

-- Answers a data request; a batch job, in no hurry.
-- @pattern name="messages of a sender" rate=50/day consistency=eventual
SELECT message_id, conversation_id, sent_at, body FROM messages WHERE sender_id = :u;

-- Counted in the warehouse, never on the shards.
-- @pattern name="messages by hour" rate=24/day served_by=warehouse
SELECT conversation_id, count(*) FROM messages WHERE sent_at >= :from AND sent_at < :to GROUP BY conversation_id;
