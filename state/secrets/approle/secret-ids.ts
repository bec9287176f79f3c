import { compareBytewise } from '../../json/json.ts'
import { isJsonObject, type Json } from '../../kernel/json.ts'
import { int, list, map, nullable, text, uint } from '../../kernel/shape/kinds.ts'
import { secret, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, nextWal, storagePrefix, systemLeaseTtl, walField } from '../mounts/mounts.ts'
import { refuse } from './messages.ts'
import { areInNetworks, isNetwork } from './networks.ts'
import { type AppRole, appRoles, roleName } from './roles.ts'

/**
 * Reads the remarks of a secret id: a JSON object of texts as text, the same in base64, or pairs
 * `k=v` with commas between (behaviour/secrets#approle-secret-ids).
 */
function parseMetadata(input: string): Readonly<Record<string, string>> {
  const metadata = decoded(input).trim()
  return metadata === '' ? {} : (textsIn(metadata) ?? pairsIn(metadata))
}

function decoded(input: string): string {
  const bytes = Buffer.from(input, 'base64')
  return input !== '' && bytes.toString('base64') === input ? bytes.toString('utf8') : input
}

function textsIn(metadata: string): Readonly<Record<string, string>> | undefined {
  let value: Json
  try {
    value = JSON.parse(metadata)
  } catch {
    return undefined
  }
  if (!isJsonObject(value)) return undefined
  const entries = Object.entries(value)
  return entries.every((entry): entry is [string, string] => typeof entry[1] === 'string')
    ? Object.fromEntries(entries)
    : undefined
}

function pairsIn(metadata: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    metadata.split(',').map((pair) => {
      const [name = '', value, ...more] = pair.trim().split('=')
      if (value === undefined || more.length > 0) throw refuse('approle-metadata-unreadable')
      return [name.trim(), value.trim()]
    }),
  )
}

/**
 * A secret id (behaviour/secrets#approle-secret-ids). Instants in milliseconds since 1970, TTLs in
 * seconds.
 */
const secretIdShape = struct({
  /** The mount's UUID, and the role's name. */
  mount: text,
  role: text,
  secret_id: secret(text),
  secret_id_accessor: text,
  /** Uses left; 0 for any number. */
  secret_id_num_uses: uint,
  secret_id_ttl: uint,
  creation_time: int,
  /** null: never. */
  expiration_time: nullable(int),
  last_updated_time: int,
  metadata: map(text),
  /** Who may log in with it; empty for anybody. */
  cidr_list: list(text),
  /** Networks that its tokens belong to in place of the role's; empty for the role's. */
  token_bound_cidrs: list(text),
  ...walField,
})
export interface SecretId extends StoredOf<typeof secretIdShape> {}

/** By `<mount uuid>/<role>/<accessor>`; `bySecret` by `<mount uuid>/<role>/<secret id>`. */
export const secretIds = defineTable({
  service: 'secrets',
  name: 'approle-secret-ids',
  indexes: { bySecret: ({ mount, role, secret_id }) => `${mount}/${role}/${secret_id}` },
  shape: secretIdShape,
})

/** What a caller wants of a new secret id; what is left out is the role's. */
export interface SecretIdRequest {
  /** A chosen one instead of a made-up one. */
  readonly secret_id?: string | undefined
  /** A JSON object as text, or `k=v,…`. */
  readonly metadata?: string | undefined
  readonly cidr_list?: readonly string[] | undefined
  readonly token_bound_cidrs?: readonly string[] | undefined
  readonly num_uses?: number | undefined
  readonly ttl?: number | undefined
}

/**
 * Makes a secret id for a role.
 *
 * @throws absent for an unknown role; invalid where the role has none, or does not grant what is asked.
 */
