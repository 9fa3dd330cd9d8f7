-- For pg_dump --enable-row-security by a user whom policies bind. The service never asks for it.
CREATE POLICY "backup" ON "tenants" FOR SELECT
    USING ((SELECT current_setting('portico.across_tenants', true) = 'backup'));
CREATE POLICY "backup" ON "users" FOR SELECT
    USING ((SELECT current_setting('portico.across_tenants', true) = 'backup'));
CREATE POLICY "backup" ON "sessions" FOR SELECT
    USING ((SELECT current_setting('portico.across_tenants', true) = 'backup'));
CREATE POLICY "backup" ON "refresh_tokens" FOR SELECT
    USING ((SELECT current_setting('portico.across_tenants', true) = 'backup'));
CREATE POLICY "backup" ON "revocations" FOR SELECT
    USING ((SELECT current_setting('portico.across_tenants', true) = 'backup'));
CREATE POLICY "backup" ON "role_claims" FOR SELECT
    USING ((SELECT current_setting('portico.across_tenants', true) = 'backup'));
CREATE POLICY "backup" ON "oauth_clients" FOR SELECT
    USING ((SELECT current_setting('portico.across_tenants', true) = 'backup'));
