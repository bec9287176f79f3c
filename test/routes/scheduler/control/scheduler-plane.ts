import { onTestFinished } from 'vitest'
import { schedulerApi } from '../../../../routes/scheduler/index.ts'
import { buildApp } from '../../../../src/server/app.ts'
import type { SchedulerOptions } from '../../../../state/scheduler/options.ts'
import { schedulerService } from '../../../../state/scheduler/service.ts'
import { control } from '../../../support/control.ts'
import { checkReplies, textFailure } from '../../../support/openapi/reply-schemas.ts'
import { SchedulerClient } from '../../../support/scheduler/scheduler.ts'
import type { Members } from '../support.ts'

export async function scheduledPlane(
  options: Partial<SchedulerOptions> = {},
  document: Readonly<Record<string, unknown>> = {},
) {
  const plane = await control(
    {},
    {
      services: [schedulerService],
      options: { scheduler: { waitJitter: false, ...options } },
      document: { scheduler: document },
    },
  )
  const api = schedulerApi({ dialect: 'neutral', isDedicated: true })
  const app = buildApp({ worlds: plane.worlds, apis: [api], log: false })
  checkReplies(app, textFailure)
  await app.ready()
  onTestFinished(() => app.close())
  const { ask, world } = plane
  const push = (kind: string, id: string, to: string, extras: Members = {}) =>
    ask('POST', `/transitions/scheduler.${kind}/${encodeURIComponent(id)}`, { to, ...extras })
  const transition = async (kind: string) => {
    const { body } = await ask('GET', '/transitions')
    const all: readonly (Members & { kind: string; items: readonly Members[] })[] = body.kinds
    const found = all.find((each) => each.kind === `scheduler.${kind}`)
    if (found === undefined) throw new Error(`no kind ${kind}`)
    return found
  }
  return {
    ...plane,
    client: new SchedulerClient(app),
    /** Returns a client of another world. */
    inWorld: (id: string) => new WorldClient(app, id),
    advance: (milliseconds: number) => void world.advance(milliseconds),
    push,
    transition,
    options: (change: Members) => ask('PATCH', '/options', { scheduler: change }),
  }
}

class WorldClient extends SchedulerClient {
  readonly #world: string

  constructor(app: ConstructorParameters<typeof SchedulerClient>[0], world: string) {
    super(app)
    this.#world = world
  }

  override request(...[method, path, payload, options]: Parameters<SchedulerClient['request']>) {
    const headers = { 'x-mock-world': this.#world, ...options?.headers }
    return super.request(method, path, payload, { ...options, headers })
  }
}
