import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { type SchedulerConfiguration, schedulerConfigurations } from './tables.ts'

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
