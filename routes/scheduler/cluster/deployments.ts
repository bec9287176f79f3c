import { list, nullable } from '../../../state/kernel/shape/kinds.ts'
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
import { operationsOf, type SchedulerContext } from '../operation.ts'
import { checkId, findReadableRow, listRows, readJobData, readRow } from './lookups.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#beyond' })

const rowLookup = { table: deployments, kind: 'deployments', what: 'deployment' } as const

/** Operations on deployments. */
export const deploymentOperations = [
  operation.get({
    id: 'listJobDeployments',
    path: '/job/:id/deployments',
    access: can('read-job'),
    summary: "List a job's deployments; can block.",
    reply: { 200: list(deploymentShape) },
    run: ({ context, params: { id } }) =>
      readJobData(context, 'deployments', () =>
        deploymentsOf(context.world, context.namespace, id),
      ),
  }),
  operation.get({
    id: 'readJobDeployment',
    path: '/job/:id/deployment',
    access: can('read-job'),
    summary: "Read a job's latest deployment, or null; can block.",
    reply: { 200: nullable(deploymentShape) },
    run: ({ context, params: { id } }) =>
      readJobData(
        context,
        'deployments',
        () => latestDeployment(context.world, context.namespace, id) ?? null,
      ),
  }),
  operation.get({
    id: 'listDeployments',
    path: '/deployments',
    access: canList('read-job'),
    summary: 'List deployments in the order of their creation; can block.',
    reply: { 200: list(deploymentShape) },
    run: ({ context }) =>
      listRows(context, {
        kind: 'deployments',
        shape: deploymentShape,
        all: () => allDeployments(context.world),
      }),
  }),
  operation.get({
    id: 'readDeployment',
    path: '/deployment/:id',
    access: can('read-job'),
    summary: 'Read a deployment; can block.',
    reply: { 200: deploymentShape },
    run: ({ context, params: { id } }) => readRow(context, id, rowLookup),
  }),
  operation.get({
    id: 'listDeploymentAllocations',
    path: '/deployment/allocations/:id',
    access: can('read-job'),
    summary: 'List the allocations of a deployment; can block.',
    spec: 'Extension of behaviour/scheduler#beyond',
    reply: { 200: list(allocationStubShape) },
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
