import { hclFunctions } from '../../hcl/language/functions.ts'
import { decodeError, loadModule, type Module } from '../../hcl/language/module.ts'
import { diagnosticsError, HclError } from '../../hcl/syntax/error.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { memoize } from '../../kernel/memoize.ts'
import type { InputJob } from '../job/job-shape.ts'
import { refuse } from '../messages.ts'
import { duplicateBlockDetail, readFixed } from './fixed-form.ts'
import { inheritBlocks } from './inherit-blocks.ts'
import { group, job as jobContents } from './job-blocks.ts'
import { JobFileReader, TooManyProblems } from './reader.ts'
import { collectNames } from './table-names.ts'

/** A longer text is refused unread, in UTF-16 code units: no job file comes near it. */
const MAX_LENGTH = 1024 * 1024

/** The vendor's page about variables. */
const VENDOR_MANUAL = 'https://developer.hashicorp.com/nomad/docs/job-specification/hcl2/variables'

const neutralNames = memoize(() => collectNames(jobContents, false))
const vendorNames = memoize(() => collectNames(jobContents, true))

/** The settings with which a job file is read. */
interface JobFileOptions {
  /** Values of variables: `name = value` lines or a JSON object. */
  readonly variables?: string
  /** A random UUID of the world's generator. */
  readonly uuid: () => string
  /** True when suggestions in messages tell the vendor's names of blocks. Both are read. */
  readonly vendor?: boolean
}

/**
 * Reads a job file, in native syntax or as JSON, into the job that a request would send: what is not
 * written is null (behaviour/scheduler#job-files).
 *
 * @throws Refusal (400) `Failed to parse job: ` and the problems, with their places
 */
export function parseJobFile(text: string, options: JobFileOptions): InputJob {
  try {
    // The tables are those of the shape, so that what they make is of it.
    const job: unknown = readJob(text, options)
    return job as InputJob
  } catch (error) {
    if (error instanceof HclError) throw refuse('job-file-invalid', { why: error.message })
    throw error
  }
}

function readJob(
  text: string,
  { variables = '', uuid, vendor = false }: JobFileOptions,
): JsonObject {
  const source = { text, variables }
  const module = loadModule(source, {
    functions: hclFunctions,
    uuid,
    maxLength: MAX_LENGTH,
    ...(vendor && { manual: VENDOR_MANUAL }),
  })
  const reader = new JobFileReader(vendor ? vendorNames() : neutralNames())
  try {
    for (const problem of module.problems) reader.report(problem)
    // As the reference: jobs are not looked into before all that they may refer to is known.
    if (reader.problems.length > 0) throw new TooManyProblems()
    const found = readBlocks(reader, module)
    if (reader.problems.length === 0 && found !== undefined) {
      reader.runPostponed()
      const [first, ...others] = reader.problems
      if (first === undefined) return found
      throw diagnosticsError(first, others)
    }
  } catch (error) {
    if (!(error instanceof TooManyProblems)) throw error
  }
  throw decodeError(reader.problems)
}

function readBlocks(reader: JobFileReader, { jobs, scope }: Module): JsonObject | undefined {
  const [first, ...others] = jobs
  if (first === undefined) {
    reader.report({ summary: 'Missing job block', detail: 'A job block is required' })
    return undefined
  }
  const job = readFixed(reader, { block: first, scope }, jobContents)
  for (const { range } of others) {
    reader.report({
      summary: 'Duplicate job block',
      detail: duplicateBlockDetail('job', first.range),
      range,
    })
  }
  const blankGroup = reader.namesOf(group).blankObject
  inheritBlocks(job, first.labels[0]?.value ?? '', blankGroup, scope.context.spend)
  return job
}
