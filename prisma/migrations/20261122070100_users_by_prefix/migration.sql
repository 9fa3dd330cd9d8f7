-- CreateIndex: alone in its migration, because it cannot be part of a transaction.
-- In the order of the bytes, whatever the database's collation is, so that a prefix is a range. Its operators are leakproof,
-- so row-level security does not keep them from the index.
CREATE INDEX CONCURRENTLY "users_tenant_id_username_pattern_idx" ON "users"("tenant_id", "username" text_pattern_ops);
