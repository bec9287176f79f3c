import type { Integer } from '../../../kernel/integers.ts'
import { formatTimestamp } from '../../../kernel/time.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { nextIndex } from '../../indexes.ts'
import { changeAllocation, findAllocation } from '../allocations/allocations.ts'
import { hookOf } from '../allocations/task-hooks.ts'
import type { Allocation } from '../model/allocation-shapes.ts'
import { isTerminal } from '../model/allocation-status.ts'
import { isActiveDeployment } from '../model/deployment-machine.ts'
import { toNanoseconds } from '../model/evaluations.ts'
import type { Deployment, DeploymentState } from '../model/placement-shapes.ts'
import { cancelStep, scaledInterval, scheduleStep, stepNames } from '../model/steps.ts'
import { deployments } from '../model/tables.ts'
import { groupOf } from '../placement/feasibility.ts'
import { canReschedule, reschedulePolicyOf } from '../placement/rescheduling.ts'
import { failDeployment } from './deployment-failure.ts'
import { changeDeployment, deploymentDescriptions, withGroup } from './deployments.ts'
import { continueRollout, recordGroupProgress, requestDeploymentEvaluation } from './rollout.ts'

function activeDeploymentOf(world: World, { DeploymentID }: Allocation): Deployment | undefined {
  const deployment = DeploymentID === '' ? undefined : world.table(deployments).get(DeploymentID)
  return deployment !== undefined && isActiveDeployment(deployment) ? deployment : undefined
}

/** The times that determine when an allocation is healthy or unhealthy, in nanoseconds. */
interface HealthTimes {
  readonly MinHealthyTime: Integer
  readonly HealthyDeadline: Integer
}

/**
 * Returns the health times of an allocation: those of the update block during a deployment, and
 * those of the migrate block for other allocations of service jobs. Returns undefined if no client
 * watches the health of the allocation.
 */
function healthTimesOf(world: World, allocation: Allocation): HealthTimes | undefined {
  if (isTerminal(allocation)) return undefined
  const group = groupOf(allocation)
  if (allocation.DeploymentID === '') {
    return allocation.JobType === 'service' ? (group?.Migrate ?? undefined) : undefined
  }
  const update = group?.Update
  const isWatched = update != null && update.HealthCheck !== 'manual'
  return isWatched && activeDeploymentOf(world, allocation) !== undefined ? update : undefined
}

/**
 * Schedules the health step of an allocation (behaviour/scheduler#updates). The step is due when a
 * running allocation becomes healthy, or when an allocation that does not run misses its healthy
 * deadline. Cancels the step if no client watches the health. Does nothing if the health is known
 * already. Must run inside a transaction.
 */
export function scheduleHealthStep(world: World, allocation: Allocation): void {
  const times = healthTimesOf(world, allocation)
  if (times === undefined) {
    cancelStep(world, stepNames.health, allocation.ID)
    return
  }
  if (allocation.DeploymentStatus?.Healthy != null) return
  const { ID, CreateTime } = allocation
  if (areTasksUp(allocation))
    scheduleStep(world, stepNames.health, ID, { requested: times.MinHealthyTime })
  else {
    scheduleStep(
      world,
      stepNames.health,
      ID,
      { unskippable: times.HealthyDeadline },
      CreateTime / 1_000_000,
    )
  }
}

/**
 * Returns true if an allocation is running and each of its tasks, except poststop tasks, is running
 * or has succeeded.
 */
function areTasksUp(allocation: Allocation): boolean {
  if (allocation.ClientStatus !== 'running') return false
  return (groupOf(allocation)?.Tasks ?? []).every((task) => {
    const state = allocation.TaskStates?.[task.Name]?.State
    return hookOf(task) === 'poststop' || state === 'running' || state === 'dead'
  })
}

/**
 * Sets the health of an allocation whose health step is due. If the allocation belongs to a
 * deployment, calls `recordHealth`. Must run inside a transaction.
 */
export function healthStep(world: World, id: string): void {
  const allocation = findAllocation(world, id)
  if (allocation === undefined) return
  const isHealthy = areTasksUp(allocation)
  if (allocation.DeploymentID !== '') recordHealth(world, allocation, isHealthy)
  else if (!isTerminal(allocation)) setHealth(world, allocation, isHealthy)
}

