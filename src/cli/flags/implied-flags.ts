import type { Command } from '../commands.ts'
import type { Flag } from './flag-types.ts'
import { apiPortNames, flags } from './flags.ts'

/** Flags with their text, as if it were given. */
export type FlagSettings = readonly (readonly [Flag<unknown>, string])[]

/** The settings that `--vendor` stands for (behaviour/program#commands). */
export const impliedByVendor: FlagSettings = [
  [flags.dialect, 'vendor'],
  [flags.secretsPort, '8200'],
  [flags.meshPort, '8500'],
  [flags.schedulerPort, '4646'],
]

/** The products' words, a free port, and the terminal left to what is run. */
const impliedByRehearse: FlagSettings = [
  [flags.dialect, 'vendor'],
  [flags.port, '0'],
  [flags.logLevel, 'error'],
]

/** Settings that a command begins with; the worlds of `rehearse` and `compare` have ports of their own. */
export const impliedBy: Readonly<Partial<Record<Command, FlagSettings>>> = {
  exec: [...impliedByRehearse, ...apiPortNames.map((name) => [flags[name], '0'] as const)],
  rehearse: impliedByRehearse,
  compare: impliedByRehearse,
}
