import { isEqual } from '../../kernel/equality.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { nextIndex } from '../indexes.ts'
import type { Job } from '../job/job-shape.ts'
import { jobItemPrefix, jobKey, versionKey } from '../keys.ts'
import type { JobSummary } from './shapes.ts'
import { jobSubmissions, jobSummaries, jobs, jobVersions, scalingEvents } from './tables.ts'

export function findJob(world: World, namespace: string, id: string): Job | undefined {
  return world.table(jobs).get(jobKey(namespace, id))
}

/**
 * Returns the stored versions of a job, highest first. At most `maxVersions` untagged versions are
 * stored.
 */
export function jobVersionsOf(world: World, namespace: string, id: string): readonly Job[] {
  const versions = world.table(jobVersions).entriesReversed(jobItemPrefix(namespace, id))
  return Array.from(versions, ([, version]) => version)
}

export function tagOf({ VersionTag }: Job): string | undefined {
  return VersionTag?.Name
}

export function findJobVersion(world: World, namespace: string, id: string, version: number) {
  return world.table(jobVersions).get(versionKey(namespace, id, version))
}

/**
 * Stores a job without creating a version. Also overwrites the stored copy of the current version,
 * so that a changed status or Stable appears in both (behaviour/scheduler#versions). Must run
 * inside a transaction.
 */
export function putJob(world: World, job: Job): void {
  const { Namespace, ID } = job
  world.table(jobs).put(jobKey(Namespace, ID), job)
  putVersion(world, job)
}

/**
 * Deletes a job with its versions, submissions, summary and scaling events, but not its evaluations
 * (behaviour/scheduler#beyond, purge). Must run inside a transaction.
 */
export function deleteJob(world: World, job: Job): void {
  const { Namespace, ID } = job
  world.table(jobs).delete(jobKey(Namespace, ID))
  world.table(jobVersions).deleteAll(jobItemPrefix(Namespace, ID))
  world.table(jobSummaries).delete(jobKey(Namespace, ID))
  world.table(jobSubmissions).deleteAll(jobItemPrefix(Namespace, ID))
  world.table(scalingEvents).delete(jobKey(Namespace, ID))
}

/** Stores a version without making it the current one. Must run inside a transaction. */
export function putVersion(world: World, job: Job): void {
  world.table(jobVersions).put(versionKey(job.Namespace, job.ID, job.Version), job)
}

export function summaryOf(world: World, namespace: string, id: string): JobSummary | undefined {
  return world.table(jobSummaries).get(jobKey(namespace, id))
}

/**
 * Finds the source of a version. Returns undefined if the client sent no source or the source is no
 * longer stored.
 */
export function submissionOf(world: World, namespace: string, id: string, version: number) {
  return world.table(jobSubmissions).get(versionKey(namespace, id, version))
}

export function scalingEventsOf(world: World, namespace: string, id: string) {
  return world.table(scalingEvents).get(jobKey(namespace, id))
}

/**
 * Returns the children of a periodic or parameterized job, ordered by ID. Deleted children are left
 * out.
 */
export function childrenOf(world: World, namespace: string, id: string) {
  return world.table(jobs).index('byParent').rows(jobItemPrefix(namespace, id))
}

/**
 * Returns true if a job has a child that is not dead. A periodic job that prohibits overlap is not
 * launched while it has such a child.
 */
export function hasLiveChildren(world: World, { Namespace, ID }: Job): boolean {
  return world.table(jobs).index('busyByParent').first(jobItemPrefix(Namespace, ID)) !== undefined
}

/** Members of a job that do not belong to its specification (behaviour/scheduler#versions). */
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

export function isSpecChanged(before: Job, after: Job): boolean {
  return !isEqual(before, after, volatileMembers)
}

/** Returns true if a job has a `periodic` block, even a disabled one. */
export function isPeriodic(job: Job): boolean {
  return job.Periodic !== null
}