/** Stores the health in the allocation's row and cancels the pending health step. */
function setHealth(world: World, allocation: Allocation, isHealthy: boolean): void {
  cancelStep(world, stepNames.health, allocation.ID)
  changeAllocation(world, allocation, {
    DeploymentStatus: {
      Healthy: isHealthy,
      Timestamp: formatTimestamp(world.clock.now()),
      Canary: allocation.DeploymentStatus?.Canary ?? false,
      ModifyIndex: nextIndex(world),
    },
  })
}

/**
 * Records the health of an allocation in its active deployment. An unhealthy allocation fails the
 * deployment if `mustFail` returns true; otherwise the allocation may be rescheduled. Must run
 * inside a transaction.
 */
export function recordHealth(world: World, allocation: Allocation, isHealthy: boolean): void {
  const deployment = recordHealthWithoutFailure(world, allocation, isHealthy)
  if (deployment === undefined || isHealthy) return
  if (!mustFail(world, deployment, allocation)) {
    allowReschedule(world, deployment, allocation)
    return
  }
  const { AutoRevert = false } = deployment.TaskGroups?.[allocation.TaskGroup] ?? {}
  failDeployment(world, deployment, deploymentDescriptions.unhealthy, { reverts: AutoRevert })
}

/**
 * Marks an unhealthy allocation so that its running deployment may replace it, and requests an
 * evaluation. Does nothing if the allocation is marked already.
 */
function allowReschedule(world: World, deployment: Deployment, { ID }: Allocation): void {
  const allocation = findAllocation(world, ID)
  if (allocation === undefined || allocation.DesiredTransition.Reschedule === true) return
  changeAllocation(world, allocation, {
    DesiredTransition: { ...allocation.DesiredTransition, Reschedule: true },
  })
  requestDeploymentEvaluation(world, deployment)
}

/**
 * Returns true if an unhealthy allocation fails its deployment immediately. As in the reference's
 * shouldFailEarly, the deployment fails if the group has no progress deadline, or if the reschedule
 * policy allows no further replacement.
 */
function mustFail(world: World, { TaskGroups }: Deployment, allocation: Allocation): boolean {
  if (TaskGroups?.[allocation.TaskGroup]?.ProgressDeadline === 0) return true
  const policy = reschedulePolicyOf(allocation)
  const interval = scaledInterval(world, policy?.Interval ?? 0)
  return !canReschedule(allocation, policy, interval, world.clock.now())
}

/**
 * Records the health of an allocation in its active deployment. A healthy allocation continues the
 * rollout. An unhealthy allocation is only counted: this function neither fails the deployment nor
 * reschedules the allocation. Returns the changed deployment, or undefined if nothing changed. Must
 * run inside a transaction.
 */
export function recordHealthWithoutFailure(
  world: World,
  allocation: Allocation,
  isHealthy: boolean,
): Deployment | undefined {
  const deployment = activeDeploymentOf(world, allocation)
  const before = allocation.DeploymentStatus?.Healthy ?? null
  if (deployment === undefined || before === isHealthy) return undefined
  setHealth(world, allocation, isHealthy)
  const group = allocation.TaskGroup
  // As in Nomad's updateDeploymentWithAlloc, neither counter changes when an unhealthy allocation
  // becomes healthy.
  const change = ({ HealthyAllocs, UnhealthyAllocs }: DeploymentState) => ({
    HealthyAllocs: HealthyAllocs + (isHealthy ? (before === null ? 1 : 0) : before ? -1 : 0),
    UnhealthyAllocs: UnhealthyAllocs + (isHealthy ? 0 : 1),
  })
  if (!isHealthy) {
    return changeDeployment(world, deployment, {
      ModifyTime: toNanoseconds(world.clock.now()),
      TaskGroups: withGroup(deployment, group, change),
    })
  }
  const updatedDeployment = recordGroupProgress(world, deployment, group, change)
  continueRollout(world, updatedDeployment)
  return updatedDeployment
}
