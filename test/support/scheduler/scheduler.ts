import type { FastifyInstance } from 'fastify'
import type { DialectName } from '../../../routes/http/declare/dialect.ts'
import { schedulerApi } from '../../../routes/scheduler/index.ts'
import type { ClockSetting } from '../../../state/kernel/time/clock.ts'
import type { StateDocument } from '../../../state/kernel/worlds/document.ts'
import type { SchedulerOptions } from '../../../state/scheduler/options.ts'
import { schedulerService } from '../../../state/scheduler/service.ts'
import { ApiClient } from '../api-client.ts'
import { checkDocumented } from '../openapi/documented.ts'
import { checkReplies, textFailure } from '../openapi/reply-schemas.ts'
import { type ServedApi, servedApi } from '../served-api.ts'

/** Client of the jobs API that calls an app directly, without a socket. */
export class SchedulerClient extends ApiClient {
  constructor(app: FastifyInstance, token?: string) {
    super(app, 'x-sched-token', token)
  }
}

export interface TestScheduler extends ServedApi {
  /** Client without a token. */
  readonly scheduler: SchedulerClient
  /** Client with the management token. */
  readonly manager: SchedulerClient
  as(token: string): SchedulerClient
}

export interface SchedulerSettings {
  readonly options?: Partial<SchedulerOptions>
  readonly dialect?: DialectName
  /** True to serve all paths of the API, as a dedicated port does. Default: true. */
  readonly dedicated?: boolean
  readonly clock?: ClockSetting
  readonly document?: StateDocument
}

/**
 * Starts a fresh server without a socket, with the seed `test` and by default with the clock frozen
 * at `testTime`. Replies are compared with the OpenAPI document and, in the neutral dialect, with
 * the declared shapes. Replies in the vendor dialect would not match the shapes, because they omit
 * empty members.
 */
export async function scheduler(settings: SchedulerSettings = {}): Promise<TestScheduler> {
  const { dialect = 'neutral', dedicated = true, options, clock, document } = settings
  const served = await servedApi({
    service: schedulerService,
    kind: `scheduler ${dialect} ${dedicated}`,
    api: () => schedulerApi({ dialect, isDedicated: dedicated }),
    options: { scheduler: { ...options } },
    clock,
    document,
    check(app) {
      if (dialect === 'neutral') checkReplies(app, textFailure)
      checkDocumented(app, 'scheduler', dialect)
    },
  })
  const as = (token?: string) => new SchedulerClient(served.app, token)
  return { ...served, scheduler: as(), manager: as('scheduler-management-token'), as }
}
