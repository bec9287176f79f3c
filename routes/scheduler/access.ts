import type { Capability } from '../../state/scheduler/acl/capabilities.ts'
import { refuse } from '../../state/scheduler/texts.ts'
import type { SchedulerContext } from './operation.ts'

/** Refuses a caller without a capability in a namespace (3b-scheduler-decisions.md section 1, Auth). */
export function demand(
  { caller }: SchedulerContext,
  namespace: string,
  capability: Capability,
): void {
  if (!caller.may(namespace, capability)) throw refuse('permission-denied')
}

/** Refuses a caller that is not management (section 10: writes of namespaces, ACLs, nodes). */
export function demandManagement({ caller }: SchedulerContext): void {
  if (!caller.isManagement) throw refuse('permission-denied')
}
