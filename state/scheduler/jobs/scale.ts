import { quoteGo } from '../../go/text.ts'
import type { World } from '../../kernel/world.ts'
import { commitVersion, type VersionCommit } from '../cluster/commit.ts'
import { activeDeployment } from '../cluster/deployments.ts'
import { nextIndex } from '../indexes.ts'
import type { Job, TaskGroup } from '../job/job-shape.ts'
import { jobKey } from '../keys.ts'
import type { ScalingEvent } from '../records/shapes.ts'
import { jobOf, scalingEventsOf } from '../records/store.ts'
import { copiedSource } from '../records/submissions.ts'
import { scalingEvents } from '../records/tables.ts'
import { nanosecondsNow } from '../records/versions.ts'
import { refuse } from '../texts.ts'
import { refuseClosed } from './context.ts'
import type { RegisterReply, ScaleRequest } from './request-shapes.ts'

/** The number of events that are kept for each group. */
const keptEvents = 20

/**
 * Changes the count of a group, which makes a version and an evaluation, or only notes an event when no
 * count is given (behaviour/scheduler#scale).
 *
 * @throws Refusal 404 for an unknown job, 400 for what cannot be done, 403 while registration is closed,
 * 500 for another state of the job than the one that is meant
 */
export function scaleJob(
  world: World,
  namespace: string,
  id: string,
  request: ScaleRequest,
  { management }: { readonly management?: boolean } = {},
): RegisterReply {
  const target = new Map(Object.entries(request.Target ?? {}))
  refuseOtherJob(request, id)
  refuseClosed(world, management)
  const sentNamespace = target.get('Namespace')
  if (sentNamespace && sentNamespace !== namespace) throw refuse('scale-namespace-mismatch')
  const groupName = target.get('Group')
  if (!groupName) throw refuse('scale-group-unnamed')
  const { Count } = request
  if (Count !== null && Count < 0) throw refuse('scale-count-negative')
  if (Count !== null && request.Error === true) {
    throw refuse('scale-count-with-error')
  }
  const job = scalable(world, namespace, id, Count)
  const group = job.TaskGroups?.find(({ Name }) => Name === groupName)
  if (group === undefined) {
    throw refuse('scale-group-unknown', { group: quoteGo(groupName) })
  }
  if (Count !== null) {
    refuseCount(world, job, group, Count)
    refuseOtherIndex(job, request.JobModifyIndex ?? 0)
  }
  return world.write(() => {
    const commit = Count === null ? undefined : commitCount(world, job, groupName, Count)
    const index = nextIndex(world)
    noteEvent(world, job, groupName, {
      Time: nanosecondsNow(world),
      PreviousCount: group.Count,
      Count,
      Error: request.Error ?? false,
      Message: request.Message ?? '',
      Meta: request.Meta,
      EvalID: commit?.evaluation?.ID ?? null,
      CreateIndex: index,
    })
    return {
      EvalID: commit?.evaluation?.ID ?? '',
      EvalCreateIndex: commit?.evaluation === undefined ? 0 : index,
      JobModifyIndex: commit === undefined ? job.ModifyIndex : index,
      Warnings: [],
      Index: index,
    }
  })
}

/**
 * Refuses a request whose target is another job than the path's, which nobody needs rights for
 * (behaviour/scheduler#scale).
 *
 * @throws Refusal 400
 */
export function refuseOtherJob({ Target }: ScaleRequest, id: string): void {
  const sent = Target === null ? undefined : new Map(Object.entries(Target)).get('Job')
  if (sent && sent !== id) throw refuse('scale-job-mismatch')
}

function scalable(world: World, namespace: string, id: string, count: number | null): Job {
  const job = jobOf(world, namespace, id)
  if (job === undefined) throw refuse('scale-job-not-found', { job: quoteGo(id) })
  if (job.Type === 'system' && count !== null && count > 1) throw refuse('scale-system')
  return job
}

function refuseCount(world: World, job: Job, { Scaling }: TaskGroup, count: number): void {
  if (Scaling !== null && count < Scaling.Min) {
    throw refuse('scale-below-minimum', { count, bound: Scaling.Min })
  }
  if (Scaling !== null && count > Scaling.Max) {
    throw refuse('scale-above-maximum', { count, bound: Scaling.Max })
  }
  if (activeDeployment(world, job.Namespace, job.ID)?.JobCreateIndex === job.CreateIndex) {
    throw refuse('scale-deploying')
  }
}

/** Refuses to scale another state of a job than the one that is meant; 0 is any. */
function refuseOtherIndex({ JobModifyIndex: current }: Job, index: number): void {
  if (index > 0 && index !== current) throw refuse('index-conflict', { index, current })
}

function commitCount(world: World, job: Job, groupName: string, Count: number): VersionCommit {
  const groups = job.TaskGroups ?? []
  const scaled: Job = {
    ...job,
    TaskGroups: groups.map((group) => (group.Name === groupName ? { ...group, Count } : group)),
  }
  const source = copiedSource(world, job, job.Version)
  return commitVersion(world, scaled, { trigger: 'job-scaling', source })
}

function noteEvent(world: World, job: Job, group: string, event: ScalingEvent): void {
  const { Namespace, ID } = job
  const events = new Map(Object.entries(scalingEventsOf(world, Namespace, ID)?.ScalingEvents ?? {}))
  events.set(group, [event, ...(events.get(group) ?? [])].slice(0, keptEvents))
  world.table(scalingEvents).put(jobKey(Namespace, ID), {
    Namespace,
    JobID: ID,
    ScalingEvents: Object.fromEntries(events),
    ModifyIndex: nextIndex(world),
  })
}
