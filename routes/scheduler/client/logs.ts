import { quoteGo } from '../../../state/go/text.ts'
import { any, bool, int, text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { startedAt, taskLog } from '../../../state/scheduler/client/files.ts'
import { refuse } from '../../../state/scheduler/client/messages.ts'
import { findAllocation } from '../../../state/scheduler/cluster/allocations/allocations.ts'
import { groupOf } from '../../../state/scheduler/cluster/placement/feasibility.ts'
import type { OutputName } from '../../../state/scheduler/cluster/tasks/task-output.ts'
import { parameters } from '../../http/declare/parameters.ts'
import type { Query } from '../../http/query.ts'
import { requiresCapability, within } from '../access.ts'
import { operationsOf } from '../operation.ts'
import { bytesParameter, clientBoolParameter, originParameter, sliceReader } from './slices.ts'
import { requireStreamedAllocation } from './statistics.ts'

const operation = operationsOf({
  spec: 'behaviour/scheduler#files',
  withoutLeader: true,
  tokenResolver: 'client',
})

/**
 * Parses the parameters of a request for logs, in the reference's order of checks
 * (behaviour/scheduler#files). Throws a refusal (400) for a missing or malformed parameter.
 */
function readLogQuery(id: string, query: Query) {
  if (id === '') throw refuse('alloc-id-missing')
  const task = query.value('task')
  if (task === undefined) throw refuse('task-name-missing')
  const follow = clientBoolParameter(query, 'follow') ?? false
  const plain = clientBoolParameter(query, 'plain') ?? false
  const output = query.value('type')
  if (output !== 'stdout' && output !== 'stderr') throw refuse('log-type-missing')
  const offset = bytesParameter(query, 'offset') ?? 0
  const type: OutputName = output
  return { task, follow, plain, output: type, offset, origin: originParameter(query) }
}

/**
 * Returns the current output of a task and whether the output is final. The output of a deleted
 * allocation is empty and final.
 */
function currentLog(world: World, id: string, task: string, output: OutputName) {
  const allocation = findAllocation(world, id)
  if (allocation === undefined) {
    return { bytes: Buffer.alloc(0), growsAt: undefined, writtenAt: undefined, ended: true }
  }
  const ended = allocation.TaskStates?.[task]?.State === 'dead'
  return { ...taskLog(world, allocation, task, output), ended }
}

export const logOperations = [
  operation.get('readAllocationLogs', '/client/fs/logs/:id', {
    acceptsAnyMethod: true,
    access: within(requiresCapability('read-logs', 'read-fs')),
    summary: 'Read or follow the output of a task, as frames or plain text.',
    query: parameters({
      task: described(text, 'Name of the task'),
      type: described(text, '`stdout` or `stderr`'),
      plain: described(bool, 'Whether to return plain text instead of frames'),
      follow: described(bool, 'Whether to follow the output until the task ends'),
      origin: described(text, '`start` or `end`'),
      offset: described(int, 'Offset in bytes from `origin`'),
    }),
    reply: { 200: any },
    run({ context, params: { id } }) {
      const { world, query } = context
      const { task, plain, output, ...slice } = readLogQuery(id, query)
      const allocation = requireStreamedAllocation(context, id, 500)
      if (!groupOf(allocation)?.Tasks?.some(({ Name }) => Name === task)) {
        throw refuse('logs-task-unknown', { task: quoteGo(task) })
      }
      if (startedAt(allocation.TaskStates?.[task]) === undefined) {
        throw refuse('logs-not-started', { task: quoteGo(task) })
      }
      const file = plain ? undefined : `alloc/logs/${task}.${output}.0`
      const readSlice = sliceReader(slice, file, () => currentLog(world, id, task, output))
      return context.stream(plain ? 'text/plain' : 'application/json', readSlice)
    },
  }),
]
