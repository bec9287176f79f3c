import { compareBytewise } from '../../json/json.ts'
import type { Refusal } from '../../kernel/refusal.ts'
import { bool, int, list, map, nullable, text, textOf, uint } from '../../kernel/shape/kinds.ts'
import { described, optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { TableDefinition } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { InNamespace, Namespace } from '../namespaces/namespaces.ts'
import { secretsTable } from '../table.ts'

/** List settings of a mount, which are stored and returned without effect. */
export const mountListSettings = [
  'audit_non_hmac_request_keys',
  'audit_non_hmac_response_keys',
  'passthrough_request_headers',
  'allowed_response_headers',
] as const

/**
 * The configuration of a mount. TTLs are in seconds; 0 means the system's TTL. Optional members are
 * present only if they were set.
 */
export interface MountConfig
  extends Readonly<Partial<Record<(typeof mountListSettings)[number], readonly string[]>>> {
  readonly default_lease_ttl: number
  readonly max_lease_ttl: number
  readonly force_no_cache: boolean
  readonly listing_visibility?: string
  /** The type of the tokens that logins create; authentication methods only. */
  readonly token_type?: string
  /** Lockout settings; some authentication methods only. */
  readonly user_lockout_config?: UserLockoutConfig
}

/** Lockout settings of a mount. Durations are in seconds; 0 means the system's default. */
export interface UserLockoutConfig {
  readonly lockout_threshold: number
  readonly lockout_duration: number
  readonly lockout_counter_reset: number
  readonly lockout_disable: boolean
}

/**
 * A mounted secrets engine, authentication method or system component: the row is data, while
 * engines are code (behaviour/secrets#mounts).
 */
const mountShape = struct({
  namespace: text,
  /** Path within the namespace, with a closing slash; authentication methods begin with `auth/`. */
  path: textOf({ pattern: '/$' }),
  type: text,
  description: text,
  /** `<type>_<8 hex digits>`; for authentication methods, `auth_<type>_<8 hex digits>`. */
  accessor: text,
  /**
   * Id with which the keys of the mount's data begin. The id never changes, even if the mount
   * moves.
   */
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
 * Mounts by namespace id and path: `root/secret/`, `root/auth/token/`. Index `byAccessor` by
 * accessor, `/` and that key.
 */
export const mounts = secretsTable('mounts', mountShape, {
  secrets: 'none',
  indexes: { byAccessor: ({ accessor }, key) => `${accessor}/${key}` },
})

/** Returns the mount with this accessor, in any namespace. */
export function mountByAccessor(world: World, accessor: string): Mount | undefined {
  return world.table(mounts).index('byAccessor').first(`${accessor}/`)?.[1]
}

/** System-wide default and maximum lease TTL, in seconds (behaviour/secrets#system). */
export const systemLeaseTtl = 2_764_800

/**
 * Returns the mount that a path within the namespace belongs to. Mounts are never nested, so the
 * greatest key up to the path is the only candidate.
 */
export function mountOf(world: World, namespace: Namespace, path: string): Mount | undefined {
  const key = mountKey(namespace.id, path)
  const candidate = world.table(mounts).floor(key)
  return candidate !== undefined && key.startsWith(candidate[0]) ? candidate[1] : undefined
}

/**
 * Returns the mounts of a namespace in order of path, including authentication methods (`auth/…`).
 */
export function mountsIn(world: World, namespace: InNamespace): Mount[] {
  return [...world.table(mounts).rows(mountKey(namespace.id, ''))]
}

/**
 * Returns whether a mount is a key-value engine; `generic` is the old name of the unversioned one.
 */
export function isKeyValue({ type }: Pick<Mount, 'type'>): boolean {
  return type === 'kv' || type === 'generic'
}

/**
 * Returns whether a mount is a versioned key-value mount. Tuning can give other mounts a version,
 * which has no effect there.
 */
export function isVersioned({ type, options }: Pick<Mount, 'type' | 'options'>): boolean {
  return type === 'kv' && options?.['version'] === '2'
}

/** Returns whether a mount is an authentication method. */
export function isAuthMount(mount: Pick<Mount, 'path'>): boolean {
  return mount.path.startsWith(authPrefix)
}

/** Path prefix of authentication methods. */
export const authPrefix = 'auth/'

/**
 * Returns the mount that conflicts with a path: one at the path, above it or below it, since mounts
 * are never nested (behaviour/secrets#mounts).
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

/** Returns the key of a path's mount in the table. */
export function mountKey(namespaceId: string, path: string): string {
  return `${namespaceId}/${path}`
}

/** Returns the prefix of a mount's rows in the tables of its engine. */
export function storagePrefix(mount: Mount): string {
  return `${mount.uuid}/`
}

/**
 * Returns the default lease TTL of a mount in seconds. A tuned value may be negative or above the
 * maximum.
 */
export function defaultLeaseTtl(mount: Mount): number {
  return mount.config.default_lease_ttl || systemLeaseTtl
}

/** Returns the maximum lease TTL of a mount in seconds. A tuned value may be negative. */
export function maxLeaseTtl(mount: Mount): number {
  return mount.config.max_lease_ttl || systemLeaseTtl
}

/**
 * The position of the last write of an engine's row. A new secondary receives the rows in this
 * order (behaviour/secrets#first-copy). Rows of earlier releases do not have the member.
 */
export const walField = {
  wal: optional(described(uint, 'The write-ahead position of the last write')),
} as const

/** Returns the write-ahead position that the open transaction will have. */
export function nextWal(world: World): number {
  return world.store.nextIndex('secrets')
}

/** A row with the position of its last write: `walField` of mounts.ts. */
export interface WithWal {
  readonly wal?: number
}

/** Rows that mounts store under names in a table, such as roles, users and keys. */
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

  /** Returns the key of the row with this name. */
  keyOf(mount: Mount, name: string): string {
    return storagePrefix(mount) + this.#normalizeName(name)
  }

  /** Returns the row with this name; undefined if there is none. */
  find(world: World, mount: Mount, name: string): R | undefined {
    return world.table(this.#table).get(this.keyOf(mount, name))
  }

  /** Returns the row with this name. Throws the refusal of `refuseAbsent` if there is none. */
  read(world: World, mount: Mount, name: string): R {
    const row = this.find(world, mount, name)
    if (row === undefined) throw this.#refuseAbsent()
    return row
  }

  /** Returns the names of a mount, sorted. */
  names(world: World, mount: Mount): string[] {
    return world.table(this.#table).children(storagePrefix(mount)).sort(compareBytewise)
  }

  /** Stores a row under a name, with the current write position. */
  put(world: World, mount: Mount, name: string, row: R): void {
    world.write(() => {
      world.table(this.#table).put(this.keyOf(mount, name), { ...row, wal: nextWal(world) })
    })
  }

  /** Deletes the row with this name, if any. */
  remove(world: World, mount: Mount, name: string): void {
    world.write(() => world.table(this.#table).delete(this.keyOf(mount, name)))
  }
}

/** Single row of each mount in a table, such as its configuration. */
export class MountRow<R extends WithWal> {
  readonly #rows: NamedRows<R>
  readonly #name: string

  /**
   * @param name the part of the key after the mount's prefix
   */
  constructor(table: TableDefinition<R, string>, refuseAbsent: () => Refusal, name = '') {
    this.#rows = new NamedRows(table, refuseAbsent)
    this.#name = name
  }

  /** Returns the row of a mount; undefined if there is none. */
  find(world: World, mount: Mount): R | undefined {
    return this.#rows.find(world, mount, this.#name)
  }

  /** Returns the row of a mount. Throws the refusal of `refuseAbsent` if there is none. */
  read(world: World, mount: Mount): R {
    return this.#rows.read(world, mount, this.#name)
  }

  /** Stores the row of a mount, with the current write position. */
  put(world: World, mount: Mount, row: R): void {
    this.#rows.put(world, mount, this.#name, row)
  }

  /** Deletes the row of a mount, if any. */
  remove(world: World, mount: Mount): void {
    this.#rows.remove(world, mount, this.#name)
  }
}
