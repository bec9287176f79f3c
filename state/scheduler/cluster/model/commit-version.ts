import type { World } from '../../../kernel/worlds/world.ts'
import { nextIndex } from '../../indexes.ts'
import type { Job } from '../../job/job-shape.ts'
import { scheduleLaunch } from '../../records/launches.ts'
import { findJob, isLauncher } from '../../records/store.ts'
import { type Source, storeSource } from '../../records/submissions.ts'
import { upsertJob } from '../../records/versions.ts'
import { createEvaluation, type EvaluationTrigger } from './evaluations.ts'
import { countChild, ensureSummary } from './job-summaries.ts'
import type { Evaluation } from './placement-shapes.ts'

/** The companions of a new version of a job. */
interface VersionExtras {
  /** Why it is evaluated. */
  readonly trigger: EvaluationTrigger
  /** The evaluation's priority, if not the job's. */
  readonly priority?: number | undefined
  /** The source to keep for the version. */
  readonly source?: Source | undefined
}

/** The results of committing a version. */
export interface VersionCommit {
  /** As it was written; its Status follows with the commit (job-status.ts). */
  readonly job: Job
  /** None for periodic and parameterized jobs: they only launch others. */
  readonly evaluation: Evaluation | undefined
  /** The index that all of it shares. */
  readonly index: number
}

/**
 * Writes the next version of a job with all that belongs to it, in one commit: version, summary,
 * source, evaluation and the next launch (behaviour/scheduler#versions).
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
