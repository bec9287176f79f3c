import { bool, goList, list, nullable, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import {
  serverAddress,
  serverWriteRequestMembers,
} from '../../../state/scheduler/body-addresses.ts'
import {
  allAllocationsOf,
  allocationStub,
} from '../../../state/scheduler/cluster/allocations/allocations.ts'
import {
  type DeploymentFailure,
  failDeploymentOnRequest,
} from '../../../state/scheduler/cluster/deployments/deployment-failure.ts'
import {
  setAllocationHealth,
  setDeploymentPaused,
  unblockDeployment,
} from '../../../state/scheduler/cluster/deployments/deployment-transitions.ts'
import {
  allDeployments,
  deploymentsOf,
  latestDeployment,
} from '../../../state/scheduler/cluster/deployments/deployments.ts'
import { promoteDeployment } from '../../../state/scheduler/cluster/deployments/rollout.ts'
import { allocationStubShape } from '../../../state/scheduler/cluster/model/allocation-shapes.ts'
import { openEvaluationsOf } from '../../../state/scheduler/cluster/model/evaluations.ts'
import { refuse as clusterRefusal } from '../../../state/scheduler/cluster/model/messages.ts'
import { deploymentShape } from '../../../state/scheduler/cluster/model/placement-shapes.ts'
import { deployments } from '../../../state/scheduler/cluster/model/tables.ts'
import { setEventType } from '../../../state/scheduler/events/buffer.ts'
import { writtenIndex } from '../../../state/scheduler/indexes.ts'
import type { Answer } from '../../http/declare/operation.ts'
import { requireCapability, requiresCapability, requiresListCapability, within } from '../access.ts'
import { operationsOf, type SchedulerContext } from '../operation.ts'
import { readFilteredList } from '../reads.ts'
import { checkId, findReadableRow, listRows, readRow } from './lookups.ts'

const readOperation = operationsOf({ spec: 'behaviour/scheduler#beyond' })

const rowLookup = { table: deployments, kind: 'deployments', noun: 'deployment' } as const

export const deploymentOperations = [
  readOperation.get('listJobDeployments', '/job/:id/deployments', {
    access: requiresCapability('read-job'),
    summary: "List a job's deployments; can block.",
    reply: { 200: list(deploymentShape) },
    run: ({ context, params: { id } }) =>
      readFilteredList(context, 'deployments', () =>
        deploymentsOf(context.world, context.namespace, id),
      ),
  }),
  readOperation.get('readJobDeployment', '/job/:id/deployment', {
    access: requiresCapability('read-job'),
    summary: "Read a job's latest deployment, or null; can block.",
    reply: { 200: nullable(deploymentShape) },
    run: ({ context, params: { id } }) =>
      readFilteredList(
        context,
        'deployments',
        () => latestDeployment(context.world, context.namespace, id) ?? null,
      ),
  }),
  readOperation.get('listDeployments', '/deployments', {
    access: requiresListCapability('read-job'),
    summary: 'List deployments in the order of their creation; can block.',
    reply: { 200: list(deploymentShape) },
    run: ({ context }) =>
      listRows(context, {
        kind: 'deployments',
        shape: deploymentShape,
        all: () => allDeployments(context.world),
      }),
  }),
  readOperation.get('readDeployment', '/deployment/:id', {
    access: requiresCapability('read-job'),
    summary: 'Read a deployment; can block.',
    reply: { 200: deploymentShape },
    run: ({ context, params: { id } }) => readRow(context, id, rowLookup),
  }),
  readOperation.get('listDeploymentAllocations', '/deployment/allocations/:id', {
    access: requiresCapability('read-job'),
    summary: 'List the allocations of a deployment; can block.',
    spec: 'Extension of behaviour/scheduler#beyond',
    reply: { 200: list(allocationStubShape) },
    run: ({ context, params: { id } }) =>
      readFilteredList(context, 'allocations', () => allocationsOf(context, id)),
  }),
]

/**
 * Returns a deployment's allocations in the form that lists use; empty for an unknown deployment.
 * Throws a refusal if the ID is malformed or if the caller may not read the deployment.
 */
function allocationsOf(context: SchedulerContext, id: string) {
  const deployment = findReadableRow(context, checkId(undefined, id), rowLookup)
  if (deployment === undefined) return []
  return allAllocationsOf(context.world, deployment.Namespace, deployment.JobID)
    .filter(({ DeploymentID }) => DeploymentID === id)
    .map((row) => context.world.derived(row, allocationStub))
}

const spec = 'behaviour/scheduler#beyond'
const operation = operationsOf({ spec: 'behaviour/scheduler#deployments' })

const promoteShape = struct('DeploymentPromoteRequest', {
  DeploymentID: text,
  All: bool,
  Groups: goList(text),
  ...serverWriteRequestMembers,
})

const pauseShape = struct('DeploymentPauseRequest', {
  DeploymentID: text,
  Pause: bool,
  ...serverWriteRequestMembers,
})

const unblockShape = struct('DeploymentUnblockRequest', {
  DeploymentID: text,
  ...serverWriteRequestMembers,
})

const healthShape = struct('DeploymentAllocHealthRequest', {
  DeploymentID: text,
  HealthyAllocationIDs: goList(text),
  UnhealthyAllocationIDs: goList(text),
  ...serverWriteRequestMembers,
})

const updateReplyShape = struct('DeploymentUpdateResponse', {
  EvalID: text,
  EvalCreateIndex: uint,
  DeploymentModifyIndex: uint,
  RevertedJobVersion: nullable(uint),
  Index: uint,
})

export const deploymentActionOperations = [
  operation.post('promoteDeployment', '/deployment/promote/:id', {
    access: within(requiresCapability('submit-job')),
    summary: 'Promote the canaries of a deployment, so that it continues.',
    spec,
    reply: { 200: updateReplyShape },
    body: promoteShape,
    bodyAddress: serverAddress,
    run({ context, params: { id }, body }) {
      const { DeploymentID, All, Groups } = body()
      checkDeploymentId(DeploymentID, id)
      const isSelected = (group: string) => All === true || Groups?.includes(group) === true
      return applyChange(context, id, () => ({
        deployment: promoteDeployment(context.world, id, isSelected),
        revertedTo: null,
      }))
    },
  }),
  operation.post('failDeployment', '/deployment/fail/:id', {
    access: within(requiresCapability('submit-job')),
    summary: 'Mark a deployment as failed; its job may be reverted to the stable version.',
    spec,
    reply: { 200: updateReplyShape },
    run: ({ context, params: { id } }) =>
      applyChange(context, id, () => failDeploymentOnRequest(context.world, id)),
  }),
  operation.post('pauseDeployment', '/deployment/pause/:id', {
    access: within(requiresCapability('submit-job')),
    summary: 'Pause a deployment, or resume it.',
    reply: { 200: updateReplyShape },
    body: pauseShape,
    bodyAddress: serverAddress,
    run({ context, params: { id }, body }) {
      const { DeploymentID, Pause } = body()
      checkDeploymentId(DeploymentID, id)
      const pause = Pause === true
      const action = () => ({
        deployment: setDeploymentPaused(context.world, id, pause),
        revertedTo: null,
      })
      return applyChange(context, id, action, { isEvaluated: !pause })
    },
  }),
  operation.post('unblockDeployment', '/deployment/unblock/:id', {
    access: within(requiresCapability('submit-job')),
    summary: 'Unblock a deployment of a job in several regions: there is only one region.',
    reply: { 200: updateReplyShape },
    body: unblockShape,
    bodyAddress: serverAddress,
    run({ context, params: { id }, body }) {
      checkDeploymentId(body().DeploymentID, id)
      requireWriteAccess(context, id)
      unblockDeployment(context.world, id)
      const emptyReply = {
        EvalID: '',
        EvalCreateIndex: 0,
        DeploymentModifyIndex: 0,
        RevertedJobVersion: null,
        Index: 0,
      }
      return context.writeReply(emptyReply, 0)
    },
  }),
  operation.post('setDeploymentHealth', '/deployment/allocation-health/:id', {
    access: within(requiresCapability('submit-job')),
    summary: 'Set the health of allocations of a deployment.',
    reply: { 200: updateReplyShape },
    body: healthShape,
    bodyAddress: serverAddress,
    run({ context, params: { id }, body }) {
      const { DeploymentID, HealthyAllocationIDs, UnhealthyAllocationIDs } = body()
      checkDeploymentId(DeploymentID, id)
      const healthy = HealthyAllocationIDs ?? []
      const unhealthy = UnhealthyAllocationIDs ?? []
      // As in the reference, this check precedes the look-up of the deployment.
      if (healthy.length + unhealthy.length === 0) throw clusterRefusal('health-of-nothing')
      const answer = applyChange(context, id, () =>
        setAllocationHealth(context.world, id, { healthy, unhealthy }),
      )
      // The type of the event is set here: the changed rows do not show whether a request or a
      // client's report caused the change.
      setEventType(context.world, 'DeploymentAllocHealth')
      return answer
    },
  }),
]

function checkDeploymentId(bodyId: string | null, id: string): void {
  if (!bodyId) throw clusterRefusal('deployment-unnamed')
  if (bodyId !== id) throw clusterRefusal('deployment-mismatch')
}

/**
 * Throws a refusal if the ID of a deployment is malformed or if the caller may not change the
 * deployment. As in the reference, a missing deployment takes precedence over missing rights, so
 * this function accepts an unknown ID.
 */
function requireWriteAccess(context: SchedulerContext, id: string): void {
  context.authenticate()
  const deployment = context.world.table(deployments).get(checkId('deployment', id))
  if (deployment !== undefined) requireCapability(context, deployment.Namespace, 'submit-job')
}

/**
 * Applies a change to a deployment and returns the reply. Throws a refusal if the caller may not
 * change the deployment.
 *
 * @param isEvaluated false if the reply contains no evaluation
 */
function applyChange(
  context: SchedulerContext,
  id: string,
  action: () => DeploymentFailure,
  { isEvaluated = true }: { readonly isEvaluated?: boolean } = {},
): Answer {
  const { world } = context
  requireWriteAccess(context, id)
  const { deployment, revertedTo } = action()
  const { Namespace, JobID } = deployment
  const index = writtenIndex(world)
  const evaluation = openEvaluationsOf(world, Namespace, JobID).find(
    ({ TriggeredBy }) => isEvaluated && TriggeredBy === 'deployment-watcher',
  )
  return context.writeReply(
    {
      EvalID: evaluation?.ID ?? '',
      EvalCreateIndex: evaluation?.CreateIndex ?? 0,
      DeploymentModifyIndex: index,
      RevertedJobVersion: revertedTo,
      Index: index,
    },
    index,
  )
}
