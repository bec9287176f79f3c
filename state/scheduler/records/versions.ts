import type { World } from '../../kernel/worlds/world.ts'
import { nextIndex } from '../indexes.ts'
import type { Job } from '../job/job-shape.ts'
import { versionKey } from '../keys.ts'
import { findJob, findJobVersion, jobVersionsOf, putJob, putVersion, tagOf } from './store.ts'
import { jobVersions } from './tables.ts'

/** Maximum number of stored versions of a job (behaviour/scheduler#versions). */
const maxVersions = 6

/**
 * Writes a new or changed job as its next version: Version increases by one unless the job asks for
 * a higher one, CreateIndex stays, SubmitTime is now, Stable is as given, and the tag is empty
 * (behaviour/scheduler#versions). The caller updates Status and writes evaluation, submission and
 * summary. Inside a transaction.
 *
 * @returns the job as stored
 */
export function upsertJob(world: World, job: Job): Job {
  const index = nextIndex(world)
  const before = findJob(world, job.Namespace, job.ID)
  const stored: Job = {
    ...job,
    // A tag belongs to one version only, so it is never sent or copied.
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

/** Returns the current time in nanoseconds since 1970, exact to the millisecond. */
export function nanosecondsNow(world: World): number {
  return world.clock.now() * 1_000_000
}

/**
 * Sets Stable of a stored version; an unchanged one is not written. Only ModifyIndex moves
 * (behaviour/scheduler#versions). Inside a transaction.
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
 * Sets or removes the tag of a version. Only ModifyIndex moves (behaviour/scheduler#deployments).
 * Inside a transaction.
 */
export function setVersionTag(world: World, version: Job, tag: Job['VersionTag']): void {
  writeVersion(world, { ...version, VersionTag: tag, ModifyIndex: nextIndex(world) })
}

/** Writes a version, and the job if the version is the current one. */
function writeVersion(world: World, version: Job): void {
  const { Namespace, ID, Version } = version
  if (findJob(world, Namespace, ID)?.Version === Version) putJob(world, version)
  else putVersion(world, version)
}

/**
 * Deletes the oldest version, or the second oldest if the oldest is the newest stable one. Tagged
 * versions neither count nor are deleted.
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
