import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import { defaultNamespace } from '../namespaces/namespaces.ts'
import { isCommunity } from '../options.ts'
import { agentCheckOf, checkProblem, isCheckStatus } from './check-input.ts'
import type { CheckDefinitionInput } from './definitions.ts'
import { agentService } from './registry.ts'
import type { AgentCheck } from './tables.ts'

/**
 * Formats the ID of a service or check for messages. Outside the community edition, the partition
 * and the namespace precede the ID.
 */
export function printedId(world: World, namespace: string, id: string): string {
  return isCommunity(world) ? id : `default/${namespace}/${id}`
}

/** Throws a refusal for the first error of a check's registration (behaviour/mesh#agent-checks). */
export function validateCheck(input: CheckDefinitionInput): void {
  if ((input.Name ?? '') === '') throw refuse('check-name-unsaid')
  if (!isCheckStatus(input.Status)) throw refuse('check-status-unknown')
  const reason = checkProblem(input)
  if (reason !== undefined) throw refuse('check-invalid', { reason })
}

/**
 * Converts the registration of a check to its stored form. Throws a refusal if the agent does not
 * have the service that the registration names.
 *
 * @param scope the namespace of the registration
 */
export function checkOfDefinition(
  world: World,
  input: CheckDefinitionInput,
  scope: string,
): AgentCheck {
  const { Name: name = '', ServiceID = '', Token = '' } = input
  const service = ServiceID === '' ? undefined : agentService(world, scope, ServiceID)
  if (ServiceID !== '' && service === undefined) {
    throw refuse('agent-check-service-absent', { id: printedId(world, scope, ServiceID) })
  }
  // Checks of the node belong to no namespace, and are stored under `default`.
  const namespace = service === undefined ? defaultNamespace : scope
  const check = agentCheckOf(input, { namespace, id: input.ID || name, name }, service, '0s')
  return Token === '' ? check : { ...check, token: Token }
}
