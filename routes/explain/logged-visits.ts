import type { FastifyBaseLogger } from 'fastify'
import type { World } from '../../state/kernel/world.ts'
import { hideUrlSecrets } from '../http/secret-urls.ts'
import type { Head, NotedApi, Visit } from '../http/visit.ts'
import type { VisitBook } from '../http/watch.ts'
import { shownPath } from '../journal/entry.ts'
import { fingerprintOf } from '../journal/fingerprint.ts'
import { outcomeOf } from '../journal/outcome.ts'
import { becauseOf } from './explanation.ts'

/** Which requests the log has a line of. */
export type LoggedRequests = 'none' | 'refused' | 'all'

/**
 * A book of requests that writes a line on the log for each, or for those that were not served: API,
 * method, path, status, milliseconds, world and why (behaviour/program#journal). A served one that is not
 * logged costs a comparison.
 */
export class LoggedVisits implements VisitBook {
  readonly #book: VisitBook
  readonly #logsAll: boolean
  readonly #log: () => FastifyBaseLogger

  constructor(
    book: VisitBook,
    which: Exclude<LoggedRequests, 'none'>,
    log: () => FastifyBaseLogger,
  ) {
    this.#book = book
    this.#logsAll = which === 'all'
    this.#log = log
  }

  open(world: World, api: NotedApi, head: Head): Visit {
    return this.#book.open(world, api, head)
  }

  close(visit: Visit): void {
    this.#book.close(visit)
    const { status, isFaulted } = visit
    const isPlain = status !== null && status < 400 && !isFaulted
    if (this.#logsAll || (!isPlain && outcomeOf(visit) !== 'served')) this.#write(visit)
  }

  #write(visit: Visit): void {
    const { api, method, status, duration, world } = visit
    const fingerprint = fingerprintOf(world.seed)
    const shown = shownPath(visit, fingerprint)
    const path = hideUrlSecrets(shown)
    const ms = Math.round(duration * 1000) / 1000
    const because = becauseOf(visit, fingerprint)?.replaceAll(shown, path)
    const line = `${api.name} ${method} ${path} ${status ?? '-'} ${ms} ms world ${world.id}`
    const told = { api: api.name, method, path, status, ms, world: world.id }
    if (because === undefined) this.#log().info(told, line)
    else this.#log().info({ ...told, because }, `${line}: ${because}`)
  }
}
