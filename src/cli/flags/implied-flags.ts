import type { Command } from '../commands.ts'
import type { Flag } from './flag-types.ts'
import { apiPortNames, flags } from './flags.ts'

/** Flags, each with the value that applies if the caller does not set the flag. */
export type FlagSettings = readonly (readonly [Flag<unknown>, string])[]

/** Settings that `--vendor` implies (behaviour/program#commands). */
export const impliedByVendor: FlagSettings = [
  [flags.dialect, 'vendor'],
  [flags.secretsPort, '8200'],
  [flags.meshPort, '8500'],
  [flags.schedulerPort, '4646'],
]

/**
 * Settings that `exec`, `rehearse` and `compare` imply: the vendor dialect, a free port, and only
 * errors in the log, so that the log does not hide other output.
 */
const impliedByRehearse: FlagSettings = [
  [flags.dialect, 'vendor'],
  [flags.port, '0'],
  [flags.logLevel, 'error'],
]

/**
 * Settings that a command implies. Only `exec` needs ports for the APIs: the worlds of `rehearse`
 * and `compare` have listeners of their own.
 */
export const impliedBy: Readonly<Partial<Record<Command, FlagSettings>>> = {
  exec: [...impliedByRehearse, ...apiPortNames.map((name) => [flags[name], '0'] as const)],
  rehearse: impliedByRehearse,
  compare: impliedByRehearse,
}
