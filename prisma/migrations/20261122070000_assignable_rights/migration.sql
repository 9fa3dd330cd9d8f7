-- AlterTable: what administrators of the tenant may give to its users and service accounts. Nothing, until an operator says.
ALTER TABLE "tenants" ADD COLUMN     "assignable_claims" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "assignable_roles" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "assignable_scopes" TEXT[] DEFAULT ARRAY[]::TEXT[];
