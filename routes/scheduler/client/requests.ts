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
import { operationsOf } from '../operation.ts'
import { requireClientAllocation } from './allocations.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#task-actions', withoutLeader: true })

/** Reply to requests that clients carry out; it has no index. */
const replyShape = struct('GenericResponse', { Index: uint })

/** Operations that clients carry out on the tasks of their allocations. */
export const clientRequestOperations = [
  operation.post({
    id: 'restartAllocation',
    anyMethod: true,
    path: '/client/allocation/:id/restart',
    access: within(can('alloc-lifecycle')),
    summary: 'Restart a task of an allocation, all that run, or those that have ended as well.',
    body: restartShape,
    bodyOptional: true,
    bodyFault: (why) => refuse('restart-body-unreadable', { why }),
    reply: { 200: replyShape },
    run({ context, params: { id }, body }) {
      const input = context.hasBody ? body() : { TaskName: '', AllTasks: false }
      return context.readUnindexed(() => {
        restartAllocation(context.world, requireClientAllocation(context, id), input)
        return { Index: 0 }
      })
    },
  }),
  operation.post({
    id: 'signalAllocation',
    path: '/client/allocation/:id/signal',
    access: within(can('alloc-lifecycle')),
    summary: 'Send a signal to a task of an allocation, or to all of them.',
    body: signalShape,
    bodyFault: (why) => refuse('signal-body-unreadable', { why }),
    reply: { 200: replyShape },
    run({ context, params: { id }, body }) {
      const input = body()
      return context.readUnindexed(() => {
        signalAllocation(context.world, requireClientAllocation(context, id), input)
        return { Index: 0 }
      })
    },
  }),
]
