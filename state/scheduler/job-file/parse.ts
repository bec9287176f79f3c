import { hclFunctions } from '../../hcl/language/functions.ts'
import { decodeError, loadModule, type Module } from '../../hcl/language/module.ts'
import type { Spend } from '../../hcl/language/types.ts'
import { diagnosticsError, HclError } from '../../hcl/syntax/error.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { memoize } from '../../kernel/memoize.ts'
import type { InputJob } from '../job/job-shape.ts'
import { refuse } from '../messages.ts'
import { duplicateBlockDetail, readFixedContents } from './fixed-form.ts'
import { group as groupContents, job as jobContents } from './job-blocks.ts'
import { JobFileReader, TooManyProblems } from './reader.ts'
import { collectNames } from './table-names.ts'

/**
 * Completes a job after all blocks are read (behaviour/scheduler#job-files). The label becomes the
 * ID and the name, unless the job sets them. Each task outside of groups gets a new group; the new
 * groups precede all other groups. Tasks inherit the secrets block of their group or job. The
 * default identity of a task moves to `Identity`.
 *
 * @param blankGroup a group with default members
 * @param spend charges the evaluation budget for every inherited copy
 */
function inheritBlocks(
  job: JsonObject,
  label: string,
  blankGroup: Readonly<JsonObject>,
  spend: Spend,
): void {
  job.ID ??= label
  job.Name ??= label
  const { Tasks, Secrets = null } = job
  // Deleting a member makes an object slow in V8, so only members that exist are deleted.
  if (Tasks !== undefined) delete job.Tasks
  if (Secrets !== null) delete job.Secrets
  const implicitGroups = objectsIn(Tasks).map(
    (task): JsonObject => ({ ...blankGroup, Name: task.Name ?? '', Tasks: [task] }),
  )
  if (implicitGroups.length > 0) job.TaskGroups = [...implicitGroups, ...objectsIn(job.TaskGroups)]
  const jobSecrets = copyOnDemand(Secrets, spend)
  for (const group of objectsIn(job.TaskGroups)) {
    const groupSecrets = copyOnDemand(group.Secrets ?? null, spend)
    if ('Secrets' in group) delete group.Secrets
    for (const task of objectsIn(group.Tasks)) {
      task.Secrets ??= groupSecrets() ?? jobSecrets()
      splitDefaultIdentity(task)
    }
  }
}

/** Returns a function that copies a block and charges the evaluation budget for each copy. */
function copyOnDemand(block: Json, spend: Spend): () => Json {
  if (block === null) return () => null
  const size = JSON.stringify(block).length
  return () => {
    spend(size)
    return structuredClone(block)
  }
}

/** Moves the default identity from the list of a task's identities to `Identity`. */
function splitDefaultIdentity(task: JsonObject): void {
  const identities = objectsIn(task.Identities)
  const defaultIdentity = identities.find(({ Name }) => (Name ?? '') === '' || Name === 'default')
  if (defaultIdentity === undefined) return
  task.Identity = defaultIdentity
  const others = identities.filter((identity) => identity !== defaultIdentity)
  if (others.length > 0) task.Identities = others
  else delete task.Identities
}

function objectsIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

/**
 * Maximum length of a job file in UTF-16 code units. A longer file is refused before it is parsed.
 */
const MAX_LENGTH = 1024 * 1024

/** The vendor's page about variables, to which messages link. */
const VENDOR_MANUAL = 'https://developer.hashicorp.com/nomad/docs/job-specification/hcl2/variables'

const neutralNames = memoize(() => collectNames(jobContents, false))
const vendorNames = memoize(() => collectNames(jobContents, true))

interface JobFileOptions {
  /** Values of variables, as lines `name = value` or as a JSON object. */
  readonly variables?: string
  /** Creates a random UUID with the world's generator. */
  readonly uuid: () => string
  /**
   * True if suggestions in messages use the vendor's names of blocks. Files may always use either
   * spelling.
   */
  readonly isVendor?: boolean
}

/**
 * Parses a job file in native syntax or JSON to the form that jobs have in registration requests.
 * Missing members are null (behaviour/scheduler#job-files).
 * @throws Refusal 400 `Failed to parse job: `, followed by the problems and their positions
 */
export function parseJobFile(text: string, options: JobFileOptions): InputJob {
  try {
    // The rules of `jobContents` are derived from the shape of a job, so the result has that shape.
    const job: unknown = readJob(text, options)
    return job as InputJob
  } catch (error) {
    if (error instanceof HclError) throw refuse('job-file-invalid', { why: error.message })
    throw error
  }
}

function readJob(text: string, { variables = '', uuid, isVendor = false }: JobFileOptions) {
  const source = { text, variables }
  const module = loadModule(source, {
    functions: hclFunctions,
    uuid,
    maxLength: MAX_LENGTH,
    ...(isVendor && { manual: VENDOR_MANUAL }),
  })
  const reader = new JobFileReader(isVendor ? vendorNames() : neutralNames())
  try {
    for (const problem of module.problems) reader.report(problem)
    // As in the reference, the job block is read only if the rest of the file, such as its
    // variables, is valid.
    if (reader.problems.length > 0) throw new TooManyProblems()
    const found = readJobBlock(reader, module)
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

function readJobBlock(reader: JobFileReader, { jobs, scope }: Module): JsonObject | undefined {
  const [first, ...others] = jobs
  if (first === undefined) {
    reader.report({ summary: 'Missing job block', detail: 'A job block is required' })
    return undefined
  }
  const job = readFixedContents(reader, { block: first, scope }, jobContents)
  for (const { range } of others) {
    reader.report({
      summary: 'Duplicate job block',
      detail: duplicateBlockDetail('job', first.range),
      range,
    })
  }
  const blankGroup = reader.namesOf(groupContents).blankObject
  inheritBlocks(job, first.labels[0]?.value ?? '', blankGroup, scope.context.spend)
  return job
}