export function createSecretId(
  world: World,
  mount: Mount,
  requested: string,
  request: SecretIdRequest,
): SecretId {
  const role = appRoles.find(world, mount, requested)
  if (role === undefined) throw refuse('approle-role-not-found', { role: roleName(requested) })
  if (!role.bind_secret_id) throw refuse('approle-secret-ids-off')
  const { cidr_list = [], token_bound_cidrs = [] } = request
  checkNetworks(cidr_list, role.secret_id_bound_cidrs ?? [])
  checkNetworks(token_bound_cidrs, role.token_bound_cidrs)
  const secret_id_num_uses = usesOf(role, request.num_uses)
  const ttl = Math.min(ttlOf(role, request.ttl), systemLeaseTtl)
  const metadata = parseMetadata(request.metadata ?? '')
  const { secret_id = world.ids.uuid() } = request
  const prefix = idsPrefix(mount, role.name)
  if (
    world
      .table(secretIds)
      .index('bySecret')
      .get(prefix + secret_id) !== undefined
  ) {
    throw refuse('approle-secret-id-taken')
  }
  const now = world.clock.now()
  const created: SecretId = {
    mount: mount.uuid,
    role: role.name,
    secret_id,
    secret_id_accessor: world.ids.uuid(),
    secret_id_num_uses,
    secret_id_ttl: ttl,
    creation_time: now,
    expiration_time: ttl === 0 ? null : now + ttl * 1000,
    last_updated_time: now,
    metadata,
    cidr_list,
    token_bound_cidrs,
  }
  world.write(() => {
    const key = prefix + created.secret_id_accessor
    world.table(secretIds).put(key, { ...created, wal: nextWal(world) })
    if (created.expiration_time === null) return
    world.agenda.schedule({ at: created.expiration_time, job: expireJob, id: key })
  })
  return created
}

function usesOf(role: AppRole, uses: number | undefined): number {
  const max = role.secret_id_num_uses
  if (uses === undefined) return max
  if (uses < 0) throw refuse('approle-negative', { name: 'num_uses' })
  if (max > 0 && (uses === 0 || uses > max)) throw refuse('approle-uses-above-role')
  return uses
}

function ttlOf(role: AppRole, ttl: number | undefined): number {
  const max = role.secret_id_ttl
  if (ttl === undefined) return max
  if (max > 0 && (ttl === 0 || ttl > max)) throw refuse('approle-id-ttl-above-role')
  return ttl
}

/** Networks of an id lie in those of its role, where that has any. */
function checkNetworks(requested: readonly string[], role: readonly string[]): void {
  const invalid = requested.find((text) => !isNetwork(text))
  if (invalid !== undefined) throw refuse('approle-networks-unreadable', { text: invalid })
  if (role.length === 0 || areInNetworks(requested, role)) return
  throw refuse('approle-networks-outside', { role: quoteList(role), own: quoteList(requested) })
}

function quoteList(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`
}

/** A secret id of a role; undefined for one that is unknown, spent or expired. */
export function findSecretId(
  world: World,
  mount: Mount,
  role: string,
  secretId: string,
): SecretId | undefined {
  return world
    .table(secretIds)
    .index('bySecret')
    .get(idsPrefix(mount, role) + secretId)
}

/** The same by its accessor. */
export function findSecretIdByAccessor(
  world: World,
  mount: Mount,
  role: string,
  accessor: string,
): SecretId | undefined {
  return world.table(secretIds).get(idsPrefix(mount, role) + accessor)
}

/** The accessors of a role's secret ids, sorted. */
export function secretIdAccessors(world: World, mount: Mount, role: string): string[] {
  return world.table(secretIds).children(idsPrefix(mount, role)).sort(compareBytewise)
}

/** Counts a use; the last one ends the secret id. One that may be used at will stays as it is. */
export function consumeSecretId(world: World, mount: Mount, used: SecretId): void {
  if (used.secret_id_num_uses === 0) return
  if (used.secret_id_num_uses === 1) {
    destroySecretId(world, mount, used)
    return
  }
  world.write(() => {
    world.table(secretIds).put(keyOf(mount, used), {
      ...used,
      secret_id_num_uses: used.secret_id_num_uses - 1,
      last_updated_time: world.clock.now(),
      wal: nextWal(world),
    })
  })
}

/** Ends a secret id; tokens that it made stay. */
export function destroySecretId(world: World, mount: Mount, ended: SecretId): void {
  const key = keyOf(mount, ended)
  world.write(() => {
    world.table(secretIds).delete(key)
    world.agenda.cancel(expireJob, key)
  })
}

/** Ends all secret ids of a role. */
export function deleteSecretIdsOf(world: World, mount: Mount, role: string): void {
  for (const each of [...world.table(secretIds).rows(idsPrefix(mount, role))]) {
    destroySecretId(world, mount, each)
  }
}

function idsPrefix(mount: Mount, role: string): string {
  return `${storagePrefix(mount)}${role}/`
}

function keyOf(mount: Mount, { role, secret_id_accessor }: SecretId): string {
  return idsPrefix(mount, role) + secret_id_accessor
}

const expireJob = 'secrets.approle.expire'

/** Ends a secret id whose time has come. */
export const approleJobs: Readonly<Record<string, JobHandler>> = {
  [expireJob]: (world, { id }) => {
    world.write(() => world.table(secretIds).delete(id))
  },
}
