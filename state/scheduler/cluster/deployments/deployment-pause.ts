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
 * Pauses or resumes a deployment (behaviour/scheduler#deployments). While it is paused, evaluations
 * neither place nor replace anything. As in the reference, its deadlines continue to run.
 *
 * @throws Refusal 500 for an unknown or ended deployment
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
 * Validates a request to unblock a deployment. It has no other effect, because no job runs in
 * several regions here.
 *
 * @throws Refusal 500 for an unknown or ended deployment
 */
export function unblockDeployment(world: World, id: string): void {
  if (!isActiveDeployment(requireDeployment(world, id))) throw refuse('unblock-terminal')
}
