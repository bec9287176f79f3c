import type { World } from '../../kernel/worlds/world.ts'
import type { Mount } from '../mounts/mounts.ts'
import { type Lease, leases } from './leases.ts'

/** TTLs of an engine that apply to renewals, in seconds; 0 if the mount's apply. */
type RenewalTerms = Required<Pick<Lease, 'default_ttl' | 'max_ttl'>>

/**
 * Changes the TTLs of later renewals of the leases below a path of a mount.
 *
 * @param path ends with a slash
 */
export function changeRenewalTerms(
  world: World,
  { namespace, path: mountPath }: Mount,
  path: string,
  { default_ttl, max_ttl }: RenewalTerms,
): void {
  const table = world.table(leases)
  const changed = [...table.rows(`${namespace}/${mountPath}${path}`)].filter(
    (lease) => lease.default_ttl !== default_ttl || lease.max_ttl !== max_ttl,
  )
  world.write(() => {
    for (const lease of changed) {
      table.put(`${namespace}/${lease.id}`, { ...lease, default_ttl, max_ttl })
    }
  })
}
