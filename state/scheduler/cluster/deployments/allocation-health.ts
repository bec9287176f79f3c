import { quoteGo } from '../../../go/text.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { uuidFault } from '../../acl/uuids.ts'
import { findAllocation } from '../allocations/allocations.ts'
import type { Allocation } from '../model/allocation-shapes.ts'
import { isActiveDeployment } from '../model/deployment-machine.ts'
import { refuse } from '../model/messages.ts'
import { type DeploymentFailure, failDeployment } from './deployment-failure.ts'
import { deploymentDescriptions, requireDeployment } from './deployments.ts'
import { recordHealth } from './health.ts'
import { requestDeploymentEvaluation } from './rollout.ts'

/** Allocation IDs reported as healthy and unhealthy. */
interface HealthReport {
  readonly healthy: readonly string[]
  readonly unhealthy: readonly string[]
}

/**
 * Records which allocations of a deployment are healthy (behaviour/scheduler#deployments). An
 * unhealthy one fails the deployment.
 *
 * @throws Refusal 500 if the deployment is unknown or has ended, or an allocation is not part of it
 */
export function setAllocationHealth(
  world: World,
  id: string,
  { healthy, unhealthy }: HealthReport,
): DeploymentFailure {
  if (!isActiveDeployment(requireDeployment(world, id))) throw refuse('health-terminal')
  return world.write(() => {
    for (const each of healthy)
      recordHealth(world, requireDeploymentAllocation(world, id, each), true)
    for (const each of unhealthy)
      recordHealth(world, requireDeploymentAllocation(world, id, each), false)
    const deployment = requireDeployment(world, id)
    if (unhealthy.length > 0 && isActiveDeployment(deployment)) {
      return failDeployment(world, deployment, deploymentDescriptions.unhealthy)
    }
    requestDeploymentEvaluation(world, deployment)
    return { deployment, revertedTo: null }
  })
}

/** Returns an allocation of a deployment. */
function requireDeploymentAllocation(world: World, deployment: string, id: string): Allocation {
  const why = uuidFault(id)
  if (why !== undefined) throw refuse('health-lookup-failed', { id: quoteGo(id), why })
  const allocation = findAllocation(world, id)
  if (allocation === undefined) throw refuse('health-allocation-unknown', { id: quoteGo(id) })
  if (allocation.DeploymentID === deployment) return allocation
  throw refuse('health-allocation-other', { id: quoteGo(id), deployment: quoteGo(deployment) })
}
