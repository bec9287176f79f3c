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

/** Maximum number of stored sources of a job (behaviour/scheduler#api-limits). */
const maxSubmissions = 6

/** Maximum size in bytes of a source with its variables (behaviour/scheduler#versions). */
const maxSourceBytes = 1_000_000

/** A source in a request. */
type InputSubmission = ParsedOf<typeof submissionShape>

/** The content of a source, without the members that identify the job. */
export type Source = Pick<Submission, 'Format' | 'Source' | 'VariableFlags' | 'Variables'>

/** Returns the source in a request, or a warning that it is too large to store. */
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
 * Stores the source of a job's current version. Deletes all sources except the newest six. Must run
 * inside a transaction, after the job is written.
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
  // While a job exists, its version numbers only increase, so the lowest version is the oldest.
  const keys = Array.from(table.reversed(jobItemPrefix(Namespace, ID)), ([key]) => key)
  for (const key of keys.slice(maxSubmissions)) table.delete(key)
}

/**
 * Returns the source of a version, so that it can be stored with a new version
 * (behaviour/scheduler#versions: stop, revert).
 */
export function findSource(world: World, { Namespace, ID }: Job, version: number) {
  return submissionOf(world, Namespace, ID, version)
}

/**
 * Returns the source of a version.
 *
 * @throws Refusal 404 if no source was sent, if it is no longer stored, or if the job does not
 *   exist
 */
export function requireSubmission(world: World, namespace: string, id: string, version: number) {
  const submission = submissionOf(world, namespace, id, version)
  if (submission === undefined) throw refuse('job-source-not-found')
  return submission
}
