#!/bin/sh
# Prints the Secrets that deploy/kubernetes refers to, as manifests to pipe into kubectl:
#
#   ./secrets/make.sh && ./deploy/kubernetes/make-secrets.sh | kubectl apply --server-side -f -
#
# It reads the files of secrets/, or of the directory that is its argument. Nothing is written to disk, and with
# --server-side no copy of the values is kept in an annotation.
set -eu
directory=${1:-$(dirname "$0")/../../secrets}

# $1: the name of the Secret; the others: the files that become its keys.
secret() {
  name=$1
  shift
  for key; do
    [ -s "$directory/$key" ] || { echo "$directory/$key is missing: run secrets/make.sh first" >&2; exit 1; }
    set -- "$@" "--from-file=$directory/$key"
    shift
  done
  kubectl create secret generic "$name" --namespace portico "$@" --dry-run=client -o yaml
  echo ---
}

secret portico-gateway revocation_secret assertion_key database_jobs_password
secret portico-auth-service database_service_password password_pepper key_encryption_key revocation_secret
# For database-setup, and for the overlay `small`'s PostgreSQL.
secret portico-database database_password database_owner_password
