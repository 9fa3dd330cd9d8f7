-- What tells at the start whether a pepper is still the one from before. Of no tenant; holds no user's password.

-- CreateTable
CREATE TABLE "pepper_checks" (
    "version" INTEGER NOT NULL,
    "hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "pepper_checks_pkey" PRIMARY KEY ("version")
);
