import { parseGoDuration } from '../../go/duration.ts'
import type { Json } from '../../json/json.ts'
import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import { schedulerName } from '../indexes.ts'
import type { TaskGroup } from '../job/job-shape.ts'
import type { Task } from '../job/task-shape.ts'
import { durationPattern } from '../options.ts'
import type { Allocation } from './allocation-shapes.ts'

/** What a task is made to do (3b-scheduler-decisions.md section 7, Timing and steering). */
export interface Outcome {
  /** Nanoseconds that it runs; `usual`: as long as the option says; undefined: until it is stopped. */
  readonly runFor: number | 'usual' | undefined
  readonly exitCode: number
  readonly exitSignal: number
  readonly exitMessage: string
  readonly oom: boolean
  /** Why it does not start; none: it does. */
  readonly startError: string
  readonly startErrorRecoverable: boolean
  /** Nanoseconds that starting takes longer. */
  readonly startBlockFor: number
  /** Nanoseconds from the interrupt to the exit; undefined: the usual time. */
  readonly killAfter: number | undefined
}

/** What a rule, or the configuration of a mock task, can say. Durations: Go durations or nanoseconds. */
export interface OutcomeSettings {
  readonly run_for?: string | number
  readonly exit_code?: number
  readonly exit_signal?: number
  readonly exit_err_msg?: string
  readonly start_error?: string
  readonly start_error_recoverable?: boolean
  readonly start_block_for?: string | number
  readonly kill_after?: string | number
  readonly oom?: boolean
}

/** An administrator's rule: which tasks, and what they do. What is left out fits everything. */
export interface OutcomeRule extends OutcomeSettings {
  readonly namespace?: string
  readonly job?: string
  readonly group?: string
  readonly task?: string
  /** The number of the start within the allocation, from 1. */
  readonly attempt?: number
}

const name = { type: 'string', minLength: 1 } as const
const length = {
  anyOf: [
    { type: 'string', pattern: durationPattern },
    { type: 'integer', minimum: 0 },
  ],
} as const

/** The form of a rule. */
export const outcomeRuleSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    namespace: name,
    job: name,
    group: name,
    task: name,
    attempt: { type: 'integer', minimum: 1 },
    run_for: length,
    exit_code: { type: 'integer' },
    exit_signal: { type: 'integer' },
    exit_err_msg: { type: 'string' },
    start_error: { type: 'string' },
    start_error_recoverable: { type: 'boolean' },
    start_block_for: length,
    kill_after: length,
    oom: { type: 'boolean' },
  },
} as const

/** Rules in the order of their keys: the first that fits counts. */
export const outcomeRules = defineTable<OutcomeRule>({
  service: schedulerName,
  name: 'outcome-rules',
  schema: outcomeRuleSchema,
})

/** Adds a rule behind those that there are; returns its key. */
export function addOutcomeRule(world: World, rule: OutcomeRule): string {
  const last = world.table(outcomeRules).floor('~')?.[0]
  const key = String(last === undefined ? 1 : Number(last) + 1).padStart(8, '0')
  world.write(() => world.table(outcomeRules).put(key, rule))
  return key
}

/** Takes every rule away. */
export function removeOutcomeRules(world: World): void {
  world.write(() => world.table(outcomeRules).deleteAll(''))
}

/** Drivers whose configuration says what comes of the task. */
const steeredDrivers = new Set(['mock', 'mock_driver'])

const metaKeys = [
  ['mock_run_for', 'run_for'],
  ['mock_exit_code', 'exit_code'],
  ['mock_start_error', 'start_error'],
] as const

function fits(rule: OutcomeRule, allocation: Allocation, task: Task, attempt: number): boolean {
  const { namespace, job, group, task: taskName } = rule
  return (
    (namespace ?? allocation.Namespace) === allocation.Namespace &&
    (job ?? allocation.JobID) === allocation.JobID &&
    (group ?? allocation.TaskGroup) === allocation.TaskGroup &&
    (taskName ?? task.Name) === task.Name &&
    (rule.attempt ?? attempt) === attempt
  )
}

