import { MILLISECOND, parseGoDuration } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import type { JobHandler as AgendaJob } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { commitVersion, type VersionCommit } from '../cluster/model/commit-version.ts'
import type { Job } from '../job/job-shape.ts'
import { refuse } from '../messages.ts'
import { collectChildren } from '../operator/garbage-collection.ts'
import { optionsOf } from '../options.ts'
import { launchesAutomatically, launchJobName, scheduleLaunch } from '../records/launches.ts'
import { findJob, hasLiveChildren, isPeriodic } from '../records/store.ts'

/** The response to a forced launch (behaviour/scheduler#beyond). */
interface ForceReply {
  readonly EvalID: string
  readonly EvalCreateIndex: number
  readonly Index: number
}

/**
 * Launches a periodic job now, even while an earlier child runs.
 *
 * @throws Refusal 500 if there is no such job or its periodic block is disabled
 */
export function forceLaunch(world: World, namespace: string, id: string): ForceReply {
  const job = findJob(world, namespace, id)
  if (job === undefined) throw refuse('launch-job-not-found')
  if (!isPeriodic(job)) throw refuse('launch-not-periodic')
  if (!launchesAutomatically(job)) {
    throw refuse('launch-not-tracked', { job: quoteGo(id), namespace })
  }
  const { evaluation, index } = launchChild(world, job, world.clock.now())
  return { EvalID: evaluation?.ID ?? '', EvalCreateIndex: index, Index: index }
}

/**
 * Creates the child of a periodic job for an instant in milliseconds since 1970
 * (behaviour/scheduler#periodic).
 */
function launchChild(world: World, parent: Job, at: number): VersionCommit {
  const id = `${parent.ID}/periodic-${Math.floor(at / 1000)}`
  const child: Job = {
    ...parent,
    ID: id,
    Name: id,
    ParentID: parent.ID,
    Periodic: null,
    Stable: false,
  }
  return commitVersion(world, child, { trigger: 'periodic-job' })
}

/** Launches a periodic job when it is due, and schedules the next launch. */
const runDueLaunch: AgendaJob = (world, { at, id }) => {
  const [namespace = '', jobId = ''] = id.split(' ')
  const job = findJob(world, namespace, jobId)
  if (job === undefined || !launchesAutomatically(job)) return
  scheduleLaunch(world, job, at)
  const { jobGCThreshold } = optionsOf(world)
  if (jobGCThreshold !== 'never') {
    collectChildren(world, job, at - parseGoDuration(jobGCThreshold) / MILLISECOND)
  }
  if (job.Periodic?.ProhibitOverlap === true && hasLiveChildren(world, job)) return
  launchChild(world, job, at)
}

/** Agenda jobs of periodic launches. */
export const periodicAgendaJobs: Readonly<Record<string, AgendaJob>> = {
  [launchJobName]: runDueLaunch,
}
