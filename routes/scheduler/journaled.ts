import { type SchedulerCaller, schedulerCaller } from '../../state/scheduler/acl/callers.ts'
import type { JournaledApi } from '../http/journal-hooks/request-record.ts'
import { tokenHeaders } from './dialect.ts'
import type { SchedulerOperation } from './operation.ts'

/** What the journal has to know of requests of this API. */
export const journaled: Omit<JournaledApi, 'name'> = {
  secretHeaders: [...tokenHeaders, 'authorization'],
  replyShape: (operation, status) =>
    // Operations of this API are noted with it alone.
    status === 200 ? (operation as SchedulerOperation).answers : undefined,
  findCaller: (token, world) => schedulerCaller(world, token),
  describeCaller(caller) {
    // So are callers.
    const { token, policies } = caller as SchedulerCaller
    return token === undefined ? {} : { name: token.Name, policies }
  },
}
