import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

/** Options of the benchmark's command line. */
export interface BenchOptions {
  /** Directory of another built checkout to measure in the same run. */
  readonly against: string | undefined
  /** Pattern of the groups or names of the rows to measure. */
  readonly only: RegExp
  /** Length of one measurement at a fixed rate, in seconds. */
  readonly seconds: number
  /** Number of measurements of each server for each row. */
  readonly rounds: number
}

/** Parses `--against DIR --only PATTERN --seconds N --rounds N`. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      against: { type: 'string' },
      only: { type: 'string', default: '' },
      seconds: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '15' },
    },
  })
  const positive = (name: 'seconds' | 'rounds') => {
    const value = Number(values[name])
    if (!(value > 0)) throw new Error(`--${name} must be a number above 0`)
    return value
  }
  return {
    against: values.against === undefined ? undefined : resolve(values.against),
    only: new RegExp(values.only, 'i'),
    seconds: positive('seconds'),
    rounds: Math.ceil(positive('rounds')),
  }
}
