-- How long jobs are valid is counted by the clock of this server alone.

-- Accepts jobs, in the order of the list. Of one whose key is known the earlier job's id is returned. One is valid for a while
-- from when it may run.
CREATE OR REPLACE FUNCTION portico_jobs.accept(jobs jsonb) RETURNS TABLE (index int, id uuid, is_known boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  moment timestamptz := clock_timestamp();
  lock_id bigint;
  job record;
  known uuid;
  is_behind boolean;
  queues text[];
BEGIN
  FOR lock_id IN
    SELECT DISTINCT portico_jobs.key_lock(j.kind, j.queue, k.key)
    FROM jsonb_to_recordset(jobs) AS j (kind text, queue text, order_key text, given_key text)
    CROSS JOIN LATERAL (VALUES (j.order_key), (chr(2) || j.given_key)) AS k (key)
    WHERE k.key IS NOT NULL ORDER BY 1
  LOOP
    PERFORM pg_advisory_xact_lock(lock_id);
  END LOOP;
  FOR job IN
    SELECT * FROM jsonb_to_recordset(jobs) AS j (
      index int, id uuid, kind text, queue text, tenant text, order_key text, given_key text, run_at timestamptz,
      valid_for_ms float8, max_attempts int, payload jsonb, trace jsonb, owner jsonb, is_watched boolean
    ) WHERE j.order_key IS NOT NULL OR j.given_key IS NOT NULL ORDER BY j.index
  LOOP
    known := NULL;
    IF job.given_key IS NOT NULL THEN
      SELECT k.id INTO known FROM portico_jobs.accepted_key k
      WHERE k.idempotency_key = job.given_key AND k.kind = job.kind AND k.queue = job.queue LIMIT 1;
      IF known IS NULL THEN
        INSERT INTO portico_jobs.accepted_key VALUES (job.kind, job.queue, job.given_key, job.id, moment);
      END IF;
    END IF;
    IF known IS NULL THEN
      is_behind := job.order_key IS NOT NULL AND EXISTS (
        SELECT FROM portico_jobs.live l
        WHERE l.kind = job.kind AND l.queue = job.queue AND l.order_key = job.order_key);
      INSERT INTO portico_jobs.live (id, kind, queue, tenant, order_key, idempotency_key, state, run_at, expires_at,
        max_attempts, payload, trace, owner, is_watched, accepted_at)
      VALUES (job.id, job.kind, job.queue, job.tenant, job.order_key, coalesce(job.given_key, job.id::text),
        CASE WHEN is_behind THEN 'waiting' WHEN job.run_at > moment THEN 'scheduled' ELSE 'queued' END,
        coalesce(job.run_at, moment),
        coalesce(job.run_at, moment) + job.valid_for_ms * interval '1 millisecond', job.max_attempts,
        coalesce(job.payload, 'null'), job.trace, job.owner, job.is_watched, moment);
    END IF;
    index := job.index;
    id := coalesce(known, job.id);
    is_known := known IS NOT NULL;
    RETURN NEXT;
  END LOOP;
  RETURN QUERY
    INSERT INTO portico_jobs.live AS l (id, kind, queue, tenant, idempotency_key, state, run_at, expires_at,
      max_attempts, payload, trace, owner, is_watched, accepted_at)
    SELECT j.id, j.kind, j.queue, j.tenant, j.id::text,
      CASE WHEN j.run_at > moment THEN 'scheduled' ELSE 'queued' END,
      coalesce(j.run_at, moment), coalesce(j.run_at, moment) + j.valid_for_ms * interval '1 millisecond', j.max_attempts,
      coalesce(j.payload, 'null'), j.trace, j.owner,
      j.is_watched, moment
    FROM jsonb_to_recordset(jobs) AS j (
      index int, id uuid, kind text, queue text, tenant text, order_key text, given_key text, run_at timestamptz,
      valid_for_ms float8, max_attempts int, payload jsonb, trace jsonb, owner jsonb, is_watched boolean
    ) WHERE j.order_key IS NULL AND j.given_key IS NULL ORDER BY j.index
    RETURNING -1, l.id, false;
  PERFORM pg_notify('portico_jobs', 'new');
END $$;