/** What the metadata of task, group and job say, the task's first. */
function fromMeta(allocation: Allocation, group: TaskGroup, task: Task): Record<string, Json> {
  const metas = [task.Meta, group.Meta, allocation.Job?.Meta]
  const found: Record<string, Json> = {}
  for (const [key, setting] of metaKeys) {
    const meta = metas.find((candidate) => candidate != null && Object.hasOwn(candidate, key))
    const value = meta?.[key]
    if (value !== undefined) found[setting] = value
  }
  return found
}

/** The keys by which a configuration steers. */
const settingKeys = Object.keys(outcomeRuleSchema.properties).filter(
  (key) => !['namespace', 'job', 'group', 'task', 'attempt'].includes(key),
)

function fromConfig(task: Task): Record<string, Json> {
  if (!steeredDrivers.has(task.Driver) || task.Config === null) return {}
  const said = Object.entries(task.Config).filter(([key]) => settingKeys.includes(key))
  return Object.fromEntries(said)
}

/**
 * What comes of a task's next start. The first that says something counts: a rule, the configuration
 * of driver `mock` or `mock_driver`, metadata; else tasks of batch jobs end well after
 * `batchRunTime`, others run on.
 */
export function outcomeOf(
  world: World,
  allocation: Allocation,
  group: TaskGroup,
  task: Task,
  attempt: number,
): Outcome {
  for (const rule of world.table(outcomeRules).rows()) {
    if (fits(rule, allocation, task, attempt)) {
      return outcomeFrom({ ...rule }, allocation.JobType, task)
    }
  }
  const config = fromConfig(task)
  const said = Object.keys(config).length > 0 ? config : fromMeta(allocation, group, task)
  return outcomeFrom(said, allocation.JobType, task)
}

function outcomeFrom(
  said: Readonly<Record<string, Json | undefined>>,
  jobType: string,
  task: Task,
): Outcome {
  const exitCode = numberIn(said['exit_code'])
  const exitSignal = numberIn(said['exit_signal'])
  const exitMessage = textIn(said['exit_err_msg'])
  const oom = isTrue(said['oom'])
  const exits = exitCode !== undefined || exitSignal !== undefined || exitMessage !== '' || oom
  return {
    runFor:
      durationIn(said['run_for']) ?? (exits || endsByItself(jobType, task) ? 'usual' : undefined),
    exitCode: exitCode ?? (oom ? 137 : 0),
    exitSignal: exitSignal ?? (oom ? 9 : 0),
    exitMessage: oom && exitMessage === '' ? 'OOM Killed' : exitMessage,
    oom,
    startError: textIn(said['start_error']),
    startErrorRecoverable: isTrue(said['start_error_recoverable']),
    startBlockFor: durationIn(said['start_block_for']) ?? 0,
    killAfter: durationIn(said['kill_after']),
  }
}

/** Whether a task is there to end: all of batch jobs, and those that only prepare or clean up. */
export function endsByItself(jobType: string, { Lifecycle }: Task): boolean {
  if (Lifecycle !== null && Lifecycle.Hook !== '') return !Lifecycle.Sidecar
  return jobType === 'batch' || jobType === 'sysbatch'
}

function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function numberIn(value: Json | undefined): number | undefined {
  if (value === undefined || value === null || typeof value === 'boolean') return undefined
  const number = Number(value)
  return Number.isFinite(number) && String(value).trim() !== '' ? number : undefined
}

function isTrue(value: Json | undefined): boolean {
  return value === true || value === 'true' || value === '1'
}

/** Nanoseconds; undefined for what is no duration, so that a slip does not stop the cluster. */
function durationIn(value: Json | undefined): number | undefined {
  const plain = numberIn(value)
  if (plain !== undefined) return Math.max(0, plain)
  if (typeof value !== 'string') return undefined
  try {
    return Math.max(0, parseGoDuration(value))
  } catch {
    return undefined
  }
}
