import type { World } from '../../kernel/worlds/world.ts'
import { nextIndex } from '../indexes.ts'
import type { Job } from '../job/job-shape.ts'
import { versionKey } from '../keys.ts'
import { findJob, findJobVersion, jobVersionsOf, putJob, putVersion, tagOf } from './store.ts'
import { jobVersions } from './tables.ts'

/** The number of versions of a job that are kept (behaviour/scheduler#versions). */
const maxVersions = 6

/**
 * Writes a job whose specification changed, or a new one, as its next version: Version is one more than
 * the old one unless the job asks for a higher one, CreateIndex stays, SubmitTime is now, Stable is as
 * given, and no tag (behaviour/scheduler#versions). Status stays for whoever writes evaluations or the summary to work out. Makes no
 * evaluation, submission or summary; call inside `world.write`.
 *
 * @returns the job as it is now stored
 */
export function upsertJob(world: World, job: Job): Job {
  const index = nextIndex(world)
  const before = findJob(world, job.Namespace, job.ID)
  const stored: Job = {
    ...job,
    // A tag is a version's own, and no other has it because it was sent or copied.
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

/** Now in nanoseconds since 1970; exact to the millisecond, as the clock is. */
export function nanosecondsNow(world: World): number {
  return world.clock.now() * 1_000_000
}

/**
 * Sets Stable of a version; nothing happens to one that is no longer kept or is so already. Only
 * ModifyIndex moves (behaviour/scheduler#versions). Call inside `world.write`.
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
 * Gives a version a tag, or takes its tag away. Only ModifyIndex moves
 * (behaviour/scheduler#deployments). Call inside `world.write`.
 */
export function setVersionTag(world: World, version: Job, tag: Job['VersionTag']): void {
  writeVersion(world, { ...version, VersionTag: tag, ModifyIndex: nextIndex(world) })
}

/** Writes a version, and the job with it where it is the current one. */
function writeVersion(world: World, version: Job): void {
  const { Namespace, ID, Version } = version
  if (findJob(world, Namespace, ID)?.Version === Version) putJob(world, version)
  else putVersion(world, version)
}

/**
 * The oldest version goes; when it is the newest stable one, the second oldest does. Tagged ones are
 * neither counted nor dropped.
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
