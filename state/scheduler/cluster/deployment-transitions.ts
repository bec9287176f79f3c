import type { TransitionKind } from '../../kernel/service.ts'
import type { World } from '../../kernel/world.ts'
import { failedByUser } from './deployment-failure.ts'
import { isUnderWay } from './deployment-machine.ts'
import { pauseDeployment } from './deployment-pause.ts'
import type { Deployment } from './placement-shapes.ts'
import { healthyCanaries, promoteDeployment } from './rollout.ts'
import { deployments } from './tables.ts'
import { refuse } from './texts.ts'

const targets = ['running', 'paused', 'promoted', 'failed'] as const

type Target = (typeof targets)[number]

function ahead(world: World, deployment: Deployment): readonly Target[] {
  if (!isUnderWay(deployment)) return []
  return [
    deployment.Status === 'paused' ? 'running' : 'paused',
    ...(isPromotable(world, deployment) ? (['promoted'] as const) : []),
    'failed',
  ]
}

/** Tells whether there are canaries that nobody has promoted, and all of them are healthy. */
function isPromotable(world: World, { TaskGroups }: Deployment): boolean {
  const waiting = Object.values(TaskGroups ?? {}).filter(
    ({ DesiredCanaries, Promoted }) => DesiredCanaries > 0 && !Promoted,
  )
  return (
    waiting.length > 0 &&
    waiting.every((state) => healthyCanaries(world, state) >= state.DesiredCanaries)
  )
}

const pushes: Readonly<Record<Target, (world: World, id: string) => unknown>> = {
  running: (world, id) => pauseDeployment(world, id, false),
  paused: (world, id) => pauseDeployment(world, id, true),
  promoted: (world, id) => promoteDeployment(world, id),
  failed: failedByUser,
}

function detailOf({ JobID, JobVersion, TaskGroups }: Deployment): string {
  const states = Object.values(TaskGroups ?? {})
  const healthy = states.reduce((sum, { HealthyAllocs }) => sum + HealthyAllocs, 0)
  const wanted = states.reduce((sum, { DesiredTotal }) => sum + DesiredTotal, 0)
  return `${JobID}, version ${JobVersion}: ${healthy} of ${wanted} allocations are healthy`
}

/** Deployments that are under way: paused, resumed, promoted and failed as their API does it. */
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
        to: ahead(world, deployment),
        detail: detailOf(deployment),
      })),
  force(world, id, to) {
    const deployment = world.table(deployments).get(id)
    if (deployment === undefined) throw refuse('push-deployment-unknown', { id })
    const target = ahead(world, deployment).find((each) => each === to)
    if (target === undefined) {
      throw refuse('push-impossible', { what: 'a deployment', state: deployment.Status, to })
    }
    pushes[target](world, id)
  },
}
