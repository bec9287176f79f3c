import { compareBytewise } from '../../json/json.ts'
import type { Refusal } from '../../kernel/refusal.ts'
import { bool, int, list, map, nullable, text, textOf, uint } from '../../kernel/shape/kinds.ts'
import { described, optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { TableDefinition } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { InNamespace, Namespace } from '../namespaces/namespaces.ts'
import { secretsTable } from '../table.ts'

/** Settings that are lists. These settings are stored and returned, but have no effect. */
export const mountListSettings = [
  'audit_non_hmac_request_keys',
  'audit_non_hmac_response_keys',
  'passthrough_request_headers',
  'allowed_response_headers',
] as const

/**
 * Configuration of a mount. TTLs in seconds; 0 means the system's TTL. Optional members are missing
 * until they are set.
 */
export interface MountConfig
  extends Readonly<Partial<Record<(typeof mountListSettings)[number], readonly string[]>>> {
  readonly default_lease_ttl: number
  readonly max_lease_ttl: number
  readonly force_no_cache: boolean
  readonly listing_visibility?: string
  /** Type of the tokens that logins create. Only for authentication methods. */
  readonly token_type?: string
  /** Only for authentication methods with user lockout. */
  readonly user_lockout_config?: UserLockoutConfig
}

/** Limits for failed logins of a user. Durations in seconds; 0 means the default. */
export interface UserLockoutConfig {
  readonly lockout_threshold: number
  readonly lockout_duration: number
  readonly lockout_counter_reset: number
  readonly lockout_disable: boolean
}

/**
 * A mounted secrets engine, authentication method or system component (behaviour/secrets#mounts).
 * The type selects the code that serves the mount.
 */
const mountShape = struct({
  namespace: text,
  /** Path within the namespace, with a trailing slash; `auth/…` for authentication methods. */
  path: textOf({ pattern: '/$' }),
  type: text,
  description: text,
  /** `<type>_<8 hex digits>`, or `auth_<type>_<8 hex digits>` for authentication methods. */
  accessor: text,
  /** First part of the keys of the mount's data. Never changes, even if the mount moves. */
  uuid: text,
  config: struct({
    default_lease_ttl: int,
    max_lease_ttl: int,
    force_no_cache: bool,
    listing_visibility: optional(text),
    token_type: optional(text),
    audit_non_hmac_request_keys: optional(list(text)),
    audit_non_hmac_response_keys: optional(list(text)),
    passthrough_request_headers: optional(list(text)),
    allowed_response_headers: optional(list(text)),
    user_lockout_config: optional(
      struct({
        lockout_threshold: int,
        lockout_duration: int,
        lockout_counter_reset: int,
        lockout_disable: bool,
      }),
    ),
  }),
  options: nullable(map(text)),
  local: bool,
  seal_wrap: bool,
  external_entropy_access: bool,
})
export interface Mount extends StoredOf<typeof mountShape> {}

/**
 * Rows by namespace id and path, such as `root/secret/` or `root/auth/token/`. The keys of index
 * `byAccessor` are the accessor, `/` and the key of the row.
 */
export const mounts = secretsTable('mounts', mountShape, {
  secrets: 'none',
  indexes: { byAccessor: ({ accessor }, key) => `${accessor}/${key}` },
})

/** Returns the mount of any namespace that has the accessor; undefined for an unknown accessor. */
export function mountByAccessor(world: World, accessor: string): Mount | undefined {
  return world.table(mounts).index('byAccessor').first(`${accessor}/`)?.[1]
}

/** Default and maximum lease TTL of the system, in seconds. */
export const systemLeaseTtl = 2_764_800

/**
 * Returns the mount that a path within the namespace belongs to; undefined for a path outside all
 * mounts. Mounts are never nested, so the greatest key not above the path's key is the only
 * candidate.
 */
export function mountOf(world: World, namespace: Namespace, path: string): Mount | undefined {
  const key = mountKey(namespace.id, path)
  const candidate = world.table(mounts).floor(key)
  return candidate !== undefined && key.startsWith(candidate[0]) ? candidate[1] : undefined
}

/**
 * Returns all mounts of a namespace (secrets engines, authentication methods below `auth/`, and
 * system components), in the order of their paths.
 */
export function mountsIn(world: World, namespace: InNamespace): Mount[] {
  return [...world.table(mounts).rows(mountKey(namespace.id, ''))]
}

/**
 * Returns whether a mount is a key-value engine. `generic` is the old name of the unversioned
 * engine.
 */
export function isKeyValue({ type }: Pick<Mount, 'type'>): boolean {
  return type === 'kv' || type === 'generic'
}

/**
 * Returns whether a mount is a key-value engine of version 2. Tuning can give mounts of other types
 * a version, which has no effect.
 */
export function isVersioned({ type, options }: Pick<Mount, 'type' | 'options'>): boolean {
  return type === 'kv' && options?.['version'] === '2'
}

export function isAuthMount(mount: Pick<Mount, 'path'>): boolean {
  return mount.path.startsWith(authPrefix)
}

/** Prefix of the paths of authentication methods. */
export const authPrefix = 'auth/'

/**
 * Returns the mount that prevents a new mount at a path: a mount at the path, above it or below it.
 * Mounts are never nested (behaviour/secrets#mounts). Returns undefined if the path is free.
 */
export function mountConflict(
  world: World,
  namespace: InNamespace,
  path: string,
): Mount | undefined {
  const key = mountKey(namespace.id, path)
  const at = world.table(mounts).floor(key)
  if (at !== undefined && key.startsWith(at[0])) return at[1]
  const below = world.table(mounts).ceiling(key)
  return below?.[0].startsWith(key) ? below[1] : undefined
}

/** Returns the key that a mount with this path has in `mounts`. */
export function mountKey(namespaceId: string, path: string): string {
  return `${namespaceId}/${path}`
}

/** Returns the prefix that the keys of a mount's rows have in the tables of its engine. */
export function storagePrefix(mount: Mount): string {
  return `${mount.uuid}/`
}

/**
 * Returns the mount's tuned default TTL or the system's TTL, in seconds. A tuned TTL may be
 * negative or above the maximum.
 */
export function defaultLeaseTtl(mount: Mount): number {
  return mount.config.default_lease_ttl || systemLeaseTtl
}

/**
 * Returns the mount's tuned maximum TTL or the system's TTL, in seconds. A tuned TTL may be
 * negative.
 */
export function maxLeaseTtl(mount: Mount): number {
  return mount.config.max_lease_ttl || systemLeaseTtl
}

/**
 * Write-ahead position of the last write of a row. A new secondary receives the rows in this order
 * (behaviour/secrets#first-copy). Rows of earlier releases lack the member.
 */
export const walField = {
  wal: optional(described(uint, 'Position of the last write in the write-ahead log')),
} as const

/** Returns the write-ahead position of the open transaction. */
export function nextWal(world: World): number {
  return world.store.nextIndex('secrets')
}

/** A row with the member of `walField`. */
export interface WithWal {
  readonly wal?: number
}

/** Rows of a table by mount and name, such as roles, users and keys. */
export class NamedRows<R extends WithWal> {
  readonly #table: TableDefinition<R, string>
  readonly #refuseAbsent: () => Refusal
  readonly #normalizeName: (name: string) => string

  /**
   * @param refuseAbsent returns the refusal that reading a missing row throws
   * @param normalizeName returns the stored form of a name; lower case by default
   */
  constructor(
    table: TableDefinition<R, string>,
    refuseAbsent: () => Refusal,
    normalizeName = (name: string) => name.toLowerCase(),
  ) {
    this.#table = table
    this.#refuseAbsent = refuseAbsent
    this.#normalizeName = normalizeName
  }

  keyOf(mount: Mount, name: string): string {
    return storagePrefix(mount) + this.#normalizeName(name)
  }

  /** Finds a row by its name. Returns undefined if there is no such row. */
  find(world: World, mount: Mount, name: string): R | undefined {
    return world.table(this.#table).get(this.keyOf(mount, name))
  }

  /**
   * Returns the row with this name. Throws the refusal of `refuseAbsent` if there is no such row.
   */
  read(world: World, mount: Mount, name: string): R {
    const row = this.find(world, mount, name)
    if (row === undefined) throw this.#refuseAbsent()
    return row
  }

  /** Returns the names in their stored form, sorted by bytes. */
  names(world: World, mount: Mount): string[] {
    return world.table(this.#table).children(storagePrefix(mount)).sort(compareBytewise)
  }

  /** Creates or replaces a row and sets its `wal`. */
  put(world: World, mount: Mount, name: string, row: R): void {
    world.write(() => {
      world.table(this.#table).put(this.keyOf(mount, name), { ...row, wal: nextWal(world) })
    })
  }

  /** Deletes a row. Does nothing if there is no such row. */
  remove(world: World, mount: Mount, name: string): void {
    world.write(() => world.table(this.#table).delete(this.keyOf(mount, name)))
  }
}

/** Rows of a table with at most one row per mount, such as its configuration. */
export class MountRow<R extends WithWal> {
  readonly #rows: NamedRows<R>
  readonly #name: string

  /** @param name part of the key after the prefix of the mount */
  constructor(table: TableDefinition<R, string>, refuseAbsent: () => Refusal, name = '') {
    this.#rows = new NamedRows(table, refuseAbsent)
    this.#name = name
  }

  /** Finds the row of a mount. Returns undefined if the mount has no row. */
  find(world: World, mount: Mount): R | undefined {
    return this.#rows.find(world, mount, this.#name)
  }

  /** Returns the row of a mount. Throws the refusal of `refuseAbsent` if the mount has no row. */
  read(world: World, mount: Mount): R {
    return this.#rows.read(world, mount, this.#name)
  }

  /** Creates or replaces the row and sets its `wal`. */
  put(world: World, mount: Mount, row: R): void {
    this.#rows.put(world, mount, this.#name, row)
  }

  /** Deletes the row. Does nothing if the mount has no row. */
  remove(world: World, mount: Mount): void {
    this.#rows.remove(world, mount, this.#name)
  }
}
