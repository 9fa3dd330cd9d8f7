#!/bin/sh
# Makes the secrets that docker-compose.yml gives to the services, each in a file of its own beside this script.
# What is there already stays as it is: without the old pepper nobody could log in, without the old key-encryption key
# no token could be signed. Keep a copy in a safe place.
set -eu
cd "$(dirname "$0")"

# Only this user gets into the directory. In it, the files are readable, because the containers read them as their own.
chmod 700 .
umask 022

make() {
  [ -s "$1" ] && return
  # 32 random bytes in base64.
  head -c 32 /dev/urandom | base64 | tr -d '\n' >"$1"
  echo "made secrets/$1"
}

# Of PostgreSQL's administrator, of the owner of the tables, of the auth service, and of gateways for their jobs.
make database_password
make database_owner_password
make database_service_password
make database_jobs_password
make password_pepper
make key_encryption_key
# With it gateways read the auth service's list of revocations.
make revocation_secret
# With it gateways sign who calls, for the services that want to know it (docs/service-assertions.md).
make assertion_key
# Of Grafana's user admin, where deploy/observability/compose.yml starts it.
make grafana_admin_password
