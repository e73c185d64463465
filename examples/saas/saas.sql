-- Project management for companies, on Citus with every table placed by tenant: the classic plan
-- for software that is sold to tenants. Nearly every request knows its tenant.
--
-- Every figure is assumed. The three biggest tenants hold 5.5% of the rows between them, so each
-- stays below an even shard's share (1/32 = 3.1%).
-- @target engine=citus shards=32 nodes=4

-- @table rows=12 row_size=200B
CREATE TABLE billing_plans (
  plan_id int PRIMARY KEY,                                           -- @column distinct=12
  name    text NOT NULL,
  seats   int NOT NULL
);

-- @table rows=40k growth=30/day row_size=400B
CREATE TABLE tenants (
  tenant_id  bigint PRIMARY KEY,                                     -- @column generated=snowflake
  slug       text NOT NULL UNIQUE,                                   -- @column distinct=40k distinct_growth=30/day size=16B
  name       text NOT NULL,
  plan_id    int NOT NULL REFERENCES billing_plans (plan_id),        -- @column distinct=12 skew=zipf(1.0)
  created_at timestamptz NOT NULL DEFAULT now()                      -- @column monotonic=true
);

-- @table rows=2M growth=1500/day row_size=300B
CREATE TABLE users (
  -- @column distinct=40k skew="{top: [2.5%, 1.8%, 1.2%], rest: zipf(0.7)}"
  tenant_id     bigint NOT NULL REFERENCES tenants (tenant_id),
  user_id       bigint NOT NULL,                                     -- @column generated=snowflake
  email         text NOT NULL,                                       -- @column distinct=1.9M size=28B
  name          text NOT NULL,
  password_hash text NOT NULL,                                       -- @column size=60B
  PRIMARY KEY (tenant_id, user_id),
  UNIQUE (tenant_id, email)
);

-- @table rows=1.2M growth=900/day row_size=350B
CREATE TABLE projects (
  -- @column distinct=40k skew="{top: [2.5%, 1.8%, 1.2%], rest: zipf(0.7)}"
  tenant_id  bigint NOT NULL REFERENCES tenants (tenant_id),
  project_id bigint NOT NULL,                                        -- @column generated=snowflake
  name       text NOT NULL,
  archived   boolean NOT NULL DEFAULT false,                         -- @column mutable=true
  PRIMARY KEY (tenant_id, project_id)
);

-- @table rows=300M growth=250k/day row_size=700B
CREATE TABLE tasks (
  -- @column distinct=40k skew="{top: [2.5%, 1.8%, 1.2%], rest: zipf(0.7)}"
  tenant_id   bigint NOT NULL REFERENCES tenants (tenant_id),
  task_id     bigint NOT NULL,                                       -- @column generated=snowflake
  project_id  bigint NOT NULL,                                       -- @column distinct=1.2M skew=zipf(0.5)
  assignee_id bigint,                                                -- @column distinct=1.6M nulls=15% mutable=true
  -- @column mutable=true
  status      text NOT NULL CHECK (status IN ('open', 'doing', 'done', 'archived')),
  title       text NOT NULL,                                         -- @column size=60B
  body        text,                                                  -- @column size=500B
  due_on      date,                                                  -- @column distinct=1500 nulls=40%
  updated_at  timestamptz NOT NULL,                                  -- @column mutable=true
  PRIMARY KEY (tenant_id, task_id),
  FOREIGN KEY (tenant_id, project_id) REFERENCES projects (tenant_id, project_id),
  FOREIGN KEY (tenant_id, assignee_id) REFERENCES users (tenant_id, user_id)
);

-- @table rows=900M growth=800k/day row_size=500B
CREATE TABLE comments (
  -- @column distinct=38k skew="{top: [2.5%, 1.8%, 1.2%], rest: zipf(0.7)}"
  tenant_id  bigint NOT NULL REFERENCES tenants (tenant_id),
  comment_id bigint NOT NULL,                                        -- @column generated=snowflake
  task_id    bigint NOT NULL,                                        -- @column distinct=200M
  author_id  bigint NOT NULL,                                        -- @column distinct=1.5M
  body       text NOT NULL,                                          -- @column size=420B
  created_at timestamptz NOT NULL DEFAULT now(),                     -- @column monotonic=true
  PRIMARY KEY (tenant_id, comment_id),
  FOREIGN KEY (tenant_id, task_id) REFERENCES tasks (tenant_id, task_id),
  FOREIGN KEY (tenant_id, author_id) REFERENCES users (tenant_id, user_id)
);

