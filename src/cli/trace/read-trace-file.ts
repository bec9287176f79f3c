import { appendFileSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { suggestionFor } from '../../../routes/http/declare/similarity.ts'
import { readTrace, TraceError } from '../../../routes/trace/page.ts'
import { positionOf } from '../../../routes/trace/past-state.ts'
import { stateDocument } from '../../../routes/trace/state-document.ts'
import { traceSummary } from '../../../routes/trace/summary.ts'
import type { Trace, TracedWorld } from '../../../routes/trace/trace.ts'
import { ConfigError, reasonOf } from '../../config-error.ts'
import type { Config, ProcessVariables } from '../config.ts'

/** Settings of the command `trace`. */
type TraceSettings = Pick<Config, 'files' | 'view' | 'at' | 'world' | 'github'>

/** Environment variable with the path of the file to which GitHub job summaries are appended. */
const jobPageVariable = 'GITHUB_STEP_SUMMARY'

/**
 * Reads a trace for the command `trace` (behaviour/program#traces).
 *
 * @returns the text for standard output; empty with `--github`, which appends the summary to the
 *   file for job summaries
 * @throws {ConfigError} for a file that cannot be read or is not a trace; for flags that do not fit
 *   together; for unknown worlds; for requests that no world or several worlds have; and if the
 *   variable for job summaries is not set or its file cannot be written
 */
export function readTraceFile(settings: TraceSettings, environment: ProcessVariables): string {
  const { files, view, at, world, github } = settings
  if (view === 'summary' && at !== undefined) throw new ConfigError('--at is a flag of trace json')
  if (view === 'json' && github) throw new ConfigError('--github is a flag of trace summary')
  if (world !== undefined && at === undefined) {
    throw new ConfigError('--world selects the world of the request in --at; add --at REQUEST')
  }
  const jobPage = github ? environment[jobPageVariable] : undefined
  if (github && (jobPage === undefined || jobPage === '')) {
    throw new ConfigError(
      `--github needs the variable ${jobPageVariable}, which names the file of the job's page`,
    )
  }
  const [file = ''] = files
  const trace = loadTrace(file)
  if (view === 'json')
    return `${JSON.stringify(at === undefined ? trace : stateAt(trace, at, world), null, 2)}\n`
  const summary = traceSummary(trace, resolve(file))
  if (jobPage === undefined) return summary
  appendSummary(jobPage, summary)
  return ''
}

function loadTrace(file: string): Trace {
  let page: string
  try {
    page = readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(`cannot read ${file} (${reasonOf(error)})`)
  }
  try {
    return readTrace(page)
  } catch (error) {
    if (error instanceof TraceError) throw new ConfigError(`${file}: ${error.message}`)
    throw error
  }
}

function appendSummary(file: string, summary: string): void {
  try {
    appendFileSync(file, summary)
  } catch (error) {
    throw new ConfigError(`${jobPageVariable}: cannot write ${file} (${reasonOf(error)})`)
  }
}

function stateAt(trace: Trace, request: string, id: string | undefined) {
  const world = id === undefined ? worldWith(trace, request) : worldNamed(trace, id)
  const position = positionOf(world, request)
  if (position >= 0) return stateDocument(world, position)
  throw missingRequestError(request, `the world "${world.id}"`, [world])
}

function missingRequestError(
  request: string,
  place: string,
  worlds: readonly TracedWorld[],
): ConfigError {
  const missing = worlds.reduce((sum, world) => sum + world.missing, 0)
  const rest = missing > 0 ? `; the trace omits ${missing} requests` : ''
  return new ConfigError(`the trace has no request "${request}" in ${place}${rest}`)
}

function worldNamed({ worlds }: Trace, id: string): TracedWorld {
  const found = worlds.find((world) => world.id === id)
  if (found !== undefined) return found
  const ids = worlds.map((world) => world.id)
  const suggestion = suggestionFor(id, ids)
  const remedy =
    suggestion === undefined ? `it has ${ids.join(', ') || 'none'}` : `did you mean ${suggestion}?`
  throw new ConfigError(`the trace has no world "${id}"; ${remedy}`)
}

/**
 * Returns the only world that has the request. Throws a `ConfigError` if no world or several worlds
 * have it.
 */
function worldWith({ worlds }: Trace, request: string): TracedWorld {
  const [only, ...others] = worlds.filter((world) => positionOf(world, request) >= 0)
  if (only === undefined) throw missingRequestError(request, 'any of its worlds', worlds)
  if (others.length === 0) return only
  const ids = [only, ...others].map(({ id }) => id)
  throw new ConfigError(
    `${ids.length} worlds have a request "${request}"; select one with --world: ${ids.join(', ')}`,
  )
}
