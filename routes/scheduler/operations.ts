import { list } from '../../state/kernel/shape/kinds.ts'
import type { ParsedOf } from '../../state/kernel/shape/values.ts'
import { refuse } from '../../state/scheduler/messages.ts'
import { deleteNamespace } from '../../state/scheduler/namespace-removal.ts'
import {
  namespaceReply,
  namespaceReplyShape,
  namespaceShape,
  putNamespace,
  readNamespace,
  visibleNamespaces,
} from '../../state/scheduler/namespaces.ts'
import type { Answer } from '../http/declare/operation.ts'
import { forEach, requireManagement, requiresAnyOf, within } from './access.ts'
import { oneTimeTokenOperations } from './acl/one-time-tokens.ts'
import { aclOperations } from './acl/operations.ts'
import { aclRoleOperations } from './acl/roles.ts'
import { agentOperations, statusOperations } from './agent/operations.ts'
import { fileContentOperations, fileOperations } from './client/files.ts'
import { logOperations } from './client/logs.ts'
import { metadataOperations } from './client/metadata.ts'
import { clientRequestOperations, statisticsOperations } from './client/statistics.ts'
import { allocationOperations } from './cluster/allocations.ts'
import { deploymentActionOperations, deploymentOperations } from './cluster/deployments.ts'
import { evaluationOperations } from './cluster/evaluations.ts'
import { nodePoolOperations } from './cluster/node-pools.ts'
import { nodeWriteOperations } from './cluster/node-writes.ts'
import { nodeOperations } from './cluster/nodes.ts'
import { volumeOperations } from './cluster/volumes.ts'
import { eventOperations } from './events/operations.ts'
import { actionOperations } from './jobs/actions.ts'
import { checkOperations } from './jobs/checks.ts'
import { listingOperations } from './jobs/listing.ts'
import { jobReadOperations, versionOperations } from './jobs/reads.ts'
import { registrationOperations } from './jobs/registration.ts'
import { scalingPolicyOperations } from './jobs/scaling-policies.ts'
import { operationsOf, type SchedulerContext, type SchedulerOperation } from './operation.ts'
import { enterpriseOperations } from './operator/enterprise.ts'
import {
  configurationOperations,
  keyringOperations,
  metricsOperations,
  systemOperations,
  wellKnownOperations,
} from './operator/operations.ts'
import { readData, readObject } from './reads.ts'
import { searchOperations } from './search/operations.ts'
import { serviceOperations } from './services/operations.ts'
import { variableOperations } from './variables/operations.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#beyond' })

const namespaceOperations = [
  operation.get('listJobNamespaces', '/namespaces', {
    access: forEach(requiresAnyOf('namespace:*')),
    summary: 'List the namespaces in which the caller has any right; can block.',
    reply: { 200: list(namespaceReplyShape) },
    run: ({ context }) =>
      readData(context, 'namespaces', ({ prefix }) =>
        visibleNamespaces(context.world, context.caller, prefix).map((each) =>
          context.world.derived(each, namespaceReply),
        ),
      ),
  }),
  operation.get('readJobNamespace', '/namespace/:name', {
    access: requiresAnyOf('namespace:*'),
    checkPath({ name }) {
      if (name === '') throw refuse('namespace-name-missing')
    },
    summary: 'Read a namespace; can block.',
    reply: { 200: namespaceReplyShape },
    run: ({ context, params: { name } }) =>
      readObject(context, 'namespaces', () =>
        context.world.derived(readNamespace(context.world, context.caller, name), namespaceReply),
      ),
  }),
  operation.post('createJobNamespace', '/namespace', {
    access: requiresAnyOf('management'),
    summary: 'Create a namespace, or replace one.',
    body: namespaceShape,
    run: ({ context, body }) => putNamespaceReply(context, body()),
  }),
  operation.post('putJobNamespace', '/namespace/:name', {
    access: within(requiresAnyOf('management')),
    summary: 'Create or replace the namespace that the path names.',
    body: namespaceShape,
    run: ({ context, params: { name }, body }) => putNamespaceReply(context, body(), name),
  }),
  operation.delete('deleteJobNamespace', '/namespace/:name', {
    access: requiresAnyOf('management'),
    summary: 'Delete a namespace whose jobs are all terminal.',
    run({ context, params: { name } }) {
      const { world } = context
      deleteNamespace(world, name)
      return context.writeReply()
    },
  }),
]

function putNamespaceReply(
  context: SchedulerContext,
  input: ParsedOf<typeof namespaceShape>,
  pathName?: string,
): Answer {
  const { world } = context
  putNamespace(world, input, pathName, () => requireManagement(context))
  return context.writeReply()
}

/** All operations of the jobs API below its prefix. */
export const schedulerOperations: readonly SchedulerOperation[] = [
  ...listingOperations,
  ...registrationOperations,
  ...checkOperations,
  ...jobReadOperations,
  ...versionOperations,
  ...actionOperations,
  ...scalingPolicyOperations,
  ...allocationOperations,
  ...clientRequestOperations,
  ...statisticsOperations,
  ...metadataOperations,
  ...logOperations,
  ...fileOperations,
  ...fileContentOperations,
  ...evaluationOperations,
  ...deploymentOperations,
  ...deploymentActionOperations,
  ...nodeOperations,
  ...nodeWriteOperations,
  ...nodePoolOperations,
  ...volumeOperations,
  ...serviceOperations,
  ...namespaceOperations,
  ...aclOperations,
  ...oneTimeTokenOperations,
  ...aclRoleOperations,
  ...searchOperations,
  ...eventOperations,
  ...variableOperations,
  ...statusOperations,
  ...agentOperations,
  ...configurationOperations,
  ...systemOperations,
  ...keyringOperations,
  ...metricsOperations,
  ...enterpriseOperations,
]

/** Operations at the root of the server, outside of the API's prefix. */
export const outsideOperations: readonly SchedulerOperation[] = wellKnownOperations
