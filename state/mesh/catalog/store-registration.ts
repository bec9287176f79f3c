import type { World } from '../../kernel/worlds/world.ts'
import { scheduleSync } from '../agent/anti-entropy.ts'
import { catalogCheckOf, catalogServiceOf, nodeOf, type RegisterInput } from './registration.ts'
import { storeCheck, storeNode, storeService } from './writes.ts'

/** Readers of the names in a registration. */
interface RegistrationNames {
  /** Returns the namespace of a part of the registration. */
  scopeOf(part: { readonly Namespace?: string }): string
  /** Returns the stored form of a name, which is empty for the server's own service. */
  stored(name: string): string
}

/** The parts of a registration in the catalog. */
type CatalogRegistration = ReturnType<typeof catalogRegistrationOf>

/** Returns the rows that a registration stores. Throws if the registration is invalid. */
export function catalogRegistrationOf(
  world: World,
  input: RegisterInput,
  { scopeOf, stored }: RegistrationNames,
) {
  const node = nodeOf(world, input)
  const { Node = '', Service, Check, Checks = [] } = input
  const service = Service && catalogServiceOf(Node, Service, scopeOf(Service), stored)
  const checks = [...(Check === undefined ? [] : [Check]), ...Checks].map((check) =>
    catalogCheckOf(world, Node, check, scopeOf(check), service),
  )
  return { node, service, checks }
}

/** Stores the parts of a registration in one write. */
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
