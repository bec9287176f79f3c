import { quoteGo } from '../../../go/text.ts'
import { addIntegers, type Integer } from '../../../kernel/integers.ts'
import { type InParts, mapInParts } from '../../../kernel/parts.ts'
import type { TransitionKind } from '../../../kernel/worlds/service.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { uuidError } from '../../acl/uuids.ts'
import { findAllocation } from '../allocations/allocations.ts'
import type { Allocation } from '../model/allocation-shapes.ts'
import {
  deploymentMachine,
  deploymentStatusOf,
  isActiveDeployment,
} from '../model/deployment-machine.ts'
import { refuse } from '../model/messages.ts'
import type { Deployment } from '../model/placement-shapes.ts'
import { deployments } from '../model/tables.ts'
import {
  type DeploymentFailure,
  failDeployment,
  failDeploymentOnRequest,
} from './deployment-failure.ts'
import { changeDeployment, deploymentDescriptions, requireDeployment } from './deployments.ts'
import { recordHealthWithoutFailure } from './health.ts'
import { countHealthyCanaries, promoteDeployment, requestDeploymentEvaluation } from './rollout.ts'

/** IDs of allocations by the health that a caller reports for them. */
interface HealthReport {
  readonly healthy: readonly string[]
  readonly unhealthy: readonly string[]
}

/**
 * Records which allocations of a deployment are healthy (behaviour/scheduler#deployments). An
 * unhealthy allocation fails the deployment. If all are healthy, requests an evaluation.
 *
 * @throws Refusal 500 if the deployment does not exist or has ended, and for an allocation ID that
 *   is invalid, unknown or outside the deployment
 */
export function setAllocationHealth(
  world: World,
  id: string,
  report: HealthReport,
): DeploymentFailure {
  if (!isActiveDeployment(requireDeployment(world, id))) throw refuse('health-terminal')
  const { healthy, unhealthy } = report
  // All IDs are checked before the first write, so that a request with an invalid ID writes
  // nothing.
  for (const each of [...healthy, ...unhealthy]) requireDeploymentAllocation(world, id, each)
  return world.inParts(() => recordReport(world, id, report), 'kept')
}

function* recordReport(
  world: World,
  id: string,
  { healthy, unhealthy }: HealthReport,
): InParts<DeploymentFailure> {
  yield* mapInParts(healthy, (each) =>
    recordHealthWithoutFailure(world, requireDeploymentAllocation(world, id, each), true),
  )
  const failed = unhealthy.map((each) => requireDeploymentAllocation(world, id, each))
  yield* mapInParts(failed, (each) => recordHealthWithoutFailure(world, each, false))
  const deployment = requireDeployment(world, id)
  if (unhealthy.length > 0 && isActiveDeployment(deployment)) {
    const reverts = failed.some(
      ({ TaskGroup }) => deployment.TaskGroups?.[TaskGroup]?.AutoRevert === true,
    )
    return failDeployment(world, deployment, deploymentDescriptions.unhealthy, {
      reverts,
      mentionsMissingVersion: false,
    })
  }
  requestDeploymentEvaluation(world, deployment)
  return { deployment, revertedTo: null }
}

/**
 * Returns an allocation of the deployment.
 *
 * @throws Refusal for an invalid ID, an unknown allocation, and an allocation outside the
 *   deployment
 */
function requireDeploymentAllocation(world: World, deployment: string, id: string): Allocation {
  const why = uuidError(id)
  if (why !== undefined) throw refuse('health-lookup-failed', { id: quoteGo(id), why })
  const allocation = findAllocation(world, id)
  if (allocation === undefined) throw refuse('health-allocation-unknown', { id: quoteGo(id) })
  if (allocation.DeploymentID === deployment) return allocation
  throw refuse('health-allocation-other', { id: quoteGo(id), deployment: quoteGo(deployment) })
}

/**
 * Pauses or resumes a deployment (behaviour/scheduler#deployments). While a deployment is paused,
 * evaluations place no allocations beyond the existing number, and do not replace allocations of
 * earlier versions. Lost, failed and migrating allocations are still replaced. As in the reference,
 * the deadlines of a paused deployment continue to run. Resuming requests an evaluation.
 *
 * @throws Refusal 500 if the deployment does not exist or has ended
 */
export function setDeploymentPaused(world: World, id: string, isPaused: boolean): Deployment {
  const deployment = requireDeployment(world, id)
  if (!isActiveDeployment(deployment)) throw refuse(isPaused ? 'pause-terminal' : 'resume-terminal')
  return world.write(() => {
    const updated = changeDeployment(world, deployment, {
      Status: deploymentMachine.next(
        deploymentStatusOf(deployment),
        isPaused ? 'pause' : 'resume',
        undefined,
      ),
      StatusDescription: isPaused ? deploymentDescriptions.paused : deploymentDescriptions.running,
    })
    if (!isPaused) requestDeploymentEvaluation(world, updated)
    return updated
  })
}

/**
 * Validates a request to unblock a deployment. A valid request has no effect, because only jobs in
 * several regions have blocked deployments and the mock has one region.
 *
 * @throws Refusal 500 if the deployment does not exist or has ended
 */
export function unblockDeployment(world: World, id: string): void {
  if (!isActiveDeployment(requireDeployment(world, id))) throw refuse('unblock-terminal')
}

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
  const unpromotedGroups = Object.values(TaskGroups ?? {}).filter(
    ({ DesiredCanaries, Promoted }) => DesiredCanaries > 0 && !Promoted,
  )
  return (
    unpromotedGroups.length > 0 &&
    unpromotedGroups.every((state) => countHealthyCanaries(world, state) >= state.DesiredCanaries)
  )
}

const forcedTransitions: Readonly<Record<DeploymentTarget, (world: World, id: string) => unknown>> =
  {
    running: (world, id) => setDeploymentPaused(world, id, false),
    paused: (world, id) => setDeploymentPaused(world, id, true),
    promoted: (world, id) => promoteDeployment(world, id),
    failed: failDeploymentOnRequest,
  }

function describeHealth({ JobID, JobVersion, TaskGroups }: Deployment): string {
  const states = Object.values(TaskGroups ?? {})
  const healthy = states.reduce((sum, { HealthyAllocs }) => sum + HealthyAllocs, 0)
  const desiredCount = states.reduce<Integer>(
    (sum, { DesiredTotal }) => addIntegers(sum, DesiredTotal),
    0,
  )
  return `${JobID}, version ${JobVersion}: ${healthy} of ${desiredCount} allocations are healthy`
}

/**
 * Transition kind for active deployments in `/_mock/transitions`. Forced transitions pause, resume,
 * promote and fail a deployment in the same way as the API.
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
