import { parseGoDuration } from '../../../go/duration.ts'
import type { Json } from '../../../kernel/json.ts'
import { bool, int, intOf, name, text, textOf, uint, union } from '../../../kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../kernel/shape/members.ts'
import type { StoredOf } from '../../../kernel/shape/values.ts'
import { sortableNumber } from '../../../kernel/sortable-number.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { schedulerTable } from '../../indexes.ts'
import type { TaskGroup } from '../../job/job-shape.ts'
import type { Task } from '../../job/task-shape.ts'
import { durationPattern } from '../../options.ts'
import type { Allocation } from './allocation-shapes.ts'

/** Start, run time and end of one run of a simulated task (behaviour/scheduler#steering). */
export interface TaskOutcome {
  /**
   * Run time in nanoseconds. `usual` means the option `batchRunTime`; undefined means that the task
   * runs until it is stopped.
   */
  readonly runFor: number | 'usual' | undefined
  readonly exitCode: number
  readonly exitSignal: number
  readonly exitMessage: string
  readonly oomKilled: boolean
  /** Error that prevents the start; empty if the task starts. */
  readonly startError: string
  readonly startErrorRecoverable: boolean
  /** Delay of the start in addition to the option `startedDelay`, in nanoseconds. */
  readonly startBlockFor: number
  /** Time from the interrupt to the exit in nanoseconds; undefined means the option `killDelay`. */
  readonly killAfter: number | undefined
}

/** A Go duration, or a number of nanoseconds. */
const durationShape = union(textOf({ pattern: durationPattern }), uint)

/** Outcome settings that rules and the configuration of mock tasks may contain. */
const outcomeSettings = {
  run_for: optional(durationShape),
  exit_code: optional(int),
  exit_signal: optional(int),
  exit_err_msg: optional(text),
  start_error: optional(text),
  start_error_recoverable: optional(bool),
  start_block_for: optional(durationShape),
  kill_after: optional(durationShape),
  oom: optional(bool),
}

/** Text that a task writes to its outputs at its start (behaviour/scheduler#files). */
const outputSettings = { stdout: optional(text), stderr: optional(text) }

/**
 * An outcome, and the conditions that a task must meet. A condition that is left out matches every
 * task.
 */
export const outcomeRuleShape = struct({
  namespace: optional(name),
  job: optional(name),
  group: optional(name),
  task: optional(name),
  /** Number of the start within the allocation; the first start is 1. */
  attempt: optional(intOf({ minimum: 1 })),
  restarts: optional(
    described(uint, 'Number of restarts within the allocation: 0 is the first start'),
  ),
  reschedules: optional(
    described(uint, 'Number of reschedules before the allocation: 0 is the first allocation'),
  ),
  ...outcomeSettings,
  ...outputSettings,
})
export interface OutcomeRule extends StoredOf<typeof outcomeRuleShape> {}

/** Rules in the order of their keys. The first matching rule applies. */
export const outcomeRules = schedulerTable('outcome-rules', outcomeRuleShape, { secrets: 'none' })

/** Adds a rule after all other rules and returns the key of the new rule. */
export function addOutcomeRule(world: World, rule: OutcomeRule): string {
  const last = world.table(outcomeRules).floor('~')?.[0]
  const key = sortableNumber(last === undefined ? 1 : Number(last) + 1, 8)
  world.write(() => world.table(outcomeRules).put(key, rule))
  return key
}

export function removeOutcomeRules(world: World): void {
  world.write(() => world.table(outcomeRules).deleteAll(''))
}

/** Drivers whose task configuration sets the outcome. */
export const mockDrivers: ReadonlySet<string> = new Set(['mock', 'mock_driver'])

const metaSettings = [
  ['mock_run_for', 'run_for'],
  ['mock_exit_code', 'exit_code'],
  ['mock_start_error', 'start_error'],
] as const

/**
 * Returns true if a rule determines the outcome of a task. A rule that sets only outputs does not.
 */
function setsOutcome(rule: OutcomeRule): boolean {
  const names = Object.keys(rule)
  return !('stdout' in rule || 'stderr' in rule) || names.some((name) => settingKeys.includes(name))
}

/** Yields the rules that match a start of a task, in the order of their keys. */
export function* matchingRules(world: World, allocation: Allocation, task: Task, attempt: number) {
  // Tasks start and end often, so a world without rules skips the search for matching rules.
  if (!world.store.hasRows(outcomeRules)) return
  for (const rule of world.table(outcomeRules).rows()) {
    if (matchesTask(rule, allocation, task, attempt)) yield rule
  }
}

