-- The functions that hold the transitions of jobs; TypeScript only calls them. The file is run as a whole, after the files that change
-- tables, whenever the version of the schema changes. A function in the language sql stands after those that it calls.

-- The number of the advisory lock of an order key, or of an idempotency key behind chr(2).
CREATE OR REPLACE FUNCTION portico_jobs.key_lock(kind text, queue text, order_key text) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$ SELECT hashtextextended(kind || chr(1) || queue || chr(1) || order_key, 2006) $$;

-- What changes jobs locks them in one order, so that nothing waits in a circle: the row of a process, then order keys, ascending,
-- then rows of jobs, ascending by id. All that a transaction changes is locked by one call; what is locked again in it, by a
-- function that it calls, waits for nothing. Acceptance takes keys alone, and claims skip what is locked.
CREATE OR REPLACE FUNCTION portico_jobs.lock_jobs(ids uuid[]) RETURNS void
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
CREATE OR REPLACE FUNCTION portico_jobs.lock_free_jobs(ids uuid[]) RETURNS uuid[]
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

-- Accepts jobs as `accept` does, but for those of actions that are over a quota, of which it returns which one, `user` or `tenant`.
-- Jobs that do not say `is_limited` count and are never over one. A quota that is null is none. Processes that accept jobs of the same
-- tenant or user wait for each other, so that all of them together stay within it. These locks are taken before those of keys.
CREATE OR REPLACE FUNCTION portico_jobs.accept_within(jobs jsonb, user_quota int, tenant_quota int)
RETURNS TABLE (index int, id uuid, is_known boolean, over_quota text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  lock_id int;
  refused jsonb;
  accepted jsonb := jobs;
BEGIN
  FOR lock_id IN
    SELECT DISTINCT hashtext(
      CASE WHEN j.tenant <> '' AND tenant_quota IS NOT NULL THEN j.tenant
      ELSE j.tenant || chr(1) || coalesce(j.owner ->> 'x-hasura-user-id', '') END)
    FROM jsonb_to_recordset(jobs) AS j (tenant text, owner jsonb, is_limited boolean)
    WHERE j.is_limited ORDER BY 1
  LOOP
    PERFORM pg_advisory_xact_lock(2007, lock_id);
  END LOOP;
  WITH limited AS (
    SELECT j.index, j.tenant, coalesce(j.owner ->> 'x-hasura-user-id', '') AS caller
    FROM jsonb_to_recordset(jobs) AS j (index int, tenant text, owner jsonb, is_limited boolean) WHERE j.is_limited
  ), callers AS MATERIALIZED (
    SELECT d.tenant, d.caller, (
      SELECT count(*) FROM (
        SELECT FROM portico_jobs.live l
        WHERE l.kind = 'action' AND l.tenant = d.tenant
          AND hashtextextended(coalesce(l.owner ->> 'x-hasura-user-id', ''), 2006) = hashtextextended(d.caller, 2006)
        LIMIT user_quota) AS live) AS live
    FROM (SELECT DISTINCT tenant, caller FROM limited WHERE user_quota IS NOT NULL) AS d
  ), tenants AS MATERIALIZED (
    SELECT d.tenant, (
      SELECT count(*) FROM (
        SELECT FROM portico_jobs.live l WHERE l.kind = 'action' AND l.tenant = d.tenant LIMIT tenant_quota) AS live) AS live
    FROM (SELECT DISTINCT tenant FROM limited WHERE tenant_quota IS NOT NULL AND tenant <> '') AS d
  ), of_user AS MATERIALIZED (
    SELECT l.index, l.tenant,
      coalesce(c.live + row_number() OVER (PARTITION BY l.tenant, l.caller ORDER BY l.index) > user_quota, false) AS is_over
    FROM limited l LEFT JOIN callers c USING (tenant, caller)
  ), of_tenant AS (
    SELECT u.index, t.live + row_number() OVER (PARTITION BY u.tenant ORDER BY u.index) > tenant_quota AS is_over
    FROM of_user u JOIN tenants t USING (tenant) WHERE NOT u.is_over
  )
  SELECT jsonb_object_agg(o.index::text, o.quota) INTO refused FROM (
    SELECT index, 'user' AS quota FROM of_user WHERE is_over
    UNION ALL SELECT index, 'tenant' FROM of_tenant WHERE is_over) AS o;
  IF refused IS NOT NULL THEN
    SELECT jsonb_agg(e.job ORDER BY e.nth) INTO accepted
    FROM jsonb_array_elements(jobs) WITH ORDINALITY AS e (job, nth) WHERE NOT refused ? (e.job ->> 'index');
    RETURN QUERY SELECT r.key::int, NULL::uuid, false, r.value FROM jsonb_each_text(refused) AS r;
  END IF;
  IF accepted IS NOT NULL THEN
    RETURN QUERY SELECT a.index, a.id, a.is_known, NULL::text FROM portico_jobs.accept(accepted) AS a;
  END IF;
END $$;

-- Releases the first job of each key that has none that is ahead. Called with the keys' locks held.
CREATE OR REPLACE FUNCTION portico_jobs.release_next(a_kind text, a_queue text, a_key text) RETURNS void
LANGUAGE sql AS $$
  UPDATE portico_jobs.live l
  SET state = CASE WHEN l.run_at > clock_timestamp() THEN 'scheduled' ELSE 'queued' END
  WHERE l.state = 'waiting' AND l.id = (
    SELECT f.id FROM portico_jobs.live f WHERE f.kind = a_kind AND f.queue = a_queue AND f.order_key = a_key
    ORDER BY f.seq LIMIT 1)
$$;

-- Gives a process up to `slots` jobs. Lanes, each a tenant in a queue, take turns, beginning after the lane of the cursor.
-- Calls run one after another, so that limits hold over all processes.
CREATE OR REPLACE FUNCTION portico_jobs.claim(
  a_runner uuid, slots int, kinds text[], cursor_kind text, cursor_queue text, cursor_tenant text, paused jsonb, limits jsonb
) RETURNS TABLE (
  id uuid, kind text, queue text, tenant text, order_key text, idempotency_key text, attempts int, max_attempts int,
  payload jsonb, trace jsonb, accepted_at timestamptz, expires_at timestamptz, is_expired boolean, waited_ms float8
)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  moment timestamptz;
  last_tenant constant text := U&'\+10FFFF';
  k text := cursor_kind;
  q text := cursor_queue;
  t text := cursor_tenant;
  lane record;
  wrapped boolean := false;
  lane_kinds text[] := '{}';
  lane_queues text[] := '{}';
  lane_tenants text[] := '{}';
  lane_room int[] := '{}';
  queue_room jsonb := '{}';
  room int;
  queue_key text;
  left_slots int := slots;
  quota int;
  taken int;
  n int;
  progressed boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(2006, 1);
  moment := clock_timestamp();
  -- A process whose lease has ended must not begin anything. The row stays until this is committed: who takes its jobs away
  -- sees them.
  PERFORM FROM portico_jobs.runner r WHERE r.id = a_runner AND r.lease_until > moment FOR KEY SHARE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  UPDATE portico_jobs.live SET state = 'queued' WHERE live.id IN (
    SELECT s.id FROM portico_jobs.live s WHERE s.state = 'scheduled' AND s.run_at <= moment
    ORDER BY s.run_at LIMIT 1000 FOR UPDATE SKIP LOCKED);

  LOOP
    EXIT WHEN cardinality(lane_kinds) >= slots;
    SELECT l.kind, l.queue, l.tenant INTO lane FROM portico_jobs.live l
    WHERE l.state = 'queued' AND (l.kind, l.queue, l.tenant) > (k, q, t)
    ORDER BY l.kind, l.queue, l.tenant LIMIT 1;
    IF NOT FOUND THEN
      EXIT WHEN wrapped;
      wrapped := true;
      k := ''; q := ''; t := '';
      CONTINUE;
    END IF;
    EXIT WHEN wrapped AND (lane.kind, lane.queue, lane.tenant) > (cursor_kind, cursor_queue, cursor_tenant);
    k := lane.kind; q := lane.queue; t := lane.tenant;
    IF NOT k = ANY (kinds) THEN
      q := last_tenant; t := last_tenant;
      CONTINUE;
    END IF;
    queue_key := k || chr(1) || q;
    IF paused ? queue_key THEN
      t := last_tenant;
      CONTINUE;
    END IF;
    CONTINUE WHEN paused ? (queue_key || chr(1) || t);
    room := slots;
    IF limits -> queue_key ->> 'concurrency' IS NOT NULL THEN
      IF NOT queue_room ? queue_key THEN
        queue_room := queue_room || jsonb_build_object(queue_key, (limits -> queue_key ->> 'concurrency')::int - (
          SELECT count(*)::int FROM portico_jobs.live r WHERE r.state = 'running' AND r.kind = k AND r.queue = q));
      END IF;
      room := (queue_room ->> queue_key)::int;
      IF room <= 0 THEN
        t := last_tenant;
        CONTINUE;
      END IF;
    END IF;
    IF limits -> queue_key ->> 'tenantConcurrency' IS NOT NULL THEN
      room := least(room, (limits -> queue_key ->> 'tenantConcurrency')::int - (
        SELECT count(*)::int FROM portico_jobs.live r
        WHERE r.state = 'running' AND r.kind = k AND r.queue = q AND r.tenant = t));
      CONTINUE WHEN room <= 0;
    END IF;
    lane_kinds := lane_kinds || k; lane_queues := lane_queues || q; lane_tenants := lane_tenants || t;
    lane_room := lane_room || room;
  END LOOP;

  LOOP
    progressed := false;
    FOR n IN 1 .. cardinality(lane_kinds) LOOP
      EXIT WHEN left_slots <= 0;
      CONTINUE WHEN lane_room[n] <= 0;
      queue_key := lane_kinds[n] || chr(1) || lane_queues[n];
      quota := least(lane_room[n], left_slots, greatest(1, slots / cardinality(lane_kinds)));
      IF queue_room ? queue_key THEN
        quota := least(quota, (queue_room ->> queue_key)::int);
        CONTINUE WHEN quota <= 0;
      END IF;
      RETURN QUERY
        UPDATE portico_jobs.live AS l
        SET state = 'running', runner = a_runner, attempts = l.attempts + 1, started_at = moment
        WHERE l.id IN (
          SELECT c.id FROM portico_jobs.live c
          WHERE c.state = 'queued' AND c.kind = lane_kinds[n] AND c.queue = lane_queues[n] AND c.tenant = lane_tenants[n]
          ORDER BY c.seq LIMIT quota FOR UPDATE SKIP LOCKED)
        RETURNING l.id, l.kind, l.queue, l.tenant, l.order_key, l.idempotency_key, l.attempts, l.max_attempts, l.payload,
          l.trace, l.accepted_at, l.expires_at, coalesce(l.expires_at <= moment, false),
          extract(epoch FROM moment - greatest(l.run_at, l.accepted_at))::float8 * 1000;
      GET DIAGNOSTICS taken = ROW_COUNT;
      IF taken < quota THEN lane_room[n] := 0; ELSE lane_room[n] := lane_room[n] - taken; END IF;
      left_slots := left_slots - taken;
      IF queue_room ? queue_key THEN
        queue_room := jsonb_set(queue_room, ARRAY[queue_key], to_jsonb((queue_room ->> queue_key)::int - taken));
      END IF;
      progressed := progressed OR taken > 0;
    END LOOP;
    EXIT WHEN left_slots <= 0 OR NOT progressed;
  END LOOP;
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
CREATE OR REPLACE FUNCTION portico_jobs.purge(ids uuid[]) RETURNS int
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
CREATE OR REPLACE FUNCTION portico_jobs.unheld_jobs(a_runner uuid, held uuid[]) RETURNS uuid[]
LANGUAGE sql AS $$
  SELECT array_agg(l.id) FROM portico_jobs.live l
  WHERE l.state = 'running' AND (
    NOT EXISTS (SELECT FROM portico_jobs.runner r WHERE r.id = l.runner)
    OR (l.runner = a_runner AND NOT l.id = ANY (held) AND l.started_at < clock_timestamp() - interval '1 minute'))
$$;

-- Gives jobs back that are marked as running. One that was begun as often as it may be is dead. Returns how many.
CREATE OR REPLACE FUNCTION portico_jobs.give_back(ids uuid[]) RETURNS int
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

-- Gives back the jobs of a process: all, or those begun a minute ago that it does not know of. One that was begun as often
-- as it may be is dead. Returns how many.
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

-- A process that ends gives its jobs back at once.
CREATE OR REPLACE FUNCTION portico_jobs.leave(a_runner uuid) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM portico_jobs.runner WHERE id = a_runner;
  IF portico_jobs.release(a_runner, NULL) > 0 THEN
    PERFORM pg_notify('portico_jobs', 'new');
  END IF;
END $$;

-- Dead jobs by queue, 10,000 of each at most; `due` is when the oldest was accepted. One entry of the index for each queue leads to
-- the next one. Without the setting a table of which most is one queue's is read as a whole, for each of the others too.
CREATE OR REPLACE FUNCTION portico_jobs.count_dead() RETURNS TABLE (kind text, queue text, count int, due timestamptz)
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
CREATE OR REPLACE FUNCTION portico_jobs.count_jobs() RETURNS TABLE (kind text, queue text, state text, count int, due timestamptz)
LANGUAGE sql AS $$
  SELECT l.kind, l.queue, l.state, count(*)::int, min(greatest(l.run_at, l.accepted_at))
  FROM portico_jobs.live l GROUP BY l.kind, l.queue, l.state
  UNION ALL
  SELECT d.kind, d.queue, 'dead', d.count, d.due FROM portico_jobs.count_dead() AS d
$$;

-- The lengths of queues, `max_age_ms` old at most; 0: as they are now. For an age above 0 they may be older: one process counts at
-- a time, the others get what was counted last, and no more than a twentieth of the time is spent with counting.
CREATE OR REPLACE FUNCTION portico_jobs.queue_stats(max_age_ms float8)
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

-- Makes the partitions from yesterday until `days_ahead` days from now that are missing. A table that is attached takes a lock
-- beside which rows are read and written; `CREATE TABLE … PARTITION OF` would wait for all readers, and all others for it.
CREATE OR REPLACE FUNCTION portico_jobs.make_partitions(days_ahead int) RETURNS void
LANGUAGE plpgsql SET lock_timeout = '500ms' AS $$
DECLARE
  today constant date := timezone('UTC', now())::date;
  parent text;
  day date;
  partition_name text;
BEGIN
  FOREACH parent IN ARRAY ARRAY['finished', 'dead', 'accepted_key', 'invocation'] LOOP
    FOR day IN SELECT d::date FROM generate_series(today - 1, today + days_ahead, interval '1 day') d LOOP
      partition_name := parent || '_' || to_char(day, 'YYYYMMDD');
      CONTINUE WHEN to_regclass('portico_jobs.' || partition_name) IS NOT NULL;
      PERFORM pg_advisory_xact_lock(2006, 2);
      CONTINUE WHEN EXISTS (
        SELECT FROM pg_class c WHERE c.relname = partition_name AND c.relnamespace = 'portico_jobs'::regnamespace);
      EXECUTE format('CREATE TABLE portico_jobs.%I (LIKE portico_jobs.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)',
        partition_name, parent);
      EXECUTE format('ALTER TABLE portico_jobs.%I ATTACH PARTITION portico_jobs.%I FOR VALUES FROM (%L) TO (%L)',
        parent, partition_name, day || ' 00:00:00+00', (day + 1) || ' 00:00:00+00');
    END LOOP;
  END LOOP;
END $$;

-- Drops the oldest partition that is older than its retention, and returns its name; null where there is none. It needs the
-- parent for itself for a moment: what uses it waits behind this for half a second at most, after which this gives up.
CREATE OR REPLACE FUNCTION portico_jobs.drop_partition(retention_days int, dead_retention_days int) RETURNS text
LANGUAGE plpgsql SET lock_timeout = '500ms' AS $$
DECLARE
  partition_name text;
BEGIN
  PERFORM pg_advisory_xact_lock(2006, 2);
  SELECT c.relname INTO partition_name
  FROM (VALUES ('finished', retention_days), ('dead', dead_retention_days), ('accepted_key', retention_days),
    ('invocation', retention_days)) AS p (parent, days)
  JOIN pg_inherits i ON i.inhparent = ('portico_jobs.' || p.parent)::regclass
  JOIN pg_class c ON c.oid = i.inhrelid
  WHERE c.relname < p.parent || '_' || to_char(timezone('UTC', now())::date - p.days, 'YYYYMMDD')
  ORDER BY right(c.relname, 8), c.relname LIMIT 1;
  IF partition_name IS NOT NULL THEN
    EXECUTE format('DROP TABLE portico_jobs.%I', partition_name);
  END IF;
  RETURN partition_name;
END $$;

-- Gives the attempt that a process has begun a credential to report its progress with. False where the attempt is over. An attempt
-- that was given back may be begun again with the same number, but not before it was claimed again.
CREATE OR REPLACE FUNCTION portico_jobs.begin_progress(a_job uuid, an_attempt int, a_begun_at timestamptz, a_credential bytea)
RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO portico_jobs.progress AS p (job, attempt, runner, credential, begun_at)
  SELECT l.id, l.attempts, l.runner, a_credential, clock_timestamp() FROM portico_jobs.live l
  -- Times of processes are cut to milliseconds.
  WHERE l.id = a_job AND l.attempts = an_attempt AND l.state = 'running'
    AND l.started_at <= a_begun_at + interval '1 millisecond'
  ON CONFLICT (job) DO UPDATE
  SET attempt = excluded.attempt, runner = excluded.runner, credential = excluded.credential, begun_at = excluded.begun_at,
    report = NULL, reported_at = NULL;
  RETURN FOUND;
END $$;

-- The progress of the attempt that runs now; no row where none runs that can report.
CREATE OR REPLACE FUNCTION portico_jobs.current_progress(a_job uuid)
RETURNS TABLE (kind text, queue text, credential bytea, report jsonb, reported_at timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT l.kind, l.queue, p.credential, p.report, p.reported_at
  FROM portico_jobs.progress p JOIN portico_jobs.live l ON l.id = p.job
  WHERE p.job = a_job AND l.state = 'running' AND l.attempts = p.attempt AND l.runner = p.runner
    AND l.started_at <= p.begun_at AND NOT l.is_cancelled
$$;

-- Changes the progress of the attempt that the credential belongs to: members of the change replace those of the report. False where
-- that attempt is over.
CREATE OR REPLACE FUNCTION portico_jobs.report_progress(a_job uuid, a_credential bytea, change jsonb) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE portico_jobs.progress p SET report = coalesce(p.report, '{}') || change, reported_at = clock_timestamp()
  WHERE p.job = a_job AND p.credential = a_credential
    AND EXISTS (SELECT FROM portico_jobs.current_progress(a_job) AS c WHERE c.credential = a_credential);
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM pg_notify('portico_jobs_settled', a_job::text);
  RETURN true;
END $$;

-- Deletes what attempts have left whose processes were killed. Returns how many.
CREATE OR REPLACE FUNCTION portico_jobs.sweep_progress() RETURNS int
LANGUAGE plpgsql AS $$
DECLARE
  swept int;
BEGIN
  DELETE FROM portico_jobs.progress p WHERE NOT EXISTS (
    SELECT FROM portico_jobs.live l WHERE l.id = p.job AND l.state = 'running' AND l.attempts = p.attempt);
  GET DIAGNOSTICS swept = ROW_COUNT;
  RETURN swept;
END $$;
