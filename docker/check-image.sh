#!/usr/bin/env bash
# Builds and tests the image without Docker. For root, if buildah and debootstrap are installed,
# docker/check-image-buildah.sh builds the image. Otherwise this script runs the Dockerfile's steps in a
# temporary folder with one sub-folder per stage, and runs the result like the image: starts it, checks
# its health, and stops it by SIGTERM. The check fails on any instruction that this script does not
# support, so that it cannot miss a part of the Dockerfile. In this mode, the base image, USER and
# ownership are not tested.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
if [[ $(id -u) == 0 && ${CHECK_IMAGE:-} != steps ]] && command -v buildah debootstrap >/dev/null; then
  echo 'check-image: buildah builds the image'
  exec "$root/docker/check-image-buildah.sh"
fi
echo 'check-image: there is no buildah or no debootstrap; the steps are carried out in a folder'
work=$(mktemp -d)
server=

cleanup() {
  if [[ -n $server ]]; then
    kill -KILL "$server" 2>/dev/null || true
  fi
  rm -rf "$work"
}
trap cleanup EXIT

fail() {
  echo "check-image: $*" >&2
  exit 1
}

# Only root may change owners, and only if there is a user `node`.
mkdir "$work/bin"
printf '#!/bin/sh\nexit 0\n' >"$work/bin/chown"
chmod +x "$work/bin/chown"

stage=      # name of the current stage; the last stage has no name in the Dockerfile
folder=     # working directory of the stage, below its root
user=
exposed=
environment=()
healthcheck=()
entrypoint=()

