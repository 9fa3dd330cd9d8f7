-- CreateIndex: alone in its migration, because it cannot be part of a transaction.
CREATE INDEX CONCURRENTLY "refresh_tokens_expires_at_idx" ON "refresh_tokens"("expires_at");
