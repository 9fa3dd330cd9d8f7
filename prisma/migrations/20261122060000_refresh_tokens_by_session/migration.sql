-- CreateIndex: alone in its migration, because it cannot be part of a transaction.
CREATE UNIQUE INDEX CONCURRENTLY "refresh_tokens_tenant_id_session_id_hash_key" ON "refresh_tokens"("tenant_id", "session_id", "hash");
