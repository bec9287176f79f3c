import type { FastifyBaseLogger } from 'fastify'
import type { World } from '../../state/kernel/worlds/world.ts'
import type {
  JournaledApi,
  RequestHead,
  RequestRecord,
} from '../http/journal-hooks/request-record.ts'
import type { RequestRecorder } from '../http/journal-hooks/request-recording.ts'
import { redactedPath } from '../journal/entry.ts'
import { fingerprintOf } from '../journal/fingerprint.ts'
import { loggedRequestOf } from '../journal/logged-request.ts'
import { outcomeOf } from '../journal/outcome.ts'
import { becauseOf } from './explanation.ts'

/** Requests that are logged: `refused` stands for all requests that were not served. */
export type LoggedRequests = 'none' | 'refused' | 'all'

/**
 * Recorder that logs each request, or each request that was not served: the API, method, path,
 * status, milliseconds, world and reason. A served request that is not logged costs one comparison.
 */
export class LoggingRecorder implements RequestRecorder {
  readonly #recorder: RequestRecorder
  readonly #logsAll: boolean
  readonly #log: () => FastifyBaseLogger

  constructor(
    recorder: RequestRecorder,
    which: Exclude<LoggedRequests, 'none'>,
    log: () => FastifyBaseLogger,
  ) {
    this.#recorder = recorder
    this.#logsAll = which === 'all'
    this.#log = log
  }

  open(world: World, api: JournaledApi, head: RequestHead): RequestRecord {
    return this.#recorder.open(world, api, head)
  }

  close(record: RequestRecord): void {
    this.#recorder.close(record)
    const { status, isFaulted } = record
    const isSuccess = status !== null && status < 400 && !isFaulted
    if (this.#logsAll || (!isSuccess && outcomeOf(record) !== 'served')) this.#write(record)
  }

  #write(record: RequestRecord): void {
    const { world } = record
    const { api, method, path, status, ms } = loggedRequestOf(record)
    const fingerprint = fingerprintOf(world.seed)
    const journalPath = redactedPath(record, fingerprint)
    const because = becauseOf(record, fingerprint)?.replaceAll(journalPath, path)
    const line = `${api} ${method} ${path} ${status ?? '-'} ${ms} ms world ${world.id}`
    const fields = { api, method, path, status, ms, world: world.id }
    if (because === undefined) this.#log().info(fields, line)
    else this.#log().info({ ...fields, because }, `${line}: ${because}`)
  }
}
