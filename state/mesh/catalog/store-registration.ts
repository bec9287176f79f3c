import type { World } from '../../kernel/worlds/world.ts'
import { scheduleSync } from '../agent/anti-entropy.ts'
import {
  catalogCheckOf,
  catalogNodeOf,
  catalogServiceOf,
  type RegisterInput,
} from './registration.ts'
import { storeCheck, storeNode, storeService } from './writes.ts'

/** Functions that resolve the names in a registration. */
interface RegistrationNames {
  /** Returns the namespace of a service or check in its original spelling. */
  namespaceOf(part: { readonly Namespace?: string }): string
  /** Returns the stored form of a name, which is empty for the server's own service. */
  toStoredName(name: string): string
}

type CatalogRegistration = ReturnType<typeof catalogRegistrationOf>

/**
 * Converts a registration to the rows that it stores. Throws a refusal if the registration is
 * invalid.
 */
export function catalogRegistrationOf(
  world: World,
  input: RegisterInput,
  { namespaceOf, toStoredName }: RegistrationNames,
) {
  const node = catalogNodeOf(world, input)
  const { Node = '', Service, Check, Checks = [] } = input
  const service = Service && catalogServiceOf(Node, Service, namespaceOf(Service), toStoredName)
  const checks = [...(Check === undefined ? [] : [Check]), ...Checks].map((check) =>
    catalogCheckOf(world, Node, check, namespaceOf(check), service),
  )
  return { node, service, checks }
}

/**
 * Stores the rows of a registration in one transaction, and schedules an anti-entropy pass if they
 * concern the agent's node.
 *
 * @param name name of the node
 */
export function storeRegistration(
  world: World,
  name: string,
  { node, service, checks }: CatalogRegistration,
): void {
  world.write(() => {
    if (node !== undefined) storeNode(world, node)
    if (service !== undefined) storeService(world, service)
    for (const check of checks) storeCheck(world, check)
    scheduleSync(world, name)
  })
}
