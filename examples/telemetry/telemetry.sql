-- Measuring stations that report once a minute: the workload of telemetry.yaml as it would stand on
-- PostgreSQL with Citus instead of Cassandra. The tables are the same; retention becomes dropping
-- old time partitions inside each shard, so no bucket of time is needed in the key.
--
-- Every figure is assumed. 400,000 devices report 576M readings a day (6,667/s).
-- @target engine=citus shards=192 nodes=12 copies=3

-- @table rows=400k growth=500/day row_size=250B
CREATE TABLE devices (
  device_id    uuid PRIMARY KEY,                                -- @column generated=uuid4
  site_id      uuid NOT NULL,                                   -- @column distinct=12k skew=zipf(0.5)
  model        text NOT NULL,                                   -- @column distinct=30
  firmware     text NOT NULL,                                   -- @column distinct=90 mutable=true
  last_seen_at timestamptz NOT NULL                             -- @column mutable=true
);

-- A copy of two columns by site, so that a site's list is one shard's business.
-- @table rows=400k growth=500/day row_size=60B
CREATE TABLE devices_by_site (
  site_id   uuid NOT NULL,                                      -- @column distinct=12k skew=zipf(0.5)
  device_id uuid NOT NULL,                                      -- @column distinct=400k distinct_growth=500/day
  model     text NOT NULL,                                      -- @column distinct=30
  PRIMARY KEY (site_id, device_id)
);

-- 90 days of them: the steady state.
-- @table rows=51.84B growth=576M/day retention=90d row_size=80B
CREATE TABLE readings (
  device_id   uuid NOT NULL REFERENCES devices (device_id),     -- @column distinct=400k distinct_growth=500/day
  read_at     timestamptz NOT NULL,                             -- @column monotonic=true
  temperature real,
  humidity    real,
  voltage     real,
  signal      int,
  PRIMARY KEY (device_id, read_at)
);

-- @table rows=3.5B growth=9.6M/day retention=5y row_size=100B
CREATE TABLE hourly (
  device_id       uuid NOT NULL REFERENCES devices (device_id), -- @column distinct=400k distinct_growth=500/day
  hour            timestamptz NOT NULL,                         -- @column monotonic=true
  temperature_min real,
  temperature_max real,
  temperature_avg real,
  humidity_avg    real,
  readings        int NOT NULL,
  PRIMARY KEY (device_id, hour)
);

-- @table rows=73M growth=200k/day retention=1y row_size=200B
CREATE TABLE alerts (
  device_id   uuid NOT NULL REFERENCES devices (device_id),     -- @column distinct=300k skew=zipf(0.5)
  raised_at   timestamptz NOT NULL,                             -- @column monotonic=true
  alert_id    uuid NOT NULL,                                    -- @column generated=uuid4
  kind        text NOT NULL,                                    -- @column distinct=40
  severity    text NOT NULL CHECK (severity IN ('notice', 'warning', 'critical')),
  resolved_at timestamptz,                                      -- @column nulls=10% mutable=true
  PRIMARY KEY (device_id, raised_at, alert_id)
);

-- @table rows=73M growth=200k/day retention=1y row_size=120B
CREATE TABLE alerts_by_site (
  site_id   uuid NOT NULL,                                      -- @column distinct=12k skew=zipf(0.5)
  raised_at timestamptz NOT NULL,                               -- @column monotonic=true
  alert_id  uuid NOT NULL,                                      -- @column generated=uuid4
  device_id uuid NOT NULL,                                      -- @column distinct=300k skew=zipf(0.5)
  severity  text NOT NULL CHECK (severity IN ('notice', 'warning', 'critical')),
  PRIMARY KEY (site_id, raised_at, alert_id)
);

