#!/bin/sh
# Deploys the stack on this machine, replaces its tasks under load, tries an image that does not start, and counts the
# requests that fail. Needs Docker, and takes about six minutes. Removes what it has made, unless KEEP is set.
#   usage: deploy/swarm/try.sh
#   PORTICO_IMAGE  the image to run; portico:try is built when it is not set
#   RATE           requests per second, 40
#   ROUNDS         how often everything is replaced, 2
set -eu
cd "$(dirname "$0")/../.."
export PORTICO_STACK=portico-try PORTICO_PORT="${PORTICO_PORT:-8080}"
load=$PORTICO_STACK-load
if [ -z "${PORTICO_IMAGE:-}" ]; then
  export PORTICO_IMAGE=portico:try
  docker build -q -t "$PORTICO_IMAGE" .
fi

say() { echo "$(date +%T) $*"; }
if [ "$(docker info --format '{{.Swarm.LocalNodeState}}')" != active ]; then
  docker swarm init --advertise-addr 127.0.0.1 >/dev/null
  made_swarm=yes
fi
docker node update --label-add portico-data=true "$(docker info --format '{{.Swarm.NodeID}}')" >/dev/null

ours="label=com.docker.stack.namespace=$PORTICO_STACK"
# Removing takes a while after the command for it has ended, and volumes are free when the last container is gone.
remove_stack() {
  docker stack rm "$PORTICO_STACK" >/dev/null 2>&1 || true
  for _ in $(seq 120); do
    [ -n "$(docker ps -q --filter "$ours")$(docker network ls -q --filter "$ours")" ] || break
    sleep 1
  done
  docker ps -aq --filter "$ours" | xargs -r docker rm >/dev/null
  docker volume ls -q --filter "$ours" | xargs -r docker volume rm >/dev/null
}

clean_up() {
  [ -z "${KEEP:-}" ] || return 0
  say "removing what was made"
  docker rm -f "$load" >/dev/null 2>&1 || true
  remove_stack
  docker image rm "$PORTICO_STACK:broken" >/dev/null 2>&1 || true
  [ -z "${made_swarm:-}" ] || docker swarm leave --force >/dev/null
}
trap clean_up EXIT

docker rm -f "$load" >/dev/null 2>&1 || true
remove_stack
./secrets/make.sh
say "deploying"
deploy/swarm/stack.sh deploy --detach=true --resolve-image never
task() { docker ps -q --filter "label=com.docker.swarm.service.name=${PORTICO_STACK}_$1" --filter health=healthy | head -n 1; }
for _ in $(seq 180); do
  [ -z "$(task auth-service)" ] || break
  sleep 1
done
docker exec "$(task auth-service)" node dist/auth-service/cli/seed-demo.js --unsafe-public-passwords

docker run -d --name "$load" --network host --volume "$PWD/deploy/swarm/load.mjs:/load.mjs:ro" "$PORTICO_IMAGE" \
  node /load.mjs "http://127.0.0.1:$PORTICO_PORT" "${RATE:-40}" >/dev/null
for _ in $(seq 180); do
  docker logs "$load" | grep -q sending && break
  sleep 1
done
say "requests are sent"

for round in $(seq "${ROUNDS:-2}"); do
  for service in gateway auth-service; do
    say "round $round: replacing ${service}s"
    docker service update --quiet --force --detach=false "${PORTICO_STACK}_$service" >/dev/null
  done
done

say "updating gateways to an image that does not start"
printf 'FROM %s\nUSER root\nRUN rm dist/gateway/main.js\nUSER node\n' "$PORTICO_IMAGE" |
  docker build -q -t "$PORTICO_STACK:broken" - >/dev/null
docker service update --quiet --detach=false --no-resolve-image --image "$PORTICO_STACK:broken" \
  "${PORTICO_STACK}_gateway" >/dev/null 2>&1 || true
state=$(docker service inspect --format '{{.UpdateStatus.State}}' "${PORTICO_STACK}_gateway")
image=$(docker service inspect --format '{{.Spec.TaskTemplate.ContainerSpec.Image}}' "${PORTICO_STACK}_gateway")
say "the update ended as $state, with the image $image"

docker stop --time 60 "$load" >/dev/null
docker logs "$load" | grep -v sending
[ "$state" = rollback_completed ]
[ "$(docker inspect --format '{{.State.ExitCode}}' "$load")" = 0 ]
