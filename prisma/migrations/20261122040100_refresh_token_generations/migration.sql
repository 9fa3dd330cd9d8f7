-- AlterTable: null for tokens of 128 random bits, whose rows stay until they expire.
ALTER TABLE "refresh_tokens" ADD COLUMN IF NOT EXISTS "generation" INTEGER;

-- As for sessions. Rows come and go with each refresh.
ALTER TABLE "refresh_tokens" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