# Prints the path on this machine of the path $2 in the stage $1.
place() {
  if [[ $2 == /* ]]; then
    echo "$work/$1$2"
  else
    echo "$work/$1$folder/$2"
  fi
}

# Prints the words of a JSON array, one per line.
words() {
  node -e 'for (const word of JSON.parse(process.argv[1])) console.log(word)' "$1"
}

# Prints the files that .dockerignore includes. The file must exclude everything else.
visible() {
  [[ $(grep -cx '\*' "$root/.dockerignore") == 1 ]] || fail '.dockerignore does not start from nothing'
  grep -qx "!$1" "$root/.dockerignore" || fail ".dockerignore hides $1"
}

copy() {
  local base=$root/ from=
  if [[ $1 == --from=* ]]; then
    from=${1#--from=}
    base=$work/$from
    [[ -d $base ]] || fail "COPY from an unknown stage: $from"
    shift
  fi
  [[ $1 != --* ]] || fail "COPY with $1"
  local target
  target=$(place "$stage" "${*: -1}")
  local source
  for source in "${@:1:$#-1}"; do
    [[ -n $from ]] || visible "$source"
    # COPY copies the contents of a folder, but a file under its own name.
    if [[ -d $base$source ]]; then
      mkdir -p "$target"
      cp -R "$base$source/." "$target"
    else
      cp "$base$source" "$target"
    fi
  done
}

step() {
  local instruction=$1 rest=$2
  case $instruction in
    ARG)
      [[ $rest =~ ^[A-Z_]+(=[^\ \"]*)?$ ]] || fail "ARG $rest"
      [[ $rest != NODE_IMAGE=* || $rest =~ ^NODE_IMAGE=node:[0-9]+-slim$ ]] || fail "ARG $rest"
      ;;
    LABEL) [[ $rest =~ ^org\.opencontainers\.image\.[a-z.]+=[^=]+$ ]] || fail "LABEL $rest" ;;
    FROM)
      [[ $rest =~ ^\$\{NODE_IMAGE\}(\ AS\ ([a-z]+))?$ ]] || fail "FROM $rest"
      stage=${BASH_REMATCH[2]:-image}
      folder=/ user=
      environment=()
      mkdir "$work/$stage"
      ;;
    WORKDIR)
      folder=$rest
      mkdir -p "$work/$stage$folder"
      ;;
    # shellcheck disable=SC2086 # COPY's own words
    COPY) copy $rest ;;
    RUN)
      echo "check-image: $stage: $rest"
      (
        cd "$work/$stage$folder"
        env PATH="$work/bin:$PATH" ${environment[@]+"${environment[@]}"} bash -euc "$rest" \
          >"$work/run.log" 2>&1 </dev/null
      ) || { cat "$work/run.log" >&2; fail "RUN $rest"; }
      ;;
    ENV)
      [[ $rest =~ ^[A-Z_]+=[^\ \"]*$ ]] || fail "ENV $rest"
      environment+=("$rest")
      ;;
    USER) user=$rest ;;
    EXPOSE) exposed=$rest ;;
    HEALTHCHECK)
      [[ $rest =~ ^(--[a-z-]+=[0-9a-z]+\ )*CMD\ (\[.*\])$ ]] || fail "HEALTHCHECK $rest"
      mapfile -t healthcheck < <(words "${BASH_REMATCH[2]}")
      ;;
    ENTRYPOINT)
      # In the shell form, the shell would receive the signals.
      [[ $rest == \[* ]] || fail "ENTRYPOINT is not in the exec form: $rest"
      mapfile -t entrypoint < <(words "$rest")
      ;;
    *) fail "an instruction that this script does not know: $instruction $rest" ;;
  esac
}

while read -r instruction rest; do
  [[ -n $instruction && $instruction != \#* ]] || continue
  [[ $rest != *\\ ]] || fail "a continued line: $instruction $rest"
  step "$instruction" "$rest"
done <"$root/Dockerfile"

[[ $stage == image ]] || fail 'the last stage has a name'
[[ $user == node ]] || fail 'the process does not run as the user node'
[[ $exposed == '4600 8200 8500 4646' ]] || fail 'not all usual ports are exposed'
[[ " ${environment[*]} " == *' UNDERSTUDY_HOST=0.0.0.0 '* ]] || fail 'it listens on the loopback only'
[[ ${#healthcheck[@]} -gt 0 && ${#entrypoint[@]} -gt 0 ]] || fail 'no HEALTHCHECK or no ENTRYPOINT'
for tool in typescript vitest @biomejs/biome; do
  [[ ! -e $work/image/app/node_modules/$tool ]] || fail "$tool is in the image"
done

# Paths of the image become paths in the temporary folder. The port must be free.
port=$(node -e 'const s = require("net").createServer().listen(0, () => { console.log(s.address().port); s.close() })')
run=(env -i "PATH=$PATH" "${environment[@]/=\/app/=$work/image/app}" "UNDERSTUDY_PORT=$port")
cd "$work/image$folder"

try() {
  local name=$1
  shift
  local settings=("$@")
  mkfifo "$work/$name"
  "${run[@]}" "${settings[@]}" "${entrypoint[@]}" >"$work/$name" 2>"$work/server.log" &
  server=$!
  local line=
  read -r -t 20 line <"$work/$name" || { cat "$work/server.log" >&2; fail "$name: no ready line"; }
  echo "check-image: $name: $line"
  [[ $line == Ready.* ]] || fail "$name: not a ready line"
  "${run[@]}" "${settings[@]}" "${healthcheck[@]}" || fail "$name: the health check failed"
  kill -TERM "$server"
  local code=0
  wait "$server" || code=$?
  server=
  [[ $code == 0 ]] || fail "$name: exit code $code after SIGTERM"
  if "${run[@]}" "${settings[@]}" "${healthcheck[@]}" 2>/dev/null; then
    fail "$name: healthy without a server"
  fi
}

# Performs the steps of a container helper: starts the server with a product's variables and
# arguments, waits for the product's ready line, and runs the helper's setup commands.
drop_in() {
  local started=$1 word=$2
  mkfifo "$work/$word"
  "${run[@]}" VAULT_DEV_ROOT_TOKEN_ID=toor CONSUL_LOCAL_CONFIG='{"log_level": "info"}' \
    UNDERSTUDY_SECRETS_PORT="$port" UNDERSTUDY_PORT=0 UNDERSTUDY_MESH_PORT=0 \
    UNDERSTUDY_SCHEDULER_PORT=0 "${entrypoint[@]}" "$word" -dev >"$work/$word" 2>"$work/server.log" &
  server=$!
  local line= ready= seen=
  while read -r -t 20 line; do
    [[ $line != Ready.* ]] || ready=$line
    [[ $line != *"$started"* ]] || seen=$line
    [[ -z $ready || -z $seen ]] || break
  done <"$work/$word"
  [[ -n $seen ]] || { cat "$work/server.log" >&2; fail "$word -dev: no line \"$started\""; }
  local mesh=${ready#* mesh=}
  mesh=${mesh%% *}
  (
    export VAULT_ADDR=http://127.0.0.1:$port VAULT_TOKEN=toor CONSUL_HTTP_ADDR=$mesh
    export PATH=$work/commands:$PATH
    vault kv put secret/app user=ada && vault secrets enable transit && consul kv put color blue
  ) >"$work/commands.log" 2>&1 || { cat "$work/commands.log" >&2; fail "$word -dev: init commands"; }
  echo "check-image: $word -dev: $(tail -1 "$work/commands.log")"
  kill -TERM "$server"
  wait "$server" || fail "$word -dev: an exit code after SIGTERM"
  server=
}

try plain "UNDERSTUDY_FIXTURES=$root/docker/fixtures.yaml"
try tls UNDERSTUDY_TLS=1
[[ -s $work/image/app/tls/ca.pem ]] || fail 'tls: no CA at /app/tls/ca.pem'
mkdir "$work/commands"
for product in vault consul nomad; do
  sed "s#/app/#$work/image/app/#" "$work/image/usr/local/bin/$product" >"$work/commands/$product"
  chmod +x "$work/commands/$product"
done
drop_in 'Vault server started!' server
drop_in 'Consul agent running!' agent
echo 'check-image: ok'
