import { parseDuration, toSeconds } from '../go/duration.ts'
import type { InParts } from '../kernel/parts.ts'
import { Refusal } from '../kernel/refusal.ts'
import { any, int, list, map, name, text, uint, union, word } from '../kernel/shape/kinds.ts'
import { described, optional, struct } from '../kernel/shape/members.ts'
import { inputMembers } from '../kernel/shape/schema.ts'
import type { InputOf } from '../kernel/shape/values.ts'
import { type LoadPart, loadUntilRefused } from '../kernel/worlds/document-loading.ts'
import type { World } from '../kernel/worlds/world.ts'
import { addCloudIdentities, cloudIdentitiesShape } from './cloud/identities.ts'
import { engineFixtures, type LoadAt, loadEngineFixtures } from './fixtures/engines.ts'
import { addOidc, oidcFixture } from './fixtures/oidc.ts'
import { addQuotas, quotasFixture } from './fixtures/quotas.ts'
import { addEntity, addGroup, entityFixture, groupFixture } from './identity/fixtures.ts'
import { putSecret } from './kv/kv.ts'
import { fillLogin, type LoginFixture, loginFixture } from './logins/fixtures.ts'
import { refuse } from './messages.ts'
import { addMfa, mfaFixture } from './mfa/fixtures.ts'
import { enableAuth, enableMount, mountPath } from './mounts/changes.ts'
import { authPrefix, isKeyValue, type Mount, mountOf } from './mounts/mounts.ts'
import { rootNamespace } from './namespaces/namespaces.ts'
import { checkedPlugin, pluginKinds, putPlugin } from './plugins.ts'
import { writePolicy } from './policies/policies.ts'
import { createToken, sanitizePolicies } from './tokens/creation.ts'
import { findToken } from './tokens/rows.ts'

const mountFixture = struct({
  type: text,
  description: optional(text),
  options: optional(map(text)),
  config: optional(map(any)),
})

const tokenFixture = struct({
  id: name,
  policies: list(text),
  ttl: optional(described(union(text, int), 'Seconds or a duration')),
  num_uses: optional(uint),
  meta: optional(map(text)),
  display_name: optional(text),
})

const pluginFixture = struct({
  type: word(...pluginKinds),
  name,
  sha256: text,
  command: text,
  args: optional(list(text)),
  version: optional(text),
})

const fixturesShape = struct({
  mounts: optional(
    described(map(mountFixture), 'Engines and authentication methods to mount, by path'),
  ),
  policies: optional(
    described(
      map(union(text, map(any))),
      'Access policies by name: HCL or JSON as text, or a JSON object',
    ),
  ),
  tokens: optional(described(list(tokenFixture), 'Client tokens with fixed ids')),
  kv: optional(described(map(map(map(any))), 'Secrets by mount path and secret path')),
  ...engineFixtures,
  logins: optional(
    described(map(loginFixture), 'Login methods with their users, roles and settings, by path'),
  ),
  identity: optional(
    struct({
      entities: optional(described(map(entityFixture), 'Entities by name')),
      groups: optional(described(map(groupFixture), 'Groups by name')),
    }),
  ),
  oidc: optional(described(oidcFixture, 'Identity tokens and OIDC providers')),
  quotas: optional(described(quotasFixture, 'Limits of requests and leases')),
  mfa: optional(mfaFixture),
  plugins: optional(described(list(pluginFixture), 'Plug-ins in the catalogue')),
  cloud: optional(cloudIdentitiesShape),
})

export type MountFixture = InputOf<typeof mountFixture>

export type TokenFixture = InputOf<typeof tokenFixture>

/**
 * The part of a fixtures document for the secrets API, in its short form. The short form describes
 * objects, such as tokens, instead of exact table rows. Each member adds objects to the initial
 * state.
 */
export type SecretsFixtures = Omit<InputOf<typeof fixturesShape>, 'policies'> & {
  /**
   * Policies by name, as text or as objects. The type accepts every object, so that typed documents
   * need no index signature.
   */
  readonly policies?: Readonly<Record<string, string | object>>
}

/**
 * Shapes of the members of `SecretsFixtures`. The kernel checks a document against these shapes
 * before it loads the document.
 */
export const secretsFixtures = inputMembers(fixturesShape)

/**
 * Loads the objects that a fixtures document describes in short form. Yields between parts, so that
 * other work can run. The message of a refusal begins with the JSON pointer of the refused object.
 */
