import { fillDefaults } from '../../kernel/shape/fill-defaults.ts'
import { text, typed, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { ParsedOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { resumeSteps } from '../cluster/step-runner.ts'
import { nextIndex } from '../indexes.ts'
import {
  configurationMembers,
  configurationOf,
  type SchedulerConfiguration,
  schedulerConfigurations,
} from './configuration.ts'
import { refuse } from './messages.ts'

/** Scheduler configuration in a request. The indexes are accepted but ignored. */
export const configurationInputShape = struct('SchedulerConfiguration', {
  SchedulerAlgorithm: typed('SchedulerAlgorithm', text),
  ...configurationMembers,
  CreateIndex: uint,
  ModifyIndex: uint,
})

const algorithms: ReadonlyMap<string, SchedulerConfiguration['SchedulerAlgorithm']> = new Map([
  ['', 'binpack'],
  ['binpack', 'binpack'],
  ['spread', 'spread'],
])

/**
 * Returns the configuration that a request asks for. Settings that the request omits are off, and
 * the algorithm is `binpack` by default (behaviour/scheduler#operator).
 *
 * @throws Refusal 400 for an unknown algorithm
 */
export function requestedConfiguration(
  input: ParsedOf<typeof configurationInputShape>,
): Omit<SchedulerConfiguration, 'CreateIndex' | 'ModifyIndex'> {
  const algorithm = input.SchedulerAlgorithm ?? ''
  const SchedulerAlgorithm = algorithms.get(algorithm)
  if (SchedulerAlgorithm === undefined) throw refuse('scheduler-algorithm-unknown', { algorithm })
  return { ...fillDefaults(input, configurationInputShape), SchedulerAlgorithm }
}

/**
 * Replaces the scheduler configuration. Evaluations that the old configuration paused resume,
 * unless the new configuration pauses them as well.
 *
 * @param cas ModifyIndex that the current configuration must have; undefined accepts any
 *   ModifyIndex
 * @returns false if the current configuration has a different ModifyIndex. In that case, nothing is
 *   written
 */
export function changeConfiguration(
  world: World,
  requested: ReturnType<typeof requestedConfiguration>,
  cas: number | undefined,
): boolean {
  const { CreateIndex, ModifyIndex } = configurationOf(world)
  if (cas !== undefined && cas !== ModifyIndex) return false
  world.write(() => {
    const changed = { ...requested, CreateIndex, ModifyIndex: nextIndex(world) }
    world.table(schedulerConfigurations).put('', changed)
    resumeSteps(world)
  })
  return true
}
