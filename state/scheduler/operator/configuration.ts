import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { type SchedulerConfiguration, schedulerConfigurations } from './tables.ts'

/**
 * How the scheduler is configured (behaviour/scheduler#operator). Before it is written for
 * the first time it is what a cluster begins with, and the option `rejectJobRegistration` is part of it.
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

/** Tells whether evaluations have to wait until an operator lets them go on (behaviour/scheduler#operator). */
export function isPaused(world: World): boolean {
  return world.table(schedulerConfigurations).get('')?.PauseEvalBroker === true
}
