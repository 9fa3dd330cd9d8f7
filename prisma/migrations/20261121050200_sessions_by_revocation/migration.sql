-- CreateIndex: alone in its migration, because it cannot be part of a transaction.
CREATE INDEX CONCURRENTLY "sessions_revoked_at_idx" ON "sessions"("revoked_at");
