import type { FastifyRequest } from 'fastify'
import type { World } from '../../state/kernel/world.ts'
import { findWorld } from '../http/request-head.ts'
import type { NotedApi, Visit, VisitBook } from '../http/visit.ts'
import { Journal } from './journal.ts'

/** The journals of a process's worlds; each is made at the first touch and goes with its world. */
export class Journals implements VisitBook {
  readonly #byWorld = new WeakMap<World, Journal>()

  /** The journal of a world. */
  of(world: World): Journal {
    const known = this.#byWorld.get(world)
    if (known !== undefined) return known
    const journal = new Journal(world)
    this.#byWorld.set(world, journal)
    return journal
  }

  open(request: FastifyRequest, api: NotedApi): Visit | undefined {
    const world = findWorld(request)
    return world === undefined ? undefined : this.of(world).open(request, api)
  }

  close(visit: Visit): void {
    this.of(visit.world).add(visit)
  }
}
