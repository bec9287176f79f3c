#!/usr/bin/env bash
# Builds the image from the unchanged Dockerfile with buildah, and tests it. The base image is created
# locally, under the name in the Dockerfile: Debian's packages by debootstrap, the Node that CHECK_NODE
# names (by default this machine's), and this machine's npm. CHECK_BASE is a folder that keeps the base
# for later runs. No image registry is needed.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
node=${CHECK_NODE:-$(node -p process.execPath)}
base=${CHECK_BASE:-$work/base}
name=$(sed -n 's/^ARG NODE_IMAGE=//p' "$root/Dockerfile")
server=

fail() {
  echo "check-image: $*" >&2
  exit 1
}

store() {
  buildah --storage-driver vfs --root "$work/root" --runroot "$work/run" "$@"
}

cleanup() {
  if [[ -n $server ]]; then
    kill -KILL "$server" 2>/dev/null || true
  fi
  store rm --all >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap cleanup EXIT

if [[ ! -e $base/usr/bin/env ]]; then
  # shellcheck disable=SC2016 # APT's own placeholder
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -1)
  # shellcheck source=/dev/null
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  debootstrap --variant=minbase "$suite" "$base" "$mirror" >"$work/debootstrap.log" 2>&1 ||
    { tail -5 "$work/debootstrap.log" >&2; fail 'debootstrap failed'; }
fi
install -D "$node" "$base/usr/local/bin/node"
mkdir -p "$base/usr/local/lib/node_modules"
rm -rf "$base/usr/local/lib/node_modules/npm"
cp -R "$(npm root --global)/npm" "$base/usr/local/lib/node_modules/"
ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$base/usr/local/bin/npm"
grep -q '^node:' "$base/etc/passwd" || chroot "$base" useradd --create-home --uid 1000 node
echo "check-image: the base is Debian's, with Node $(chroot "$base" node --version)"

container=$(store from scratch)
store copy --quiet "$container" "$base" / >/dev/null
store commit --quiet "$container" "docker.io/library/$name" >/dev/null
store rm "$container" >/dev/null

# Settings by which this machine's npm finds and trusts its registry, if there are any.
settings=$(npm config get userconfig)
[[ ! -e $settings ]] || cat "$settings" >"$work/npmrc"
authorities=$(npm config get cafile)
mounts=(--volume "$work/npmrc:/root/.npmrc:ro")
if [[ -e $authorities ]]; then
  printf '\ncafile=/root/authorities.pem\n' >>"$work/npmrc"
  mounts+=(--volume "$authorities:/root/authorities.pem:ro")
fi
touch "$work/npmrc"
store bud --isolation chroot --ulimit "nofile=$(ulimit -Hn):$(ulimit -Hn)" --pull-never --format docker --quiet "${mounts[@]}" \
  --build-arg "NODE_IMAGE=docker.io/library/$name" --build-arg REVISION=checked \
  --tag infra-understudy "$root" >"$work/build.log" 2>&1 ||
  { tail -20 "$work/build.log" >&2; fail 'the build failed'; }

store inspect --type image infra-understudy >"$work/image.json"
node - "$work/image.json" <<'JS' || fail 'the image is not configured as it should be'
const { deepStrictEqual: same, ok } = require('node:assert')
const { Docker } = JSON.parse(require('node:fs').readFileSync(process.argv[2], 'utf8'))
const { config } = Docker
same(config.User, 'node')
same(Object.keys(config.ExposedPorts).sort(), ['4600/tcp', '4646/tcp', '8200/tcp', '8500/tcp'])
same(config.Entrypoint, ['node', 'dist/src/cli.js'])
same(config.Healthcheck.Test, ['CMD', 'node', 'dist/src/cli.js', 'healthcheck'])
ok(config.Env.includes('UNDERSTUDY_HOST=0.0.0.0'))
const label = (name) => config.Labels[`org.opencontainers.image.${name}`]
same(label('title'), 'infra-understudy')
same(label('licenses'), 'Apache-2.0')
same(label('revision'), 'checked')
ok(/^\d+\.\d+\.\d+/.test(label('version')))
JS

container=$(store from --pull-never infra-understudy)
mounted=$(store mount "$container")
inside() {
  store run --isolation chroot "$container" -- "$@"
}
[[ $(inside id -un) == node ]] || fail 'the process does not run as the user node'
[[ ! -e $mounted/app/node_modules/typescript ]] || fail 'typescript is in the image'

port=$(node -e 'const s = require("net").createServer().listen(0, () => { console.log(s.address().port); s.close() })')
# Without a PID namespace of its own, the process has the same id on this machine.
inside env UNDERSTUDY_TLS=1 "UNDERSTUDY_PORT=$port" UNDERSTUDY_LOG_LEVEL=warn \
  sh -c 'echo $$ >/app/tls/pid; exec node dist/src/cli.js' >"$work/ready" 2>"$work/server.log" &
runner=$!
for _ in $(seq 200); do
  grep -q '^Ready\.' "$work/ready" && break
  sleep 0.1
done
grep '^Ready\.' "$work/ready" | sed 's/^/check-image: /' ||
  { cat "$work/server.log" >&2; fail 'no ready line'; }
server=$(cat "$mounted/app/tls/pid")
[[ -s $mounted/app/tls/ca.pem ]] || fail 'no CA at /app/tls/ca.pem'
inside env UNDERSTUDY_TLS=1 "UNDERSTUDY_PORT=$port" node dist/src/cli.js healthcheck ||
  fail 'the health check failed'
inside env "VAULT_ADDR=https://127.0.0.1:$port" VAULT_TOKEN=root NODE_EXTRA_CA_CERTS=/app/tls/ca.pem \
  vault kv put secret/app user=ada >"$work/vault.log" 2>&1 ||
  { cat "$work/vault.log" >&2; fail 'vault kv put'; }
kill -TERM "$server"
code=0
wait "$runner" || code=$?
server=
[[ $code == 0 ]] || fail "exit code $code after SIGTERM"
echo "check-image: ok, $(du -sh --exclude=proc --exclude=sys "$mounted" | cut -f1) on disk"
