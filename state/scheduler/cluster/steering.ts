import { parseGoDuration } from '../../go/duration.ts'
import type { Json } from '../../kernel/json.ts'
import { bool, int, intOf, name, text, textOf, uint, union } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import { schedulerName } from '../indexes.ts'
import type { TaskGroup } from '../job/job-shape.ts'
import type { Task } from '../job/task-shape.ts'
import { durationPattern } from '../options.ts'
import type { Allocation } from './allocation-shapes.ts'

/**
 * The outcome that a task is made to have (behaviour/scheduler#steering and
 * steering).
 */
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

/** A length of time: a Go duration, or nanoseconds. */
const length = union(textOf({ pattern: durationPattern }), uint)

/** Members that a rule, or the configuration of a mock task, can have. */
const outcomeSettings = {
  run_for: optional(length),
  exit_code: optional(int),
  exit_signal: optional(int),
  exit_err_msg: optional(text),
  start_error: optional(text),
  start_error_recoverable: optional(bool),
  start_block_for: optional(length),
  kill_after: optional(length),
  oom: optional(bool),
}

/** What a rule has tasks print when they start (behaviour/scheduler#files). */
const outputSettings = { stdout: optional(text), stderr: optional(text) }

/** An administrator's rule: which tasks, and what they do. What is left out fits everything. */
export const outcomeRuleShape = struct({
  namespace: optional(name),
  job: optional(name),
  group: optional(name),
  task: optional(name),
  /** The number of the start within the allocation, from 1. */
  attempt: optional(intOf({ minimum: 1 })),
  ...outcomeSettings,
  ...outputSettings,
})
export interface OutcomeRule extends StoredOf<typeof outcomeRuleShape> {}

/** Rules in the order of their keys: the first that fits counts. */
export const outcomeRules = defineTable({
  service: schedulerName,
  name: 'outcome-rules',
  shape: outcomeRuleShape,
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
export const steeredDrivers: ReadonlySet<string> = new Set(['mock', 'mock_driver'])

const metaKeys = [
  ['mock_run_for', 'run_for'],
  ['mock_exit_code', 'exit_code'],
  ['mock_start_error', 'start_error'],
] as const

/** A rule that says only what is printed leaves the outcome to others. */
function saysOutcome(rule: OutcomeRule): boolean {
  const names = Object.keys(rule)
  return !('stdout' in rule || 'stderr' in rule) || names.some((name) => settingKeys.includes(name))
}

/** The rules that fit a task's start, in their order. */
export function* fittingRules(
  world: World,
  allocation: Allocation,
  task: Task,
  attempt: number,
): Generator<OutcomeRule> {
  // Most worlds have none, and each start and end of a task asks.
  if (!world.store.hasRows(outcomeRules)) return
  for (const rule of world.table(outcomeRules).rows()) {
    if (fits(rule, allocation, task, attempt)) yield rule
  }
}

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

/** Returns what the metadata of task, group and job say, the task's first. */
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
const settingKeys = Object.keys(outcomeSettings)

function fromConfig(task: Task): Record<string, Json> {
  if (!steeredDrivers.has(task.Driver) || task.Config === null) return {}
  const said = Object.entries(task.Config).filter(([key]) => settingKeys.includes(key))
  return Object.fromEntries(said)
}

/**
 * Returns what comes of a task's next start. The first that says something counts: a rule, the
 * configuration of driver `mock` or `mock_driver`, metadata; else tasks of batch jobs end well
 * after `batchRunTime`, others run on.
 */
export function outcomeOf(
  world: World,
  allocation: Allocation,
  group: TaskGroup,
  task: Task,
  attempt: number,
): Outcome {
  for (const rule of fittingRules(world, allocation, task, attempt)) {
    if (saysOutcome(rule)) return outcomeFrom({ ...rule }, allocation.JobType, task)
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

/**
 * Tells whether a task is there to end: all of batch jobs, and those that only prepare or clean up.
 */
export function endsByItself(jobType: string, { Lifecycle }: Task): boolean {
  if (Lifecycle !== null && Lifecycle.Hook !== '') return !Lifecycle.Sidecar
  return jobType === 'batch' || jobType === 'sysbatch'
}

function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** A number, also one that is written as a text; undefined for anything else. */
export function numberIn(value: Json | undefined): number | undefined {
  if (value === undefined || value === null || typeof value === 'boolean') return undefined
  const number = Number(value)
  return Number.isFinite(number) && String(value).trim() !== '' ? number : undefined
}

function isTrue(value: Json | undefined): boolean {
  return value === true || value === 'true' || value === '1'
}

/** Nanoseconds; undefined for what is no duration, so that a slip does not stop the cluster. */
export function durationIn(value: Json | undefined): number | undefined {
  const plain = numberIn(value)
  if (plain !== undefined) return Math.max(0, plain)
  if (typeof value !== 'string') return undefined
  try {
    return Math.max(0, parseGoDuration(value))
  } catch {
    return undefined
  }
}
