import type { World } from '../../../state/kernel/worlds/world.ts'

interface WorldCounts {
  requests: number
  /** Number of logins. `requests` does not include them. */
  logins: number
  /** Numbers of requests, including logins, by path of the mount and by verb. */
  readonly byMount: Map<string, Map<string, number>>
}

/**
 * Numbers of requests to the mounts of each world, for metrics. The numbers are not stored in the
 * world, because requests that only read must not write. The names of the metrics are formatted
 * only when the metrics are read.
 */
export class RequestCounts {
  readonly #byWorld = new WeakMap<World, WorldCounts>()

  /**
   * Counts a request to a mount.
   *
   * @param mountPath path with its trailing slash
   */
  count(world: World, verb: string, mountPath: string, isLogin: boolean): void {
    let counts = this.#byWorld.get(world)
    if (counts === undefined) {
      counts = { requests: 0, logins: 0, byMount: new Map() }
      this.#byWorld.set(world, counts)
    }
    if (isLogin) counts.logins += 1
    else counts.requests += 1
    let byVerb = counts.byMount.get(mountPath)
    if (byVerb === undefined) {
      byVerb = new Map()
      counts.byMount.set(mountPath, byVerb)
    }
    byVerb.set(verb, (byVerb.get(verb) ?? 0) + 1)
  }

  /**
   * Returns the numbers of a world's requests by metric name. The names have no prefix:
   * `route.read.secret-`. Mounts with equal names in metrics share a number.
   */
  of(world: World): ReadonlyMap<string, number> {
    const countsByName = new Map<string, number>()
    const counts = this.#byWorld.get(world)
    if (counts === undefined) return countsByName
    if (counts.requests > 0) countsByName.set('core.handle_request', counts.requests)
    if (counts.logins > 0) countsByName.set('core.handle_login_request', counts.logins)
    for (const [mountPath, byVerb] of counts.byMount) {
      for (const [verb, count] of byVerb) {
        const name = `route.${verb}.${mountPath.replaceAll('/', '-')}`
        countsByName.set(name, (countsByName.get(name) ?? 0) + count)
      }
    }
    return countsByName
  }
}
