import type { World } from '../../../kernel/worlds/world.ts'
import { nextIndex } from '../../indexes.ts'
import { jobItemPrefix } from '../../keys.ts'
import { setStable } from '../../records/store.ts'
import {
  type DeploymentEnd,
  deploymentMachine,
  deploymentStatusOf,
} from '../model/deployment-machine.ts'
import { refuse } from '../model/messages.ts'
import type { Deployment, DeploymentState } from '../model/placement-shapes.ts'
import { cancelStep, stepNames } from '../model/steps.ts'
import { deployments } from '../model/tables.ts'

/**
 * Values of `StatusDescription` (behaviour/scheduler#updates). The texts about promotion are copied
 * from the reference.
 */
export const deploymentDescriptions = {
  running: 'Deployment is running',
  needsPromotion: 'Deployment is running but requires manual promotion',
  promotesAutomatically: 'Deployment is running pending automatic promotion',
  successful: 'Deployment completed successfully',
  progressDeadlineMissed: 'Failed due to progress deadline',
  unhealthy: 'Failed due to unhealthy allocations',
  markedAsFailed: 'Deployment marked as failed',
  newerVersion: 'Cancelled due to newer version of job',
  stopped: 'Cancelled because job is stopped',
  paused: 'Deployment is paused',
} as const

export function activeDeployment(world: World, namespace: string, id: string) {
  return world.table(deployments).index('active').first(jobItemPrefix(namespace, id))?.[1]
}

export function deploymentsOf(world: World, namespace: string, id: string): Deployment[] {
  const found = world.table(deployments).index('byJob').reversed(jobItemPrefix(namespace, id))
  return Array.from(found, ([, deployment]) => deployment)
}

export function latestDeployment(world: World, namespace: string, id: string) {
  return world.table(deployments).index('byJob').last(jobItemPrefix(namespace, id))?.[1]
}

/**
 * Returns the deployment with this ID, for a request that changes the deployment.
 *
 * @throws Refusal 500 if no deployment has the ID (behaviour/scheduler#beyond)
 */
export function requireDeployment(world: World, id: string): Deployment {
  const found = world.table(deployments).get(id)
  if (found === undefined) throw refuse('deployment-unknown')
  return found
}

export function allDeployments(world: World): Deployment[] {
  return [...world.table(deployments).rows()]
}

/** Stores a new or changed deployment as is. Must run inside a transaction. */
export function putDeployment(world: World, deployment: Deployment): Deployment {
  world.table(deployments).put(deployment.ID, deployment)
  return deployment
}

/**
 * Changes a deployment. As in the product, only placements and health reports set `ModifyTime`;
 * every other change resets it to 0 (behaviour/scheduler#updates). Must run inside a transaction.
 */
export function changeDeployment(
  world: World,
  deployment: Deployment,
  change: Partial<Deployment>,
): Deployment {
  return putDeployment(world, {
    ...deployment,
    ModifyTime: 0,
    ...change,
    ModifyIndex: nextIndex(world),
  })
}

/**
 * Returns the groups of a deployment after applying `change` to one group. The groups are unchanged
 * if the deployment does not have the group.
 */
export function withGroup(
  deployment: Deployment,
  group: string,
  change: (state: DeploymentState) => Partial<DeploymentState>,
): Deployment['TaskGroups'] {
  const groups = deployment.TaskGroups ?? {}
  const state = Object.hasOwn(groups, group) ? groups[group] : undefined
  return state === undefined ? groups : { ...groups, [group]: { ...state, ...change(state) } }
}

/**
 * Moves a deployment to the terminal status for `event`, and cancels the check of its progress
 * deadline. On success, marks the job's version as stable. Must run inside a transaction.
 */
export function endDeployment(
  world: World,
  deployment: Deployment,
  event: DeploymentEnd,
  description: string,
): Deployment {
  cancelStep(world, stepNames.progress, deployment.ID)
  const endedDeployment = changeDeployment(world, deployment, {
    Status: deploymentMachine.next(deploymentStatusOf(deployment), event, undefined),
    StatusDescription: description,
  })
  if (event === 'succeed') {
    setStable(
      world,
      endedDeployment.Namespace,
      endedDeployment.JobID,
      endedDeployment.JobVersion,
      true,
    )
  }
  return endedDeployment
}

/**
 * Deletes the deployments of a job that is purged or garbage-collected, and cancels the checks of
 * their progress deadlines (behaviour/scheduler#beyond). Must run inside a transaction.
 */
export function removeDeployments(world: World, namespace: string, id: string): void {
  for (const { ID } of deploymentsOf(world, namespace, id)) {
    cancelStep(world, stepNames.progress, ID)
    world.table(deployments).delete(ID)
  }
}