export function* loadSecretsFixtures(
  world: World,
  fixtures: SecretsFixtures,
  part: LoadPart = loadUntilRefused,
): InParts<void> {
  for (const [index, plugin] of (fixtures.plugins ?? []).entries()) {
    part(() =>
      loadAtPointer(['plugins', String(index)], () => putPlugin(world, checkedPlugin(plugin))),
    )
  }
  for (const [path, mount] of Object.entries(fixtures.mounts ?? {})) {
    part(() => loadAtPointer(['mounts', path], () => addMount(world, path, mount)))
  }
  for (const [name, document] of Object.entries(fixtures.policies ?? {})) {
    const text = typeof document === 'string' ? document : JSON.stringify(document)
    part(() =>
      loadAtPointer(['policies', name], () => writePolicy(world, rootNamespace, name, text)),
    )
  }
  for (const [index, token] of (fixtures.tokens ?? []).entries()) {
    part(() => loadAtPointer(['tokens', String(index)], () => addToken(world, token)))
    yield
  }
  for (const [mountPath, secrets] of Object.entries(fixtures.kv ?? {})) {
    const mount = part(() =>
      loadAtPointer(['kv', mountPath], () => keyValueMount(world, mountPath)),
    )
    if (mount === undefined) continue
    for (const [path, data] of Object.entries(secrets)) {
      part(() => loadAtPointer(['kv', mountPath, path], () => putSecret(world, mount, path, data)))
      yield
    }
  }
  const loadAt: LoadAt = (pointer, load) => part(() => loadAtPointer(pointer, load))
  loadEngineFixtures(world, fixtures, loadAt, (path, type, config) =>
    engineMount(world, path, type, config),
  )
  yield
  const logins = Object.entries(fixtures.logins ?? {}).flatMap(([path, login]) => {
    const mount = part(() => loadAtPointer(['logins', path], () => loginMount(world, path, login)))
    return mount === undefined ? [] : [{ path, login, mount }]
  })
  const fillLogins = (isLast: boolean) => {
    for (const { path, login, mount } of logins) {
      if ((login.type === 'oidc') !== isLast) continue
      fillLogin(world, mount, login, (pointer, load) => loadAt(['logins', path, ...pointer], load))
    }
  }
  fillLogins(false)
  yield
  const { entities = {}, groups = {} } = fixtures.identity ?? {}
  for (const [name, entity] of Object.entries(entities)) {
    part(() => loadAtPointer(['identity', 'entities', name], () => addEntity(world, name, entity)))
    yield
  }
  for (const [name, group] of Object.entries(groups)) {
    part(() => loadAtPointer(['identity', 'groups', name], () => addGroup(world, name, group)))
    yield
  }
  if (fixtures.oidc !== undefined) {
    addOidc(world, fixtures.oidc, (pointer, load) => loadAt(['oidc', ...pointer], load))
  }
  // OIDC logins are loaded after the providers, because the issuer of such a login can be a
  // provider of this document.
  fillLogins(true)
  if (fixtures.quotas !== undefined) {
    addQuotas(world, fixtures.quotas, (pointer, load) => loadAt(['quotas', ...pointer], load))
  }
  addMfa(world, fixtures.mfa ?? {}, (pointer, load) => {
    part(() => loadAtPointer(['mfa', ...pointer], load))
  })
  addCloudIdentities(
    world,
    fixtures.cloud ?? {},
    (pointer, load) => loadAtPointer(['cloud', ...pointer], load),
    part,
  )
}

/** Runs `load`, and prefixes the messages of its refusals with a JSON pointer into the document. */
function loadAtPointer<T>(pointer: readonly string[], load: () => T): T {
  try {
    return load()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const names = pointer.map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1'))
    throw refuse('fixture-refused', { place: names.join('/'), why: error.reason })
  }
}

function addMount(world: World, path: string, mount: MountFixture): void {
  const isAuth = path.startsWith(authPrefix)
  const enable = isAuth ? enableAuth : enableMount
  enable(world, rootNamespace, {
    path: isAuth ? path.slice(authPrefix.length) : path,
    type: mount.type,
    description: mount.description ?? '',
    config: mount.config ?? {},
    options: mount.options ?? {},
    local: false,
    seal_wrap: false,
    external_entropy_access: false,
  })
}

function addToken(world: World, token: TokenFixture): void {
  if (findToken(world, token.id) !== undefined) throw refuse('token-id-taken')
  createToken(world, {
    id: token.id,
    policies: sanitizePolicies(token.policies, false),
    displayName: token.display_name ?? 'token',
    path: 'auth/token/create',
    meta: token.meta ?? null,
    ttl: toSeconds(parseDuration(token.ttl ?? 0)),
    numUses: token.num_uses ?? 0,
  })
}

/**
 * Returns the engine at a path, creating it if necessary.
 *
 * @throws Refusal if the path belongs to a mount of another type or to a mount above the path
 */
function engineMount(world: World, text: string, type: string, config: object = {}): Mount {
  const path = mountPath(text)
  const mount = mountOf(world, rootNamespace, path)
  if (mount === undefined) {
    addMount(world, path, { type, config: { ...config } })
    return engineMount(world, path, type)
  }
  if (mount.type !== type || mount.path !== path) throw refuse('fixture-other-engine', { type })
  return mount
}

/**
 * Returns the login method at a path with or without `auth/`, creating it if necessary.
 *
 * @throws Refusal if the path belongs to a mount of another type or to a mount above the path
 */
function loginMount(world: World, text: string, { type }: Pick<LoginFixture, 'type'>): Mount {
  const named = mountPath(text)
  const path = named.startsWith(authPrefix) ? named : authPrefix + named
  const mount = mountOf(world, rootNamespace, path)
  if (mount === undefined) {
    addMount(world, path, { type })
    return loginMount(world, path, { type })
  }
  if (mount.type !== type || mount.path !== path) throw refuse('fixture-not-login', { type })
  return mount
}

function keyValueMount(world: World, text: string): Mount {
  const path = mountPath(text)
  const mount = mountOf(world, rootNamespace, path)
  // A mount above this path is not enough, because the secrets would get paths that differ from
  // those in the document.
  if (mount === undefined || !isKeyValue(mount) || mount.path !== path) {
    throw refuse('fixture-not-key-value')
  }
  return mount
}
