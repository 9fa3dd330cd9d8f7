-- AlterTable
ALTER TABLE "tenants" ADD COLUMN     "claims" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "claims" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "signing_keys" ADD COLUMN     "token_seconds" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "role_claims" (
    "tenant_id" INTEGER NOT NULL,
    "role" TEXT NOT NULL,
    "claims" JSONB NOT NULL,

    CONSTRAINT "role_claims_pkey" PRIMARY KEY ("tenant_id","role")
);

-- CreateTable
CREATE TABLE "oauth_clients" (
    "tenant_id" INTEGER NOT NULL,
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "allowed_roles" TEXT[],
    "default_role" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "oauth_clients_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "oauth_clients_id_key" ON "oauth_clients"("id");

-- AddForeignKey
ALTER TABLE "role_claims" ADD CONSTRAINT "role_claims_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenants"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_clients" ADD CONSTRAINT "oauth_clients_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenants"("id") ON DELETE CASCADE ON UPDATE CASCADE;
