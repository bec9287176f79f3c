import type { Message } from '../../kernel/message.ts'
import type { ParsedOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { nextIndex } from '../indexes.ts'
import type { Job } from '../job/job-shape.ts'
import { jobItemPrefix, versionKey } from '../keys.ts'
import { refuse } from '../messages.ts'
import { oversizeWarning } from '../validation/warnings.ts'
import type { Submission, submissionShape } from './shapes.ts'
import { submissionOf } from './store.ts'
import { jobSubmissions } from './tables.ts'

/** Maximum number of stored sources per job (behaviour/scheduler#api-limits). */
const maxSubmissions = 6

/** Maximum size of a source in bytes, including the variables (behaviour/scheduler#warnings). */
const maxSourceBytes = 1_000_000

type InputSubmission = ParsedOf<typeof submissionShape>

/** Content of a source, without the members that identify the job and its version. */
export type Source = Pick<Submission, 'Format' | 'Source' | 'VariableFlags' | 'Variables'>

/**
 * Returns the source in a request or, if the source is too large to be stored, a warning. Returns
 * an empty object for a request without a submission.
 */
export function readSource(input: InputSubmission | null): { source?: Source; warning?: Message } {
  if (input === null) return {}
  const flags = Object.entries(input.VariableFlags ?? {}).map(
    ([flag, value]) => [flag, value ?? ''] as const,
  )
  const parts = [input.Source ?? '', input.Variables ?? '', ...flags.flat()]
  const size = parts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (size > maxSourceBytes) return { warning: oversizeWarning(size, maxSourceBytes) }
  return {
    source: {
      Format: input.Format ?? '',
      Source: input.Source ?? '',
      VariableFlags: flags.length === 0 ? null : Object.fromEntries(flags),
      Variables: input.Variables ?? '',
    },
  }
}

/**
 * Stores the source of a job's current version, and deletes the sources beyond `maxSubmissions`.
 * Must run inside a transaction, after the job is written.
 */
export function storeSource(world: World, job: Job, source: Source): void {
  const { Namespace, ID, Version } = job
  const table = world.table(jobSubmissions)
  table.put(versionKey(Namespace, ID, Version), {
    ...source,
    JobIndex: nextIndex(world),
    JobID: ID,
    Namespace,
    Version,
  })
  // Version numbers only increase while the job exists, so the lowest version is the oldest.
  const keys = Array.from(table.entriesReversed(jobItemPrefix(Namespace, ID)), ([key]) => key)
  for (const key of keys.slice(maxSubmissions)) table.delete(key)
}

/**
 * Returns the source of a version, so that the caller can store it with a new version
 * (behaviour/scheduler#versions: stop, revert). Returns undefined if no source is stored.
 */
export function findSource(world: World, { Namespace, ID }: Job, version: number) {
  return submissionOf(world, Namespace, ID, version)
}

/**
 * Returns the source of a version.
 *
 * @throws Refusal 404 if the client sent no source, the source is no longer stored, or no job has
 *   the ID
 */
export function requireSubmission(world: World, namespace: string, id: string, version: number) {
  const submission = submissionOf(world, namespace, id, version)
  if (submission === undefined) throw refuse('job-source-not-found')
  return submission
}
