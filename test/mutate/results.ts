import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { hash, idOf } from './draw.ts'
import type { Mutant } from './mutators.ts'

/** `hung` mutants count as killed; code that no test ran is `no coverage`. */
export type Status = 'killed' | 'hung' | 'survived' | 'no coverage' | 'equivalent'

export interface Result {
  readonly mutant: Mutant
  readonly status: Status
  /** Test that failed, or reason of an equivalent mutant. */
  readonly note: string
  readonly seconds: number
}

/** Entry of the list of mutants that no test can notice, because behaviour stays equal. */
export interface Equivalent {
  readonly file: string
  /** Text of the line, without the spaces around it. */
  readonly line: string
  /** Change, as `a < b -> a <= b`. */
  readonly change: string
  readonly reason: string
}

/** Maximum share of mutants that may be listed as equivalent. */
const mostEquivalent = 0.05

const longestCode = 60

/** Reads `equivalent.json` in the folder of this module. */
export function readEquivalents(): readonly Equivalent[] {
  return JSON.parse(readFileSync(new URL('equivalent.json', import.meta.url), 'utf8'))
}

/** Returns the reason why a mutant is equivalent, if the list has it. */
export function reasonOf(
  root: string,
  mutant: Mutant,
  equivalents: readonly Equivalent[],
): string | undefined {
  const candidates = equivalents.filter(
    ({ file, change }) => file === mutant.file && change === changeOf(mutant),
  )
  if (candidates.length === 0) return undefined
  const lines = readFileSync(join(root, mutant.file), 'utf8').split('\n')
  const text = lines[mutant.line - 1]?.trim()
  return candidates.find(({ line }) => line === text)?.reason
}

/** Results of earlier runs. Each result holds until its source file changes. */
export class ResultFile {
  readonly #path: string
  readonly #root: string
  readonly #known = new Map<string, Result>()

  constructor(root: string) {
    this.#root = root
    this.#path = join(root, '.mutate/results.jsonl')
    if (!existsSync(this.#path)) return
    for (const line of readFileSync(this.#path, 'utf8').trim().split('\n')) {
      const { key, ...result } = JSON.parse(line)
      this.#known.set(key, result)
    }
  }

  /** Returns the result of a mutant that an earlier run tried. */
  find(mutant: Mutant): Result | undefined {
    return this.#known.get(this.#keyOf(mutant))
  }

  add(result: Result): void {
    mkdirSync(dirname(this.#path), { recursive: true })
    appendFileSync(
      this.#path,
      `${JSON.stringify({ key: this.#keyOf(result.mutant), ...result })}\n`,
    )
  }

  #keyOf(mutant: Mutant): string {
    return hash(`${idOf(mutant)} ${readFileSync(join(this.#root, mutant.file), 'utf8')}`)
  }
}

export interface Score {
  readonly counts: ReadonlyMap<Status, number>
  /** Percentage of killed mutants among those that are not equivalent. */
  readonly percent: number
  /** Mean time of the mutants that a test killed, in seconds. */
  readonly secondsEach: number
  readonly tooManyEquivalents: boolean
}

export function scoreOf(results: readonly Result[]): Score {
  const counts = new Map<Status, number>()
  for (const { status } of results) counts.set(status, (counts.get(status) ?? 0) + 1)
  const count = (status: Status) => counts.get(status) ?? 0
  const killed = results.filter(({ status }) => status === 'killed')
  const judged = results.length - count('equivalent')
  return {
    counts,
    percent: judged === 0 ? 100 : ((killed.length + count('hung')) / judged) * 100,
    secondsEach: killed.reduce((sum, { seconds }) => sum + seconds, 0) / (killed.length || 1),
    tooManyEquivalents: count('equivalent') > results.length * mostEquivalent,
  }
}

/** Writes a Markdown table of the mutants that no test killed; returns its path. */
export function writeSurvivors(root: string, results: readonly Result[]): string {
  const rows = results
    .filter(({ status }) => status === 'survived' || status === 'no coverage')
    .map(({ mutant, status }) => {
      const change = changeOf(mutant).replaceAll('|', '\\|')
      return `| ${mutant.file}:${mutant.line} | ${mutant.kind} | \`${change}\` | ${status} |\n`
    })
  const path = join(root, '.mutate/survivors.md')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(
    path,
    `| Place | Kind | Change | Result |\n|---|---|---|---|\n${rows.sort().join('')}`,
  )
  return path
}

/** Returns the change of a mutant on one line. */
export function changeOf({ before, after }: Mutant): string {
  return `${shortened(before)} -> ${shortened(after === '' ? '(removed)' : after)}`
}

function shortened(code: string): string {
  const line = code.replaceAll(/\s+/g, ' ')
  return line.length > longestCode ? `${line.slice(0, longestCode)}…` : line
}
