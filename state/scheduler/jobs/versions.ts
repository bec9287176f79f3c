import { quoteGo } from '../../go/text.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { diffJobs } from '../diff/job-diff.ts'
import type { JobDiff } from '../diff/shapes.ts'
import type { Job } from '../job/job-shape.ts'
import { refuse } from '../messages.ts'
import { jobVersionsOf, tagOf } from '../records/store.ts'

/** A job's versions, the highest first, and how they differ. */
interface VersionsReply {
  readonly Versions: readonly Job[]
  readonly Diffs: readonly JobDiff[] | null
}

/** The query of versions. */
interface VersionsQuery {
  /** Fill Diffs. */
  readonly diffs?: boolean
  /** Compare every version with this one instead of with the one before it. */
  readonly diffVersion?: number | undefined
  /** The same with the version of a tag; it goes before a number. */
  readonly diffTag?: string | undefined
}

/**
 * The versions that are kept, with their differences when asked for (behaviour/scheduler#jobs,
 * versions).
 *
 * @throws Refusal 404 for an unknown job, 500 when the version to compare with is not kept
 */
export function versionsOf(
  world: World,
  namespace: string,
  id: string,
  { diffs = false, diffVersion, diffTag }: VersionsQuery = {},
): VersionsReply {
  const versions = jobVersionsOf(world, namespace, id)
  if (versions.length === 0) throw refuse('job-versions-not-found')
  return { Versions: versions, Diffs: diffs ? diffsOf(versions, diffVersion, diffTag) : null }
}

function diffsOf(
  versions: readonly Job[],
  version: number | undefined,
  tag: string | undefined,
): readonly JobDiff[] | null {
  if (tag !== undefined) {
    const tagged = versions.find((version) => tagOf(version) === tag)
    if (tagged === undefined) throw refuse('tag-not-found', { tag: quoteGo(tag) })
    return versions.map((next) => diffVersions(tagged, next))
  }
  if (version === undefined) {
    const diffs = versions.slice(1).map((base, at) => diffVersions(base, versions[at]))
    return diffs.length === 0 ? null : diffs
  }
  const base = versions.find(({ Version }) => Version === version)
  if (base === undefined) throw refuse('version-not-found', { version: version })
  return versions.map((next) => diffVersions(base, next))
}

function diffVersions(base: Job, next: Job | undefined): JobDiff {
  return diffJobs(base, next, { contextual: true })
}
