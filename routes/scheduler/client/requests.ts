import { uint } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { refuse } from '../../../state/scheduler/client/messages.ts'
import {
  restartAllocation,
  restartShape,
  signalAllocation,
  signalShape,
} from '../../../state/scheduler/client/requests.ts'
import { can, within } from '../access.ts'
import { operation } from '../operation.ts'
import { requireClientAllocation } from './allocations.ts'

const spec = 'behaviour/scheduler#task-actions'

/** Reply to requests that clients carry out; it has no index. */
const replyShape = struct('GenericResponse', { Index: uint })

/** Operations that clients carry out on the tasks of their allocations. */
export const clientRequestOperations = [
  operation({
    id: 'restartAllocation',
    method: 'POST',
    anyMethod: true,
    withoutLeader: true,
    path: '/client/allocation/:id/restart',
    access: within(can('alloc-lifecycle')),
    summary: 'Restart a task of an allocation, all that run, or those that have ended as well.',
    spec,
    body: restartShape,
    bodyOptional: true,
    bodyFault: (why) => refuse('restart-body-unreadable', { why }),
    answers: replyShape,
    run({ context, params: { id }, body }) {
      const input = context.hasBody ? body() : { TaskName: '', AllTasks: false }
      return context.readUnindexed(() => {
        restartAllocation(context.world, requireClientAllocation(context, id), input)
        return { Index: 0 }
      })
    },
  }),
  operation({
    id: 'signalAllocation',
    method: 'POST',
    withoutLeader: true,
    path: '/client/allocation/:id/signal',
    access: within(can('alloc-lifecycle')),
    summary: 'Send a signal to a task of an allocation, or to all of them.',
    spec,
    body: signalShape,
    bodyFault: (why) => refuse('signal-body-unreadable', { why }),
    answers: replyShape,
    run({ context, params: { id }, body }) {
      const input = body()
      return context.readUnindexed(() => {
        signalAllocation(context.world, requireClientAllocation(context, id), input)
        return { Index: 0 }
      })
    },
  }),
]
