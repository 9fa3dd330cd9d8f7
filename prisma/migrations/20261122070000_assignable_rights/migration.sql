-- AlterTable: what administrators of the tenant may give to its users and service accounts. Nothing, until an operator says.
ALTER TABLE "tenants" ADD COLUMN     "assignable_claims" TEXT[] NOT NULL DEFAULT '{}',
ADD COLUMN     "assignable_roles" TEXT[] NOT NULL DEFAULT '{}',
ADD COLUMN     "assignable_scopes" TEXT[] NOT NULL DEFAULT '{}';
