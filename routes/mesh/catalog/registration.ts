import { text } from '../../../state/kernel/shape/kinds.ts'
import { partial, struct } from '../../../state/kernel/shape/members.ts'
import { scheduleSync } from '../../../state/mesh/agent/anti-entropy.ts'
import { registerRequest } from '../../../state/mesh/catalog/registration.ts'
import {
  catalogRegistrationOf,
  storeRegistration,
} from '../../../state/mesh/catalog/store-registration.ts'
import {
  catalogChecks,
  catalogNodes,
  catalogServices,
  instanceKey,
  nodeKey,
} from '../../../state/mesh/catalog/tables.ts'
import { dropCheck, dropNode, dropService } from '../../../state/mesh/catalog/writes.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import { requireWritableNamespace } from '../../../state/mesh/namespaces/namespaces.ts'
import { optionsOf } from '../../../state/mesh/options.ts'
import { insideOperation } from '../../http/declare/access.ts'
import { ok } from '../../http/declare/operation.ts'
import { namespaceOf, requireRight, requires, rightChecker } from '../access.ts'
import { decodeAgentBody } from '../agent/bodies.ts'
import { type MeshContext, operationsOf } from '../operation.ts'
import { shownName, storedName } from './records.ts'

const operation = operationsOf({ spec: 'behaviour/mesh#catalog-writes' })

const access = insideOperation(requires('node:write', 'service:write'))

const deregisterRequest = partial(
  struct('DeregisterRequest', {
    Datacenter: text,
    Node: text,
    Address: text,
    ServiceID: text,
    CheckID: text,
    Namespace: text,
    Partition: text,
  }),
)

function requireDatacenter({ world }: MeshContext, datacenter = ''): void {
  if (datacenter !== '' && datacenter !== optionsOf(world).datacenter) {
    throw refuse('other-datacenter')
  }
}

/**
 * Returns the namespace that a service or check in a registration names or, without one, the
 * namespace of the request. Throws a refusal if the namespace cannot be written.
 */
function writableNamespaceOf(
  context: MeshContext,
  { Namespace = '' }: { Namespace?: string },
): string {
  return requireWritableNamespace(context.world, Namespace || namespaceOf(context)).name
}

function requireServiceRight(context: MeshContext, namespace: string, name: string): void {
  const shown = shownName(context.dialect, name)
  requireRight(context, 'service:write', { name: shown, namespace })
}

/**
 * Operations that write to the catalog without the agent. The next anti-entropy pass restores the
 * services and checks that are registered at the agent.
 */
export const registrationOperations = [
  operation.put('registerInCatalog', '/catalog/register', {
    access,
    tenancy: 'partition',
    summary: 'Register a node, a service and checks in the catalog.',
    body: registerRequest,
    reply: { 200: { const: true } },
    run({ context }) {
      const { world, dialect } = context
      const input = decodeAgentBody(context, registerRequest)
      requireDatacenter(context, input.Datacenter)
      void context.caller
      const { Node = '' } = input
      const registration = catalogRegistrationOf(world, input, {
        namespaceOf: (part) => writableNamespaceOf(context, part),
        toStoredName: (name) => storedName(dialect, name),
      })
      const { service, checks } = registration
      requireRight(context, 'node:write', { name: Node })
      if (service !== undefined) {
        requireServiceRight(context, service.namespace, service.name)
        const before = world
          .table(catalogServices)
          .get(instanceKey(Node, service.namespace, service.id))
        if (before !== undefined) requireServiceRight(context, before.namespace, before.name)
      }
      for (const { service_id, service_name, namespace } of checks) {
        if (service_id !== '') requireServiceRight(context, namespace, service_name)
      }
      storeRegistration(world, Node, registration)
      return ok(true)
    },
  }),
  operation.put('deregisterFromCatalog', '/catalog/deregister', {
    access,
    tenancy: 'partition',
    summary: 'Remove a node, a service or a check from the catalog.',
    body: deregisterRequest,
    reply: { 200: { const: true } },
    run({ context }) {
      const { world, dialect } = context
      const input = decodeAgentBody(context, deregisterRequest)
      requireDatacenter(context, input.Datacenter)
      void context.caller
      const { Node = '', ServiceID = '', CheckID = '' } = input
      if (Node === '') throw refuse('catalog-node-unsaid')
      const namespace = writableNamespaceOf(context, input)
      const mayWriteNode = rightChecker(context, 'node:write')({ name: Node })
      const id = storedName(dialect, ServiceID)
      const service = world.table(catalogServices).get(instanceKey(Node, namespace, id))
      const checks = world.table(catalogChecks)
      const check =
        checks.get(instanceKey(Node, namespace, CheckID)) ??
        checks.get(instanceKey(Node, 'default', CheckID))
      world.write(() => {
        scheduleSync(world, Node)
        if (ServiceID !== '') {
          if (service === undefined) return
          if (!mayWriteNode) requireServiceRight(context, namespace, service.name)
          dropService(world, service)
          return
        }
        if (CheckID !== '' && check !== undefined && check.service_id !== '') {
          if (!mayWriteNode) requireServiceRight(context, check.namespace, check.service_name)
          dropCheck(world, check)
          return
        }
        requireRight(context, 'node:write', { name: Node })
        if (CheckID === '' && world.table(catalogNodes).has(nodeKey(Node))) dropNode(world, Node)
        if (check !== undefined) dropCheck(world, check)
      })
      return ok(true)
    },
  }),
]
