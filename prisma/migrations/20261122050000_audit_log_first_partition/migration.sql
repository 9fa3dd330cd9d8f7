-- The audit log becomes a table of partitions, one a week. What is there becomes the first of them as it is: no row is
-- copied. So that nobody has to wait for a look at each row, that none is younger than the end of this partition is
-- promised here, checked in the next migration beside everybody's work, and used in the one after it.

-- Ids begin with the time in milliseconds (RFC 9562, version 7). The smallest one of this time:
CREATE FUNCTION "first_audit_id"("at" timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT rpad(lpad(to_hex((extract(epoch FROM "at") * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;

-- For rows of weeks that have no partition.
CREATE TABLE "audit_log_default" (LIKE "audit_log" INCLUDING DEFAULTS);
ALTER TABLE "audit_log_default" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY "backup" ON "audit_log_default" FOR SELECT
    USING ((SELECT current_setting('portico.across_tenants', true) = 'backup'));
CREATE POLICY "audit_retention" ON "audit_log_default" FOR ALL
    USING ((SELECT current_setting('portico.across_tenants', true) = 'audit-retention'));

DO $$
DECLARE
    -- Far enough away for a migration that is interrupted here and goes on another day.
    "end" uuid := "first_audit_id"(date_trunc('week', now(), 'UTC') + interval '35 days');
    "reason" text := coalesce(current_setting('portico.across_tenants', true), '');
BEGIN
    LOCK TABLE "audit_log" IN ACCESS EXCLUSIVE MODE;
    PERFORM set_config('portico.across_tenants', 'audit-retention', true);
    -- Of a clock that was wrong once; there are none, as a rule.
    WITH "moved" AS (DELETE FROM "audit_log" WHERE "id" >= "end" RETURNING *)
        INSERT INTO "audit_log_default" SELECT * FROM "moved";
    PERFORM set_config('portico.across_tenants', "reason", true);
    EXECUTE format('ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_first_partition" CHECK ("id" < %L) NOT VALID', "end");
END
$$;
