import { type Job, jobShape } from '../../../state/scheduler/job/job-shape.ts'
import type { RegisterContext } from '../../../state/scheduler/jobs/context.ts'
import { optionsOf } from '../../../state/scheduler/options.ts'
import { demand } from '../access.ts'
import type { SchedulerContext } from '../operation.ts'

/** Who registers, and how, as the state wants to know it. */
export function registerContext(context: SchedulerContext, pathId?: string): RegisterContext {
  const { dialect } = context
  return {
    pathId,
    queryNamespace: context.sentNamespace,
    authorize(job, needs) {
      for (const need of needs) demand(context, job.Namespace, need)
    },
    // Who calls is asked for after the 400s (3b-scheduler-decisions.md section 2).
    get accessorId() {
      return context.caller.accessorId
    },
    get management() {
      return isManager(context)
    },
    vendor: dialect.isVendor,
    ...(dialect.isVendor ? { asRead: (spec: Partial<Job>) => dialect.value(jobShape, spec) } : {}),
  }
}

/** Tells whether the caller holds a management token; false without ACLs. */
export function isManager({ caller, world }: SchedulerContext): boolean {
  return optionsOf(world).aclEnabled && caller.isManagement
}
