import { MILLISECOND } from '../../go/duration.ts'
import { parseTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { zeroTime } from '../cluster/allocations/allocations.ts'
import { type TaskOutput, taskLogs } from '../cluster/model/tables.ts'
import type { Allocation, TaskState } from '../cluster/model/allocation-shapes.ts'
import { hasEnded } from '../cluster/model/allocation-status.ts'
import { taskKey } from '../cluster/tasks/task-instances.ts'
import type { OutputName } from '../cluster/tasks/task-output.ts'

/** The current content of a file. */
export interface FileContent {
  readonly bytes: Buffer
  /** When the content will next grow, in milliseconds since 1970; undefined if never. */
  readonly next: number | undefined
  /** Last write, in milliseconds since 1970; undefined if never. */
  readonly written: number | undefined
}

/** Maximum output of one run in bytes: the reference's default size of a log file. */
const maxRunBytes = 10 * 1024 * 1024

/**
 * Returns how often an output has been written after `elapsed` milliseconds, including the first
 * time.
 */
function printedCopies({ text, repeat, every }: TaskOutput, elapsed: number): number {
  if (text === '') return 0
  const due = every > 0 ? Math.min(repeat, Math.floor(elapsed / every)) : repeat
  return Math.min(1 + due, Math.max(1, Math.floor(maxRunBytes / Buffer.byteLength(text))))
}

/** Returns the output of a task until now (behaviour/scheduler#files). */
export function taskLog(
  world: World,
  allocation: Allocation,
  task: string,
  output: OutputName,
): FileContent {
  const runs = world.table(taskLogs).get(taskKey(allocation.ID, task))?.runs ?? []
  const now = world.clock.now()
  // The end of a task on a lost node was never reported.
  const lostAt = hasEnded(allocation) ? Math.round(allocation.ModifyTime / MILLISECOND) : undefined
  let next: number | undefined
  let written: number | undefined
  const pieces = runs.map(({ since, until, [output]: printed }) => {
    const end = until ?? lostAt
    const copies = printedCopies(printed, Math.min(now, end ?? now) - since)
    if (copies > 0) written = since + (copies - 1) * printed.every
    const isOver = end !== undefined || copies === 0 || copies > printed.repeat
    if (!isOver && printed.every > 0) next = Math.ceil(since + copies * printed.every)
    return Buffer.from(printed.text.repeat(copies))
  })
  return { bytes: Buffer.concat(pieces), next, written }
}

/** Returns a task's last start, in milliseconds since 1970; undefined if it never started. */
export function startedAt(state: TaskState | undefined): number | undefined {
  if (state === undefined || state.StartedAt === zeroTime) return undefined
  return parseTimestamp(state.StartedAt)
}

/** Deletes the output of an allocation's tasks. Inside a transaction. */
export function collectLogs(world: World, { ID }: Allocation): void {
  world.table(taskLogs).deleteAll(`${ID} `)
}
