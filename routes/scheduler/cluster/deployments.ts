import type { World } from '../../../state/kernel/world.ts'
import { allocationStubShape } from '../../../state/scheduler/cluster/allocation-shapes.ts'
import { allAllocationsOf, allocationStub } from '../../../state/scheduler/cluster/allocations.ts'
import {
  allDeployments,
  deploymentsOf,
  latestDeployment,
} from '../../../state/scheduler/cluster/deployments.ts'
import {
  type Deployment,
  deploymentShape,
} from '../../../state/scheduler/cluster/placement-shapes.ts'
import { deployments } from '../../../state/scheduler/cluster/tables.ts'
import { indexOf } from '../../../state/scheduler/indexes.ts'
import { list, pointer } from '../../../state/scheduler/shape/kinds.ts'
import { demand, watchKinds, watchRow } from '../access.ts'
import { listedNamespaces } from '../namespaces-of-list.ts'
import { operation } from '../operation.ts'
import { pageByCreation } from '../pages.ts'
import { checkId } from './lookups.ts'

const spec = '3b-scheduler-decisions.md section 10'

/** Deployments. */
export const deploymentOperations = [
  operation({
    id: 'listJobDeployments',
    method: 'GET',
    path: '/job/:id/deployments',
    summary: "List a job's deployments; can block.",
    spec,
    answers: list(deploymentShape),
    run({ context, params: { id } }) {
      const { world, namespace } = context
      return context.read({
        read() {
          demand(context, namespace, 'read-job')
          return { index: indexOf(world, 'deployments'), body: deploymentsOf(world, namespace, id) }
        },
        watch: watchKinds(world, ['deployments']),
      })
    },
  }),
  operation({
    id: 'readJobDeployment',
    method: 'GET',
    path: '/job/:id/deployment',
    summary: "Read a job's latest deployment, or null; can block.",
    spec,
    answers: pointer(deploymentShape),
    run({ context, params: { id } }) {
      const { world, namespace } = context
      return context.read({
        read() {
          demand(context, namespace, 'read-job')
          const found = latestDeployment(world, namespace, id)
          return { index: indexOf(world, 'deployments'), body: found ?? null }
        },
        watch: watchKinds(world, ['deployments']),
      })
    },
  }),
  operation({
    id: 'listDeployments',
    method: 'GET',
    path: '/deployments',
    summary: 'List deployments in the order of their creation; can block.',
    spec,
    answers: list(deploymentShape),
    run({ context }) {
      const { world } = context
      return context.read({
        read(options) {
          const namespaces = new Set(listedNamespaces(context, 'read-job'))
          const seen = allDeployments(world).filter(({ Namespace }) => namespaces.has(Namespace))
          const page = pageByCreation(seen, deploymentShape, options)
          return {
            index: indexOf(world, 'deployments'),
            body: page.items,
            nextToken: page.nextToken,
          }
        },
        watch: watchKinds(world, ['deployments']),
      })
    },
  }),
  operation({
    id: 'readDeployment',
    method: 'GET',
    path: '/deployment/:id',
    summary: 'Read a deployment; can block.',
    spec,
    answers: deploymentShape,
    run({ context, params: { id } }) {
      const { world } = context
      return context.read({
        read() {
          demand(context, context.namespace, 'read-job')
          const found = world.table(deployments).get(checkId('deployment', id))
          if (found !== undefined) demand(context, found.Namespace, 'read-job')
          if (found !== undefined) return { index: found.ModifyIndex, body: found }
          return { index: indexOf(world, 'deployments'), status: 404, body: 'deployment not found' }
        },
        watch: watchRow(world, deployments, id, 'deployments'),
      })
    },
  }),
  operation({
    id: 'listDeploymentAllocations',
    method: 'GET',
    path: '/deployment/allocations/:id',
    summary: 'List the allocations of a deployment; can block.',
    spec: 'Extension of 3b-scheduler-decisions.md section 10',
    answers: list(allocationStubShape),
    run({ context, params: { id } }) {
      const { world } = context
      return context.read({
        read() {
          demand(context, context.namespace, 'read-job')
          const found = world.table(deployments).get(checkId('deployment', id))
          if (found !== undefined) demand(context, found.Namespace, 'read-job')
          const body = found === undefined ? [] : allocationsOfDeployment(world, found)
          return { index: indexOf(world, 'allocations'), body: body.map(allocationStub) }
        },
        watch: watchKinds(world, ['allocations']),
      })
    },
  }),
]

function allocationsOfDeployment(world: World, { ID, Namespace, JobID }: Deployment) {
  return allAllocationsOf(world, Namespace, JobID).filter(({ DeploymentID }) => DeploymentID === ID)
}
