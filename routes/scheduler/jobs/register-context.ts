import type { RegisterContext } from '../../../state/scheduler/jobs/context.ts'
import { optionsOf } from '../../../state/scheduler/options.ts'
import { demand } from '../access.ts'
import type { SchedulerContext } from '../operation.ts'

/** Who registers, and how, as the state wants to know it. */
export function registerContext(context: SchedulerContext, pathId?: string): RegisterContext {
  const { caller } = context
  return {
    pathId,
    queryNamespace: context.sentNamespace,
    authorize(job, needs) {
      for (const need of needs) demand(context, job.Namespace, need)
    },
    accessorId: caller.accessorId,
    management: isManager(context),
    vendor: context.dialect.isVendor,
  }
}

/** Whether the caller holds a management token; false without ACLs. */
export function isManager({ caller, world }: SchedulerContext): boolean {
  return optionsOf(world).aclEnabled && caller.isManagement
}
