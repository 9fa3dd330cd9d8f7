-- AlterTable: access tokens of the user that were issued before are void, since a role or claim was taken away.
ALTER TABLE "users" ADD COLUMN     "tokens_valid_from" TIMESTAMPTZ(3);
