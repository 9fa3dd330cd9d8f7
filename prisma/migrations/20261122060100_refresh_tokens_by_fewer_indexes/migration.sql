-- Each refresh adds a row, and each index on something random costs it a page to change. Of five indexes three are left:
-- one primary key in place of two indexes, and none on parent_hash, since the successor of a token is one of the two rows
-- of its session. That a token has one successor follows from used_at, which is set once, under the row's lock.
ALTER TABLE "refresh_tokens" DROP CONSTRAINT "refresh_tokens_pkey",
    ADD CONSTRAINT "refresh_tokens_pkey" PRIMARY KEY USING INDEX "refresh_tokens_tenant_id_session_id_hash_key";
DROP INDEX "refresh_tokens_tenant_id_session_id_idx";
DROP INDEX "refresh_tokens_tenant_id_parent_hash_key";
