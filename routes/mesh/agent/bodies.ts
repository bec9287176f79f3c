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

/** Members of a body that name where its object is. */
interface Scope {
  readonly Namespace?: string
  readonly Partition?: string
}

/** Decodes a body of the agent. In the community edition, bodies have neither of the scope's members. */
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

/** Returns the name of the namespace of a registration: the body's, or else the request's. */
export function registrationScope(context: MeshContext, { Namespace = '' }: Scope): string {
  return requireWritableNamespace(context.world, Namespace || namespaceOf(context)).name
}

/** Returns the name of the namespace of an agent's object that a request names. */
export function agentScope(context: MeshContext): string {
  return requireNamespaceForData(context.world, namespaceOf(context)).name
}

/** Returns a service of the agent that a request writes. Throws if it is unknown or forbidden. */
export function requireAgentService(context: MeshContext, id: string): AgentService {
  const { world } = context
  const namespace = agentScope(context)
  // The token is resolved first.
  void context.caller
  const service = agentService(world, namespace, id)
  if (service === undefined) {
    throw refuse('agent-service-absent', { id: printedId(world, namespace, id) })
  }
  requireRight(context, 'service:write', { name: service.name, namespace })
  return service
}

/** Throws if the caller may not write the checks of a service, or of the node. */
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

/** Returns a check of the agent that a request writes. Throws if it is unknown or forbidden. */
export function requireAgentCheck(context: MeshContext, id: string): AgentCheck {
  const { world } = context
  const namespace = agentScope(context)
  void context.caller
  const check = agentCheck(world, namespace, id) ?? agentCheck(world, 'default', id)
  if (check === undefined || (check.service_id !== '' && check.namespace !== namespace)) {
    throw refuse('agent-check-absent', { id: printedId(world, namespace, id) })
  }
  requireCheckRight(context, check)
  return check
}
