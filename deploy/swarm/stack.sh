#!/bin/sh
# Portico as a stack of Docker Swarm.
#   usage: deploy/swarm/stack.sh config [option…]  prints the stack
#          deploy/swarm/stack.sh deploy [option…]  deploys or updates it; options are those of `docker stack deploy`, such as
#                                                  -c with a file of yours
# Settings come from the environment, as in docker-compose.yml and stack.yml; PORTICO_STACK is the stack's name (portico).
set -eu
cd "$(dirname "$0")/../.."
command=${1:?config or deploy}
shift
PORTICO_STACK=${PORTICO_STACK:-portico}
PORTICO_HAPROXY_DIGEST=$(sha256sum deploy/swarm/haproxy.cfg | cut -c 1-12)
export PORTICO_STACK PORTICO_HAPROXY_DIGEST

# docker-compose.yml without what a stack refuses (an order of starts, mem_limit), what it must not have (a directory of
# this machine, as the image has the metadata; the port of the gateway, as the balancer has it; the health checks, as lists
# of both files would be put together), and what it ignores.
compose() {
  awk '
    skipped && match($0, /[^ ]/) > skipped { next }
    { skipped = 0 }
    /^ *(depends_on|ports|security_opt|restart|build|mem_limit|tmpfs):/ { skipped = match($0, /[^ ]/); next }
    /- \.\/metadata:/ || /^ *test: \[CMD, portico-health/ { next }
    { print }' docker-compose.yml
}

# Files of secrets that are there only while one is replaced add what the services need for it.
unset PORTICO_SECOND_REVOCATION_SECRET
if [ -e secrets/key_encryption_key_previous ]; then set -- -c deploy/swarm/previous-key-encryption-key.yml "$@"; fi
for which in next previous; do
  [ -e "secrets/revocation_secret_$which" ] || continue
  if [ -n "${PORTICO_SECOND_REVOCATION_SECRET:-}" ]; then
    echo "secrets/ has a revocation_secret_next and a revocation_secret_previous: remove one" >&2
    exit 2
  fi
  export PORTICO_SECOND_REVOCATION_SECRET=$which
  set -- -c deploy/swarm/second-revocation-secret.yml "$@"
done

case $command in
  config) compose | docker stack config -c - -c deploy/swarm/stack.yml "$@" ;;
  deploy) compose | docker stack deploy -c - -c deploy/swarm/stack.yml "$@" "$PORTICO_STACK" ;;
  *) echo "unknown command $command: config or deploy" >&2; exit 2 ;;
esac
