-- The audit log as a table of partitions, by weeks: what has had its time goes as a whole, without a row being looked at.

ALTER TABLE "audit_log" RENAME TO "audit_log_first";
ALTER INDEX "audit_log_pkey" RENAME TO "audit_log_first_pkey";
ALTER INDEX "audit_log_id_key" RENAME TO "audit_log_first_id_key";
ALTER INDEX "audit_log_tenant_id_subject_id_id_idx" RENAME TO "audit_log_first_tenant_id_subject_id_id_idx";
ALTER INDEX "audit_log_tenant_id_event_id_idx" RENAME TO "audit_log_first_tenant_id_event_id_idx";

-- CreateTable
CREATE TABLE "audit_log" (
    "tenant_id" INTEGER NOT NULL,
    "id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "event" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "actor_kind" TEXT NOT NULL,
    "actor_id" TEXT,
    "subject_kind" TEXT,
    "subject_id" TEXT,
    "client_address" TEXT,
    "user_agent" TEXT,
    "request_id" TEXT,
    "details" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "audit_log_pkey" PRIMARY KEY ("tenant_id","id")
) PARTITION BY RANGE ("id");

-- CreateIndex
CREATE UNIQUE INDEX "audit_log_id_key" ON "audit_log"("id");

-- CreateIndex
CREATE INDEX "audit_log_tenant_id_subject_id_id_idx" ON "audit_log"("tenant_id", "subject_id", "id");

-- CreateIndex
CREATE INDEX "audit_log_tenant_id_event_id_idx" ON "audit_log"("tenant_id", "event", "id");

-- As before, see the migration that made the audit log. Who reads and adds does it here, never at a partition.
ALTER TABLE "audit_log" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant" ON "audit_log" FOR SELECT
    USING ("tenant_id" = (SELECT NULLIF(current_setting('portico.tenant_id', true), '')::integer));
CREATE POLICY "tenant_adds" ON "audit_log" FOR INSERT
    WITH CHECK ("tenant_id" = (SELECT NULLIF(current_setting('portico.tenant_id', true), '')::integer));
CREATE POLICY "platform_adds" ON "audit_log" FOR INSERT
    WITH CHECK ("tenant_id" = 0);
CREATE POLICY "audit_log" ON "audit_log" FOR SELECT
    USING ((SELECT current_setting('portico.across_tenants', true) = 'audit-log'));
CREATE POLICY "backup" ON "audit_log" FOR SELECT
    USING ((SELECT current_setting('portico.across_tenants', true) = 'backup'));

-- What the partition keeps: a dump reads partitions one by one, and the functions below remove rows from this one and
-- from the default.
DROP POLICY "tenant" ON "audit_log_first";
DROP POLICY "tenant_adds" ON "audit_log_first";
DROP POLICY "platform_adds" ON "audit_log_first";
DROP POLICY "audit_log" ON "audit_log_first";
ALTER POLICY "audit_retention" ON "audit_log_default" WITH CHECK (false);

-- Those who had rights to the table have them to the new one, and none to its partition.
DO $$
DECLARE
    "right" record;
    "end" text;
BEGIN
    FOR "right" IN
        SELECT format('%I', rolname) AS "grantee", privilege_type AS "name"
        FROM pg_class CROSS JOIN aclexplode(relacl) AS "acl" JOIN pg_roles ON pg_roles.oid = "acl".grantee
        WHERE pg_class.oid = '"audit_log_first"'::regclass AND "acl".grantee <> relowner
    LOOP
        EXECUTE format('GRANT %s ON "audit_log" TO %s', "right"."name", "right"."grantee");
        EXECUTE format('REVOKE %s ON "audit_log_first" FROM %s', "right"."name", "right"."grantee");
    END LOOP;

    -- By the constraint, PostgreSQL knows that no row has to be looked at.
    SELECT substring(pg_get_constraintdef(oid) FROM '[0-9a-f]{8}-[0-9a-f-]{27}') INTO STRICT "end"
        FROM pg_constraint WHERE conrelid = '"audit_log_first"'::regclass AND conname = 'audit_log_first_partition';
    EXECUTE format('ALTER TABLE "audit_log" ATTACH PARTITION "audit_log_first" FOR VALUES FROM (MINVALUE) TO (%L)', "end");
END
$$;
ALTER TABLE "audit_log_first" DROP CONSTRAINT "audit_log_first_partition";
ALTER TABLE "audit_log" ATTACH PARTITION "audit_log_default" DEFAULT;

-- Only who works as the tables' owner, by one of the functions below, may remove anything.
CREATE OR REPLACE FUNCTION "refuse_change_of_audit_log"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('portico.across_tenants', true) = 'audit-retention'
        AND current_user = (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = TG_RELID) THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER "append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_log"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change_of_audit_log"();
CREATE TRIGGER "append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_log_default"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change_of_audit_log"();

