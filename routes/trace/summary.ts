import { greatest } from '../../state/kernel/lists.ts'
import type { Entry } from '../journal/entry.ts'
import type { RequestStep, Trace, TracedRun, TracedWorld, UnattributedRequest } from './trace.ts'

/** Maximum size of a summary in bytes, which is the limit for the summary of a CI job. */
const maxBytes = 1024 * 1024

/** Maximum length of a text from the run. Longer texts are truncated. */
const maxTextLength = 1000

/** Outcomes that count as failures. The summary lists the requests with one of these outcomes. */
const failureOutcomes: ReadonlySet<Entry['outcome']> = new Set([
  'refused',
  'unmatched',
  'faulted',
  'aborted',
])

/**
 * Returns the summary of a trace as Markdown of at most 1 MiB: the circumstances of the run, the
 * failed requests with their reasons, requests without an answer, requests that reached no world,
 * and the path of the file (behaviour/program#traces).
 *
 * @param file path of the trace
 */
export function traceSummary(trace: Trace, file: string): string {
  const { run, worlds, unattributed } = trace
  const head = [
    `## Trace of ${run.test === undefined ? code(commandOf(run)) : code(run.test.title)}`,
    '',
    ...runLines(trace),
    `- Trace: ${code(file)}`,
    '',
  ]
  const lines = [
    ...(hasRequests(trace) ? [] : noRequestLines(run)),
    ...worlds.flatMap(worldLines),
    ...unattributedLines(unattributed),
  ]
  return limitLines(head, lines)
}

function runLines({ version, run, worlds }: Trace): readonly string[] {
  const { test, exitCode, command, dialect, flags, fixtures, keepsValues } = run
  const requests = worlds.flatMap(requestsOf)
  return [
    ...(test === undefined ? [] : [`- Test: ${code(test.file)}, ${test.result}`]),
    ...(test?.error === undefined ? [] : [`- Error: ${errorOf(test.error)}`]),
    ...(test === undefined || command.length === 0 ? [] : [`- Command: ${code(commandOf(run))}`]),
    ...(exitCode === null ? [] : [`- Exit code: ${exitCode}`]),
    `- Requests: ${requests.length} in ${countOf(worlds.length, 'world')}, of which ${failedRequestsOf(requests).length} failed`,
    `- Version ${version}, ${dialect} dialect`,
    ...(flags.length === 0 ? [] : [`- Flags: ${code(flags.join(' '))}`]),
    ...(fixtures.length === 0 ? [] : [`- Fixtures: ${fixtures.map(code).join(', ')}`]),
    ...(keepsValues ? ['- **The trace holds the values of secrets.**'] : []),
  ]
}

function commandOf({ command }: TracedRun): string {
  return command.length === 0 ? 'a server' : command.join(' ')
}

function errorOf({ text, at }: { readonly text: string; readonly at?: string }): string {
  return at === undefined ? code(text) : `${code(text)} at ${code(at)}`
}

function hasRequests({ worlds, unattributed }: Trace): boolean {
  if (unattributed.length > 0) return true
  return worlds.some((world) => requestsOf(world).length + world.open.length + world.missing > 0)
}

function noRequestLines({ addresses }: TracedRun): readonly string[] {
  const names = Object.entries(addresses)
  return [
    '### No request arrived',
    '',
    names.length === 0
      ? 'The run had no address to send requests to.'
      : 'The run got these addresses:',
    '',
    ...names.map(([name, address]) => `- ${code(name)}: ${code(address)}`),
    '',
  ]
}

function worldLines(world: TracedWorld): readonly string[] {
  const failedRequests = failedRequestsOf(requestsOf(world))
  if (failedRequests.length + world.open.length + world.missing === 0) return []
  return [
    `### World ${code(world.id)}`,
    '',
    ...failedRequests.flatMap(requestLines),
    ...world.open.map(({ id, method, path, ageMs }) => {
      return `- ${code(`${id} ${method} ${path}`)} has no answer yet, after ${formatSeconds(ageMs)}`
    }),
    ...(world.missing === 0
      ? []
      : [
          `- ${countOf(world.missing, 'request')} left out, because the trace has reached its limit`,
        ]),
    '',
  ]
}

function requestLines({ entry, ms, explanation }: RequestStep): readonly string[] {
  const { id, method, path, status, outcome, rule } = entry
  const reason = explanation === undefined ? '' : `: ${code(explanation.because)}`
  const name = rule === null ? '' : ` (${code(rule)})`
  const change = explanation?.wouldPass?.change
  return [
    `- ${code(`${id} ${method} ${path}`)} ${status ?? 'no status'} after ${formatSeconds(ms)}, ${outcome}${name}${reason}`,
    ...(change === undefined ? [] : [`  - To pass: ${code(change)}`]),
  ]
}

function unattributedLines(requests: readonly UnattributedRequest[]): readonly string[] {
  if (requests.length === 0) return []
  return [
    '### Requests that reached no world',
    '',
    ...requests.map(({ kind, detail, method, path, ms }) => {
      const sent = method === undefined ? '' : `${code(`${method} ${path ?? ''}`)} `
      return `- ${sent}after ${formatSeconds(ms)}, ${kind}: ${code(detail)}`
    }),
    '',
  ]
}

function requestsOf({ steps }: TracedWorld): readonly RequestStep[] {
  return steps.filter((step): step is RequestStep => step.kind === 'request')
}

function failedRequestsOf(requests: readonly RequestStep[]): readonly RequestStep[] {
  return requests.filter(({ entry }) => failureOutcomes.has(entry.outcome))
}

/**
 * Joins as many lines as the size limit allows. If lines are omitted, adds a line with their
 * number.
 */
function limitLines(head: readonly string[], lines: readonly string[]): string {
  const reservedBytes = 200
  const shown = [...head]
  let size = Buffer.byteLength(`${head.join('\n')}\n`)
  for (const [at, line] of lines.entries()) {
    size += Buffer.byteLength(line) + 1
    if (size > maxBytes - reservedBytes) {
      const rest = countOf(lines.length - at, 'line')
      return `${[...shown, '', `The summary is limited to 1 MiB; ${rest} are left out.`].join('\n')}\n`
    }
    shown.push(line)
  }
  return `${shown.join('\n').trimEnd()}\n`
}

/**
 * Formats a text from the run as Markdown code on one line, so that markup in the text has no
 * effect. The fence is longer than any sequence of backticks in the text, so that the text cannot
 * end the code.
 */
function code(text: string): string {
  const line = [...text.slice(0, maxTextLength)]
    // Control characters and line separators could end the line.
    .map((character) => (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(character) ? ' ' : character))
    .join('')
    .trim()
  const shown = text.length > maxTextLength ? `${line}…` : line
  const runs = [...shown.matchAll(/`+/g)].map(([run]) => run.length)
  const longest = Math.max(0, greatest(runs))
  const fence = '`'.repeat(longest + 1)
  // A space separates a backtick of the text from the fence; Markdown removes it.
  return longest > 0 || shown === '' ? `${fence} ${shown} ${fence}` : fence + shown + fence
}

function countOf(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

function formatSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`
}
