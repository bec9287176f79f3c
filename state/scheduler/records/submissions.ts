import type { ParsedOf } from '../../kernel/shape/values.ts'
import type { Message } from '../../kernel/wording.ts'
import type { World } from '../../kernel/world.ts'
import { nextIndex } from '../indexes.ts'
import type { Job } from '../job/job-shape.ts'
import { ofJobPrefix, versionKey } from '../keys.ts'
import { refuse } from '../texts.ts'
import { oversizeWarning } from '../validation/warnings.ts'
import type { Submission, submissionShape } from './shapes.ts'
import { submissionOf } from './store.ts'
import { jobSubmissions } from './tables.ts'

/** The number of sources of a job that are kept (behaviour/scheduler#api-limits). */
const keptSubmissions = 6

/** The most bytes that a source may have with its variables (behaviour/scheduler#versions). */
const largestSource = 1_000_000

/** A source as requests bring it. */
type SentSubmission = ParsedOf<typeof submissionShape>

/** The content of a source; whose it is follows from the job. */
export type Source = Pick<Submission, 'Format' | 'Source' | 'VariableFlags' | 'Variables'>

/** The source that a request brings, or the warning that it is too large to be kept. */
export function sourceOf(sent: SentSubmission | null): { source?: Source; warning?: Message } {
  if (sent === null) return {}
  const flags = Object.entries(sent.VariableFlags ?? {}).map(
    ([flag, value]) => [flag, value ?? ''] as const,
  )
  const texts = [sent.Source ?? '', sent.Variables ?? '', ...flags.flat()]
  const size = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (size > largestSource) return { warning: oversizeWarning(size, largestSource) }
  return {
    source: {
      Format: sent.Format ?? '',
      Source: sent.Source ?? '',
      VariableFlags: flags.length === 0 ? null : Object.fromEntries(flags),
      Variables: sent.Variables ?? '',
    },
  }
}

/**
 * Keeps the source of a job's version as it is now, and no more than the newest six of the job. Call
 * inside `world.write`, after the job was written.
 */
export function keepSource(world: World, job: Job, source: Source): void {
  const { Namespace, ID, Version } = job
  const table = world.table(jobSubmissions)
  table.put(versionKey(Namespace, ID, Version), {
    ...source,
    JobIndex: nextIndex(world),
    JobID: ID,
    Namespace,
    Version,
  })
  // Versions only grow while a job exists, so the oldest version has the lowest index.
  const kept = Array.from(table.reversed(ofJobPrefix(Namespace, ID)), ([key]) => key)
  for (const key of kept.slice(keptSubmissions)) table.delete(key)
}

/** The source of another version, to be kept for a new one (behaviour/scheduler#versions: stop, revert). */
export function copiedSource(
  world: World,
  { Namespace, ID }: Job,
  version: number,
): Source | undefined {
  return submissionOf(world, Namespace, ID, version)
}

/**
 * The source of a version.
 *
 * @throws Refusal 404 when none was sent, it is no longer kept, or there is no such job
 */
export function foundSubmission(
  world: World,
  namespace: string,
  id: string,
  version: number,
): Submission {
  const found = submissionOf(world, namespace, id, version)
  if (found === undefined) throw refuse('job-source-not-found')
  return found
}
