import type { World } from '../../../kernel/worlds/world.ts'
import {
  deploymentMachine,
  deploymentStatusOf,
  isActiveDeployment,
} from '../model/deployment-machine.ts'
import { refuse } from '../model/messages.ts'
import type { Deployment } from '../model/placement-shapes.ts'
import { changeDeployment, deploymentDescriptions, requireDeployment } from './deployments.ts'
import { requestDeploymentEvaluation } from './rollout.ts'

/**
 * A deployment is paused, which makes its evaluations place and replace nothing, or goes on
 * (behaviour/scheduler#deployments). Its deadlines run on meanwhile, as in the reference.
 *
 * @throws Refusal 500 for an unknown one and one that is over
 */
export function pauseDeployment(world: World, id: string, pause: boolean): Deployment {
  const deployment = requireDeployment(world, id)
  if (!isActiveDeployment(deployment)) throw refuse(pause ? 'pause-terminal' : 'resume-terminal')
  return world.write(() => {
    const updated = changeDeployment(world, deployment, {
      Status: deploymentMachine.next(
        deploymentStatusOf(deployment),
        pause ? 'pause' : 'resume',
        undefined,
      ),
      StatusDescription: pause ? deploymentDescriptions.paused : deploymentDescriptions.running,
    })
    if (!pause) requestDeploymentEvaluation(world, updated)
    return updated
  })
}

/**
 * Looks at a deployment that is to be unblocked; there is nothing to unblock, as no job runs in several
 * regions here.
 *
 * @throws Refusal 500 for an unknown one and one that is over
 */
export function unblockDeployment(world: World, id: string): void {
  if (!isActiveDeployment(requireDeployment(world, id))) throw refuse('unblock-terminal')
}
