import { bool, goList, nullable, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { type Failure, failedByUser } from '../../../state/scheduler/cluster/deployment-failure.ts'
import { openEvaluationsOf } from '../../../state/scheduler/cluster/evaluations.ts'
import { promoteDeployment } from '../../../state/scheduler/cluster/rollout.ts'
import { deployments } from '../../../state/scheduler/cluster/tables.ts'
import { refuse as refuseOfCluster } from '../../../state/scheduler/cluster/texts.ts'
import { writtenIndex } from '../../../state/scheduler/indexes.ts'
import type { Answer } from '../../http/operation.ts'
import { can, demand, within } from '../access.ts'
import { operation, type SchedulerContext } from '../operation.ts'
import { checkId } from './lookups.ts'

const spec = '3b-scheduler-decisions.md section 10'

const promoteShape = struct('DeploymentPromoteRequest', {
  DeploymentID: text,
  All: bool,
  Groups: goList(text),
})

const updateReplyShape = struct('DeploymentUpdateResponse', {
  EvalID: text,
  EvalCreateIndex: uint,
  DeploymentModifyIndex: uint,
  RevertedJobVersion: nullable(uint),
  Index: uint,
})

/** Operations by which clients change deployments by hand. */
export const deploymentActionOperations = [
  operation({
    id: 'promoteDeployment',
    method: 'POST',
    path: '/deployment/promote/:id',
    access: within(can('submit-job')),
    summary: 'Let a deployment go on from its canaries to the rest.',
    spec,
    answers: updateReplyShape,
    body: promoteShape,
    run({ context, params: { id }, body }) {
      const { DeploymentID, All, Groups } = body()
      if (!DeploymentID) throw refuseOfCluster('deployment-unnamed')
      if (DeploymentID !== id) throw refuseOfCluster('deployment-mismatch')
      const isMeant = (group: string) => All === true || Groups?.includes(group) === true
      return change(context, id, () => ({
        deployment: promoteDeployment(context.world, id, isMeant),
        revertedTo: null,
      }))
    },
  }),
  operation({
    id: 'failDeployment',
    method: 'POST',
    path: '/deployment/fail/:id',
    access: within(can('submit-job')),
    summary: 'End a deployment as failed; its groups may go back to the stable version.',
    spec,
    answers: updateReplyShape,
    run: ({ context, params: { id } }) =>
      change(context, id, () => failedByUser(context.world, id)),
  }),
]

function change(context: SchedulerContext, id: string, act: () => Failure): Answer {
  const { world } = context
  const before = world.table(deployments).get(checkId('deployment', id))
  // In the reference's order: what there is not is said before rights are looked at.
  if (before !== undefined) demand(context, before.Namespace, 'submit-job')
  const { deployment, revertedTo } = act()
  const { Namespace, JobID } = deployment
  const index = writtenIndex(world)
  const evaluation = openEvaluationsOf(world, Namespace, JobID).find(
    ({ TriggeredBy }) => TriggeredBy === 'deployment-watcher',
  )
  return context.written(
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
