import type { RowDifference } from '../state/kernel/diff.ts'
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

interface TestWatchSettings {
  /** Of the test. */
  readonly name: string
  readonly verify: Verify
  readonly dump: Dump
  /** Takes text for standard error. */
  readonly write: (text: string) => void
}

/** The outcomes of requests that came to nothing, with what they are called. */
const outcomes = { unmatched: 'found no operation', refused: 'was refused' } as const
type Outcome = keyof typeof outcomes

/** A request that came to nothing. */
interface Miss {
  readonly outcome: Outcome
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
  { name, verify, dump, write }: TestWatchSettings,
  failed: boolean,
): void {
  const misses = missesOf(world)
  const reactions = { unmatched: 'warn', refused: 'ignore', ...verify } as const
  const mistakes = misses.filter(({ outcome }) => reactions[outcome] === 'fail')
  for (const { outcome, line } of misses) {
    if (reactions[outcome] !== 'warn') continue
    write(`understudy: in ${JSON.stringify(name)} a request ${outcomes[outcome]}: ${line}\n`)
  }
  const hasFailed = failed || mistakes.length > 0
  if (dump === 'always' || (dump === 'on-failure' && hasFailed)) {
    write(dumpOf(name, misses, world.changes()))
  }
  if (mistakes.length === 0) return
  const told = mistakes.map(({ outcome, line }) => `a request ${outcomes[outcome]}: ${line}`)
  throw new Error(told.join('\n'))
}

function missesOf(world: EmbeddedWorld): readonly Miss[] {
  return world.requests.find().flatMap(({ id, method, path, status, outcome }) => {
    if (outcome !== 'unmatched' && outcome !== 'refused') return []
    return [{ outcome, line: `${id} ${method} ${path} ${status}: ${world.explain(id).because}` }]
  })
}

function dumpOf(name: string, misses: readonly Miss[], changes: readonly RowDifference[]): string {
  return [
    `understudy: requests of ${JSON.stringify(name)} that were refused or unmatched:`,
    ...linesOf(misses.map(({ outcome, line }) => `${outcome} ${line}`)),
    'understudy: what is different in its world since the start:',
    ...linesOf(changes.map(changeLine)),
    '',
  ].join('\n')
}

function linesOf(lines: readonly string[]): readonly string[] {
  return (lines.length === 0 ? ['nothing'] : lines).map((line) => `  ${line}`)
}

/** Longer rows are cut, in characters: what matters is which ones they are. */
const longestRow = 200

function changeLine({ table, key, before, after }: RowDifference): string {
  const sign = before === undefined ? '+' : after === undefined ? '-' : '~'
  const row = JSON.stringify(after ?? before)
  const shown = row.length > longestRow ? `${row.slice(0, longestRow)}…` : row
  // Keys may have separators that no terminal shows.
  const name = JSON.stringify(key).slice(1, -1)
  return `${sign} ${table} ${name} ${shown}`
}
