import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

/** What the command line of the benchmark says. */
export interface BenchOptions {
  /** Another built checkout, which is measured in the same run. */
  readonly against: string | undefined
  /** Rows are measured whose group or name this matches. */
  readonly only: RegExp
  /** Length of one shot at a fixed rate, in seconds. */
  readonly seconds: number
  /** Shots at each server of a row. */
  readonly rounds: number
}

/** Reads `--against DIR --only PATTERN --seconds N --rounds N`. */
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
