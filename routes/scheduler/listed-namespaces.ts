import type { Capability } from '../../state/scheduler/acl/rules.ts'
import { sortNamespaces } from '../../state/scheduler/jobs/listing.ts'
import { refuse } from '../../state/scheduler/messages.ts'
import { allNamespaces } from '../../state/scheduler/namespaces.ts'
import { requireCapability } from './access.ts'
import type { SchedulerContext } from './operation.ts'

/**
 * Namespace parameter that stands for all namespaces in lists (behaviour/scheduler#conventions).
 */
const wildcard = '*'

/** Returns the requested namespaces, one or all, in which the caller has a capability, sorted. */
export function namespacesWith(
  { caller, namespace, world }: SchedulerContext,
  capability: Capability,
): readonly string[] {
  const names = namespace === wildcard ? allNamespaces(world).map(({ Name }) => Name) : [namespace]
  return sortNamespaces(names.filter((name) => caller.may(name, capability)))
}

/**
 * Returns the namespaces of a list. Throws if the caller has the capability in none of them
 * (behaviour/scheduler#namespace).
 */
export function listedNamespaces(
  context: SchedulerContext,
  capability: Capability,
): readonly string[] {
  const { caller, namespace } = context
  if (namespace !== wildcard) requireCapability(context, namespace, capability)
  else if (!caller.mayAny(capability)) throw refuse('permission-denied')
  return namespacesWith(context, capability)
}
