-- A job that is cancelled while its outcome is written: the next one with its order key is released.

-- Takes what runs decided, of those that this process still holds in the attempt that it ran. Returns their ids. One of an order
-- key that was cancelled after the keys were locked stays: the heartbeat gives it back, and it ends then.
CREATE OR REPLACE FUNCTION portico_jobs.settle(a_runner uuid, outcomes jsonb) RETURNS SETOF uuid
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  moment timestamptz := clock_timestamp();
  ordered record;
  keys jsonb := '[]';
  locked bigint[] := '{}';
  settled uuid[];
  watched uuid[];
BEGIN
  FOR ordered IN
    SELECT DISTINCT portico_jobs.key_lock(l.kind, l.queue, l.order_key) AS lock_id, l.kind, l.queue, l.order_key
    FROM jsonb_to_recordset(outcomes) AS o (id uuid, outcome text)
    JOIN portico_jobs.live l ON l.id = o.id
    WHERE l.order_key IS NOT NULL AND (o.outcome <> 'scheduled' OR l.is_cancelled) ORDER BY 1
  LOOP
    PERFORM pg_advisory_xact_lock(ordered.lock_id);
    locked := locked || ordered.lock_id;
    keys := keys || jsonb_build_array(jsonb_build_array(ordered.kind, ordered.queue, ordered.order_key));
  END LOOP;

  RETURN QUERY
    UPDATE portico_jobs.live AS l
    SET state = CASE WHEN o.after_ms > 0 THEN 'scheduled' ELSE 'queued' END,
      run_at = moment + o.after_ms * interval '1 millisecond', started_at = NULL,
      attempts = CASE WHEN o.is_attempt THEN l.attempts ELSE l.attempts - 1 END,
      runner = NULL, reason = o.reason
    FROM jsonb_to_recordset(outcomes) AS o (
      id uuid, attempt int, outcome text, reason text, after_ms float8, is_attempt boolean)
    WHERE l.id = o.id AND l.state = 'running' AND l.runner = a_runner AND l.attempts = o.attempt
      AND NOT l.is_cancelled AND o.outcome = 'scheduled'
    RETURNING l.id;

  WITH o AS (
    SELECT * FROM jsonb_to_recordset(outcomes) AS o (
      id uuid, attempt int, outcome text, reason text, output jsonb, errors jsonb)
  ), gone AS (
    DELETE FROM portico_jobs.live l USING o
    WHERE l.id = o.id AND l.state = 'running' AND l.runner = a_runner AND l.attempts = o.attempt
      AND (o.outcome <> 'scheduled' OR l.is_cancelled)
      AND (l.order_key IS NULL OR portico_jobs.key_lock(l.kind, l.queue, l.order_key) = ANY (locked))
    RETURNING l.*, o.outcome, o.reason AS why, o.output, o.errors
  ), kept AS (
    INSERT INTO portico_jobs.finished
    SELECT g.id, g.kind, g.queue, g.tenant, g.order_key, g.idempotency_key,
      CASE WHEN g.outcome = 'scheduled' OR (g.is_cancelled AND g.outcome = 'dead') THEN 'cancelled' ELSE g.outcome END,
      g.attempts, g.max_attempts, g.accepted_at, g.started_at, moment, g.why, g.owner, g.output, g.errors
    FROM gone g WHERE g.outcome <> 'dead' OR g.is_cancelled
  ), buried AS (
    INSERT INTO portico_jobs.dead
    SELECT g.id, g.kind, g.queue, g.tenant, g.order_key, g.idempotency_key, g.attempts, g.max_attempts, g.payload,
      g.trace, g.owner, g.is_watched, g.accepted_at, g.started_at, moment, g.expires_at - g.accepted_at, g.why, g.errors
    FROM gone g WHERE g.outcome = 'dead' AND NOT g.is_cancelled
  )
  SELECT array_agg(g.id), array_agg(g.id) FILTER (WHERE g.is_watched) INTO settled, watched FROM gone g;

  PERFORM portico_jobs.release_next(e ->> 0, e ->> 1, e ->> 2) FROM jsonb_array_elements(keys) AS e;
  -- What is to be run again, which this process may not do itself any more.
  IF jsonb_array_length(keys) > 0 OR outcomes @? '$[*] ? (@.after_ms == 0)' THEN
    PERFORM pg_notify('portico_jobs', 'new');
  END IF;
  PERFORM pg_notify('portico_jobs_settled', w.id::text) FROM unnest(watched) AS w (id);
  RETURN QUERY SELECT unnest(settled);
END $$;
