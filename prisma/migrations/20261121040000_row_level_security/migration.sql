-- Row-level security: a transaction sees the rows of the tenant that it says it works for, and without saying so none.
-- Settings, each for one transaction: portico.tenant_id, the tenant; portico.across_tenants, what a look across tenants
-- is for, which opens no more tables than that needs. auth-service/database sets them.
-- The sub-selects are evaluated once a statement, not once a row; with the comparison inside, the planner does not expect
-- a look across tenants to find next to nothing.
-- FORCE, because the service may own the tables.

ALTER TABLE "tenants" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant" ON "tenants"
    USING ("id" = (SELECT NULLIF(current_setting('portico.tenant_id', true), '')::integer));

ALTER TABLE "users" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant" ON "users"
    USING ("tenant_id" = (SELECT NULLIF(current_setting('portico.tenant_id', true), '')::integer));

ALTER TABLE "sessions" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant" ON "sessions"
    USING ("tenant_id" = (SELECT NULLIF(current_setting('portico.tenant_id', true), '')::integer));

ALTER TABLE "refresh_tokens" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant" ON "refresh_tokens"
    USING ("tenant_id" = (SELECT NULLIF(current_setting('portico.tenant_id', true), '')::integer));

ALTER TABLE "revocations" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant" ON "revocations"
    USING ("tenant_id" = (SELECT NULLIF(current_setting('portico.tenant_id', true), '')::integer));

ALTER TABLE "role_claims" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant" ON "role_claims"
    USING ("tenant_id" = (SELECT NULLIF(current_setting('portico.tenant_id', true), '')::integer));

ALTER TABLE "oauth_clients" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant" ON "oauth_clients"
    USING ("tenant_id" = (SELECT NULLIF(current_setting('portico.tenant_id', true), '')::integer));

-- A refresh token names no tenant.
CREATE POLICY "session_of_refresh_token" ON "refresh_tokens" FOR SELECT
    USING ((SELECT current_setting('portico.across_tenants', true) = 'session-of-refresh-token'));
CREATE POLICY "session_of_refresh_token" ON "sessions" FOR SELECT
    USING ((SELECT current_setting('portico.across_tenants', true) = 'session-of-refresh-token'));

-- A client of the OAuth endpoints names no tenant.
CREATE POLICY "client_authentication" ON "oauth_clients" FOR SELECT
    USING ((SELECT current_setting('portico.across_tenants', true) = 'client-authentication'));
CREATE POLICY "client_authentication" ON "tenants" FOR SELECT
    USING ((SELECT current_setting('portico.across_tenants', true) = 'client-authentication'));

-- Verifiers of access tokens have to know of all tenants.
CREATE POLICY "revocation_feed" ON "revocations" FOR SELECT
    USING ((SELECT current_setting('portico.across_tenants', true) = 'revocation-feed'));

-- Operators find tenants by name, list them, and count users.
CREATE POLICY "operators_look" ON "tenants" FOR SELECT
    USING ((SELECT current_setting('portico.across_tenants', true) = 'operators-look'));
CREATE POLICY "operators_look" ON "users" FOR SELECT
    USING ((SELECT current_setting('portico.across_tenants', true) = 'operators-look'));

-- What has ended is removed whosever it was. Rows are locked before they are deleted, which takes a policy for updates;
-- none may be made or changed.
CREATE POLICY "housekeeping" ON "sessions" FOR ALL
    USING ((SELECT current_setting('portico.across_tenants', true) = 'housekeeping')) WITH CHECK (false);
CREATE POLICY "housekeeping" ON "refresh_tokens" FOR ALL
    USING ((SELECT current_setting('portico.across_tenants', true) = 'housekeeping')) WITH CHECK (false);
CREATE POLICY "housekeeping" ON "revocations" FOR ALL
    USING ((SELECT current_setting('portico.across_tenants', true) = 'housekeeping')) WITH CHECK (false);
