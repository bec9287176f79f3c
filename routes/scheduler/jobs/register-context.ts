import { toVendorSpelling } from '../../../state/kernel/shape/dialect.ts'
import { type Job, jobShape } from '../../../state/scheduler/job/job-shape.ts'
import type { RegisterContext } from '../../../state/scheduler/jobs/context.ts'
import { optionsOf } from '../../../state/scheduler/options.ts'
import { requireCapability } from '../access.ts'
import type { SchedulerContext } from '../operation.ts'

/** Creates the context of a registration from that of the operation. */
export function registerContext(context: SchedulerContext, pathId?: string): RegisterContext {
  return new CallerRegisterContext(context, pathId)
}

/** A class because of its getters, like the context of operations. */
class CallerRegisterContext implements RegisterContext {
  readonly pathId: string | undefined
  readonly queryNamespace: string | undefined
  readonly isVendor: boolean
  readonly spell?: (job: Job) => Job
  readonly #context: SchedulerContext

  constructor(context: SchedulerContext, pathId: string | undefined) {
    const { dialect } = context
    this.#context = context
    this.pathId = pathId
    this.queryNamespace = context.queryNamespace
    this.isVendor = dialect.isVendor
    if (dialect.isVendor) this.spell = (job) => toVendorSpelling(job, jobShape)
  }

  // The caller is resolved only after the checks that answer 400 (behaviour/scheduler#jobs).
  get accessorId(): string {
    return this.#context.caller.accessorId
  }

  get isManagement(): boolean {
    return isManagementCaller(this.#context)
  }

  authorize: RegisterContext['authorize'] = (job, capabilities) => {
    for (const capability of capabilities)
      requireCapability(this.#context, job.Namespace, capability)
  }
}

/** Returns whether the caller has a management token; false while ACLs are disabled. */
export function isManagementCaller({ caller, world }: SchedulerContext): boolean {
  return optionsOf(world).aclEnabled && caller.isManagement
}
