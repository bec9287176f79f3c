import type { StructShape } from '../../../state/kernel/shape/kinds.ts'
import type { ParsedOf } from '../../../state/kernel/shape/values.ts'
import { printedId } from '../../../state/mesh/agent/check-registration.ts'
import { agentCheck, agentService } from '../../../state/mesh/agent/registry.ts'
import type { AgentCheck, AgentService } from '../../../state/mesh/agent/tables.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import {
  requireNamespaceForData,
  requireWritableNamespace,
} from '../../../state/mesh/namespaces/namespaces.ts'
import { isCommunity, optionsOf } from '../../../state/mesh/options.ts'
import { namespaceOf, requireRight } from '../access.ts'
import { decodeOne, parseBody, withRefusal } from '../decode.ts'
import type { MeshContext } from '../operation.ts'

/** Members of a request body that name the namespace and the partition of its object. */
interface Scope {
  readonly Namespace?: string
  readonly Partition?: string
}

/**
 * Decodes a body of the operations of the agent and the catalog. Throws a refusal if the body does
 * not fit the shape. The community edition refuses `Namespace` and `Partition` as unknown members.
 */
export function decodeAgentBody<const S extends StructShape>(
  { body, world }: MeshContext,
  shape: S,
): ParsedOf<S> {
  return withRefusal(
    () => {
      const input = decodeOne(parseBody(body), shape)
      const names = isCommunity(world) ? Object.keys(Object(input)) : []
      const unknown = names.find((each) => each === 'Namespace' || each === 'Partition')
      if (unknown !== undefined) throw refuse('unknown-field', { quoted: JSON.stringify(unknown) })
      return input
    },
    (problem) => refuse('session-body-unreadable', { problem }),
  )
}

/**
 * Returns the namespace of a registration: that of the body, otherwise that of the request. Throws
 * a refusal if the namespace cannot be written.
 */
export function registrationNamespace(context: MeshContext, { Namespace = '' }: Scope): string {
  return requireWritableNamespace(context.world, Namespace || namespaceOf(context)).name
}

/** Returns the namespace of the request. Throws a refusal if the namespace does not exist. */
export function agentNamespace(context: MeshContext): string {
  return requireNamespaceForData(context.world, namespaceOf(context)).name
}

/**
 * Returns the agent's service that a request changes. Throws a refusal if the service does not
 * exist or the caller lacks `service:write`.
 */
export function requireAgentService(context: MeshContext, id: string): AgentService {
  const { world } = context
  const namespace = agentNamespace(context)
  // Resolves the token, so that an unknown token is reported before an unknown service.
  void context.caller
  const service = agentService(world, namespace, id)
  if (service === undefined) {
    throw refuse('agent-service-absent', { id: printedId(world, namespace, id) })
  }
  requireRight(context, 'service:write', { name: service.name, namespace })
  return service
}

/**
 * Throws a refusal if the caller may not write a check. A check of a service requires
 * `service:write`; a check of the node requires `node:write`.
 */
export function requireCheckRight(
  context: MeshContext,
  {
    service_id,
    service_name,
    namespace,
  }: Pick<AgentCheck, 'service_id' | 'service_name' | 'namespace'>,
): void {
  const { nodeName } = optionsOf(context.world)
  if (service_id === '') requireRight(context, 'node:write', { name: nodeName })
  else requireRight(context, 'service:write', { name: service_name, namespace })
}

/**
 * Returns the check of the agent that a request changes. Throws a refusal if the check does not
 * exist or the caller may not write the check.
 */
export function requireAgentCheck(context: MeshContext, id: string): AgentCheck {
  const { world } = context
  const namespace = agentNamespace(context)
  void context.caller
  const check = agentCheck(world, namespace, id) ?? agentCheck(world, 'default', id)
  if (check === undefined || (check.service_id !== '' && check.namespace !== namespace)) {
    throw refuse('agent-check-absent', { id: printedId(world, namespace, id) })
  }
  requireCheckRight(context, check)
  return check
}
