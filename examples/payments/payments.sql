-- A payment service on Spanner (its PostgreSQL dialect). Money moves between two accounts in one
-- transaction, every movement leaves two ledger entries, and a repeated request is recognised by
-- its idempotency key.
--
-- Every figure is assumed: 160 payments a second in the mean and five times as many at the peak.
-- Ids are random (uuid4), because a key that grows with time puts all inserts on Spanner's last
-- split. Spanner makes its splits by size and load, so 48 of them is an estimate. There is no plan yet.
-- @target engine=spanner shards=48 nodes=6

-- @table rows=12M growth=8k/day row_size=260B
CREATE TABLE accounts (
  account_id    varchar(36) PRIMARY KEY,                                 -- @column generated=uuid4
  kind          varchar(10) NOT NULL CHECK (kind IN ('person', 'merchant')),
  currency      varchar(3) NOT NULL,                                     -- @column distinct=30 skew=zipf(1.2)
  balance_minor bigint NOT NULL DEFAULT 0,                               -- @column mutable=true
  -- @column mutable=true
  state         varchar(10) NOT NULL CHECK (state IN ('open', 'frozen', 'closed')),
  opened_at     timestamptz NOT NULL                                     -- @column monotonic=true
);

-- The growth is the rate of "create payment".
-- @table rows=6B growth=160/s row_size=380B
CREATE TABLE payments (
  payment_id       varchar(36) PRIMARY KEY,                              -- @column generated=uuid4
  payer_account_id varchar(36) NOT NULL REFERENCES accounts (account_id),  -- @column distinct=11M skew=zipf(0.4)
  payee_account_id varchar(36) NOT NULL REFERENCES accounts (account_id),  -- @column distinct=2M skew=zipf(0.8)
  amount_minor     bigint NOT NULL,
  currency         varchar(3) NOT NULL,                                  -- @column distinct=30 skew=zipf(1.2)
  -- @column mutable=true
  state            varchar(12) NOT NULL CHECK (state IN ('authorised', 'captured', 'cancelled', 'refunded')),
  created_at       timestamptz NOT NULL,                                 -- @column monotonic=true
  captured_at      timestamptz                                           -- @column nulls=9%
);

-- Two entries a capture and a refund, one a payout.
-- @table rows=11.6B growth=26.65M/day row_size=170B
CREATE TABLE ledger_entries (
  account_id   varchar(36) NOT NULL REFERENCES accounts (account_id),    -- @column distinct=12M skew=zipf(0.6)
  entry_id     varchar(36) NOT NULL,                                     -- @column generated=uuid7
  payment_id   varchar(36) REFERENCES payments (payment_id),             -- @column distinct=5.5B nulls=3%
  amount_minor bigint NOT NULL,
  posted_at    timestamptz NOT NULL,                                     -- @column monotonic=true
  PRIMARY KEY (account_id, entry_id)
);

-- A week of them: the steady state.
-- @table rows=97M growth=160/s retention=7d row_size=140B
CREATE TABLE idempotency_keys (
  account_id  varchar(36) NOT NULL REFERENCES accounts (account_id),     -- @column distinct=6M skew=zipf(0.4)
  request_key varchar(36) NOT NULL,                                      -- @column generated=uuid4
  payment_id  varchar(36) NOT NULL REFERENCES payments (payment_id),     -- @column distinct=97M
  created_at  timestamptz NOT NULL,                                      -- @column monotonic=true
  PRIMARY KEY (account_id, request_key)
);

-- @table rows=120M growth=260k/day row_size=180B
CREATE TABLE refunds (
  refund_id    varchar(36) PRIMARY KEY,                                  -- @column generated=uuid4
  payment_id   varchar(36) NOT NULL REFERENCES payments (payment_id),    -- @column distinct=115M
  amount_minor bigint NOT NULL,
  reason       varchar(60) NOT NULL,                                     -- @column distinct=12
  created_at   timestamptz NOT NULL                                      -- @column monotonic=true
);

-- @table rows=400M growth=900k/day row_size=160B
CREATE TABLE payouts (
  payout_id    varchar(36) PRIMARY KEY,                                  -- @column generated=uuid4
  account_id   varchar(36) NOT NULL REFERENCES accounts (account_id),    -- @column distinct=2M skew=zipf(0.3)
  amount_minor bigint NOT NULL,
  -- @column mutable=true
  state        varchar(10) NOT NULL CHECK (state IN ('scheduled', 'sent', 'failed')),
  scheduled_on date NOT NULL                                             -- @column distinct=900 distinct_growth=1/day
);

-- The first thing that every request asks.
-- @pattern name="seen before" rate=170/s peak=5x p99=30ms popularity.payer=zipf(0.4)
SELECT payment_id FROM idempotency_keys WHERE account_id = :payer AND request_key = :key;

