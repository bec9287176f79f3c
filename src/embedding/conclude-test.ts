import type { RowDifference } from '../../state/kernel/store/diff.ts'
import type { EmbeddedWorld } from './embedded-world.ts'

/** What a test does about requests that came to nothing: it fails, a line says so, or nothing. */
type Reaction = 'fail' | 'warn' | 'ignore'

/** The requests that a test must not have made (behaviour/program#test-runners). */
export interface Verify {
  /** Those that no operation takes. Default: `warn`. */
  readonly unmatched?: Reaction | undefined
  /** Those that were refused. Default: `ignore`. */
  readonly refused?: Reaction | undefined
}

/** When a test writes what was refused and what it changed. */
export type Dump = 'on-failure' | 'always' | 'never'

interface ConcludeTestSettings {
  /** Of the test. */
  readonly name: string
  readonly verify: Verify
  readonly dump: Dump
  /** Takes text for standard error. */
  readonly write: (text: string) => void
}

/** The outcomes of requests that came to nothing, with what they are called. */
const outcomes = { unmatched: 'found no operation', refused: 'was refused' } as const
type FailedOutcome = keyof typeof outcomes

/** A request that came to nothing. */
interface FailedRequest {
  readonly outcome: FailedOutcome
  /** In one line, with why. */
  readonly line: string
}

/**
 * Looks at what a test did with its world, once it is over: the same for every test runner.
 *
 * @param failed tells whether the test has failed by itself
 * @throws {Error} for requests that the test must not have made
 */
export function concludeTest(
  world: EmbeddedWorld,
  { name, verify, dump, write }: ConcludeTestSettings,
  failed: boolean,
): void {
  const failedRequests = findFailedRequests(world)
  const reactions = { unmatched: 'warn', refused: 'ignore', ...verify } as const
  const forbidden = failedRequests.filter(({ outcome }) => reactions[outcome] === 'fail')
  for (const { outcome, line } of failedRequests) {
    if (reactions[outcome] !== 'warn') continue
    write(`understudy: in ${JSON.stringify(name)} a request ${outcomes[outcome]}: ${line}\n`)
  }
  const hasFailed = failed || forbidden.length > 0
  if (dump === 'always' || (dump === 'on-failure' && hasFailed)) {
    write(renderDump(name, failedRequests, world.changes()))
  }
  if (forbidden.length === 0) return
  const lines = forbidden.map(({ outcome, line }) => `a request ${outcomes[outcome]}: ${line}`)
  throw new Error(lines.join('\n'))
}

function findFailedRequests(world: EmbeddedWorld): readonly FailedRequest[] {
  return world.requests.find().flatMap(({ id, method, path, status, outcome }) => {
    if (outcome !== 'unmatched' && outcome !== 'refused') return []
    return [{ outcome, line: `${id} ${method} ${path} ${status}: ${world.explain(id).because}` }]
  })
}

function renderDump(
  name: string,
  failedRequests: readonly FailedRequest[],
  changes: readonly RowDifference[],
): string {
  return [
    `understudy: requests of ${JSON.stringify(name)} that were refused or unmatched:`,
    ...indentedLines(failedRequests.map(({ outcome, line }) => `${outcome} ${line}`)),
    'understudy: what is different in its world since the start:',
    ...indentedLines(changes.map(changeLine)),
    '',
  ].join('\n')
}

function indentedLines(lines: readonly string[]): readonly string[] {
  return (lines.length === 0 ? ['nothing'] : lines).map((line) => `  ${line}`)
}

/** Longer rows are cut, in characters: what matters is which ones they are. */
const maxRowLength = 200

function changeLine({ table, key, before, after }: RowDifference): string {
  const sign = before === undefined ? '+' : after === undefined ? '-' : '~'
  const row = JSON.stringify(after ?? before)
  const shortened = row.length > maxRowLength ? `${row.slice(0, maxRowLength)}…` : row
  // Keys may have separators that no terminal shows.
  const name = JSON.stringify(key).slice(1, -1)
  return `${sign} ${table} ${name} ${shortened}`
}
