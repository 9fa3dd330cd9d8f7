-- Jobs. What is to be done is in `live`, a table that stays small; what is finished is in partitions of a day each, which
-- are dropped as a whole; what was given up is in `dead`, for replays.

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

-- Processes that run jobs. One row is renewed by a heartbeat, however many jobs run.
CREATE TABLE portico_jobs.runner (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  lease_until timestamptz NOT NULL
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

-- Keys that callers gave, so that the same job is accepted once.
CREATE TABLE portico_jobs.accepted_key (
  kind text NOT NULL,
  queue text NOT NULL,
  idempotency_key text NOT NULL,
  id uuid NOT NULL,
  accepted_at timestamptz NOT NULL
) PARTITION BY RANGE (accepted_at);
CREATE INDEX accepted_key_key ON portico_jobs.accepted_key (idempotency_key, kind, queue);

-- Makes the partitions of the days around now and drops those that are older than their retention.
CREATE FUNCTION portico_jobs.maintain(retention_days int, dead_retention_days int) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
  parent text;
  days int;
  day date;
  partition_name text;
BEGIN
  PERFORM pg_advisory_xact_lock(2006, 2);
  FOREACH parent IN ARRAY ARRAY['finished', 'dead', 'accepted_key'] LOOP
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

CREATE FUNCTION portico_jobs.key_lock(kind text, queue text, order_key text) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$ SELECT hashtextextended(kind || chr(1) || queue || chr(1) || order_key, 2006) $$;

-- Accepts jobs, in the order of the list. Of one whose key is known the earlier job's id is returned.
CREATE FUNCTION portico_jobs.accept(jobs jsonb) RETURNS TABLE (index int, id uuid, is_known boolean)
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
      expires_at timestamptz, max_attempts int, payload jsonb, trace jsonb, owner jsonb, is_watched boolean
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
        coalesce(job.run_at, moment), job.expires_at, job.max_attempts,
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
      coalesce(j.run_at, moment), j.expires_at, j.max_attempts, coalesce(j.payload, 'null'), j.trace, j.owner,
      j.is_watched, moment
    FROM jsonb_to_recordset(jobs) AS j (
      index int, id uuid, kind text, queue text, tenant text, order_key text, given_key text, run_at timestamptz,
      expires_at timestamptz, max_attempts int, payload jsonb, trace jsonb, owner jsonb, is_watched boolean
    ) WHERE j.order_key IS NULL AND j.given_key IS NULL ORDER BY j.index
    RETURNING -1, l.id, false;
  PERFORM pg_notify('portico_jobs', 'new');
END $$;

-- Releases the first job of each key that has none that is ahead. Called with the keys' locks held.
CREATE FUNCTION portico_jobs.release_next(a_kind text, a_queue text, a_key text) RETURNS void
LANGUAGE sql AS $$
  UPDATE portico_jobs.live l
  SET state = CASE WHEN l.run_at > clock_timestamp() THEN 'scheduled' ELSE 'queued' END
  WHERE l.state = 'waiting' AND l.id = (
    SELECT f.id FROM portico_jobs.live f WHERE f.kind = a_kind AND f.queue = a_queue AND f.order_key = a_key
    ORDER BY f.seq LIMIT 1)
$$;

-- Gives a process up to `slots` jobs. Lanes, each a tenant in a queue, take turns, beginning after the lane of the cursor.
-- Calls run one after another, so that limits hold over all processes.
CREATE FUNCTION portico_jobs.claim(
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
  -- A process whose lease has ended must not begin anything.
  IF NOT EXISTS (SELECT FROM portico_jobs.runner r WHERE r.id = a_runner AND r.lease_until > moment) THEN
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
CREATE FUNCTION portico_jobs.settle(a_runner uuid, outcomes jsonb) RETURNS SETOF uuid
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
  IF jsonb_array_length(keys) > 0 THEN
    PERFORM pg_notify('portico_jobs', 'new');
  END IF;
  PERFORM pg_notify('portico_jobs_settled', w.id::text) FROM unnest(watched) AS w (id);
  RETURN QUERY SELECT unnest(settled);
END $$;

-- Finishes jobs that do not run, as expired or cancelled. Returns how many.
CREATE FUNCTION portico_jobs.discard(ids uuid[], final_state text, why text) RETURNS int
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := clock_timestamp();
  ordered record;
  keys jsonb := '[]';
  watched uuid[];
  discarded int;
BEGIN
  FOR ordered IN
    SELECT DISTINCT portico_jobs.key_lock(l.kind, l.queue, l.order_key) AS lock_id, l.kind, l.queue, l.order_key
    FROM portico_jobs.live l WHERE l.id = ANY (ids) AND l.order_key IS NOT NULL ORDER BY 1
  LOOP
    PERFORM pg_advisory_xact_lock(ordered.lock_id);
    keys := keys || jsonb_build_array(jsonb_build_array(ordered.kind, ordered.queue, ordered.order_key));
  END LOOP;
  WITH gone AS (
    DELETE FROM portico_jobs.live l WHERE l.id = ANY (ids) AND l.state <> 'running' RETURNING l.*
  ), kept AS (
    INSERT INTO portico_jobs.finished
    SELECT g.id, g.kind, g.queue, g.tenant, g.order_key, g.idempotency_key, final_state, g.attempts, g.max_attempts,
      g.accepted_at, g.started_at, moment, why, g.owner, NULL, NULL
    FROM gone g
  )
  SELECT count(*), array_agg(g.id) FILTER (WHERE g.is_watched) INTO discarded, watched FROM gone g;
  PERFORM portico_jobs.release_next(e ->> 0, e ->> 1, e ->> 2) FROM jsonb_array_elements(keys) AS e;
  IF jsonb_array_length(keys) > 0 THEN
    PERFORM pg_notify('portico_jobs', 'new');
  END IF;
  PERFORM pg_notify('portico_jobs_settled', w.id::text) FROM unnest(watched) AS w (id);
  RETURN discarded;
END $$;

-- Cancels jobs. One that runs is marked, and its process told. Returns how many are or will be cancelled.
CREATE FUNCTION portico_jobs.cancel(ids uuid[]) RETURNS int
LANGUAGE plpgsql AS $$
DECLARE
  discarded int := portico_jobs.discard(ids, 'cancelled', 'cancelled');
  marked int;
BEGIN
  UPDATE portico_jobs.live SET is_cancelled = true WHERE id = ANY (ids) AND state = 'running';
  GET DIAGNOSTICS marked = ROW_COUNT;
  IF marked > 0 THEN
    PERFORM pg_notify('portico_jobs', 'cancel');
  END IF;
  RETURN discarded + marked;
END $$;

-- Runs dead jobs again, with all their attempts, and those that wait for another attempt at once. What is planned for later and
-- has not been tried keeps its time. Returns how many.
CREATE FUNCTION portico_jobs.replay(ids uuid[]) RETURNS int
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := clock_timestamp();
  ordered record;
  job portico_jobs.dead;
  replayed int;
BEGIN
  FOR ordered IN
    SELECT DISTINCT portico_jobs.key_lock(d.kind, d.queue, d.order_key) AS lock_id
    FROM portico_jobs.dead d WHERE d.id = ANY (ids) AND d.order_key IS NOT NULL ORDER BY 1
  LOOP
    PERFORM pg_advisory_xact_lock(ordered.lock_id);
  END LOOP;
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

-- Renews the lease of a process, gives the jobs of those whose lease has ended to others, and finishes what has expired.
CREATE FUNCTION portico_jobs.heartbeat(a_runner uuid, a_name text, lease_ms int, held uuid[])
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

-- Gives back the jobs of a process: all, or those begun a minute ago that it does not know of. One that was begun as often
-- as it may be is dead. Returns how many.
CREATE FUNCTION portico_jobs.release(a_runner uuid, held uuid[]) RETURNS int
LANGUAGE plpgsql AS $$
DECLARE
  outcomes jsonb;
  released int := 0;
BEGIN
  SELECT jsonb_agg(jsonb_build_object(
    'id', l.id, 'attempt', l.attempts, 'reason', 'runner-lost', 'after_ms', 0, 'is_attempt', true,
    'outcome', CASE WHEN l.attempts >= l.max_attempts THEN 'dead' ELSE 'scheduled' END))
  INTO outcomes FROM portico_jobs.live l
  WHERE l.runner = a_runner AND l.state = 'running'
    AND (held IS NULL OR (NOT l.id = ANY (held) AND l.started_at < clock_timestamp() - interval '1 minute'));
  IF outcomes IS NOT NULL THEN
    SELECT count(*) INTO released FROM portico_jobs.settle(a_runner, outcomes);
  END IF;
  RETURN released;
END $$;

-- A process that ends gives its jobs back at once.
CREATE FUNCTION portico_jobs.leave(a_runner uuid) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM portico_jobs.runner WHERE id = a_runner;
  IF portico_jobs.release(a_runner, NULL) > 0 THEN
    PERFORM pg_notify('portico_jobs', 'new');
  END IF;
END $$;
