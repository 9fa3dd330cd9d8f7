-- Jobs of processes that are gone: a claim and the end of its process's lease see each other, and what neither saw is found.

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
  tenant_room int;
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

-- Renews the lease of a process, gives the jobs of those whose lease has ended to others, and finishes what has expired.
CREATE OR REPLACE FUNCTION portico_jobs.heartbeat(a_runner uuid, a_name text, lease_ms int, held uuid[])
RETURNS TABLE (was_known boolean, cancelled uuid[], reclaimed int)
LANGUAGE plpgsql AS $$
DECLARE
  lost uuid;
  overdue uuid[];
BEGIN
  UPDATE portico_jobs.runner SET lease_until = clock_timestamp() + lease_ms * interval '1 millisecond'
  WHERE id = a_runner;
  was_known := FOUND;
  IF NOT was_known THEN
    INSERT INTO portico_jobs.runner VALUES (a_runner, a_name, clock_timestamp() + lease_ms * interval '1 millisecond');
  END IF;
  reclaimed := 0;
  FOR lost IN
    DELETE FROM portico_jobs.runner WHERE id IN (
      SELECT r.id FROM portico_jobs.runner r WHERE r.lease_until < clock_timestamp() FOR UPDATE SKIP LOCKED)
    RETURNING id
  LOOP
    reclaimed := reclaimed + portico_jobs.release(lost, NULL);
  END LOOP;
  -- What was begun by a process whose row is gone.
  FOR lost IN
    SELECT DISTINCT l.runner FROM portico_jobs.live l
    WHERE l.state = 'running' AND NOT EXISTS (SELECT FROM portico_jobs.runner r WHERE r.id = l.runner)
  LOOP
    reclaimed := reclaimed + portico_jobs.release(lost, NULL);
  END LOOP;
  -- What was claimed for this process, and whose answer was lost on the way.
  reclaimed := reclaimed + portico_jobs.release(a_runner, held);
  SELECT array_agg(l.id) INTO overdue FROM (
    SELECT e.id FROM portico_jobs.live e
    WHERE e.expires_at <= clock_timestamp() AND e.expires_at IS NOT NULL AND e.state <> 'running'
    ORDER BY e.expires_at LIMIT 1000) l;
  IF overdue IS NOT NULL THEN
    PERFORM portico_jobs.discard(overdue, 'expired', 'expired');
  END IF;
  SELECT array_agg(l.id) INTO cancelled FROM portico_jobs.live l
  WHERE l.runner = a_runner AND l.state = 'running' AND l.is_cancelled;
  IF reclaimed > 0 THEN
    PERFORM pg_notify('portico_jobs', 'new');
  END IF;
  RETURN NEXT;
END $$;

-- Takes what runs decided, of those that this process still holds in the attempt that it ran. Returns their ids.
CREATE OR REPLACE FUNCTION portico_jobs.settle(a_runner uuid, outcomes jsonb) RETURNS SETOF uuid
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  moment timestamptz := clock_timestamp();
  ordered record;
  keys jsonb := '[]';
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