/**
 * Returns true if a job is launched by dispatch requests. A child that a dispatch request created
 * also has the `parameterized` block, but dispatch requests do not launch the child.
 */
export function isParameterized(job: Job): boolean {
  return job.ParameterizedJob !== null && !job.Dispatched
}

/**
 * Returns true if a job only launches other jobs and therefore gets no evaluations
 * (behaviour/scheduler#register).
 */
export function isLauncher(job: Job): boolean {
  return isPeriodic(job) || isParameterized(job)
}

/** Maximum number of stored untagged versions of a job (behaviour/scheduler#versions). */
const maxVersions = 6

/**
 * Stores a new or changed job as its next version (behaviour/scheduler#versions). The stored
 * Version is the previous Version plus one, or `job.Version` if that is higher or the job is new.
 * CreateIndex of an existing job does not change, SubmitTime is the current time, Stable is copied
 * from `job`, and the tag is empty. The caller must update Status, and write the evaluation, the
 * submission and the summary. Must run inside a transaction.
 *
 * @returns the job as stored
 */
export function upsertJob(world: World, job: Job): Job {
  const index = nextIndex(world)
  const before = findJob(world, job.Namespace, job.ID)
  const stored: Job = {
    ...job,
    // A tag belongs to one version, so neither a tag in the request nor the tag of the earlier
    // version is stored.
    VersionTag: null,
    Version: before === undefined ? job.Version : Math.max(job.Version, before.Version + 1),
    Status: before?.Status ?? 'pending',
    StatusDescription: '',
    SubmitTime: nanosecondsNow(world),
    CreateIndex: before?.CreateIndex ?? index,
    ModifyIndex: index,
    JobModifyIndex: index,
  }
  putJob(world, stored)
  deleteOldestVersion(world, stored)
  return stored
}

/** Returns the current time in nanoseconds since 1970. The precision is one millisecond. */
export function nanosecondsNow(world: World): number {
  return world.clock.now() * 1_000_000
}

/**
 * Sets Stable of a stored version. If the value changes, ModifyIndex changes as well, but nothing
 * else (behaviour/scheduler#versions). Does nothing if the version is not stored. Must run inside a
 * transaction.
 */
export function setStable(
  world: World,
  namespace: string,
  id: string,
  version: number,
  stable: boolean,
): void {
  const current = findJobVersion(world, namespace, id, version)
  if (current === undefined || current.Stable === stable) return
  writeVersion(world, { ...current, Stable: stable, ModifyIndex: nextIndex(world) })
}

/**
 * Sets or removes the tag of a version. Apart from the tag, only ModifyIndex changes
 * (behaviour/scheduler#deployments). Must run inside a transaction.
 */
export function setVersionTag(world: World, version: Job, tag: Job['VersionTag']): void {
  writeVersion(world, { ...version, VersionTag: tag, ModifyIndex: nextIndex(world) })
}

/** Stores a version. If the version is the current one, stores the job as well. */
function writeVersion(world: World, version: Job): void {
  const { Namespace, ID, Version } = version
  if (findJob(world, Namespace, ID)?.Version === Version) putJob(world, version)
  else putVersion(world, version)
}

/**
 * Deletes the oldest version if a job has more than `maxVersions` versions. If the oldest version
 * is the newest stable one, deletes the second oldest instead. Tagged versions are neither counted
 * nor deleted.
 */
function deleteOldestVersion(world: World, { Namespace, ID }: Job): void {
  const versions = jobVersionsOf(world, Namespace, ID).filter(
    (version) => tagOf(version) === undefined,
  )
  if (versions.length <= maxVersions) return
  const isOldestLastStable = versions.findIndex(({ Stable }) => Stable) === maxVersions
  const oldest = versions[isOldestLastStable ? maxVersions - 1 : maxVersions]
  if (oldest === undefined) return
  world.table(jobVersions).delete(versionKey(Namespace, ID, oldest.Version))
}
