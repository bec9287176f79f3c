import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/wording.ts'
import type { Job } from '../job/job-shape.ts'
import { refuse } from '../texts.ts'
import { failing, multiError } from './errors.ts'
import { jobErrors } from './job.ts'
import { message } from './job-texts.ts'
import { disabledSecretsErrors, emptySecretsErrors } from './secrets.ts'

/** The facts that a job is measured against beyond itself. */
export interface AdmissionFacts {
  namespaceExists(name: string): boolean
  nodePoolExists(name: string): boolean
  /** True when tasks may have something of the secrets service. */
  readonly secretsEnabled: boolean
  /** The number of allocations that the groups of a job may ask for together; 0 for any number. */
  readonly maxCount: number
}

const low = 1
const high = 100

/**
 * Everything that keeps a canonical job from being registered, in the order of
 * behaviour/scheduler#validation: namespace, node pool, the job itself, then what may not be sent.
 */
export function validationErrors(job: Job, facts: AdmissionFacts): readonly Message[] {
  const { ID, Namespace, NodePool, Priority } = job
  const { maxCount: most } = facts
  const count = (job.TaskGroups ?? []).reduce((total, { Count }) => total + Count, 0)
  return [
    ...(facts.secretsEnabled ? [] : disabledSecretsErrors(job)),
    ...failing(
      !facts.namespaceExists(Namespace) &&
        message('namespace-nonexistent', { job: quoteGo(ID), namespace: quoteGo(Namespace) }),
      !facts.nodePoolExists(NodePool) &&
        message('node-pool-nonexistent', { job: quoteGo(ID), pool: quoteGo(NodePool) }),
    ),
    ...jobErrors(job),
    ...failing(
      job.Type === '_core' && message('job-type-core'),
      job.Payload !== null && message('job-payload-sent'),
      (Priority < low || Priority > high) && message('job-priority-out-of-range', { low, high }),
    ),
    ...(facts.secretsEnabled ? [] : emptySecretsErrors(job)),
    ...failing(most > 0 && count > most && message('job-count-too-high', { count, most })),
  ]
}

/** @throws Refusal (500) with all errors in one text */
export function refuseInvalid(job: Job, facts: AdmissionFacts): void {
  const errors = validationErrors(job, facts)
  if (errors.length > 0) throw refuse('job-invalid', { errors: multiError(errors) })
}
