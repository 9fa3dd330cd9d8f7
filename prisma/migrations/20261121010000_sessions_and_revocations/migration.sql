-- AlterTable
ALTER TABLE "sessions" ADD COLUMN "access_ends_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "refresh_tokens" ADD COLUMN "sealed_successor" BYTEA;

-- CreateTable
CREATE TABLE "revocations" (
    "tenant_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "session_id" UUID,
    "user_id" UUID,
    "before" TIMESTAMPTZ(3),
    "until" TIMESTAMPTZ(3) NOT NULL,
    "written_by" BIGINT NOT NULL DEFAULT ((pg_current_xact_id())::text)::bigint,

    CONSTRAINT "revocations_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "revocations_id_key" ON "revocations"("id");

-- CreateIndex
CREATE INDEX "revocations_written_by_id_idx" ON "revocations"("written_by", "id");

-- CreateIndex
CREATE INDEX "revocations_until_idx" ON "revocations"("until");

-- CreateIndex
CREATE INDEX "revocations_tenant_id_session_id_idx" ON "revocations"("tenant_id", "session_id");
