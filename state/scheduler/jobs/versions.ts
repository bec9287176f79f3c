import { quoteGo } from '../../go/text.ts'
import type { Integer } from '../../kernel/integers.ts'
import { exactUint, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { ParsedOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { diffJobsInParts } from '../diff/job-diff.ts'
import { writtenIndex } from '../indexes.ts'
import type { Job } from '../job/job-shape.ts'
import { refuse } from '../messages.ts'
import {
  findJob,
  findJobVersion,
  jobVersionsOf,
  nanosecondsNow,
  setStable,
  setVersionTag,
  tagOf,
} from '../records/store.ts'
import { findSource } from '../records/submissions.ts'
import type { RegisterContext } from './context.ts'
import { registerCanonical } from './registration.ts'
import type { RegisterReply, RevertRequest, StableRequest } from './request-shapes.ts'

export const tagShape = struct('TagVersionRequest', { Version: exactUint, Description: text })

/**
 * Tags a version of a job. A tag that the version had before is replaced
 * (behaviour/scheduler#deployments).
 *
 * @throws Refusal 500 if the version is not stored, or another version has the tag
 */
export function tagVersion(
  world: World,
  namespace: string,
  id: string,
  name: string,
  { Version, Description }: ParsedOf<typeof tagShape>,
) {
  const number = Version ?? 0
  const versions = jobVersionsOf(world, namespace, id)
  const job = quoteGo(id)
  if (versions.some((version) => tagOf(version) === name && version.Version !== number)) {
    throw refuse('tag-taken', { tag: quoteGo(name), job })
  }
  const version = versions.find((each) => each.Version === number)
  if (version === undefined) throw refuse('tagged-version-not-found', { job, version: number })
  const tag = { Name: name, Description: Description ?? '', TaggedTime: nanosecondsNow(world) }
  world.write(() => setVersionTag(world, version, tag))
  return { ...tag, Index: writtenIndex(world) }
}

/**
 * Removes a tag from a job's version.
 *
 * @throws Refusal 500 if no version has the tag
 */
export function untagVersion(world: World, namespace: string, id: string, name: string) {
  const version = jobVersionsOf(world, namespace, id).find((each) => tagOf(each) === name)
  if (version === undefined) {
    throw refuse('job-tag-not-found', { tag: quoteGo(name), job: quoteGo(id) })
  }
  world.write(() => setVersionTag(world, version, null))
  return { Name: '', Description: '', TaggedTime: 0, Index: writtenIndex(world) }
}

/**
 * Marks a version of a job as stable or not stable (behaviour/scheduler#versions and
 * behaviour/scheduler#beyond).
 *
 * @throws Refusal 400 unless the body and the path name the same job, 500 if the version is not
 *   stored
 */
export function markStable(
  world: World,
  namespace: string,
  pathId: string,
  request: StableRequest,
): { readonly Index: number } {
  const id = requireMatchingId(request.JobID, pathId)
  const version = request.JobVersion ?? 0
  const { Version } = requireVersion(world, namespace, id, version)
  world.write(() => setStable(world, namespace, id, Version, request.Stable ?? false))
  return { Index: writtenIndex(world) }
}

/**
 * Returns the ID of the job that the body and the path name.
 * @throws Refusal 400 unless the body and the path name the same job
 */
function requireMatchingId(bodyId: string | null, pathId: string): string {
  if (bodyId === null || bodyId === '') throw refuse('named-job-unspecified')
  if (bodyId !== pathId) throw refuse('job-id-mismatch')
  return bodyId
}

/**
 * Returns a stored version of a job.
 * @throws Refusal 500 if the version is not stored
 */
function requireVersion(world: World, namespace: string, id: string, version: Integer): Job {
  const current = findJobVersion(world, namespace, id, Number(version))
  if (current !== undefined) return current
  throw refuse('job-version-not-found', {
    job: quoteGo(id),
    namespace: quoteGo(namespace),
    version,
  })
}

/**
 * Registers a copy of an earlier version, with its source, as the next version. The copy is not
 * stable (behaviour/scheduler#versions and behaviour/scheduler#beyond).
 *
 * @throws Refusal 400 unless the body and the path name the same job; 500 if no job has the ID, the
 *   version is not stored or is the current version, or `EnforcePriorVersion` is not the number of
 *   the current version; and the refusals of a registration
 */
export function revertJob(
  world: World,
  namespace: string,
  pathId: string,
  request: RevertRequest,
  context: RegisterContext,
): RegisterReply {
  const id = requireMatchingId(request.JobID, pathId)
  const version = request.JobVersion ?? 0
  const current = findJob(world, namespace, id)
  if (current === undefined) throw refuse('revert-job-not-found', { job: quoteGo(id) })
  if (current.Version === version) throw refuse('revert-to-current')
  const earlierVersion = requireVersion(world, namespace, id, version)
  const { EnforcePriorVersion } = request
  if (EnforcePriorVersion !== null && EnforcePriorVersion !== current.Version) {
    throw refuse('revert-version-other', {
      version: current.Version,
      enforced: EnforcePriorVersion,
    })
  }
  return registerCanonical(world, { ...earlierVersion, VersionTag: null }, context, {
    enforcedIndex: EnforcePriorVersion === null ? undefined : current.JobModifyIndex,
    source: findSource(world, earlierVersion, earlierVersion.Version),
  })
}

interface VersionsQuery {
  /** True to return the differences between versions. */
  readonly diffs?: boolean
  /**
   * Number of the version with which every stored version is compared. By default, each version is
   * compared with the previous version.
   */
  readonly diffVersion?: number | undefined
  /**
   * Tag of the version with which every stored version is compared. The tag takes precedence over
   * `diffVersion`.
   */
  readonly diffTag?: string | undefined
  /**
   * Function that converts a job to the caller's dialect. Undefined if jobs are stored in the
   * caller's dialect.
   */
  readonly toDialect?: ((job: Job) => Job) | undefined
}

/**
 * Returns the stored versions of a job, highest first, and their differences if requested
 * (behaviour/scheduler#jobs, versions).
 *
 * @throws Refusal 404 if no job has the ID, 500 if the version to compare with is not stored
 */
export function versionsOf(
  world: World,
  namespace: string,
  id: string,
  { diffs = false, diffVersion, diffTag, toDialect }: VersionsQuery = {},
) {
  const versions = jobVersionsOf(world, namespace, id)
  if (versions.length === 0) throw refuse('job-versions-not-found')
  if (!diffs) return { Versions: versions, Diffs: null }
  const versionsInDialect = toDialect === undefined ? versions : versions.map(toDialect)
  const pairs = comparedVersions(versionsInDialect, diffVersion, diffTag)
  const Diffs = pairs.map(([base, next]) =>
    world.inParts(() => diffJobsInParts(base, next, { contextual: true })),
  )
  return { Versions: versions, Diffs: Diffs.length === 0 ? null : Diffs }
}

/**
 * Returns the pairs of versions to compare. The first version of each pair is the base: the
 * previous version, or the version that the request selects by number or tag.
 */
function comparedVersions(
  versions: readonly Job[],
  version: number | undefined,
  tag: string | undefined,
): (readonly [base: Job, next: Job | undefined])[] {
  if (tag !== undefined) {
    const tagged = versions.find((version) => tagOf(version) === tag)
    if (tagged === undefined) throw refuse('tag-not-found', { tag: quoteGo(tag) })
    return versions.map((next) => [tagged, next])
  }
  if (version === undefined) {
    return versions.slice(1).map((base, at) => [base, versions[at]])
  }
  const base = versions.find(({ Version }) => Version === version)
  if (base === undefined) throw refuse('version-not-found', { version })
  return versions.map((next) => [base, next])
}
