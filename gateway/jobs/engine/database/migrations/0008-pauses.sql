-- oldest compatible: 6

-- What a process begins no jobs of for now, for operators: kind, queue, tenant (null: all of the queue), reason, since and until.
ALTER TABLE portico_jobs.runner ADD COLUMN pauses jsonb NOT NULL DEFAULT '[]';