-- Makes the partitions of this week and the next ones, as far as they are missing, and returns how many it made. One
-- caller does it at a time; others return at once. It waits for nobody for longer than a second: until it succeeds, rows
-- go to the default partition. A week that has rows there already stays there.
CREATE FUNCTION "create_audit_partitions"("weeks" integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET lock_timeout = '1s'
AS $$
DECLARE
    "reason" text := coalesce(current_setting('portico.across_tenants', true), '');
    "begins" timestamptz := date_trunc('week', now(), 'UTC');
    "first_end" uuid;
    "name" text;
    "from" uuid;
    "to" uuid;
    "is_taken" boolean;
    "made" integer := 0;
BEGIN
    IF NOT pg_try_advisory_xact_lock(7467842604) THEN RETURN 0; END IF;
    SELECT "upper" INTO "first_end" FROM "audit_partitions"() WHERE "lower" IS NULL AND "upper" IS NOT NULL;
    FOR "week" IN 0..least("weeks", 26) - 1 LOOP
        "name" := 'audit_log_' || to_char("begins" AT TIME ZONE 'UTC' + "week" * interval '7 days', 'YYYYMMDD');
        "from" := "first_audit_id"("begins" + "week" * interval '168 hours');
        "to" := "first_audit_id"("begins" + ("week" + 1) * interval '168 hours');
        CONTINUE WHEN "from" < "first_end" OR to_regclass(format('%I', "name")) IS NOT NULL;
        BEGIN
            LOCK TABLE "audit_log_default" IN ACCESS EXCLUSIVE MODE;
            PERFORM set_config('portico.across_tenants', 'audit-retention', true);
            SELECT EXISTS (SELECT FROM "audit_log_default" WHERE "id" >= "from" AND "id" < "to") INTO "is_taken";
            PERFORM set_config('portico.across_tenants', "reason", true);
            CONTINUE WHEN "is_taken";
            EXECUTE format('CREATE TABLE %I (LIKE "audit_log" INCLUDING DEFAULTS)', "name");
            EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', "name");
            EXECUTE format('CREATE POLICY "backup" ON %I FOR SELECT
                USING ((SELECT current_setting(''portico.across_tenants'', true) = ''backup''))', "name");
            EXECUTE format('CREATE TRIGGER "append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON %I
                FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change_of_audit_log"()', "name");
            EXECUTE format('ALTER TABLE "audit_log" ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', "name", "from", "to");
            "made" := "made" + 1;
        EXCEPTION WHEN lock_not_available THEN
            EXIT;
        END;
    END LOOP;
    RETURN "made";
END
$$;

-- Drops the partitions whose rows are all older than `older_than`, and never any with rows of the last 30 days by the
-- database's own clock. Returns their names. As above, one caller at a time, who waits for a second at most.
CREATE FUNCTION "drop_audit_partitions"("older_than" timestamptz) RETURNS SETOF text
    LANGUAGE plpgsql SECURITY DEFINER
    SET lock_timeout = '1s'
AS $$
DECLARE
    "end" uuid := "first_audit_id"(least("older_than", now() - interval '30 days'));
    "old" text;
BEGIN
    IF NOT pg_try_advisory_xact_lock(7467842604) THEN RETURN; END IF;
    FOR "old" IN SELECT "name" FROM "audit_partitions"() WHERE "upper" <= "end" ORDER BY "upper" LOOP
        BEGIN
            EXECUTE format('DROP TABLE %I', "old");
            RETURN NEXT "old";
        EXCEPTION WHEN lock_not_available THEN
            EXIT;
        END;
    END LOOP;
END
$$;

-- Its partitions by their ids, from `lower` to before `upper`. Of the first one `lower` is null, of the default both.
CREATE FUNCTION "audit_partitions"() RETURNS TABLE ("name" text, "lower" uuid, "upper" uuid) LANGUAGE sql STABLE AS $$
    SELECT relname::text,
        substring(pg_get_expr(relpartbound, oid) FROM 'FROM \(''([0-9a-f-]{36})''\)')::uuid,
        substring(pg_get_expr(relpartbound, oid) FROM 'TO \(''([0-9a-f-]{36})''\)')::uuid
    FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = '"audit_log"'::regclass
$$;

-- Removes old rows where partitions hold those of many weeks, the oldest first, never any of the last 30 days by the
-- database's own clock. Returns how many were removed.
CREATE OR REPLACE FUNCTION "remove_old_audit_rows"("older_than" timestamptz, "most" integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE
    "end" uuid := "first_audit_id"(least("older_than", now() - interval '30 days'));
    "reason" text := coalesce(current_setting('portico.across_tenants', true), '');
    "name" text;
    "count" integer;
    "removed" integer := 0;
BEGIN
    PERFORM set_config('portico.across_tenants', 'audit-retention', true);
    FOREACH "name" IN ARRAY ARRAY['audit_log_first', 'audit_log_default'] LOOP
        CONTINUE WHEN to_regclass(format('%I', "name")) IS NULL;
        EXECUTE format('DELETE FROM %I WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM %I WHERE "id" < $1 ORDER BY "id" LIMIT $2 FOR UPDATE SKIP LOCKED))', "name", "name")
            USING "end", "most" - "removed";
        GET DIAGNOSTICS "count" = ROW_COUNT;
        "removed" := "removed" + "count";
    END LOOP;
    PERFORM set_config('portico.across_tenants', "reason", true);
    RETURN "removed";
END
$$;

REVOKE ALL ON FUNCTION "create_audit_partitions"(integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION "drop_audit_partitions"(timestamptz) FROM PUBLIC;

-- They work with their owner's rights, so names mean this schema's tables, not temporary ones of the caller's.
DO $$
DECLARE
    "name" text;
BEGIN
    FOREACH "name" IN ARRAY ARRAY['create_audit_partitions(integer)', 'drop_audit_partitions(timestamptz)',
        'remove_old_audit_rows(timestamptz, integer)'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', "name", current_schema());
    END LOOP;
END
$$;

SELECT "create_audit_partitions"(8);
