import { bool, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { schedulerTable } from '../indexes.ts'
import { optionsOf } from '../options.ts'

/** Settings that a request always replaces together (behaviour/scheduler#operator). */
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

export const schedulerConfigurationShape = struct('SchedulerConfiguration', {
  SchedulerAlgorithm: word('binpack', 'spread'),
  ...configurationMembers,
  CreateIndex: uint,
  ModifyIndex: uint,
})
export interface SchedulerConfiguration extends StoredOf<typeof schedulerConfigurationShape> {}

/** Table with a single row under the empty key. The row exists after the first write. */
export const schedulerConfigurations = schedulerTable(
  'configuration',
  schedulerConfigurationShape,
  { secrets: 'none' },
)

/**
 * Returns the scheduler configuration (behaviour/scheduler#operator). Before the first write,
 * returns the default with the value of the option `rejectJobRegistration`.
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

/**
 * Returns true if an operator has paused the processing of evaluations
 * (behaviour/scheduler#operator).
 */
export function isEvaluationPaused(world: World): boolean {
  return world.table(schedulerConfigurations).get('')?.PauseEvalBroker === true
}
