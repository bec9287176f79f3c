import { parseArgs } from 'node:util'
import { closestName } from '../routes/http/likeness.ts'
import { type Command, commands, productCommands } from './commands.ts'
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
  /** True when the command is named; `start` goes without. */
  readonly named: boolean
  readonly command: Command
  /** Of `exec` and `rehearse`: the program to run, with its arguments. */
  readonly program: readonly string[]
  /** Of `validate`: the files to check, `-` being standard input. */
  readonly files: readonly string[]
  /** By the flag's name. */
  readonly given: ReadonlyMap<string, Given>
}

/**
 * Takes the command line apart. Node's parser is set lenient so that the messages can be ours.
 *
 * @throws {ConfigError} for unknown flags and words, and for flags without their value
 */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  // What follows `--` is another program's, flags of it too.
  const end = argv.indexOf('--')
  const program = end < 0 ? [] : argv.slice(end + 1)
  const { tokens } = parseArgs({
    args: argv.slice(0, end < 0 ? argv.length : end),
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
  if (words[0] === 'help') {
    words.shift()
    help = true
  }
  const command = commandOf(words)
  const files = command === 'validate' ? words.slice(1) : []
  if (!help && !version) {
    checkFlags(command, given)
    checkProgram(command, program, end >= 0)
    checkFiles(command, files)
  }
  return { help, version, named: words.length > 0, command, program, files, given }
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
  const names = [...flagList.map(({ name }) => name), 'help', 'version']
  const word = rawName.replace(/^--?(?:no-)?/, '')
  const meant = closestName(word, names)
  const remedy = meant === undefined || meant === word ? '' : `did you mean --${meant}? `
  return new ConfigError(`unknown flag ${rawName}; ${remedy}see understudy --help`)
}

const names = Object.keys(commands) as readonly Command[]

function commandOf(words: readonly string[]): Command {
  const [command = 'start', surplus] = words
  if (surplus !== undefined && command !== 'validate') {
    const remedy = runners.has(command)
      ? `put -- before the command: understudy ${command} [flags] -- ${surplus}`
      : 'see understudy --help'
    throw new ConfigError(`unexpected argument "${surplus}"; ${remedy}`)
  }
  const known = names.find((name) => name === command)
  if (known !== undefined) return known
  const meant = closestName(command, [...names, ...Object.keys(productCommands)])
  const remedy = meant === undefined ? `use ${names.join(', ')}` : `did you mean ${meant}?`
  throw new ConfigError(`unknown command "${command}"; ${remedy}`)
}

function checkFlags(command: Command, given: ReadonlyMap<string, Given>): void {
  for (const { name, of } of flagList) {
    if (!given.has(name) || of === undefined || of.includes(command)) continue
    throw new ConfigError(`--${name} is a flag of ${of.join(' and ')}, not of ${command}`)
  }
}

/** The commands that run a program, and always do. */
const runners: ReadonlySet<string> = new Set(['exec', 'rehearse'])

function checkProgram(command: Command, program: readonly string[], isGiven: boolean): void {
  if (runners.has(command)) {
    if (program.length > 0 && program[0] !== '') return
    throw new ConfigError(
      `${command} needs a command: understudy ${command} [flags] -- COMMAND ARGS...`,
    )
  }
  if (!isGiven) return
  throw new ConfigError(`${command} does not run a command; understudy exec does`)
}

function checkFiles(command: Command, files: readonly string[]): void {
  if (command !== 'validate' || files.length > 0) return
  throw new ConfigError('validate needs a file: understudy validate FILE...')
}
