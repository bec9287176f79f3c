import { parseArgs } from 'node:util'
import type { DialectName } from '../../routes/http/declare/dialect.ts'

/**
 * Options of a run, from flags or environment variables: `--requests` or `N`, `--seed` or `SEED`,
 * and so on.
 */
export interface FuzzOptions {
  readonly requests: number
  readonly seed: number
  readonly dialects: readonly DialectName[]
  /** Time limit of a run in minutes, even if requests are left. */
  readonly minutes: number
}

/**
 * Reads the options of a run.
 *
 * @throws {Error} if a value is not a number or a dialect
 */
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
