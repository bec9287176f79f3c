import type { RowDifference } from '../../state/kernel/store/diff.ts'
import type { EmbeddedWorld } from './embedded-world.ts'

/** Reaction of a test to failed requests: it fails, writes a warning line, or does nothing. */
type FailureReaction = 'fail' | 'warn' | 'ignore'

/** Reactions of a test to failed requests (behaviour/program#test-runners). */
export interface Verify {
  /** Reaction to requests that match no operation. Default: `warn`. */
  readonly unmatched?: FailureReaction | undefined
  /** Reaction to refused requests. Default: `ignore`. */
  readonly refused?: FailureReaction | undefined
}

/**
 * Condition under which a test writes its refused and unmatched requests and the changes of its
 * world.
 */
export type Dump = 'on-failure' | 'always' | 'never'

interface ConcludeTestSettings {
  readonly name: string
  readonly verify: Verify
  readonly dump: Dump
  /** Writes text to standard error. */
  readonly write: (text: string) => void
}

/** Outcomes that count as failed, each with its phrase in messages. */
const outcomePhrases = { unmatched: 'matched no operation', refused: 'was refused' } as const
type FailedOutcome = keyof typeof outcomePhrases

interface FailedRequest {
  readonly outcome: FailedOutcome
  /** Request and reason in one line. */
  readonly line: string
}

/**
 * Checks the requests of a finished test, for every test runner. Writes a warning line for each
 * failed request whose reaction is `warn`. Writes the dump if the condition `dump` holds.
 *
 * @param failed true if the test itself has failed
 * @throws {Error} for failed requests whose reaction is `fail`
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
    write(`understudy: in ${JSON.stringify(name)} a request ${outcomePhrases[outcome]}: ${line}\n`)
  }
  const hasFailed = failed || forbidden.length > 0
  if (dump === 'always' || (dump === 'on-failure' && hasFailed)) {
    write(renderDump(name, failedRequests, world.redactedChanges()))
  }
  if (forbidden.length === 0) return
  const lines = forbidden.map(
    ({ outcome, line }) => `a request ${outcomePhrases[outcome]}: ${line}`,
  )
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
    'understudy: changes in the world of the test since its start:',
    ...indentedLines(changes.map(changeLine)),
    '',
  ].join('\n')
}

function indentedLines(lines: readonly string[]): readonly string[] {
  return (lines.length === 0 ? ['nothing'] : lines).map((line) => `  ${line}`)
}

/** Maximum length of a row in characters. Longer rows are cut; their start identifies them. */
const maxRowLength = 200

function changeLine({ table, key, before, after }: RowDifference): string {
  const sign = before === undefined ? '+' : after === undefined ? '-' : '~'
  const row = JSON.stringify(after ?? before)
  const shortenedRow = row.length > maxRowLength ? `${row.slice(0, maxRowLength)}…` : row
  // Terminals do not show the separators in keys, so the key is escaped as in JSON.
  const name = JSON.stringify(key).slice(1, -1)
  return `${sign} ${table} ${name} ${shortenedRow}`
}
