import { mountOf, namespaceOf, type ServiceState, type StateRow } from './items.ts'

/** Lease of a secret. Times in milliseconds since 1970. */
interface LeaseView {
  /** Id of the lease in the list of state machines of the kind `secrets.lease`. */
  readonly id: string
  /** Leased object, such as a database user; empty if no row describes it. */
  readonly subject: string
  readonly issuedAt: number
  readonly expiresAt: number
  readonly renewedAt: number | undefined
  readonly isRenewable: boolean
}

/** Static role of the database engine. Times in milliseconds since 1970. */
interface StaticRoleView {
  /** Id of the role in the list of state machines of the kind `secrets.staticRole`. */
  readonly id: string
  readonly username: string
  readonly connection: string
  readonly password: string
  readonly rotatedAt: number
  readonly nextRotation: number
}

/** Key that signs identity tokens. Times in milliseconds since 1970. */
interface OidcKeyView {
  /** Id of the key in the list of state machines of the kind `secrets.oidcKey`. */
  readonly id: string
  readonly algorithm: string
  readonly nextRotation: number
  /** Key pairs in order of use: former pairs, the current pair, the next pair. */
  readonly pairs: readonly {
    readonly id: string
    readonly use: 'former' | 'signs' | 'next'
    /** Time at which the public key stops being published; undefined if no time is set. */
    readonly expiresAt: number | undefined
  }[]
}

/** Returns the leases of secrets, earliest expiry first. */
export function leaseViews({ tables }: ServiceState): readonly LeaseView[] {
  return Object.values(tables['leases'] ?? {})
    .map((row) => ({
      id: namespaceOf(String(row['namespace']), tables) + String(row['id']),
      subject: subjectOf(row, tables),
      issuedAt: Number(row['issue_time']),
      expiresAt: Number(row['expire_time']),
      renewedAt: row['last_renewal'] === null ? undefined : Number(row['last_renewal']),
      isRenewable: row['renewable'] === true,
    }))
    .sort((a, b) => a.expiresAt - b.expiresAt || (a.id < b.id ? -1 : 1))
}

/**
 * Describes the leased object by the row that revoking the lease would delete. Returns an empty
 * text if there is no such row.
 */
function subjectOf({ revoke }: StateRow, tables: ServiceState['tables']): string {
  const key = (revoke as { readonly id?: string } | null)?.id ?? ''
  const user = tables['database-credentials']?.[key]
  if (user !== undefined) return `user ${user['username']}`
  const certificate = tables['pki-certificates']?.[key]
  if (certificate !== undefined) return `certificate ${certificate['serial']}`
  const objects = tables['orch-credentials']?.[key]?.['objects']
  return Array.isArray(objects) ? objects.join(', ') : ''
}

/** Returns the static roles of all database mounts, sorted by id. */
export function staticRoleViews({ tables }: ServiceState): readonly StaticRoleView[] {
  return Object.entries(tables['database-static-roles'] ?? {})
    .map(([key, row]) => {
      const rotatedAt = Number(row['rotated'])
      return {
        id: (mountOf(key.slice(0, key.indexOf('/')), tables) ?? '') + String(row['name']),
        username: String(row['username']),
        connection: String(row['db_name']),
        password: String(row['password']),
        rotatedAt,
        nextRotation: rotatedAt + Number(row['rotation_period']) * 1000,
      }
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Returns the keys that sign identity tokens, from all namespaces, sorted by id. */
export function oidcKeyViews({ tables }: ServiceState): readonly OidcKeyView[] {
  const mounts = Object.values(tables['mounts'] ?? {})
  return Object.entries(tables['oidc-keys'] ?? {})
    .map(([key, row]) => {
      const [uuid, name = ''] = key.split(/\/(.*)/s)
      const mount = mounts.find((each) => each['uuid'] === uuid)
      return {
        id: namespaceOf(String(mount?.['namespace']), tables) + name,
        algorithm: String(row['algorithm']),
        nextRotation: Number(row['next_rotation']),
        pairs: pairsOf(row),
      }
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

function pairsOf({ ring, signing, next }: StateRow): OidcKeyView['pairs'] {
  const order = ['former', 'signs', 'next']
  return Object.entries((ring ?? {}) as Readonly<Record<string, StateRow>>)
    .map(([id, { expire_at: at }]) => ({
      id,
      use:
        id === signing ? ('signs' as const) : id === next ? ('next' as const) : ('former' as const),
      expiresAt: typeof at === 'number' ? at : undefined,
    }))
    .sort((a, b) => order.indexOf(a.use) - order.indexOf(b.use))
}
