import { parseArgs } from 'node:util'
import { ConfigError } from './config-error.ts'
import type { Flag } from './flag-kinds.ts'
import { flagList, isSwitch } from './flags.ts'

/** A value as given, and by which flag or variable. */
export interface Given {
  readonly origin: string
  readonly text: string
}

/** The command line taken apart; values are still text. */
export interface CommandLine {
  readonly help: boolean
  readonly version: boolean
  readonly command: 'start' | 'healthcheck' | 'env'
  /** By the flag's name. */
  readonly given: ReadonlyMap<string, Given>
}

/**
 * Takes the command line apart. Node's parser is set lenient so that the messages can be ours.
 *
 * @throws {ConfigError} for unknown flags and words, and for flags without their value
 */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    tokens: true,
    allowNegative: true,
    options: {
      ...Object.fromEntries(
        flagList.map((flag) => [flag.name, { type: isSwitch(flag) ? 'boolean' : 'string' }]),
      ),
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
    },
  })
  const given = new Map<string, Given>()
  const words: string[] = []
  let help = false
  let version = false
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    const flag = flagList.find(({ name }) => name === token.name)
    const refused = isNegated(token.rawName) && (flag === undefined || !isSwitch(flag))
    if (token.name === 'help' && !refused) help = true
    else if (token.name === 'version' && !refused) version = true
    else {
      if (flag === undefined || refused) throw unknownFlag(token.rawName)
      const text = flagText(flag, token)
      const earlier = flag.adds === true ? given.get(flag.name) : undefined
      given.set(flag.name, {
        origin: `--${flag.name}`,
        text: earlier === undefined ? text : `${earlier.text},${text}`,
      })
    }
  }
  return { help, version, command: commandOf(words), given }
}

interface OptionToken {
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

function flagText(flag: Flag<unknown>, { rawName, value, inlineValue }: OptionToken): string {
  if (isSwitch(flag)) return value ?? (isNegated(rawName) ? 'false' : 'true')
  // `--seed --tls` is a forgotten seed; only a lone dash and `--seed=--tls` can be meant.
  const forgotten = inlineValue !== true && /^-./.test(value ?? '')
  if (value !== undefined && !forgotten) return value
  throw new ConfigError(`${rawName} needs a value: ${rawName}=${flag.value}`)
}

function isNegated(rawName: string): boolean {
  return rawName.startsWith('--no-')
}

function unknownFlag(rawName: string): ConfigError {
  return new ConfigError(`unknown flag ${rawName}; understudy --help lists all`)
}

function commandOf(words: readonly string[]): CommandLine['command'] {
  const [command = 'start', surplus] = words
  if (surplus !== undefined) {
    throw new ConfigError(`unexpected argument "${surplus}"; understudy --help shows the usage`)
  }
  if (command === 'start' || command === 'healthcheck' || command === 'env') return command
  throw new ConfigError(`unknown command "${command}"; use start, healthcheck or env`)
}
