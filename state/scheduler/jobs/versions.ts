import { quoteGo } from '../../go/text.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { diffJobs } from '../diff/job-diff.ts'
import type { JobDiff } from '../diff/shapes.ts'
import type { Job } from '../job/job-shape.ts'
import { refuse } from '../messages.ts'
import { jobVersionsOf, tagOf } from '../records/store.ts'

/** A job's versions, newest first, and their differences. */
interface VersionsReply {
  readonly Versions: readonly Job[]
  readonly Diffs: readonly JobDiff[] | null
}

/** Query of a job's versions. */
interface VersionsQuery {
  /** True to fill Diffs. */
  readonly diffs?: boolean
  /** The version to compare every version with; by default the one before it. */
  readonly diffVersion?: number | undefined
  /** The tag of the version to compare with; takes precedence over the number. */
  readonly diffTag?: string | undefined
  /** Spelling of a job's texts in the caller's dialect, if it differs from the stored one. */
  readonly spell?: ((job: Job) => Job) | undefined
}

/**
 * Returns the stored versions of a job, with their differences if requested
 * (behaviour/scheduler#jobs, versions).
 *
 * @throws Refusal 404 for an unknown job, 500 if the version to compare with is not stored
 */
export function versionsOf(
  world: World,
  namespace: string,
  id: string,
  { diffs = false, diffVersion, diffTag, spell }: VersionsQuery = {},
): VersionsReply {
  const versions = jobVersionsOf(world, namespace, id)
  if (versions.length === 0) throw refuse('job-versions-not-found')
  if (!diffs) return { Versions: versions, Diffs: null }
  const spelled = spell === undefined ? versions : versions.map(spell)
  return { Versions: versions, Diffs: diffsOf(spelled, diffVersion, diffTag) }
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
