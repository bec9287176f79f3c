import type { Command } from '../commands.ts'
import type { Flag } from './flag-types.ts'
import { apiPortNames, flags } from './flags.ts'

/** Flags with texts that apply as if the caller had given them. */
export type FlagSettings = readonly (readonly [Flag<unknown>, string])[]

/** Settings that `--vendor` implies (behaviour/program#commands). */
export const impliedByVendor: FlagSettings = [
  [flags.dialect, 'vendor'],
  [flags.secretsPort, '8200'],
  [flags.meshPort, '8500'],
  [flags.schedulerPort, '4646'],
]

/**
 * Settings of `rehearse`: the vendor dialect, a free port, and only errors in the log, so that the
 * terminal belongs to the program that runs.
 */
const impliedByRehearse: FlagSettings = [
  [flags.dialect, 'vendor'],
  [flags.port, '0'],
  [flags.logLevel, 'error'],
]

/**
 * Settings that a command implies. The worlds of `rehearse` and `compare` have ports of their own.
 */
export const impliedBy: Readonly<Partial<Record<Command, FlagSettings>>> = {
  exec: [...impliedByRehearse, ...apiPortNames.map((name) => [flags[name], '0'] as const)],
  rehearse: impliedByRehearse,
  compare: impliedByRehearse,
}
