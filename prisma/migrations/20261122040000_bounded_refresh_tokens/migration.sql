-- Two refresh tokens of a session are kept, the current one and the one before it. Older ones are recognised by what they
-- are made of: tenant, session and number, enciphered under a key that is sealed here. Columns with constant defaults and
-- storage parameters: none of this rewrites a table. The other table is altered in a migration of its own: statements that
-- use both lock them in either order.

-- AlterTable: refresh_generation is the number of the newest token of that form, 0 for none. The others are for the audit
-- log, which has one row for many refreshes from one place.
ALTER TABLE "sessions" ADD COLUMN "refresh_generation" INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN "refreshes_unaudited" INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN "refresh_audited_at" TIMESTAMPTZ(3),
    ADD COLUMN "refresh_audited_from" TEXT;

-- CreateTable
CREATE TABLE "refresh_token_keys" (
    "id" INTEGER NOT NULL,
    "sealed_key" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "refresh_token_keys_pkey" PRIMARY KEY ("id")
);

-- No refresh changes an indexed column of a row that is there, so with room in the page it changes no index either (heap
-- only tuples). Rows change often, and a fifth of a big table is too late to look after them.
ALTER TABLE "sessions" SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05);
