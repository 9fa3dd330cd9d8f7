-- oldest compatible: 6

-- What the handlers of running attempts have reported, with the digest of the credential of each attempt. A row is of no use once its
-- attempt is over: `current_progress` and `report_progress` then ignore it.
CREATE TABLE portico_jobs.progress (
  job uuid PRIMARY KEY,
  attempt int NOT NULL,
  runner uuid NOT NULL,
  credential bytea NOT NULL,
  begun_at timestamptz NOT NULL,
  report jsonb,
  reported_at timestamptz
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);
