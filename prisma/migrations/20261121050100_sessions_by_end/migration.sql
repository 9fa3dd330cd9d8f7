-- CreateIndex: alone in its migration, because it cannot be part of a transaction.
CREATE INDEX CONCURRENTLY "sessions_expires_at_idx" ON "sessions"("expires_at");
