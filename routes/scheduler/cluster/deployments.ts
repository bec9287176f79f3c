import { goList, nullable } from '../../../state/kernel/shape/kinds.ts'
import {
  allAllocationsOf,
  allocationStub,
} from '../../../state/scheduler/cluster/allocations/allocations.ts'
import {
  allDeployments,
  deploymentsOf,
  latestDeployment,
} from '../../../state/scheduler/cluster/deployments/deployments.ts'
import { allocationStubShape } from '../../../state/scheduler/cluster/model/allocation-shapes.ts'
import { deploymentShape } from '../../../state/scheduler/cluster/model/placement-shapes.ts'
import { deployments } from '../../../state/scheduler/cluster/model/tables.ts'
import { dataIndex } from '../../../state/scheduler/indexes.ts'
import { can, canList } from '../access.ts'
import { operation, type SchedulerContext } from '../operation.ts'
import { checkId, findReadableRow, listRows, readJobData, readRow } from './lookups.ts'

const spec = 'behaviour/scheduler#beyond'

const rowLookup = { table: deployments, kind: 'deployments', what: 'deployment' } as const

/** Operations on deployments. */
export const deploymentOperations = [
  operation({
    id: 'listJobDeployments',
    method: 'GET',
    path: '/job/:id/deployments',
    access: can('read-job'),
    summary: "List a job's deployments; can block.",
    spec,
    answers: goList(deploymentShape),
    run: ({ context, params: { id } }) =>
      readJobData(context, 'deployments', () =>
        deploymentsOf(context.world, context.namespace, id),
      ),
  }),
  operation({
    id: 'readJobDeployment',
    method: 'GET',
    path: '/job/:id/deployment',
    access: can('read-job'),
    summary: "Read a job's latest deployment, or null; can block.",
    spec,
    answers: nullable(deploymentShape),
    run: ({ context, params: { id } }) =>
      readJobData(
        context,
        'deployments',
        () => latestDeployment(context.world, context.namespace, id) ?? null,
      ),
  }),
  operation({
    id: 'listDeployments',
    method: 'GET',
    path: '/deployments',
    access: canList('read-job'),
    summary: 'List deployments in the order of their creation; can block.',
    spec,
    answers: goList(deploymentShape),
    run: ({ context }) =>
      listRows(context, {
        kind: 'deployments',
        shape: deploymentShape,
        all: () => allDeployments(context.world),
      }),
  }),
  operation({
    id: 'readDeployment',
    method: 'GET',
    path: '/deployment/:id',
    access: can('read-job'),
    summary: 'Read a deployment; can block.',
    spec,
    answers: deploymentShape,
    run: ({ context, params: { id } }) => readRow(context, id, rowLookup),
  }),
  operation({
    id: 'listDeploymentAllocations',
    method: 'GET',
    path: '/deployment/allocations/:id',
    access: can('read-job'),
    summary: 'List the allocations of a deployment; can block.',
    spec: 'Extension of behaviour/scheduler#beyond',
    answers: goList(allocationStubShape),
    run({ context, params: { id } }) {
      const { world } = context
      return context.read(() => ({
        index: dataIndex(world, 'allocations'),
        body: allocationsOf(context, id),
      }))
    },
  }),
]

/** Returns the allocations of a deployment as lists show them; empty for an unknown deployment. */
function allocationsOf(context: SchedulerContext, id: string) {
  const deployment = findReadableRow(context, checkId(undefined, id), rowLookup)
  if (deployment === undefined) return []
  return allAllocationsOf(context.world, deployment.Namespace, deployment.JobID)
    .filter(({ DeploymentID }) => DeploymentID === id)
    .map((row) => context.world.derived(row, allocationStub))
}
