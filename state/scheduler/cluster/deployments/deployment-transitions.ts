import type { TransitionKind } from '../../../kernel/worlds/service.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { isActiveDeployment } from '../model/deployment-machine.ts'
import { refuse } from '../model/messages.ts'
import type { Deployment } from '../model/placement-shapes.ts'
import { deployments } from '../model/tables.ts'
import { failByUser } from './deployment-failure.ts'
import { pauseDeployment } from './deployment-pause.ts'
import { countHealthyCanaries, promoteDeployment } from './rollout.ts'

const targets = ['running', 'paused', 'promoted', 'failed'] as const

type DeploymentTarget = (typeof targets)[number]

function reachableTargets(world: World, deployment: Deployment): readonly DeploymentTarget[] {
  if (!isActiveDeployment(deployment)) return []
  return [
    deployment.Status === 'paused' ? 'running' : 'paused',
    ...(isPromotable(world, deployment) ? (['promoted'] as const) : []),
    'failed',
  ]
}

/** Returns true if a deployment has unpromoted canaries and all of them are healthy. */
function isPromotable(world: World, { TaskGroups }: Deployment): boolean {
  const unpromoted = Object.values(TaskGroups ?? {}).filter(
    ({ DesiredCanaries, Promoted }) => DesiredCanaries > 0 && !Promoted,
  )
  return (
    unpromoted.length > 0 &&
    unpromoted.every((state) => countHealthyCanaries(world, state) >= state.DesiredCanaries)
  )
}

const forcedTransitions: Readonly<Record<DeploymentTarget, (world: World, id: string) => unknown>> =
  {
    running: (world, id) => pauseDeployment(world, id, false),
    paused: (world, id) => pauseDeployment(world, id, true),
    promoted: (world, id) => promoteDeployment(world, id),
    failed: failByUser,
  }

function describeHealth({ JobID, JobVersion, TaskGroups }: Deployment): string {
  const states = Object.values(TaskGroups ?? {})
  const healthy = states.reduce((sum, { HealthyAllocs }) => sum + HealthyAllocs, 0)
  const desired = states.reduce((sum, { DesiredTotal }) => sum + DesiredTotal, 0)
  return `${JobID}, version ${JobVersion}: ${healthy} of ${desired} allocations are healthy`
}

/**
 * Active deployments for `/_mock/transitions`: paused, resumed, promoted and failed as by their
 * API.
 */
export const deploymentTransition: TransitionKind = {
  kind: 'scheduler.deployment',
  summary: 'Deployments: pause or resume them, promote their canaries, fail them.',
  targets,
  items: (world) =>
    Array.from(world.table(deployments).index('active').rows())
      .sort((a, b) => (a.ID < b.ID ? -1 : 1))
      .map((deployment) => ({
        id: deployment.ID,
        state: deployment.Status,
        to: reachableTargets(world, deployment),
        detail: describeHealth(deployment),
      })),
  force(world, id, to) {
    const deployment = world.table(deployments).get(id)
    if (deployment === undefined) throw refuse('push-deployment-unknown', { id })
    const target = reachableTargets(world, deployment).find((each) => each === to)
    if (target === undefined) {
      throw refuse('push-impossible', { what: 'a deployment', state: deployment.Status, to })
    }
    forcedTransitions[target](world, id)
  },
}
