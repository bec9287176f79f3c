import { quoteGo } from '../../go/text.ts'
import type { Integer } from '../../kernel/integers.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { activeDeployment } from '../cluster/deployments/deployments.ts'
import { commitVersion, type VersionCommit } from '../cluster/model/evaluations.ts'
import { nextIndex } from '../indexes.ts'
import type { Job, TaskGroup } from '../job/job-shape.ts'
import { jobKey } from '../keys.ts'
import { refuse } from '../messages.ts'
import type { ScalingEvent } from '../records/shapes.ts'
import { findJob, nanosecondsNow, scalingEventsOf } from '../records/store.ts'
import { findSource } from '../records/submissions.ts'
import { scalingEvents } from '../records/tables.ts'
import { refuseClosedRegistration } from './context.ts'
import type { RegisterReply, ScaleRequest } from './request-shapes.ts'

/** Maximum number of stored scaling events per group. */
const maxGroupEvents = 20

/**
 * Changes the count of a group, which creates a version and an evaluation. A request without a
 * count only records a scaling event (behaviour/scheduler#scale).
 *
 * @throws Refusal 400 for an invalid request or count, and during a deployment; 403 while
 * registration is closed; 404 if no job has the ID; 500 if the job's index differs from the
 * expected one
 */
export function scaleJob(
  world: World,
  namespace: string,
  id: string,
  request: ScaleRequest,
  { isManagement }: { readonly isManagement?: boolean } = {},
): RegisterReply {
  const target = new Map(Object.entries(request.Target ?? {}))
  refuseTargetMismatch(request, id)
  refuseClosedRegistration(world, isManagement)
  const targetNamespace = target.get('Namespace')
  if (targetNamespace && targetNamespace !== namespace) throw refuse('scale-namespace-mismatch')
  const groupName = target.get('Group')
  if (!groupName) throw refuse('scale-group-unnamed')
  const { Count } = request
  if (Count !== null && Count < 0) throw refuse('scale-count-negative')
  if (Count !== null && request.Error === true) {
    throw refuse('scale-count-with-error')
  }
  const job = requireScalable(world, namespace, id, Count)
  const group = job.TaskGroups?.find(({ Name }) => Name === groupName)
  if (group === undefined) {
    throw refuse('scale-group-unknown', { group: quoteGo(groupName) })
  }
  if (Count !== null) {
    refuseCount(world, job, group, Count)
    refuseIndexMismatch(job, request.JobModifyIndex ?? 0)
  }
  return world.write(() => {
    const versionCommit = Count === null ? undefined : commitCount(world, job, groupName, Count)
    const index = nextIndex(world)
    addScalingEvent(world, job, groupName, {
      Time: nanosecondsNow(world),
      PreviousCount: group.Count,
      Count,
      Error: request.Error ?? false,
      Message: request.Message ?? '',
      Meta: request.Meta,
      EvalID: versionCommit?.evaluation?.ID ?? null,
      CreateIndex: index,
    })
    return {
      EvalID: versionCommit?.evaluation?.ID ?? '',
      EvalCreateIndex: versionCommit?.evaluation === undefined ? 0 : index,
      JobModifyIndex: versionCommit === undefined ? job.ModifyIndex : index,
      Warnings: [],
      Index: index,
    }
  })
}

/**
 * Refuses a request whose target is not the job in the path. The caller's capabilities are checked
 * only afterwards (behaviour/scheduler#scale).
 *
 * @throws Refusal 400
 */
export function refuseTargetMismatch({ Target }: ScaleRequest, id: string): void {
  const targetJob = Target === null ? undefined : new Map(Object.entries(Target)).get('Job')
  if (targetJob && targetJob !== id) throw refuse('scale-job-mismatch')
}

function requireScalable(world: World, namespace: string, id: string, count: Integer | null): Job {
  const job = findJob(world, namespace, id)
  if (job === undefined) throw refuse('scale-job-not-found', { job: quoteGo(id) })
  if (job.Type === 'system' && count !== null && count > 1) throw refuse('scale-system')
  return job
}

function refuseCount(world: World, job: Job, { Scaling }: TaskGroup, count: Integer): void {
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

/**
 * Refuses to scale a job unless its JobModifyIndex is the expected one.
 * @param index 0 accepts any JobModifyIndex
 */
function refuseIndexMismatch({ JobModifyIndex: current }: Job, index: Integer): void {
  if (index > 0 && index !== current) throw refuse('index-conflict', { index, current })
}

function commitCount(world: World, job: Job, groupName: string, Count: Integer): VersionCommit {
  const groups = job.TaskGroups ?? []
  const scaledJob: Job = {
    ...job,
    TaskGroups: groups.map((group) => (group.Name === groupName ? { ...group, Count } : group)),
  }
  const source = findSource(world, job, job.Version)
  return commitVersion(world, scaledJob, { trigger: 'job-scaling', source })
}

function addScalingEvent(world: World, job: Job, group: string, event: ScalingEvent): void {
  const { Namespace, ID } = job
  const events = new Map(Object.entries(scalingEventsOf(world, Namespace, ID)?.ScalingEvents ?? {}))
  events.set(group, [event, ...(events.get(group) ?? [])].slice(0, maxGroupEvents))
  world.table(scalingEvents).put(jobKey(Namespace, ID), {
    Namespace,
    JobID: ID,
    ScalingEvents: Object.fromEntries(events),
    ModifyIndex: nextIndex(world),
  })
}
