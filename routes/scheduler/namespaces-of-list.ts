import type { Capability } from '../../state/scheduler/acl/capabilities.ts'
import { inOrder } from '../../state/scheduler/jobs/listing.ts'
import { allNamespaces } from '../../state/scheduler/namespaces.ts'
import { denied } from '../../state/scheduler/refusals.ts'
import { demand } from './access.ts'
import type { SchedulerContext } from './operation.ts'

/** The name that stands for all namespaces in lists (3b-scheduler-decisions.md section 1). */
const anyNamespace = '*'

/**
 * The namespaces that a list is about, in order: the one that is asked for, or all of those in which
 * the caller has the capability. Refuses who has it nowhere (section 1, Namespace).
 */
export function listedNamespaces(
  context: SchedulerContext,
  capability: Capability,
): readonly string[] {
  const { caller, namespace, world } = context
  if (namespace !== anyNamespace) {
    demand(context, namespace, capability)
    return [namespace]
  }
  if (!caller.mayAny(capability)) throw denied()
  const names = allNamespaces(world).map(({ Name }) => Name)
  return inOrder(names.filter((name) => caller.may(name, capability)))
}
