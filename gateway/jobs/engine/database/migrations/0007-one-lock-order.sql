-- oldest compatible: 6

-- What changes jobs locks them in one order, so that nothing waits in a circle: the row of a process, then order keys, ascending,
-- then rows of jobs, ascending by id. All that a transaction changes is locked by one call; what is locked again in it, by a
-- function that it calls, waits for nothing. Acceptance takes keys alone, and claims skip what is locked.

CREATE FUNCTION portico_jobs.lock_jobs(ids uuid[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  lock_id bigint;
BEGIN
  FOR lock_id IN
    SELECT DISTINCT portico_jobs.key_lock(l.kind, l.queue, l.order_key)
    FROM portico_jobs.live l WHERE l.id = ANY (ids) AND l.order_key IS NOT NULL ORDER BY 1
  LOOP
    PERFORM pg_advisory_xact_lock(lock_id);
  END LOOP;
  PERFORM FROM portico_jobs.live l WHERE l.id = ANY (ids) ORDER BY l.id FOR UPDATE;
END $$;

-- Locks those that nothing else has locked, without a wait, and returns them.
CREATE FUNCTION portico_jobs.lock_free_jobs(ids uuid[]) RETURNS uuid[]
LANGUAGE plpgsql AS $$
DECLARE
  lock_id bigint;
  locked bigint[] := '{}';
BEGIN
  FOR lock_id IN
    SELECT DISTINCT portico_jobs.key_lock(l.kind, l.queue, l.order_key)
    FROM portico_jobs.live l WHERE l.id = ANY (ids) AND l.order_key IS NOT NULL
  LOOP
    IF pg_try_advisory_xact_lock(lock_id) THEN
      locked := locked || lock_id;
    END IF;
  END LOOP;
  RETURN ARRAY(
    SELECT l.id FROM portico_jobs.live l
    WHERE l.id = ANY (ids)
      AND (l.order_key IS NULL OR portico_jobs.key_lock(l.kind, l.queue, l.order_key) = ANY (locked))
    FOR UPDATE SKIP LOCKED);
END $$;

-- Takes what runs decided, of those that this process still holds in the attempt that it ran. Returns their ids.
CREATE OR REPLACE FUNCTION portico_jobs.settle(a_runner uuid, outcomes jsonb) RETURNS SETOF uuid
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  moment timestamptz := clock_timestamp();
  keys jsonb;
  settled uuid[];
  watched uuid[];
BEGIN
  PERFORM portico_jobs.lock_jobs(ARRAY(SELECT o.id FROM jsonb_to_recordset(outcomes) AS o (id uuid)));

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
  SELECT array_agg(g.id), array_agg(g.id) FILTER (WHERE g.is_watched),
    jsonb_agg(DISTINCT jsonb_build_array(g.kind, g.queue, g.order_key)) FILTER (WHERE g.order_key IS NOT NULL)
  INTO settled, watched, keys FROM gone g;

  PERFORM portico_jobs.release_next(e ->> 0, e ->> 1, e ->> 2) FROM jsonb_array_elements(keys) AS e;
  -- What is to be run again, which this process may not do itself any more.
  IF keys IS NOT NULL OR outcomes @? '$[*] ? (@.after_ms == 0)' THEN
    PERFORM pg_notify('portico_jobs', 'new');
  END IF;
  PERFORM pg_notify('portico_jobs_settled', w.id::text) FROM unnest(watched) AS w (id);
  RETURN QUERY SELECT unnest(settled);
END $$;

-- Finishes jobs that do not run, as expired or cancelled. Returns how many.
CREATE OR REPLACE FUNCTION portico_jobs.discard(ids uuid[], final_state text, why text) RETURNS int
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := clock_timestamp();
  keys jsonb;
  watched uuid[];
  discarded int;
BEGIN
  PERFORM portico_jobs.lock_jobs(ids);
  WITH gone AS (
    DELETE FROM portico_jobs.live l WHERE l.id = ANY (ids) AND l.state <> 'running' RETURNING l.*
  ), kept AS (
    INSERT INTO portico_jobs.finished
    SELECT g.id, g.kind, g.queue, g.tenant, g.order_key, g.idempotency_key, final_state, g.attempts, g.max_attempts,
      g.accepted_at, g.started_at, moment, why, g.owner, NULL, NULL
    FROM gone g
  )
  SELECT count(*), array_agg(g.id) FILTER (WHERE g.is_watched),
    jsonb_agg(DISTINCT jsonb_build_array(g.kind, g.queue, g.order_key)) FILTER (WHERE g.order_key IS NOT NULL)
  INTO discarded, watched, keys FROM gone g;
  PERFORM portico_jobs.release_next(e ->> 0, e ->> 1, e ->> 2) FROM jsonb_array_elements(keys) AS e;
  IF keys IS NOT NULL THEN
    PERFORM pg_notify('portico_jobs', 'new');
  END IF;
  PERFORM pg_notify('portico_jobs_settled', w.id::text) FROM unnest(watched) AS w (id);
  RETURN discarded;
END $$;

-- Cancels jobs. One that runs is marked, and its process told. They are locked first: one that a claim begins or an attempt ends
-- meanwhile is cancelled in the state that it then has. Returns how many are or will be cancelled.
CREATE OR REPLACE FUNCTION portico_jobs.cancel(ids uuid[]) RETURNS int
LANGUAGE plpgsql AS $$
DECLARE
  discarded int;
  marked int;
BEGIN
  PERFORM portico_jobs.lock_jobs(ids);
  discarded := portico_jobs.discard(ids, 'cancelled', 'cancelled');
  UPDATE portico_jobs.live SET is_cancelled = true WHERE id = ANY (ids) AND state = 'running';
  GET DIAGNOSTICS marked = ROW_COUNT;
  IF marked > 0 THEN
    PERFORM pg_notify('portico_jobs', 'cancel');
  END IF;
  RETURN discarded + marked;
END $$;

-- Runs dead jobs again, with all their attempts, and those that wait for another attempt at once. What is planned for later and
-- has not been tried keeps its time. Returns how many.
CREATE OR REPLACE FUNCTION portico_jobs.replay(ids uuid[]) RETURNS int
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := clock_timestamp();
  lock_id bigint;
  job portico_jobs.dead;
  replayed int;
BEGIN
  FOR lock_id IN
    SELECT portico_jobs.key_lock(l.kind, l.queue, l.order_key)
    FROM portico_jobs.live l WHERE l.id = ANY (ids) AND l.order_key IS NOT NULL
    UNION
    SELECT portico_jobs.key_lock(d.kind, d.queue, d.order_key)
    FROM portico_jobs.dead d WHERE d.id = ANY (ids) AND d.order_key IS NOT NULL
    ORDER BY 1
  LOOP
    PERFORM pg_advisory_xact_lock(lock_id);
  END LOOP;
  PERFORM FROM portico_jobs.live l WHERE l.id = ANY (ids) ORDER BY l.id FOR UPDATE;
  PERFORM FROM portico_jobs.dead d WHERE d.id = ANY (ids) ORDER BY d.id FOR UPDATE;
  UPDATE portico_jobs.live SET state = 'queued', run_at = moment
  WHERE id = ANY (ids) AND state = 'scheduled' AND attempts > 0;
  GET DIAGNOSTICS replayed = ROW_COUNT;
  FOR job IN DELETE FROM portico_jobs.dead d WHERE d.id = ANY (ids) RETURNING d.* LOOP
    INSERT INTO portico_jobs.live (id, kind, queue, tenant, order_key, idempotency_key, state, run_at, expires_at,
      max_attempts, payload, trace, owner, is_watched, accepted_at, reason)
    VALUES (job.id, job.kind, job.queue, job.tenant, job.order_key, job.idempotency_key,
      CASE WHEN job.order_key IS NOT NULL AND EXISTS (
        SELECT FROM portico_jobs.live l
        WHERE l.kind = job.kind AND l.queue = job.queue AND l.order_key = job.order_key)
      THEN 'waiting' ELSE 'queued' END,
      moment, moment + job.valid_for, job.max_attempts, job.payload, job.trace, job.owner, job.is_watched,
      job.accepted_at, job.reason)
    ON CONFLICT DO NOTHING;
    replayed := replayed + 1;
  END LOOP;
  PERFORM pg_notify('portico_jobs', 'new');
  RETURN replayed;
END $$;

-- Deletes dead jobs. Returns how many.
CREATE FUNCTION portico_jobs.purge(ids uuid[]) RETURNS int
LANGUAGE plpgsql AS $$
DECLARE
  purged int;
BEGIN
  PERFORM FROM portico_jobs.dead d WHERE d.id = ANY (ids) ORDER BY d.id FOR UPDATE;
  DELETE FROM portico_jobs.dead d WHERE d.id = ANY (ids);
  GET DIAGNOSTICS purged = ROW_COUNT;
  RETURN purged;
END $$;

-- Jobs that are marked as running and that nothing runs: of processes whose row is gone, and those that this process was given
-- a minute ago and does not know of, since the answer was lost on the way.
CREATE FUNCTION portico_jobs.unheld_jobs(a_runner uuid, held uuid[]) RETURNS uuid[]
LANGUAGE sql AS $$
  SELECT array_agg(l.id) FROM portico_jobs.live l
  WHERE l.state = 'running' AND (
    NOT EXISTS (SELECT FROM portico_jobs.runner r WHERE r.id = l.runner)
    OR (l.runner = a_runner AND NOT l.id = ANY (held) AND l.started_at < clock_timestamp() - interval '1 minute'))
$$;

-- Gives jobs back that are marked as running. One that was begun as often as it may be is dead. Returns how many.
CREATE FUNCTION portico_jobs.give_back(ids uuid[]) RETURNS int
LANGUAGE plpgsql AS $$
DECLARE
  of_process record;
  given_back int := 0;
BEGIN
  FOR of_process IN
    SELECT l.runner, jsonb_agg(jsonb_build_object(
      'id', l.id, 'attempt', l.attempts, 'reason', 'runner-lost', 'after_ms', 0, 'is_attempt', true,
      'outcome', CASE WHEN l.attempts >= l.max_attempts THEN 'dead' ELSE 'scheduled' END)) AS outcomes
    FROM portico_jobs.live l WHERE l.id = ANY (ids) AND l.state = 'running' GROUP BY l.runner
  LOOP
    given_back := given_back + (SELECT count(*) FROM portico_jobs.settle(of_process.runner, of_process.outcomes));
  END LOOP;
  RETURN given_back;
END $$;

CREATE OR REPLACE FUNCTION portico_jobs.release(a_runner uuid, held uuid[]) RETURNS int
LANGUAGE sql AS $$
  SELECT portico_jobs.give_back(ARRAY(
    SELECT l.id FROM portico_jobs.live l
    WHERE l.runner = a_runner AND l.state = 'running'
      AND (held IS NULL OR (NOT l.id = ANY (held) AND l.started_at < clock_timestamp() - interval '1 minute'))))
$$;

-- Renews the lease of a process, gives the jobs of those whose lease has ended to others, and finishes what has expired. It waits
-- for no job: the lease would end meanwhile. What is locked is left to the next heartbeat.
CREATE OR REPLACE FUNCTION portico_jobs.heartbeat(a_runner uuid, a_name text, lease_ms int, held uuid[])
RETURNS TABLE (was_known boolean, cancelled uuid[], reclaimed int)
LANGUAGE plpgsql AS $$
DECLARE
  overdue uuid[];
  free uuid[];
BEGIN
  UPDATE portico_jobs.runner SET lease_until = clock_timestamp() + lease_ms * interval '1 millisecond'
  WHERE id = a_runner;
  was_known := FOUND;
  IF NOT was_known THEN
    INSERT INTO portico_jobs.runner VALUES (a_runner, a_name, clock_timestamp() + lease_ms * interval '1 millisecond');
  END IF;
  DELETE FROM portico_jobs.runner WHERE id IN (
    SELECT r.id FROM portico_jobs.runner r WHERE r.lease_until < clock_timestamp() FOR UPDATE SKIP LOCKED);
  overdue := ARRAY(
    SELECT e.id FROM portico_jobs.live e
    WHERE e.expires_at <= clock_timestamp() AND e.expires_at IS NOT NULL AND e.state <> 'running'
    ORDER BY e.expires_at LIMIT 1000);
  reclaimed := 0;
  free := portico_jobs.lock_free_jobs(portico_jobs.unheld_jobs(a_runner, held) || overdue);
  IF cardinality(free) > 0 THEN
    -- They may have been settled, and begun anew, before they were locked.
    reclaimed := portico_jobs.give_back(ARRAY(
      SELECT u.id FROM unnest(portico_jobs.unheld_jobs(a_runner, held)) AS u (id) WHERE u.id = ANY (free)));
    PERFORM portico_jobs.discard(ARRAY(SELECT e.id FROM unnest(overdue) AS e (id) WHERE e.id = ANY (free)), 'expired', 'expired');
  END IF;
  SELECT array_agg(l.id) INTO cancelled FROM portico_jobs.live l
  WHERE l.runner = a_runner AND l.state = 'running' AND l.is_cancelled;
  IF reclaimed > 0 THEN
    PERFORM pg_notify('portico_jobs', 'new');
  END IF;
  RETURN NEXT;
END $$;

-- How many jobs there are, counted by one process for all.
CREATE TABLE portico_jobs.queue_snapshot (
  -- There is one row.
  id boolean PRIMARY KEY CHECK (id),
  counted_at timestamptz NOT NULL,
  took_ms float8 NOT NULL,
  queues jsonb NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);

-- Dead jobs of a queue are counted and found by it, however many others are kept.
CREATE INDEX dead_queue ON portico_jobs.dead (queue, kind, accepted_at);

-- Dead jobs by queue, 10,000 of each at most; `due` is when the oldest was accepted. One entry of the index for each queue leads to
-- the next one. Without the setting a table of which most is one queue's is read as a whole, for each of the others too.
CREATE FUNCTION portico_jobs.count_dead() RETURNS TABLE (kind text, queue text, count int, due timestamptz)
LANGUAGE sql SET enable_seqscan = off AS $$
  WITH RECURSIVE dead_queues AS (
    (SELECT d.queue, d.kind FROM portico_jobs.dead d ORDER BY d.queue, d.kind LIMIT 1)
    UNION ALL
    SELECT n.queue, n.kind FROM dead_queues q CROSS JOIN LATERAL (
      SELECT d.queue, d.kind FROM portico_jobs.dead d WHERE (d.queue, d.kind) > (q.queue, q.kind)
      ORDER BY d.queue, d.kind LIMIT 1) AS n
  )
  SELECT q.kind, q.queue, counted.jobs, oldest.accepted_at
  FROM dead_queues q
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS jobs FROM (
      SELECT FROM portico_jobs.dead d WHERE d.queue = q.queue AND d.kind = q.kind LIMIT 10000) AS first_ones) AS counted
  CROSS JOIN LATERAL (
    SELECT d.accepted_at FROM portico_jobs.dead d WHERE d.queue = q.queue AND d.kind = q.kind
    ORDER BY d.accepted_at LIMIT 1) AS oldest
$$;

-- Jobs that are not finished, and dead ones, by queue and state; `due` is that of the oldest one.
CREATE FUNCTION portico_jobs.count_jobs() RETURNS TABLE (kind text, queue text, state text, count int, due timestamptz)
LANGUAGE sql AS $$
  SELECT l.kind, l.queue, l.state, count(*)::int, min(greatest(l.run_at, l.accepted_at))
  FROM portico_jobs.live l GROUP BY l.kind, l.queue, l.state
  UNION ALL
  SELECT d.kind, d.queue, 'dead', d.count, d.due FROM portico_jobs.count_dead() AS d
$$;

-- The lengths of queues, `max_age_ms` old at most; 0: as they are now. For an age above 0 they may be older: one process counts at
-- a time, the others get what was counted last, and no more than a twentieth of the time is spent with counting.
CREATE FUNCTION portico_jobs.queue_stats(max_age_ms float8)
RETURNS TABLE (kind text, queue text, state text, count int, oldest_seconds float8)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  asked_at constant timestamptz := clock_timestamp();
  begun_at timestamptz;
  last portico_jobs.queue_snapshot;
  is_due boolean := false;
BEGIN
  IF max_age_ms > 0 THEN
    SELECT * INTO last FROM portico_jobs.queue_snapshot;
    IF NOT FOUND OR last.counted_at NOT BETWEEN
      asked_at - greatest(max_age_ms, last.took_ms * 20) * interval '1 millisecond' AND asked_at
    THEN
      is_due := pg_try_advisory_xact_lock(2006, 4);
    END IF;
  ELSE
    PERFORM pg_advisory_xact_lock(2006, 4);
    -- Others that wait for the same have it from the one that counts after they asked.
    SELECT * INTO last FROM portico_jobs.queue_snapshot;
    is_due := NOT FOUND OR last.counted_at NOT BETWEEN asked_at AND clock_timestamp();
  END IF;
  IF is_due THEN
    begun_at := clock_timestamp();
    INSERT INTO portico_jobs.queue_snapshot AS s
    SELECT true, begun_at, extract(epoch FROM clock_timestamp() - begun_at)::float8 * 1000, counted.queues
    FROM (SELECT coalesce(jsonb_agg(to_jsonb(c)), '[]') AS queues FROM portico_jobs.count_jobs() AS c) AS counted
    ON CONFLICT (id) DO UPDATE
    SET counted_at = excluded.counted_at, took_ms = excluded.took_ms, queues = excluded.queues
    RETURNING s.* INTO last;
  END IF;
  RETURN QUERY
    SELECT q.kind, q.queue, q.state, q.count,
      greatest(0, extract(epoch FROM clock_timestamp() - q.due))::float8
    FROM jsonb_to_recordset(last.queues) AS q (kind text, queue text, state text, count int, due timestamptz)
    ORDER BY 1, 2, 3;
END $$;
