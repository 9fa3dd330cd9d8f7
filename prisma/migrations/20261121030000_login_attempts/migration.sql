-- CreateTable
CREATE TABLE "login_attempts" (
    "key" TEXT NOT NULL,
    "failures" DOUBLE PRECISION NOT NULL,
    "counted_at" TIMESTAMPTZ(3) NOT NULL,
    "waits_until" TIMESTAMPTZ(3) NOT NULL,
    "forgotten_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "login_attempts_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "known_devices" (
    "key" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "known_devices_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "login_attempts_forgotten_at_idx" ON "login_attempts"("forgotten_at");

-- CreateIndex
CREATE INDEX "known_devices_expires_at_idx" ON "known_devices"("expires_at");
