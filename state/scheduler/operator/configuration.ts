import { bool, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { schedulerTable } from '../indexes.ts'
import { optionsOf } from '../options.ts'

/** Settings that an operator writes as a whole (behaviour/scheduler#operator). */
export const configurationMembers = {
  PreemptionConfig: struct('PreemptionConfig', {
    SystemSchedulerEnabled: bool,
    SysBatchSchedulerEnabled: bool,
    BatchSchedulerEnabled: bool,
    ServiceSchedulerEnabled: bool,
  }),
  MemoryOversubscriptionEnabled: bool,
  RejectJobRegistration: bool,
  PauseEvalBroker: bool,
} as const

/** The scheduler configuration. */
export const schedulerConfigurationShape = struct('SchedulerConfiguration', {
  SchedulerAlgorithm: word('binpack', 'spread'),
  ...configurationMembers,
  CreateIndex: uint,
  ModifyIndex: uint,
})
export interface SchedulerConfiguration extends StoredOf<typeof schedulerConfigurationShape> {}

/** A single row under the empty key; none before the first write. */
export const schedulerConfigurations = schedulerTable(
  'configuration',
  schedulerConfigurationShape,
  { secrets: 'none' },
)

/**
 * Returns the scheduler configuration (behaviour/scheduler#operator). Before the first write it has
 * the defaults, with the option `rejectJobRegistration`.
 */
export function configurationOf(world: World): SchedulerConfiguration {
  return world.table(schedulerConfigurations).get('') ?? initialConfiguration(world)
}

function initialConfiguration(world: World): SchedulerConfiguration {
  return {
    SchedulerAlgorithm: 'binpack',
    PreemptionConfig: {
      SystemSchedulerEnabled: true,
      SysBatchSchedulerEnabled: false,
      BatchSchedulerEnabled: false,
      ServiceSchedulerEnabled: false,
    },
    MemoryOversubscriptionEnabled: false,
    RejectJobRegistration: optionsOf(world).rejectJobRegistration,
    PauseEvalBroker: false,
    CreateIndex: 1,
    ModifyIndex: 1,
  }
}

/** Returns true if evaluations are paused by an operator (behaviour/scheduler#operator). */
export function isPaused(world: World): boolean {
  return world.table(schedulerConfigurations).get('')?.PauseEvalBroker === true
}
