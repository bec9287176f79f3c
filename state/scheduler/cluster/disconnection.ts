import type { World } from '../../kernel/world.ts'
import type { Allocation } from './allocation-shapes.ts'
import { allocationOf, changeAllocation, clientReport } from './allocations.ts'
import { groupOf } from './feasibility.ts'
import { watchHealth } from './health.ts'
import { stopTexts } from './plan-builder.ts'
import { appoint, stepNames } from './steps.ts'
import { abandonTasks, pauseTasks } from './task-actors.ts'
import { resumeTasks } from './task-life.ts'

/**
 * Nobody knows how an allocation is: its node is away, and may be for MaxClientDisconnect
 * (behaviour/scheduler#allocations). Inside a transaction.
 */
export function markUnknown(world: World, allocation: Allocation): void {
  pauseTasks(world, allocation)
  changeAllocation(world, allocation, { ClientStatus: 'unknown', ClientDescription: '' })
  const limit = groupOf(allocation)?.MaxClientDisconnect
  if (limit != null) appoint(world, stepNames.health, allocation.ID, { floored: limit })
}

/** An allocation is heard of again. Inside a transaction. */
export function reconnect(world: World, allocation: Allocation): void {
  const known = changeAllocation(world, allocation, clientReport(allocation.TaskStates ?? {}))
  resumeTasks(world, known)
  watchHealth(world, allocationOf(world, known.ID) ?? known)
}

/** An allocation was not heard of in time: it is lost. Inside a transaction. */
export function giveUp(world: World, allocation: Allocation): void {
  abandonTasks(world, allocation)
  changeAllocation(world, allocation, {
    ClientStatus: 'lost',
    ClientDescription: '',
    DesiredStatus: 'stop',
    DesiredDescription: stopTexts.lost,
  })
}
