import type { World } from '../../../state/kernel/worlds/world.ts'
import type { SchedulerOptions } from '../../../state/scheduler/options.ts'
import { schedulerService } from '../../../state/scheduler/service.ts'
import { testWorld } from '../kernel.ts'

/**
 * Returns a world with only the scheduler, the seed `test` and a frozen clock. Errors of jobs are
 * thrown.
 */
export function schedulerWorld(options: Partial<SchedulerOptions> = {}): World {
  return testWorld({ services: [schedulerService], options: { scheduler: options } })
}
