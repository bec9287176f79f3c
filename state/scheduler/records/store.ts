import { isEqual } from '../../kernel/equality.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Job } from '../job/job-shape.ts'
import { jobItemPrefix, jobKey, versionKey } from '../keys.ts'
import type { JobSummary, ScalingEvents, Submission } from './shapes.ts'
import { jobSubmissions, jobSummaries, jobs, jobVersions, scalingEvents } from './tables.ts'

/** Returns the current version of a job. */
export function findJob(world: World, namespace: string, id: string): Job | undefined {
  return world.table(jobs).get(jobKey(namespace, id))
}

/** Returns the stored versions of a job, highest first. */
export function jobVersionsOf(world: World, namespace: string, id: string): readonly Job[] {
  const versions = world.table(jobVersions).reversed(jobItemPrefix(namespace, id))
  return Array.from(versions, ([, version]) => version)
}

/** Returns the name of a version's tag; undefined if it has none. */
export function tagOf({ VersionTag }: Job): string | undefined {
  return VersionTag?.Name
}

/** Returns a version of a job if it is stored. */
export function findJobVersion(
  world: World,
  namespace: string,
  id: string,
  version: number,
): Job | undefined {
  return world.table(jobVersions).get(versionKey(namespace, id, version))
}

/**
 * Writes the current version of a job unchanged, including its stored copy
 * (behaviour/scheduler#versions: a change of only the status or Stable affects both).
 */
export function putJob(world: World, job: Job): void {
  const { Namespace, ID } = job
  world.table(jobs).put(jobKey(Namespace, ID), job)
  putVersion(world, job)
}

/**
 * Deletes a job with its versions, submissions, summary and scaling events
 * (behaviour/scheduler#beyond, purge).
 */
export function deleteJob(world: World, job: Job): void {
  const { Namespace, ID } = job
  world.table(jobs).delete(jobKey(Namespace, ID))
  world.table(jobVersions).deleteAll(jobItemPrefix(Namespace, ID))
  world.table(jobSummaries).delete(jobKey(Namespace, ID))
  world.table(jobSubmissions).deleteAll(jobItemPrefix(Namespace, ID))
  world.table(scalingEvents).delete(jobKey(Namespace, ID))
}

/** Writes a stored version that is not the current one. */
export function putVersion(world: World, job: Job): void {
  world.table(jobVersions).put(versionKey(job.Namespace, job.ID, job.Version), job)
}

/** Returns a job's summary. */
export function summaryOf(world: World, namespace: string, id: string): JobSummary | undefined {
  return world.table(jobSummaries).get(jobKey(namespace, id))
}

/** Returns the source of a version if it was sent and is still stored. */
export function submissionOf(
  world: World,
  namespace: string,
  id: string,
  version: number,
): Submission | undefined {
  return world.table(jobSubmissions).get(versionKey(namespace, id, version))
}

/** Returns a job's scaling events. */
export function scalingEventsOf(
  world: World,
  namespace: string,
  id: string,
): ScalingEvents | undefined {
  return world.table(scalingEvents).get(jobKey(namespace, id))
}

/** Returns the existing children of a periodic or parameterized job, ordered by ID. */
export function childrenOf(
  world: World,
  namespace: string,
  id: string,
): Generator<Job, void, undefined> {
  return world.table(jobs).index('byParent').rows(jobItemPrefix(namespace, id))
}

/**
 * Returns true if a child of a job is not dead; a job that prohibits overlap is then not launched.
 */
export function hasLiveChildren(world: World, { Namespace, ID }: Job): boolean {
  return world.table(jobs).index('busyByParent').first(jobItemPrefix(Namespace, ID)) !== undefined
}

/**
 * Members of a job that change without a change of its specification
 * (behaviour/scheduler#versions).
 */
const volatileMembers: ReadonlySet<string> = new Set([
  'Status',
  'StatusDescription',
  'Stable',
  'Version',
  'SubmitTime',
  'CreateIndex',
  'ModifyIndex',
  'JobModifyIndex',
])

/** Returns true if the specifications of two jobs differ. */
export function isSpecChanged(before: Job, after: Job): boolean {
  return !isEqual(before, after, volatileMembers)
}

/** Returns true if a job has a `periodic` block, enabled or not. */
export function isPeriodic(job: Job): boolean {
  return job.Periodic !== null
}

/**
 * Returns true if a job is dispatched by requests. Its children have the block as well, but are
 * already dispatched.
 */
export function isParameterized(job: Job): boolean {
  return job.ParameterizedJob !== null && !job.Dispatched
}

/**
 * Returns true if a job only launches others and has no evaluations of its own
 * (behaviour/scheduler#jobs).
 */
export function isLauncher(job: Job): boolean {
  return isPeriodic(job) || isParameterized(job)
}