SELECT create_distributed_table('devices', 'device_id');
SELECT create_distributed_table('devices_by_site', 'site_id');
SELECT create_distributed_table('readings', 'device_id', colocate_with => 'devices');
SELECT create_distributed_table('hourly', 'device_id', colocate_with => 'devices');
SELECT create_distributed_table('alerts', 'device_id', colocate_with => 'devices');
SELECT create_distributed_table('alerts_by_site', 'site_id', colocate_with => 'devices_by_site');

-- @pattern name="store reading" rate=576M/day peak=1.3x p99=20ms
INSERT INTO readings (device_id, read_at, temperature, humidity, voltage, signal)
VALUES (:d, :at, :temperature, :humidity, :voltage, :signal);

-- @pattern name="latest reading" rate=800/s peak=2x p99=20ms
SELECT read_at, temperature, humidity, voltage, signal
FROM readings WHERE device_id = :d AND read_at > now() - interval '1 hour' ORDER BY read_at DESC LIMIT 1;

-- @pattern name="chart of a day" rate=120/s peak=2x p99=150ms rows=1440 consistency=eventual
SELECT read_at, temperature, humidity
FROM readings WHERE device_id = :d AND read_at >= :from AND read_at < :to ORDER BY read_at;

-- @pattern name="chart of a quarter" rate=15/s p99=200ms rows=2160 consistency=eventual
SELECT hour, temperature_min, temperature_max, temperature_avg, humidity_avg
FROM hourly WHERE device_id = :d AND hour >= :from AND hour < :to ORDER BY hour;

-- The consumer of the stream writes each hour once.
-- @pattern name="write rollup" rate=9.6M/day
INSERT INTO hourly (device_id, hour, temperature_min, temperature_max, temperature_avg, humidity_avg, readings)
VALUES (:d, :hour, :min, :max, :avg, :humidity, :n);

-- @pattern name="device by id" rate=900/s served_by=cache(80%)
SELECT site_id, model, firmware, last_seen_at FROM devices WHERE device_id = :d;

-- Once an hour each.
-- @pattern name="device is seen" rate=9.6M/day
UPDATE devices SET last_seen_at = now(), firmware = :firmware WHERE device_id = :d;

-- @pattern name="register device" rate=500/day
INSERT INTO devices (device_id, site_id, model, firmware, last_seen_at) VALUES (:d, :s, :model, :firmware, now());

-- @pattern name="register device at its site" rate=500/day
INSERT INTO devices_by_site (site_id, device_id, model) VALUES (:s, :d, :model);

-- @pattern name="devices of a site" rate=30/s p99=50ms rows=33
SELECT device_id, model FROM devices_by_site WHERE site_id = :s;

-- A storm raises many at once.
-- @pattern name="raise alert" rate=200k/day peak=10x
INSERT INTO alerts (device_id, raised_at, alert_id, kind, severity) VALUES (:d, now(), :a, :kind, :severity);

-- @pattern name="raise alert at its site" rate=200k/day peak=10x
INSERT INTO alerts_by_site (site_id, raised_at, alert_id, device_id, severity) VALUES (:s, now(), :a, :d, :severity);

-- @pattern name="alerts of a device" rate=40/s
SELECT raised_at, alert_id, kind, severity, resolved_at
FROM alerts WHERE device_id = :d AND raised_at > now() - interval '7 days' ORDER BY raised_at DESC LIMIT 20;

-- @pattern name="alerts of a site" rate=25/s p99=80ms
SELECT raised_at, alert_id, device_id, severity
FROM alerts_by_site WHERE site_id = :s AND raised_at > now() - interval '1 day' ORDER BY raised_at DESC LIMIT 50;

-- @pattern name="resolve alert" rate=180k/day
UPDATE alerts SET resolved_at = now() WHERE device_id = :d AND raised_at = :at AND alert_id = :a;

-- Taken from the stream, not from the tables.
-- @pattern name="readings for the lake" rate=1/day rows=576M served_by=stream
SELECT device_id, read_at, temperature, humidity, voltage, signal FROM readings WHERE read_at >= :from AND read_at < :to;
