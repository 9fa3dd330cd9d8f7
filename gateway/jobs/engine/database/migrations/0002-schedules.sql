-- What cron triggers and one-off events need beside jobs: how far each trigger's times have become jobs, and what webhooks
-- were sent and answered.

CREATE TABLE portico_jobs.cron_plan (
  name text PRIMARY KEY,
  -- The expression and its time zone. Where they change, planning begins anew.
  schedule text NOT NULL,
  planned_until timestamptz NOT NULL,
  seen_at timestamptz NOT NULL
);

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

-- Lists of scheduled events are read by their kind; other jobs do not pay for it.
CREATE INDEX finished_scheduled ON portico_jobs.finished (kind, queue, accepted_at)
  WHERE kind IN ('cron', 'scheduled-event');

-- The same for invocations as for finished jobs.
CREATE OR REPLACE FUNCTION portico_jobs.maintain(retention_days int, dead_retention_days int) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
  parent text;
  days int;
  day date;
  partition_name text;
BEGIN
  PERFORM pg_advisory_xact_lock(2006, 2);
  FOREACH parent IN ARRAY ARRAY['finished', 'dead', 'accepted_key', 'invocation'] LOOP
    days := CASE parent WHEN 'dead' THEN dead_retention_days ELSE retention_days END;
    FOR day IN SELECT d::date FROM generate_series(timezone('UTC', now())::date - 1, timezone('UTC', now())::date + 7, interval '1 day') d LOOP
      partition_name := parent || '_' || to_char(day, 'YYYYMMDD');
      IF to_regclass('portico_jobs.' || partition_name) IS NULL THEN
        EXECUTE format('CREATE TABLE portico_jobs.%I PARTITION OF portico_jobs.%I FOR VALUES FROM (%L) TO (%L)',
          partition_name, parent, day || ' 00:00:00+00', (day + 1) || ' 00:00:00+00');
      END IF;
    END LOOP;
    FOR partition_name IN
      SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = ('portico_jobs.' || parent)::regclass
        AND c.relname < parent || '_' || to_char(timezone('UTC', now())::date - days, 'YYYYMMDD')
      ORDER BY 1
    LOOP
      EXECUTE format('DROP TABLE portico_jobs.%I', partition_name);
      RETURN NEXT partition_name;
    END LOOP;
  END LOOP;
END $$;

DO $$ BEGIN PERFORM portico_jobs.maintain(36500, 36500); END $$;