-- The files themselves lie in an object store.
-- @table rows=120M growth=100k/day row_size=300B
CREATE TABLE attachments (
  -- @column distinct=35k skew="{top: [2.5%, 1.8%, 1.2%], rest: zipf(0.7)}"
  tenant_id     bigint NOT NULL REFERENCES tenants (tenant_id),
  attachment_id bigint NOT NULL,                                     -- @column generated=snowflake
  task_id       bigint NOT NULL,                                     -- @column distinct=60M
  file_name     text NOT NULL,
  object_path   text NOT NULL,                                       -- @column size=120B
  size_bytes    bigint NOT NULL,
  PRIMARY KEY (tenant_id, attachment_id),
  FOREIGN KEY (tenant_id, task_id) REFERENCES tasks (tenant_id, task_id)
);

-- The growth is the sum of the inserts of the six patterns that write it.
-- @table rows=5B growth=9M/day retention=2y row_size=250B
CREATE TABLE audit_log (
  -- @column distinct=40k skew="{top: [2.5%, 1.8%, 1.2%], rest: zipf(0.7)}"
  tenant_id bigint NOT NULL REFERENCES tenants (tenant_id),
  entry_id  bigint NOT NULL,                                         -- @column generated=snowflake
  actor_id  bigint NOT NULL,                                         -- @column distinct=2M
  action    text NOT NULL,                                           -- @column distinct=60
  detail    jsonb NOT NULL,                                          -- @column size=160B
  at        timestamptz NOT NULL DEFAULT now(),                      -- @column monotonic=true
  PRIMARY KEY (tenant_id, entry_id)
);

-- tenants is a reference table: small, rarely written, and its slug stays unique.
SELECT create_reference_table('billing_plans');
SELECT create_reference_table('tenants');
SELECT create_distributed_table('users', 'tenant_id');
SELECT create_distributed_table('projects', 'tenant_id', colocate_with => 'users');
SELECT create_distributed_table('tasks', 'tenant_id', colocate_with => 'users');
SELECT create_distributed_table('comments', 'tenant_id', colocate_with => 'users');
SELECT create_distributed_table('attachments', 'tenant_id', colocate_with => 'users');
SELECT create_distributed_table('audit_log', 'tenant_id', colocate_with => 'users');

-- @pattern name="tenant by slug" rate=400/s served_by=cache(90%)
SELECT tenant_id, name, plan_id FROM tenants WHERE slug = :slug;

-- @pattern name="log in" rate=25/s peak=4x p99=100ms
SELECT user_id, password_hash FROM users WHERE tenant_id = :t AND email = :e;

-- @pattern name="projects of a tenant" rate=120/s p99=80ms
SELECT p.project_id, p.name, t.name AS tenant
FROM projects p JOIN tenants t ON t.tenant_id = p.tenant_id
WHERE p.tenant_id = :t AND p.archived = false LIMIT 50;

-- @pattern name="my open tasks" rate=350/s peak=3x p99=60ms
SELECT task_id, project_id, title, due_on
FROM tasks WHERE tenant_id = :t AND assignee_id = :u AND status IN ('open', 'doing') ORDER BY due_on LIMIT 50;

-- @pattern name="board of a project" rate=200/s peak=3x p99=120ms
SELECT t.task_id, t.title, t.status, u.name
FROM tasks t LEFT JOIN users u ON u.tenant_id = t.tenant_id AND u.user_id = t.assignee_id
WHERE t.tenant_id = :t AND t.project_id = :p AND t.status IN ('open', 'doing', 'done') LIMIT 200;

