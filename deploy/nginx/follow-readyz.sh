#!/bin/sh
# Health checks for nginx, which has none of its own: asks /readyz of all servers at once, each second, writes the upstreams
# that portico.conf includes, and reloads nginx when one has become ready or is not ready any more. Runs beside nginx, with curl.
#
#   PORTICO_GATEWAYS="10.0.0.1:8080 10.0.0.2:8080" PORTICO_AUTH_SERVICES="10.0.0.3:4001 10.0.0.4:4001" \
#     follow-readyz.sh /etc/nginx/portico-upstreams.conf
#
# RELOAD     the command that reloads nginx; "nginx -s reload"
# INTERVAL   seconds between two rounds of questions; 1
set -eu

# Without it every server would count as not ready, so that none would ever be marked as down.
command -v curl >/dev/null || {
  echo 'follow-readyz.sh: curl is not installed' >&2
  exit 1
}

file=$1
reload=${RELOAD:-nginx -s reload}
interval=${INTERVAL:-1}

# Prints the server if it is ready.
if_ready() {
  if [ "$(curl -s -o /dev/null -m 2 -w '%{http_code}' "http://$1/readyz" || true)" = 200 ]; then echo "$1"; fi
}

# Prints the servers that are ready, on one line. Those that do not answer take two seconds together.
all_ready() {
  for server; do if_ready "$server" & done | tr '\n' ' '
}

# Prints an upstream. Servers that are not ready are marked as down, unless none is: then each of them answers for itself.
upstream() {
  name=$1
  shift
  none=yes
  for server; do
    case "$ready" in *" $server "*) none='' ;; esac
  done
  echo "upstream $name {"
  echo "  zone $name 64k;"
  echo '  least_conn;'
  for server; do
    case "$none$ready" in
      yes* | *" $server "*) echo "  server $server max_fails=1 fail_timeout=2s;" ;;
      *) echo "  server $server down;" ;;
    esac
  done
  echo '  keepalive 32;'
  # Shorter than the gateway's own (PORTICO_KEEP_ALIVE_SECONDS, 65): connections to it are ended here, while nothing is sent.
  echo '  keepalive_timeout 30s;'
  echo '}'
}

# A reload that failed is tried again in each round. The first time nginx may not run yet, or still have what a script that was
# ended has not loaded.
pending=yes
while :; do
  # shellcheck disable=SC2086 # lists of words
  ready=" $(all_ready $PORTICO_GATEWAYS $PORTICO_AUTH_SERVICES)"
  # shellcheck disable=SC2086
  { upstream portico_gateways $PORTICO_GATEWAYS && upstream portico_auth_services $PORTICO_AUTH_SERVICES; } >"$file.new"
  if cmp -s "$file" "$file.new"; then
    rm "$file.new"
  else
    mv "$file.new" "$file"
    pending=yes
  fi
  if [ -n "$pending" ] && eval "$reload"; then pending=''; fi
  sleep "$interval"
done
