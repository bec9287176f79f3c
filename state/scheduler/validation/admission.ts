import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/message.ts'
import type { Job } from '../job/job-shape.ts'
import { refuse } from '../messages.ts'
import { failedChecks, multiError } from './errors.ts'
import { jobErrors } from './job.ts'
import { message } from './job-messages.ts'
import { disabledSecretsErrors, emptySecretsErrors } from './secrets.ts'

/** The facts that a job is measured against beyond itself. */
export interface AdmissionContext {
  namespaceExists(name: string): boolean
  nodePoolExists(name: string): boolean
  /** True when tasks may have something of the secrets service. */
  readonly secretsEnabled: boolean
  /** The number of allocations that the groups of a job may ask for together; 0 for any number. */
  readonly maxCount: number
}

const minPriority = 1
const maxPriority = 100

/**
 * Everything that keeps a canonical job from being registered, in the order of
 * behaviour/scheduler#validation: namespace, node pool, the job itself, then what may not be sent.
 */
export function validationErrors(job: Job, context: AdmissionContext): readonly Message[] {
  const { ID, Namespace, NodePool, Priority } = job
  const { maxCount: max } = context
  const count = (job.TaskGroups ?? []).reduce((total, { Count }) => total + Count, 0)
  return [
    ...(context.secretsEnabled ? [] : disabledSecretsErrors(job)),
    ...failedChecks(
      !context.namespaceExists(Namespace) &&
        message('namespace-nonexistent', { job: quoteGo(ID), namespace: quoteGo(Namespace) }),
      !context.nodePoolExists(NodePool) &&
        message('node-pool-nonexistent', { job: quoteGo(ID), pool: quoteGo(NodePool) }),
    ),
    ...jobErrors(job),
    ...failedChecks(
      job.Type === '_core' && message('job-type-core'),
      job.Payload !== null && message('job-payload-sent'),
      (Priority < minPriority || Priority > maxPriority) &&
        message('job-priority-out-of-range', { low: minPriority, high: maxPriority }),
    ),
    ...(context.secretsEnabled ? [] : emptySecretsErrors(job)),
    ...failedChecks(max > 0 && count > max && message('job-count-too-high', { count, most: max })),
  ]
}

/** @throws Refusal (500) with all errors in one text */
export function refuseInvalid(job: Job, context: AdmissionContext): void {
  const errors = validationErrors(job, context)
  if (errors.length > 0) throw refuse('job-invalid', { errors: multiError(errors) })
}
