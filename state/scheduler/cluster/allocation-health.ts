import { quoteGo } from '../../go/text.ts'
import type { World } from '../../kernel/world.ts'
import { uuidFault } from '../acl/uuids.ts'
import type { Allocation } from './allocation-shapes.ts'
import { allocationOf } from './allocations.ts'
import { type Failure, failDeployment } from './deployment-failure.ts'
import { isActiveDeployment } from './deployment-machine.ts'
import { deploymentDescriptions, deploymentWithId } from './deployments.ts'
import { reportHealth } from './health.ts'
import { watch } from './rollout.ts'
import { refuse } from './texts.ts'

/** Allocations by their IDs, as somebody says they are. */
interface SaidHealth {
  readonly healthy: readonly string[]
  readonly unhealthy: readonly string[]
}

/**
 * Somebody says which allocations of a deployment are healthy and which are not
 * (behaviour/scheduler#deployments). One that is not ends the deployment as failed.
 *
 * @throws Refusal 500 for an unknown deployment, one that is over, and allocations that are not its own
 */
export function setAllocationHealth(
  world: World,
  id: string,
  { healthy, unhealthy }: SaidHealth,
): Failure {
  if (!isActiveDeployment(deploymentWithId(world, id))) throw refuse('health-terminal')
  return world.write(() => {
    for (const each of healthy) reportHealth(world, allocationIn(world, id, each), true)
    for (const each of unhealthy) reportHealth(world, allocationIn(world, id, each), false)
    const deployment = deploymentWithId(world, id)
    if (unhealthy.length > 0 && isActiveDeployment(deployment)) {
      return failDeployment(world, deployment, deploymentDescriptions.unhealthy)
    }
    watch(world, deployment)
    return { deployment, revertedTo: null }
  })
}

/** An allocation of a deployment. */
function allocationIn(world: World, deployment: string, id: string): Allocation {
  const why = uuidFault(id)
  if (why !== undefined) throw refuse('health-lookup-failed', { id: quoteGo(id), why })
  const found = allocationOf(world, id)
  if (found === undefined) throw refuse('health-allocation-unknown', { id: quoteGo(id) })
  if (found.DeploymentID === deployment) return found
  throw refuse('health-allocation-other', {
    id: quoteGo(id),
    deployment: quoteGo(deployment),
  })
}
