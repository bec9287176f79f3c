import type { Capability } from '../../state/scheduler/acl/capabilities.ts'
import { sortNamespaces } from '../../state/scheduler/jobs/listing.ts'
import { refuse } from '../../state/scheduler/messages.ts'
import { allNamespaces } from '../../state/scheduler/namespaces.ts'
import { requireCapability } from './access.ts'
import type { SchedulerContext } from './operation.ts'

/** The name that stands for all namespaces in lists (behaviour/scheduler#conventions). */
const wildcard = '*'

/**
 * The namespaces that a request is about and in which the caller has a capability, in order: the one
 * that is asked for, or all of them.
 */
export function namespacesWith(
  { caller, namespace, world }: SchedulerContext,
  capability: Capability,
): readonly string[] {
  const names = namespace === wildcard ? allNamespaces(world).map(({ Name }) => Name) : [namespace]
  return sortNamespaces(names.filter((name) => caller.may(name, capability)))
}

/** The same for a list, which is refused to who has the capability nowhere (behaviour/scheduler#namespace). */
export function listedNamespaces(
  context: SchedulerContext,
  capability: Capability,
): readonly string[] {
  const { caller, namespace } = context
  if (namespace !== wildcard) requireCapability(context, namespace, capability)
  else if (!caller.mayAny(capability)) throw refuse('permission-denied')
  return namespacesWith(context, capability)
}
