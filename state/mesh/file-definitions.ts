import type { JsonObject } from '../kernel/json.ts'
import { list, text } from '../kernel/shape/kinds.ts'
import { struct } from '../kernel/shape/members.ts'
import type { World } from '../kernel/worlds/world.ts'
import { checkDefinition, serviceDefinition } from './agent/definitions.ts'
import { removeAgentCheck, removeAgentService } from './agent/registry.ts'
import { serviceOf } from './agent/service-input.ts'
import { agentChecks, agentRowKey, agentServices } from './agent/tables.ts'
import { decodeBodyValue } from './decoding.ts'
import { loadersBySection } from './fixture-objects.ts'
import { meshTable } from './indexes.ts'
import { refuse } from './messages.ts'
import { defaultNamespace } from './namespaces/namespaces.ts'

/**
 * Services and checks from configuration files of the agent, in the form of the request bodies that
 * register them.
 */
interface FileDefinitions {
  readonly services: readonly object[]
  readonly checks: readonly object[]
}

/** Configuration files of the agent (behaviour/mesh#agent). */
export interface AgentFiles {
  /** Definitions with which the server started. */
  readonly initial: FileDefinitions
  /** Reads the files again. Returns their definitions, or a message if the files cannot be read. */
  read(): FileDefinitions | { readonly problem: string }
}

/**
 * Keys under which the agent stores the services and checks that the files defined when they were
 * last read. A world whose agent was never reloaded has no row.
 */
export const fileDefinitions = meshTable(
  'file-definitions',
  struct({ services: list(text), checks: list(text) }),
  { secrets: 'none', keepsIndex: true },
)

/** Returns the keys under which the agent stores the services and checks that files define. */
function keysOf(world: World, { services, checks }: FileDefinitions) {
  const registrations = services.map((each) => {
    const definition = decodeBodyValue(each as JsonObject, serviceDefinition)
    return serviceOf(world, definition, definition.Namespace || defaultNamespace)
  })
  const checkKeys = checks.map((each) => {
    const {
      ID,
      Name = '',
      Namespace,
      ServiceID,
    } = decodeBodyValue(each as JsonObject, checkDefinition)
    return agentRowKey((ServiceID && Namespace) || defaultNamespace, ID || Name)
  })
  const serviceChecks = registrations.flatMap((registration) => registration.checks)
  return {
    services: registrations.map(({ service }) => agentRowKey(service.namespace, service.id)),
    checks: [
      ...checkKeys,
      ...serviceChecks.map((each) => agentRowKey(each.namespace, each.check_id)),
    ],
  }
}

/**
 * Reads the files again, and replaces the services and checks that the files defined when they were
 * last read. Checks that remain keep their status. Registrations through the API are unaffected.
 * Throws a refusal for unreadable files before anything changes, and for invalid definitions inside
 * the transaction.
 */
export function reloadAgent(world: World, files: AgentFiles): void {
  const read = files.read()
  if ('problem' in read) throw refuse('reload-failed', { problem: read.problem })
  world.write(() => {
    const before = world.table(fileDefinitions).get('') ?? keysOf(world, files.initial)
    const after = keysOf(world, read)
    for (const key of before.checks.filter((each) => !after.checks.includes(each))) {
      const check = world.table(agentChecks).get(key)
      if (check !== undefined) removeAgentCheck(world, check)
    }
    for (const key of before.services.filter((each) => !after.services.includes(each))) {
      const service = world.table(agentServices).get(key)
      if (service !== undefined) removeAgentService(world, service)
    }
    for (const service of read.services) loadersBySection.services(world, service as JsonObject)
    for (const check of read.checks) loadersBySection.checks(world, check as JsonObject)
    world.table(fileDefinitions).put('', after)
  })
}
