-- What happened, to be added to and read, never changed. Rows of tenant 0 are the platform's own.
-- No foreign keys: what happened stays written down when whom it happened to is gone.

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
);

-- CreateIndex
CREATE UNIQUE INDEX "audit_log_id_key" ON "audit_log"("id");

-- CreateIndex
CREATE INDEX "audit_log_tenant_id_subject_id_id_idx" ON "audit_log"("tenant_id", "subject_id", "id");

-- CreateIndex
CREATE INDEX "audit_log_tenant_id_event_id_idx" ON "audit_log"("tenant_id", "event", "id");

-- Policies, some for reading and some for adding; without one for changing and removing, neither finds a row.
ALTER TABLE "audit_log" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant" ON "audit_log" FOR SELECT
    USING ("tenant_id" = (SELECT NULLIF(current_setting('portico.tenant_id', true), '')::integer));
CREATE POLICY "tenant_adds" ON "audit_log" FOR INSERT
    WITH CHECK ("tenant_id" = (SELECT NULLIF(current_setting('portico.tenant_id', true), '')::integer));
-- An attempt on a tenant that does not exist is the platform's, and it is the database that finds out.
CREATE POLICY "platform_adds" ON "audit_log" FOR INSERT
    WITH CHECK ("tenant_id" = 0);
CREATE POLICY "audit_log" ON "audit_log" FOR SELECT
    USING ((SELECT current_setting('portico.across_tenants', true) = 'audit-log'));
CREATE POLICY "backup" ON "audit_log" FOR SELECT
    USING ((SELECT current_setting('portico.across_tenants', true) = 'backup'));
-- For the function below, which works as the tables' owner.
CREATE POLICY "audit_retention" ON "audit_log" FOR ALL
    USING ((SELECT current_setting('portico.across_tenants', true) = 'audit-retention')) WITH CHECK (false);

-- Holds those up too whom policies do not bind.
CREATE FUNCTION "refuse_change_of_audit_log"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('portico.across_tenants', true) = 'audit-retention' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER "append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_log"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change_of_audit_log"();

-- The one way to remove rows: the oldest, never any of the last 30 days by the database's own clock. Ids begin with the
-- time in milliseconds (RFC 9562, version 7), so that they are in the order of time. Returns how many were removed.
CREATE FUNCTION "remove_old_audit_rows"("older_than" timestamptz, "most" integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
DECLARE
    "before" timestamptz := least("older_than", now() - interval '30 days');
    "end" uuid := rpad(lpad(to_hex((extract(epoch FROM "before") * 1000)::bigint), 12, '0'), 32, '0')::uuid;
    "reason" text := coalesce(current_setting('portico.across_tenants', true), '');
    "removed" integer;
BEGIN
    PERFORM set_config('portico.across_tenants', 'audit-retention', true);
    DELETE FROM "audit_log" WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM "audit_log" WHERE "id" < "end" ORDER BY "id" LIMIT "most" FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS "removed" = ROW_COUNT;
    PERFORM set_config('portico.across_tenants', "reason", true);
    RETURN "removed";
END
$$;
REVOKE ALL ON FUNCTION "remove_old_audit_rows"(timestamptz, integer) FROM PUBLIC;