-- @pattern name="create payment" rate=160/s peak=5x p99=150ms popularity.payer=zipf(0.4) popularity.payee=zipf(0.8)
BEGIN;
INSERT INTO idempotency_keys (account_id, request_key, payment_id, created_at) VALUES (:payer, :key, :payment, now());
INSERT INTO payments (payment_id, payer_account_id, payee_account_id, amount_minor, currency, state, created_at)
VALUES (:payment, :payer, :payee, :amount, :currency, 'authorised', now());
COMMIT;

-- @pattern name="capture payment" rate=146/s peak=5x p99=200ms popularity.payer=zipf(0.4) popularity.payee=zipf(0.8)
BEGIN;
UPDATE payments SET state = 'captured', captured_at = now() WHERE payment_id = :payment;
UPDATE accounts SET balance_minor = balance_minor - :amount WHERE account_id = :payer;
UPDATE accounts SET balance_minor = balance_minor + :amount WHERE account_id = :payee;
INSERT INTO ledger_entries (account_id, entry_id, payment_id, amount_minor, posted_at)
VALUES (:payer, :debit, :payment, :amount, now());
INSERT INTO ledger_entries (account_id, entry_id, payment_id, amount_minor, posted_at)
VALUES (:payee, :credit, :payment, :amount, now());
COMMIT;

-- @pattern name="cancel payment" rate=8/s
UPDATE payments SET state = 'cancelled' WHERE payment_id = :payment;

-- @pattern name="payment by id" rate=2500/s peak=3x p99=40ms
SELECT payer_account_id, payee_account_id, amount_minor, currency, state, created_at
FROM payments WHERE payment_id = :payment;

-- @pattern name="payments of a payer" rate=300/s peak=3x p99=120ms consistency=eventual
SELECT payment_id, payee_account_id, amount_minor, state, created_at
FROM payments WHERE payer_account_id = :payer ORDER BY created_at DESC LIMIT 25;

-- @pattern name="payments of a payee" rate=60/s p99=200ms consistency=eventual popularity.payee=zipf(0.8)
SELECT payment_id, payer_account_id, amount_minor, state, created_at
FROM payments WHERE payee_account_id = :payee ORDER BY created_at DESC LIMIT 100;

-- @pattern name="balance" rate=4000/s peak=3x p99=20ms
SELECT balance_minor, currency, state FROM accounts WHERE account_id = :a;

-- @pattern name="statement" rate=150/s p99=150ms consistency=eventual
SELECT entry_id, payment_id, amount_minor, posted_at
FROM ledger_entries WHERE account_id = :a AND posted_at >= :from AND posted_at < :to ORDER BY posted_at DESC LIMIT 100;

-- @pattern name="refund payment" rate=260k/day peak=3x
BEGIN;
INSERT INTO refunds (refund_id, payment_id, amount_minor, reason, created_at)
VALUES (:refund, :payment, :amount, :reason, now());
UPDATE payments SET state = 'refunded' WHERE payment_id = :payment;
UPDATE accounts SET balance_minor = balance_minor + :amount WHERE account_id = :payer;
UPDATE accounts SET balance_minor = balance_minor - :amount WHERE account_id = :payee;
INSERT INTO ledger_entries (account_id, entry_id, payment_id, amount_minor, posted_at)
VALUES (:payer, :credit, :payment, :amount, now());
INSERT INTO ledger_entries (account_id, entry_id, payment_id, amount_minor, posted_at)
VALUES (:payee, :debit, :payment, :amount, now());
COMMIT;

-- @pattern name="refunds of a payment" rate=40/s p99=100ms
SELECT refund_id, amount_minor, reason, created_at FROM refunds WHERE payment_id = :payment;

-- @pattern name="schedule payout" rate=900k/day popularity.a=zipf(0.3)
BEGIN;
INSERT INTO payouts (payout_id, account_id, amount_minor, state, scheduled_on)
VALUES (:payout, :a, :amount, 'scheduled', :day);
UPDATE accounts SET balance_minor = balance_minor - :amount WHERE account_id = :a;
INSERT INTO ledger_entries (account_id, entry_id, amount_minor, posted_at) VALUES (:a, :entry, :amount, now());
COMMIT;

-- A worker asks once a minute.
-- @pattern name="payouts to send" rate=1/min
SELECT payout_id, account_id, amount_minor FROM payouts WHERE scheduled_on = :today AND state = 'scheduled' LIMIT 700;

-- @pattern name="settle payout" rate=900k/day
UPDATE payouts SET state = :state WHERE payout_id = :payout;

-- @pattern name="payouts of an account" rate=20/s
SELECT payout_id, amount_minor, state, scheduled_on FROM payouts WHERE account_id = :a ORDER BY scheduled_on DESC LIMIT 30;

-- @pattern name="open account" rate=8k/day
INSERT INTO accounts (account_id, kind, currency, balance_minor, state, opened_at)
VALUES (:a, :kind, :currency, 0, 'open', now());

-- @pattern name="freeze account" rate=300/day
UPDATE accounts SET state = 'frozen' WHERE account_id = :a;

-- Finds what got stuck.
-- @pattern name="uncaptured payments" rate=12/h consistency=eventual
SELECT payment_id, created_at FROM payments WHERE state = 'authorised' AND created_at < :before LIMIT 200;
