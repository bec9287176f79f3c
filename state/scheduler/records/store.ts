import { isEqual } from '../../kernel/equality.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Job } from '../job/job-shape.ts'
import { jobItemPrefix, jobKey, versionKey } from '../keys.ts'
import type { JobSummary, ScalingEvents, Submission } from './shapes.ts'
import { jobSubmissions, jobSummaries, jobs, jobVersions, scalingEvents } from './tables.ts'

/** The current version of a job. */
export function findJob(world: World, namespace: string, id: string): Job | undefined {
  return world.table(jobs).get(jobKey(namespace, id))
}

/** The versions of a job that are kept, the highest first. */
export function jobVersionsOf(world: World, namespace: string, id: string): readonly Job[] {
  const versions = world.table(jobVersions).reversed(jobItemPrefix(namespace, id))
  return Array.from(versions, ([, version]) => version)
}

/** The name by which a version of a job is tagged; undefined for one without a tag. */
export function tagOf({ VersionTag }: Job): string | undefined {
  return VersionTag?.Name
}

/** One version of a job, if it is still kept. */
export function findJobVersion(
  world: World,
  namespace: string,
  id: string,
  version: number,
): Job | undefined {
  return world.table(jobVersions).get(versionKey(namespace, id, version))
}

/**
 * Writes a job's current version and the kept copy of it, as they are (behaviour/scheduler#versions:
 * a change of status or of Stable alone reaches both).
 */
export function putJob(world: World, job: Job): void {
  const { Namespace, ID } = job
  world.table(jobs).put(jobKey(Namespace, ID), job)
  putVersion(world, job)
}

/** Deletes a job and its versions, submissions, counters and scaling events (behaviour/scheduler#beyond, purge). */
export function deleteJob(world: World, job: Job): void {
  const { Namespace, ID } = job
  world.table(jobs).delete(jobKey(Namespace, ID))
  world.table(jobVersions).deleteAll(jobItemPrefix(Namespace, ID))
  world.table(jobSummaries).delete(jobKey(Namespace, ID))
  world.table(jobSubmissions).deleteAll(jobItemPrefix(Namespace, ID))
  world.table(scalingEvents).delete(jobKey(Namespace, ID))
}

/** Writes a kept version alone: the current one is another. */
export function putVersion(world: World, job: Job): void {
  world.table(jobVersions).put(versionKey(job.Namespace, job.ID, job.Version), job)
}

/** A job's counters. */
export function summaryOf(world: World, namespace: string, id: string): JobSummary | undefined {
  return world.table(jobSummaries).get(jobKey(namespace, id))
}

/** The source of one version of a job, if one was sent and is still kept. */
export function submissionOf(
  world: World,
  namespace: string,
  id: string,
  version: number,
): Submission | undefined {
  return world.table(jobSubmissions).get(versionKey(namespace, id, version))
}

/** The changes of a job's counts. */
export function scalingEventsOf(
  world: World,
  namespace: string,
  id: string,
): ScalingEvents | undefined {
  return world.table(scalingEvents).get(jobKey(namespace, id))
}

/** Returns what a periodic or parameterized job launched and still exists, in the order of IDs. */
export function childrenOf(
  world: World,
  namespace: string,
  id: string,
): Generator<Job, void, undefined> {
  return world.table(jobs).index('byParent').rows(jobItemPrefix(namespace, id))
}

/** Tells whether a child of a job is not dead: then a job that prohibits overlap is not launched. */
export function hasLiveChildren(world: World, { Namespace, ID }: Job): boolean {
  return world.table(jobs).index('busyByParent').first(jobItemPrefix(Namespace, ID)) !== undefined
}

/** The members of a job that change without its specification changing (behaviour/scheduler#versions). */
const volatileMembers = [
  'Status',
  'StatusDescription',
  'Stable',
  'Version',
  'SubmitTime',
  'CreateIndex',
  'ModifyIndex',
  'JobModifyIndex',
] as const

const volatileMemberSet: ReadonlySet<string> = new Set(volatileMembers)

/** Returns what the change test compares of a job: all but its life and its indexes. */
export function jobSpecOf(job: Job): Omit<Job, (typeof volatileMembers)[number]> {
  const {
    Status,
    StatusDescription,
    Stable,
    Version,
    SubmitTime,
    CreateIndex,
    ModifyIndex,
    JobModifyIndex,
    ...spec
  } = job
  return spec
}

/** The change test: whether two jobs ask for different things. */
export function isSpecChanged(before: Job, after: Job): boolean {
  return !isEqual(before, after, volatileMemberSet)
}

/** Tells whether a job is launched by the clock: its `periodic` block, enabled or not. */
export function isPeriodic(job: Job): boolean {
  return job.Periodic !== null
}

/**
 * Tells whether a job waits to be dispatched; its children have the block too, but were dispatched.
 */
export function isParameterized(job: Job): boolean {
  return job.ParameterizedJob !== null && !job.Dispatched
}

/**
 * Tells whether a job only launches others, so that it has no evaluations of its own (behaviour/scheduler#jobs).
 */
export function isLauncher(job: Job): boolean {
  return isPeriodic(job) || isParameterized(job)
}
