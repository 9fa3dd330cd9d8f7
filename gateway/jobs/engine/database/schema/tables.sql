-- oldest compatible: 6

-- The tables of version 11. A later change is a file of its own, `0012-name.sql`, that is applied after this one.

-- What is to be done is in `live`, a table that stays small; what is finished is in partitions of a day each, which are dropped as a
-- whole; what was given up is in `dead`, for replays. `make_partitions` and `drop_partition` make and drop the partitions.

CREATE SCHEMA IF NOT EXISTS portico_jobs;

-- The versions that were applied. Gateways that know `oldest_compatible` or a newer version work with this one.
CREATE TABLE portico_jobs.migration (
  version int PRIMARY KEY,
  name text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now(),
  oldest_compatible int
);

CREATE SEQUENCE portico_jobs.job_order;

CREATE TABLE portico_jobs.live (
  id uuid PRIMARY KEY,
  -- The order in which jobs were accepted.
  seq bigint NOT NULL DEFAULT nextval('portico_jobs.job_order'),
  kind text COLLATE "C" NOT NULL,
  queue text COLLATE "C" NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  order_key text COLLATE "C",
  idempotency_key text NOT NULL,
  state text NOT NULL CHECK (state IN ('scheduled', 'waiting', 'queued', 'running')),
  run_at timestamptz NOT NULL,
  expires_at timestamptz,
  attempts int NOT NULL DEFAULT 0,
  max_attempts int NOT NULL,
  -- What the job needs to be run, and the trace that it continues.
  payload jsonb NOT NULL,
  trace jsonb,
  owner jsonb,
  is_watched boolean NOT NULL DEFAULT false,
  is_cancelled boolean NOT NULL DEFAULT false,
  accepted_at timestamptz NOT NULL,
  started_at timestamptz,
  runner uuid,
  reason text
) WITH (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000
);
CREATE INDEX live_queued ON portico_jobs.live (kind, queue, tenant, seq) WHERE state = 'queued';
CREATE INDEX live_scheduled ON portico_jobs.live (run_at) WHERE state = 'scheduled';
CREATE INDEX live_running ON portico_jobs.live (kind, queue, tenant) WHERE state = 'running';
CREATE INDEX live_of_runner ON portico_jobs.live (runner) WHERE state = 'running';
CREATE INDEX live_ordered ON portico_jobs.live (kind, queue, order_key, seq) WHERE order_key IS NOT NULL;
CREATE INDEX live_expiring ON portico_jobs.live (expires_at) WHERE expires_at IS NOT NULL AND state <> 'running';
-- Lists of cron triggers and of one-off events that are to come read their own jobs alone; other jobs do not pay for it.
CREATE INDEX live_cron ON portico_jobs.live (queue, accepted_at) WHERE kind = 'cron';
CREATE INDEX live_one_off ON portico_jobs.live (run_at, id) WHERE kind = 'scheduled-event';
-- Jobs of callers: how many of them a tenant and a user have that have not ended. Ids of users are of any length.
CREATE INDEX live_of_caller ON portico_jobs.live (tenant, hashtextextended(coalesce(owner ->> 'x-hasura-user-id', ''), 2006))
  WHERE kind = 'action';

-- Processes that run jobs. One row is renewed by a heartbeat, however many jobs run.
CREATE TABLE portico_jobs.runner (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  lease_until timestamptz NOT NULL,
  -- What a process begins no jobs of for now, for operators: kind, queue, tenant (null: all of the queue), reason, since and until.
  pauses jsonb NOT NULL DEFAULT '[]'
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);

CREATE TABLE portico_jobs.finished (
  id uuid NOT NULL,
  kind text NOT NULL,
  queue text NOT NULL,
  tenant text NOT NULL,
  order_key text,
  idempotency_key text NOT NULL,
  state text NOT NULL CHECK (state IN ('done', 'failed', 'expired', 'cancelled')),
  attempts int NOT NULL,
  max_attempts int NOT NULL,
  accepted_at timestamptz NOT NULL,
  started_at timestamptz,
  finished_at timestamptz NOT NULL,
  reason text,
  owner jsonb,
  output jsonb,
  errors jsonb
) PARTITION BY RANGE (finished_at);
CREATE INDEX finished_id ON portico_jobs.finished (id);
CREATE INDEX finished_time ON portico_jobs.finished (finished_at);
-- Lists of scheduled events are read by their kind; other jobs do not pay for it.
CREATE INDEX finished_scheduled ON portico_jobs.finished (kind, queue, accepted_at)
  WHERE kind IN ('cron', 'scheduled-event');

CREATE TABLE portico_jobs.dead (
  id uuid NOT NULL,
  kind text NOT NULL,
  queue text NOT NULL,
  tenant text NOT NULL,
  order_key text,
  idempotency_key text NOT NULL,
  attempts int NOT NULL,
  max_attempts int NOT NULL,
  payload jsonb NOT NULL,
  trace jsonb,
  owner jsonb,
  is_watched boolean NOT NULL,
  accepted_at timestamptz NOT NULL,
  started_at timestamptz,
  finished_at timestamptz NOT NULL,
  -- How long it was valid for after it was accepted: a replay is valid for as long again.
  valid_for interval,
  reason text,
  errors jsonb
) PARTITION BY RANGE (finished_at);
CREATE INDEX dead_id ON portico_jobs.dead (id);
CREATE INDEX dead_time ON portico_jobs.dead (finished_at);
-- Dead jobs of a queue are counted and found by it, however many others are kept.
CREATE INDEX dead_queue ON portico_jobs.dead (queue, kind, accepted_at);

-- Keys that callers gave, so that the same job is accepted once.
CREATE TABLE portico_jobs.accepted_key (
  kind text NOT NULL,
  queue text NOT NULL,
  idempotency_key text NOT NULL,
  id uuid NOT NULL,
  accepted_at timestamptz NOT NULL
) PARTITION BY RANGE (accepted_at);
CREATE INDEX accepted_key_key ON portico_jobs.accepted_key (idempotency_key, kind, queue);

-- How many jobs there are, counted by one process for all.
CREATE TABLE portico_jobs.queue_snapshot (
  -- There is one row.
  id boolean PRIMARY KEY CHECK (id),
  counted_at timestamptz NOT NULL,
  took_ms float8 NOT NULL,
  queues jsonb NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);

-- How far each cron trigger's times have become jobs.
CREATE TABLE portico_jobs.cron_plan (
  name text PRIMARY KEY,
  -- The expression and its time zone. Where they change, planning begins anew.
  schedule text NOT NULL,
  planned_until timestamptz NOT NULL,
  seen_at timestamptz NOT NULL
);

-- What webhooks of cron triggers and one-off events were sent and answered.
CREATE TABLE portico_jobs.invocation (
  id uuid NOT NULL,
  job uuid NOT NULL,
  kind text NOT NULL,
  queue text NOT NULL,
  status int,
  -- JSON as text: a jsonb takes no U+0000, which a webhook may well answer.
  request text NOT NULL,
  response text NOT NULL,
  created_at timestamptz NOT NULL
) PARTITION BY RANGE (created_at);
CREATE INDEX invocation_job ON portico_jobs.invocation (job);
CREATE INDEX invocation_queue ON portico_jobs.invocation (kind, queue, created_at);
