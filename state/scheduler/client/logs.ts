import { MILLISECOND } from '../../go/duration.ts'
import { parseTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { zeroTime } from '../cluster/allocations/allocations.ts'
import type { Allocation, TaskState } from '../cluster/model/allocation-shapes.ts'
import { hasEnded } from '../cluster/model/allocation-status.ts'
import { type TaskOutput, taskLogs } from '../cluster/model/tables.ts'
import { taskKey } from '../cluster/tasks/task-instances.ts'
import type { OutputName } from '../cluster/tasks/task-output.ts'

/** The content of a file at this moment. */
export interface FileContent {
  readonly bytes: Buffer
  /** When there will be more by itself, in milliseconds since 1970; undefined: never. */
  readonly next: number | undefined
  /** When it was last written to, in milliseconds since 1970; undefined: never. */
  readonly written: number | undefined
}

/** A start prints no more than this: the size of a log file of the reference's default. */
const maxRunBytes = 10 * 1024 * 1024

/** Tells how often an output has been printed by an instant, the first time included. */
function printedCopies({ text, repeat, every }: TaskOutput, elapsed: number): number {
  if (text === '') return 0
  const due = every > 0 ? Math.min(repeat, Math.floor(elapsed / every)) : repeat
  return Math.min(1 + due, Math.max(1, Math.floor(maxRunBytes / Buffer.byteLength(text))))
}

/** What a task has printed to an output until now (behaviour/scheduler#files). */
export function taskLog(
  world: World,
  allocation: Allocation,
  task: string,
  output: OutputName,
): FileContent {
  const runs = world.table(taskLogs).get(taskKey(allocation.ID, task))?.runs ?? []
  const now = world.clock.now()
  // A task whose node is lost was never seen to end.
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

/** When a task was started last, in milliseconds since 1970; undefined: never. */
export function startedAt(state: TaskState | undefined): number | undefined {
  if (state === undefined || state.StartedAt === zeroTime) return undefined
  return parseTimestamp(state.StartedAt)
}

/** Forgets what the tasks of an allocation have printed. Inside a transaction. */
export function collectLogs(world: World, { ID }: Allocation): void {
  world.table(taskLogs).deleteAll(`${ID} `)
}
