-- Whether it is not known yet that the reply with the successor has been sent. Rows from before count as answered.
ALTER TABLE "refresh_tokens" ADD COLUMN "awaiting_answer" BOOLEAN NOT NULL DEFAULT false;