function matchesTask(rule: OutcomeRule, allocation: Allocation, task: Task, attempt: number) {
  const { namespace, job, group, task: taskName, restarts, reschedules } = rule
  const reschedulesBefore = allocation.RescheduleTracker?.Events?.length ?? 0
  return (
    (namespace ?? allocation.Namespace) === allocation.Namespace &&
    (job ?? allocation.JobID) === allocation.JobID &&
    (group ?? allocation.TaskGroup) === allocation.TaskGroup &&
    (taskName ?? task.Name) === task.Name &&
    (rule.attempt ?? attempt) === attempt &&
    (restarts ?? attempt - 1) === attempt - 1 &&
    (reschedules ?? reschedulesBefore) === reschedulesBefore
  )
}

/**
 * Reads outcome settings from metadata. Metadata of the task take precedence over those of the
 * group, which take precedence over those of the job.
 */
function settingsFromMeta(allocation: Allocation, group: TaskGroup, task: Task) {
  const metaSources = [task.Meta, group.Meta, allocation.Job?.Meta]
  const settings: Record<string, Json> = {}
  for (const [key, setting] of metaSettings) {
    const meta = metaSources.find((candidate) => candidate != null && Object.hasOwn(candidate, key))
    const value = meta?.[key]
    if (value !== undefined) settings[setting] = value
  }
  return settings
}

const settingKeys = Object.keys(outcomeSettings)

function settingsFromConfig(task: Task): Record<string, Json> {
  if (!mockDrivers.has(task.Driver) || task.Config === null) return {}
  const settings = Object.entries(task.Config).filter(([key]) => settingKeys.includes(key))
  return Object.fromEntries(settings)
}

/**
 * Returns the outcome of a start of a task. Matching rules take precedence over the configuration
 * of the driver `mock` or `mock_driver`, which takes precedence over metadata. By default, tasks
 * that end by themselves succeed after `batchRunTime`, and other tasks keep running.
 */
export function resolveOutcome(
  world: World,
  allocation: Allocation,
  group: TaskGroup,
  task: Task,
  attempt: number,
): TaskOutcome {
  for (const rule of matchingRules(world, allocation, task, attempt)) {
    if (setsOutcome(rule)) return outcomeFromSettings({ ...rule }, allocation.JobType, task)
  }
  const config = settingsFromConfig(task)
  const settings =
    Object.keys(config).length > 0 ? config : settingsFromMeta(allocation, group, task)
  return outcomeFromSettings(settings, allocation.JobType, task)
}

function outcomeFromSettings(
  settings: Readonly<Record<string, Json | undefined>>,
  jobType: string,
  task: Task,
): TaskOutcome {
  const exitCode = parseNumber(settings['exit_code'])
  const exitSignal = parseNumber(settings['exit_signal'])
  const exitMessage = stringOrEmpty(settings['exit_err_msg'])
  const oomKilled = isTrue(settings['oom'])
  const setsExit =
    exitCode !== undefined || exitSignal !== undefined || exitMessage !== '' || oomKilled
  return {
    runFor:
      parseDuration(settings['run_for']) ??
      (setsExit || endsByItself(jobType, task) ? 'usual' : undefined),
    exitCode: exitCode ?? (oomKilled ? 137 : 0),
    exitSignal: exitSignal ?? (oomKilled ? 9 : 0),
    exitMessage: oomKilled && exitMessage === '' ? 'OOM Killed' : exitMessage,
    oomKilled,
    startError: stringOrEmpty(settings['start_error']),
    startErrorRecoverable: isTrue(settings['start_error_recoverable']),
    startBlockFor: parseDuration(settings['start_block_for']) ?? 0,
    killAfter: parseDuration(settings['kill_after']),
  }
}

/**
 * Returns true if a task should end by itself: a main task of a batch or sysbatch job, or a
 * lifecycle hook that is not a sidecar.
 */
export function endsByItself(jobType: string, { Lifecycle }: Task): boolean {
  if (Lifecycle !== null && Lifecycle.Hook !== '') return !Lifecycle.Sidecar
  return jobType === 'batch' || jobType === 'sysbatch'
}

function stringOrEmpty(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** Parses a number from a JSON number or string. Returns undefined for other values. */
export function parseNumber(value: Json | undefined): number | undefined {
  if (value === undefined || value === null || typeof value === 'boolean') return undefined
  const number = Number(value)
  return Number.isFinite(number) && String(value).trim() !== '' ? number : undefined
}

function isTrue(value: Json | undefined): boolean {
  return value === true || value === 'true' || value === '1'
}

/**
 * Parses a duration to nanoseconds; a negative duration becomes 0. Returns undefined for an invalid
 * duration, so that a typing error does not stop the cluster.
 */
export function parseDuration(value: Json | undefined): number | undefined {
  const nanoseconds = parseNumber(value)
  if (nanoseconds !== undefined) return Math.max(0, nanoseconds)
  if (typeof value !== 'string') return undefined
  try {
    return Math.max(0, parseGoDuration(value))
  } catch {
    return undefined
  }
}