-- @pattern name="task with its comments" rate=450/s peak=3x p99=80ms
SELECT t.title, t.body, t.status, c.author_id, c.body, c.created_at
FROM tasks t LEFT JOIN comments c ON c.tenant_id = t.tenant_id AND c.task_id = t.task_id
WHERE t.tenant_id = :t AND t.task_id = :k ORDER BY c.created_at LIMIT 100;

-- @pattern name="attachments of a task" rate=180/s
SELECT attachment_id, file_name, object_path, size_bytes FROM attachments WHERE tenant_id = :t AND task_id = :k;

-- @pattern name="create task" rate=250k/day peak=4x
BEGIN;
INSERT INTO tasks (tenant_id, task_id, project_id, assignee_id, status, title, body, due_on, updated_at)
VALUES (:t, :k, :p, :u, 'open', :title, :body, :due, now());
INSERT INTO audit_log (tenant_id, entry_id, actor_id, action, detail, at)
VALUES (:t, :entry, :actor, 'task.create', :detail, now());
COMMIT;

-- @pattern name="change task" rate=3M/day peak=4x
BEGIN;
UPDATE tasks SET status = :status, assignee_id = :u, updated_at = now() WHERE tenant_id = :t AND task_id = :k;
INSERT INTO audit_log (tenant_id, entry_id, actor_id, action, detail, at)
VALUES (:t, :entry, :actor, 'task.change', :detail, now());
COMMIT;

-- @pattern name="comment" rate=800k/day peak=4x
BEGIN;
INSERT INTO comments (tenant_id, comment_id, task_id, author_id, body, created_at)
VALUES (:t, :c, :k, :actor, :body, now());
UPDATE tasks SET updated_at = now() WHERE tenant_id = :t AND task_id = :k;
INSERT INTO audit_log (tenant_id, entry_id, actor_id, action, detail, at)
VALUES (:t, :entry, :actor, 'task.comment', :detail, now());
COMMIT;

-- @pattern name="attach file" rate=100k/day
BEGIN;
INSERT INTO attachments (tenant_id, attachment_id, task_id, file_name, object_path, size_bytes)
VALUES (:t, :a, :k, :file, :path, :size);
INSERT INTO audit_log (tenant_id, entry_id, actor_id, action, detail, at)
VALUES (:t, :entry, :actor, 'task.attach', :detail, now());
COMMIT;

-- @pattern name="other audited actions" rate=4849100/day
INSERT INTO audit_log (tenant_id, entry_id, actor_id, action, detail, at)
VALUES (:t, :entry, :actor, :action, :detail, now());

-- @pattern name="audit of a period" rate=2/s consistency=eventual
SELECT entry_id, actor_id, action, detail, at
FROM audit_log WHERE tenant_id = :t AND at >= :from AND at < :to ORDER BY at DESC LIMIT 100;

-- @pattern name="search tasks" rate=60/s served_by=search
SELECT task_id, title FROM tasks WHERE tenant_id = :t AND title LIKE :words LIMIT 20;

-- @pattern name="open project" rate=900/day
BEGIN;
INSERT INTO projects (tenant_id, project_id, name, archived) VALUES (:t, :p, :name, false);
INSERT INTO audit_log (tenant_id, entry_id, actor_id, action, detail, at)
VALUES (:t, :entry, :actor, 'project.create', :detail, now());
COMMIT;

-- @pattern name="invite user" rate=1500/day
INSERT INTO users (tenant_id, user_id, email, name, password_hash) VALUES (:t, :u, :e, :name, :hash);

-- @pattern name="sign up" rate=30/day
INSERT INTO tenants (tenant_id, slug, name, plan_id, created_at) VALUES (:t, :slug, :name, :plan, now());

-- @pattern name="tenants by plan" rate=1/h
SELECT p.name, count(*) FROM tenants t JOIN billing_plans p ON p.plan_id = t.plan_id GROUP BY p.name;

-- The reminder job asks all tenants at once.
-- shardwright: ignore[scatter-read] a reminder job, four times an hour
-- @pattern name="due today" rate=4/h
SELECT tenant_id, task_id, assignee_id FROM tasks WHERE due_on = :today AND status = 'open' LIMIT 1000;
