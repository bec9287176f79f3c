import type { World } from '../../../state/kernel/worlds/world.ts'

/** Number of requests by the name of a metric without its prefix: `route.read.secret-`. */
type Counts = ReadonlyMap<string, number>

/**
 * Numbers of requests to the mounts of each world, for metrics. The numbers are not stored in the
 * world, because requests that only read must not write.
 */
export class RequestCounts {
  readonly #counts = new WeakMap<World, Map<string, number>>()

  /**
   * Counts a request that has a target.
   *
   * @param mountPath path with its closing slash
   */
  count(world: World, verb: string, mountPath: string, isLogin: boolean): void {
    const counts = this.#counts.get(world) ?? new Map<string, number>()
    this.#counts.set(world, counts)
    add(counts, isLogin ? 'core.handle_login_request' : 'core.handle_request')
    add(counts, `route.${verb}.${mountPath.replaceAll('/', '-')}`)
  }

  of(world: World): Counts {
    return this.#counts.get(world) ?? new Map()
  }
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
