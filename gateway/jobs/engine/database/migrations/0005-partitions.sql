-- Partitions without waits: a reader of hours, such as a backup, delays neither jobs nor the start of a process.

DROP FUNCTION portico_jobs.maintain(int, int);

-- Makes the partitions from yesterday until `days_ahead` days from now that are missing. A table that is attached takes a lock
-- beside which rows are read and written; `CREATE TABLE … PARTITION OF` would wait for all readers, and all others for it.
CREATE FUNCTION portico_jobs.make_partitions(days_ahead int) RETURNS void
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
CREATE FUNCTION portico_jobs.drop_partition(retention_days int, dead_retention_days int) RETURNS text
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
