import { quoteGo } from '../../go/text.ts'
import type { Job } from '../job/job-shape.ts'
import { rejected } from '../refusals.ts'
import { failing, multiError } from './errors.ts'
import { jobErrors } from './job.ts'

/** What a job is measured against beyond itself. */
export interface AdmissionFacts {
  namespaceExists(name: string): boolean
  nodePoolExists(name: string): boolean
  /** How many allocations the groups of a job may ask for together; 0 for any number. */
  readonly maxCount: number
}

const lowestPriority = 1
const highestPriority = 100

/**
 * Everything that keeps a canonical job from being registered, in the order of
 * 3b-scheduler-decisions.md section 5: namespace, node pool, the job itself, then what may not be sent.
 */
export function validationErrors(job: Job, facts: AdmissionFacts): readonly string[] {
  const { ID, Namespace, NodePool, Priority } = job
  const count = (job.TaskGroups ?? []).reduce((total, { Count }) => total + Count, 0)
  return [
    ...failing(
      [
        !facts.namespaceExists(Namespace),
        `job ${quoteGo(ID)} is in nonexistent namespace ${quoteGo(Namespace)}`,
      ],
      [
        !facts.nodePoolExists(NodePool),
        `job ${quoteGo(ID)} is in nonexistent node pool ${quoteGo(NodePool)}`,
      ],
    ),
    ...jobErrors(job),
    ...failing(
      [job.Type === '_core', 'job type cannot be core'],
      [job.Payload !== null, "job can't be submitted with a payload, only dispatched"],
      [
        Priority < lowestPriority || Priority > highestPriority,
        `job priority must be between [${lowestPriority}, ${highestPriority}]`,
      ],
      [
        facts.maxCount > 0 && count > facts.maxCount,
        `total count was greater than configured job_max_count: ${count} > ${facts.maxCount}`,
      ],
    ),
  ]
}

/** @throws Refusal (500) with all errors in one text */
export function refuseInvalid(job: Job, facts: AdmissionFacts): void {
  const errors = validationErrors(job, facts)
  if (errors.length > 0) throw rejected(multiError(errors))
}
