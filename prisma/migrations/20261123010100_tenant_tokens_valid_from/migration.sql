-- AlterTable: access tokens of everybody in the tenant that were issued before are void, since the tenant was disabled.
ALTER TABLE "tenants" ADD COLUMN     "tokens_valid_from" TIMESTAMPTZ(3);
