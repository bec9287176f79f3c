import { MILLISECOND } from '../../../go/duration.ts'
import type { Json } from '../../../kernel/json.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { optionsOf } from '../../options.ts'
import { type TaskOutput, taskLogs } from '../model/tables.ts'
import { matchingRules, mockDrivers, parseDuration, parseNumber } from '../model/task-outcomes.ts'
import { type TaskInstance, taskKey } from './task-instances.ts'

export type OutputName = 'stdout' | 'stderr'

const noOutput: TaskOutput = { text: '', repeat: 0, every: 0 }

/**
 * Returns the text that a run of a task writes to stdout or stderr, with the number and interval of
 * the text's repetitions (behaviour/scheduler#files). A rule takes precedence over the
 * configuration of the mock driver, which takes precedence over metadata. The text is empty if the
 * run has no output.
 */
function resolveOutput(world: World, instance: TaskInstance, attempt: number, output: OutputName) {
  const { allocation, group, task } = instance
  for (const rule of matchingRules(world, allocation, task, attempt)) {
    const text = rule[output]
    if (text !== undefined) return { ...noOutput, text }
  }
  const config = mockDrivers.has(task.Driver) ? (task.Config ?? {}) : {}
  const printed = stringMember(config, `${output}_string`)
  if (printed !== undefined) {
    const interval = parseDuration(config[`${output}_repeat_duration`]) ?? 0
    return {
      text: printed,
      repeat: Math.max(0, Math.trunc(parseNumber(config[`${output}_repeat`]) ?? 0)),
      every: (interval / MILLISECOND) * optionsOf(world).timeScale,
    }
  }
  const metaSources = [task.Meta, group.Meta, allocation.Job?.Meta]
  const outputs = metaSources.map((meta) => stringMember(meta ?? {}, `mock_${output}`))
  return { ...noOutput, text: outputs.find((text) => text !== undefined) ?? '' }
}

function stringMember(from: Readonly<Record<string, Json | undefined>>, name: string) {
  const value = Object.hasOwn(from, name) ? from[name] : undefined
  return typeof value === 'string' ? value : undefined
}

/**
 * Records the outputs of a task's new run. A run without output is not recorded. Must run inside a
 * transaction.
 */
export function recordOutputStart(world: World, instance: TaskInstance): void {
  const attempt = Math.max(1, instance.runtime.attempt)
  const stdout = resolveOutput(world, instance, attempt, 'stdout')
  const stderr = resolveOutput(world, instance, attempt, 'stderr')
  if (stdout.text === '' && stderr.text === '') return
  const key = taskKey(instance.allocation.ID, instance.task.Name)
  const runs = world.table(taskLogs).get(key)?.runs ?? []
  const run = { since: world.clock.now(), until: null, stdout, stderr }
  world.table(taskLogs).put(key, { runs: [...runs, run] })
}

/** Records the end of a task's current run. Must run inside a transaction. */
export function recordOutputEnd(world: World, { allocation, task }: TaskInstance): void {
  const key = taskKey(allocation.ID, task.Name)
  const taskLog = world.table(taskLogs).get(key)
  const last = taskLog?.runs.at(-1)
  if (taskLog === undefined || last === undefined || last.until !== null) return
  const ended = { ...last, until: world.clock.now() }
  world.table(taskLogs).put(key, { runs: [...taskLog.runs.slice(0, -1), ended] })
}
