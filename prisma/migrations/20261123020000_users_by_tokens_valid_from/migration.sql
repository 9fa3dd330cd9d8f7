-- CreateIndex: alone in its migration, because it cannot be part of a transaction.
-- For the latest of a tenant's users, which disabling the tenant reads while it holds the tenant's row. Most users have none.
CREATE INDEX CONCURRENTLY "users_tenant_id_tokens_valid_from_idx" ON "users"("tenant_id", "tokens_valid_from") WHERE "tokens_valid_from" IS NOT NULL;
