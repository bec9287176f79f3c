import { parseArgs } from 'node:util'
import type { DialectName } from '../../routes/http/declare/dialect.ts'

/** What a run is asked for, by flags or by variables: `--requests`, `N`; `--seed`, `SEED`; and so on. */
export interface FuzzOptions {
  readonly requests: number
  readonly seed: number
  readonly dialects: readonly DialectName[]
  /** A run ends then, however many requests are left. */
  readonly minutes: number
}

/** @throws {Error} for what is no number, or no dialect */
export function readOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): FuzzOptions {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: { requests: text, seed: text, dialect: text, minutes: text },
  })
  const { N, SEED, DIALECT, MINUTES } = environment
  const number = (name: string, given: string) => {
    const value = Number(given)
    if (given === '' || !(value >= 0)) throw new Error(`${name} must be a number, not ${given}`)
    return value
  }
  const dialect = values.dialect ?? DIALECT ?? 'both'
  if (!['neutral', 'vendor', 'both'].includes(dialect)) {
    throw new Error(`dialect must be neutral, vendor or both, not ${dialect}`)
  }
  return {
    requests: number('requests', values.requests ?? N ?? '20000'),
    seed: number('seed', values.seed ?? SEED ?? '1'),
    dialects: dialect === 'both' ? ['neutral', 'vendor'] : [dialect as DialectName],
    minutes: number('minutes', values.minutes ?? MINUTES ?? '60'),
  }
}
