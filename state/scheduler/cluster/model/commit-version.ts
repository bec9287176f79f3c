import type { World } from '../../../kernel/worlds/world.ts'
import { nextIndex } from '../../indexes.ts'
import type { Job } from '../../job/job-shape.ts'
import { scheduleLaunch } from '../../records/launches.ts'
import { findJob, isLauncher, upsertJob } from '../../records/store.ts'
import { type Source, storeSource } from '../../records/submissions.ts'
import { createEvaluation, type EvaluationTrigger } from './evaluations.ts'
import { countChild, ensureSummary } from './job-summaries.ts'
import type { Evaluation } from './placement-shapes.ts'

/** Details stored with a new version of a job. */
interface VersionExtras {
  /** The trigger of its evaluation. */
  readonly trigger: EvaluationTrigger
  /** Priority of the evaluation; the job's by default. */
  readonly priority?: number | undefined
  /** Source text to store with the version. */
  readonly source?: Source | undefined
}

/** The results of committing a version. */
export interface VersionCommit {
  /** The stored job; a rule updates its `Status` when the transaction commits (job-status.ts). */
  readonly job: Job
  /** Undefined for periodic and parameterized jobs, which only launch other jobs. */
  readonly evaluation: Evaluation | undefined
  /** The index of all rows of the commit. */
  readonly index: number
}

/**
 * Writes the next version of a job in one commit: version, summary, source, evaluation and next
 * launch (behaviour/scheduler#versions).
 */
export function commitVersion(
  world: World,
  job: Job,
  { trigger, priority, source }: VersionExtras,
): VersionCommit {
  return world.write(() => {
    const isNew = findJob(world, job.Namespace, job.ID) === undefined
    const storedVersion = upsertJob(world, job)
    if (source !== undefined) storeSource(world, storedVersion, source)
    ensureSummary(world, storedVersion)
    if (isNew) countChild(world, storedVersion, undefined, storedVersion.Status)
    scheduleLaunch(world, storedVersion)
    const evaluation = isLauncher(storedVersion)
      ? undefined
      : createEvaluation(world, {
          job: storedVersion,
          triggeredBy: trigger,
          ...(priority === undefined ? {} : { priority }),
        })
    return { job: storedVersion, evaluation, index: nextIndex(world) }
  })
}
