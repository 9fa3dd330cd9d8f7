-- oldest compatible: 6

-- Lists of cron triggers and of one-off events that are to come read their own jobs alone; other jobs do not pay for it.
CREATE INDEX live_cron ON portico_jobs.live (queue, accepted_at) WHERE kind = 'cron';
CREATE INDEX live_one_off ON portico_jobs.live (run_at, id) WHERE kind = 'scheduled-event';
