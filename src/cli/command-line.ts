import { parseArgs } from 'node:util'
import { closestName } from '../../routes/http/declare/similarity.ts'
import { ConfigError } from '../config-error.ts'
import { type Command, commands, productCommands } from './commands.ts'
import type { Flag } from './flags/flag-types.ts'
import { flagList, isSwitch } from './flags/flags.ts'

/** Text of a value, and the flag or variable that provided the text. */
export interface ProvidedValue {
  readonly origin: string
  readonly text: string
}

/** Parsed command line, whose values are still text. */
interface CommandLine {
  readonly help: boolean
  readonly version: boolean
  /** True if the command line names the command; `start` may be omitted. */
  readonly isNamed: boolean
  readonly command: Command
  /** Program to run, with its arguments (`exec` and `rehearse`). */
  readonly program: readonly string[]
  /**
   * Files to check, where `-` is standard input (`validate`), or the one file to read (`trace`).
   */
  readonly files: readonly string[]
  /** Part of a trace to print (`trace`). */
  readonly view?: TraceView | undefined
  /** Values by name of the flag. */
  readonly provided: ReadonlyMap<string, ProvidedValue>
}

/**
 * Parses the command line. Node's parser runs in its lenient mode, because its error messages
 * differ from those of this program.
 *
 * @throws {ConfigError} for unknown words, for flags that are unknown, lack their value or belong
 *   to another command, and if a command lacks its program or file
 */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  // Everything after `--` belongs to the program to run, even if it looks like a flag.
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
  const provided = new Map<string, ProvidedValue>()
  const positionals: string[] = []
  let help = false
  let version = false
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const flag = flagList.find(({ name }) => name === token.name)
    const isInvalid = isNegated(token.rawName) && (flag === undefined || !isSwitch(flag))
    if (token.name === 'help' && !isInvalid) help = true
    else if (token.name === 'version' && !isInvalid) version = true
    else {
      if (flag === undefined || isInvalid) throw unknownFlagError(token.rawName)
      const text = flagValue(flag, token)
      const previous = flag.accumulates === true ? provided.get(flag.name) : undefined
      provided.set(flag.name, {
        origin: `--${flag.name}`,
        text: previous === undefined ? text : `${previous.text},${text}`,
      })
    }
  }
  if (positionals[0] === 'help') {
    positionals.shift()
    help = true
  }
  const command = parseCommand(positionals)
  const files = positionals.slice(firstFileIndex[command] ?? positionals.length)
  const view = command === 'trace' ? traceViews.find((each) => each === positionals[1]) : undefined
  if (!help && !version) {
    checkFlags(command, provided)
    checkProgram(command, program, end >= 0)
    checkFiles(command, files)
    if (command === 'trace') checkTraceView(view, positionals[1], files)
  }
  return { help, version, isNamed: positionals.length > 0, command, program, files, view, provided }
}

/** Parts of a trace that `trace` prints. */
const traceViews = ['summary', 'json'] as const
export type TraceView = (typeof traceViews)[number]

/** Position of the first file among the words of a command that reads files. */
const firstFileIndex: Readonly<Partial<Record<Command, number>>> = { validate: 1, trace: 2 }

interface OptionToken {
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

function flagValue(flag: Flag<unknown>, { rawName, value, inlineValue }: OptionToken): string {
  if (isSwitch(flag)) return value ?? (isNegated(rawName) ? 'false' : 'true')
  // In `--seed --tls`, the value of `--seed` is missing. A lone `-` is a value, and so is `--tls`
  // in `--seed=--tls`.
  const isMissing = inlineValue !== true && /^-./.test(value ?? '')
  if (value !== undefined && !isMissing) return value
  throw new ConfigError(`${rawName} needs a value: ${rawName}=${flag.valueName}`)
}

function isNegated(rawName: string): boolean {
  return rawName.startsWith('--no-')
}

function unknownFlagError(rawName: string): ConfigError {
  const names = [...flagList.map(({ name }) => name), 'help', 'version']
  const word = rawName.replace(/^--?(?:no-)?/, '')
  // Every short name is similar to a single letter, so a letter gets no suggestion.
  const suggestion = word.length > 1 ? closestName(word, names) : undefined
  const remedy =
    suggestion === undefined || suggestion === word ? '' : `did you mean --${suggestion}? `
  return new ConfigError(`unknown flag ${rawName}; ${remedy}see understudy --help`)
}

const commandNames = Object.keys(commands) as readonly Command[]

function parseCommand(positionals: readonly string[]): Command {
  const [command = 'start', extraArgument] = positionals
  if (extraArgument !== undefined && !(command in firstFileIndex)) {
    const remedy = programCommands.has(command)
      ? `put -- before the command: understudy ${command} [flags] -- ${extraArgument}`
      : 'see understudy --help'
    throw new ConfigError(`unexpected argument "${extraArgument}"; ${remedy}`)
  }
  const known = commandNames.find((name) => name === command)
  if (known !== undefined) return known
  const suggestion = closestName(command, [...commandNames, ...Object.keys(productCommands)])
  const remedy =
    suggestion === undefined ? `use ${commandNames.join(', ')}` : `did you mean ${suggestion}?`
  throw new ConfigError(`unknown command "${command}"; ${remedy}`)
}

function checkFlags(command: Command, provided: ReadonlyMap<string, ProvidedValue>): void {
  for (const flag of flagList) {
    if (!provided.has(flag.name) || !flag.commands || flag.commands.includes(command)) continue
    throw new ConfigError(
      `--${flag.name} is a flag of ${flag.commands.join(' and ')}, not of ${command}`,
    )
  }
}

/** Commands that require a program to run. */
const programCommands: ReadonlySet<string> = new Set(['exec', 'rehearse'])

function checkProgram(command: Command, program: readonly string[], hasSeparator: boolean): void {
  if (programCommands.has(command)) {
    if (program.length > 0 && program[0] !== '') return
    throw new ConfigError(
      `${command} needs a command: understudy ${command} [flags] -- COMMAND ARGS...`,
    )
  }
  if (!hasSeparator) return
  throw new ConfigError(`${command} does not run a command; understudy exec does`)
}

function checkTraceView(
  view: TraceView | undefined,
  word: string | undefined,
  files: readonly string[],
): void {
  const usage = 'understudy trace summary FILE, or understudy trace json FILE'
  if (view === undefined && word !== undefined) {
    throw new ConfigError(`trace prints ${traceViews.join(' or ')}, not "${word}": ${usage}`)
  }
  if (view === undefined || files.length === 0)
    throw new ConfigError(`trace needs a file: ${usage}`)
  if (files.length > 1) throw new ConfigError(`trace reads one file, not ${files.length}: ${usage}`)
}

function checkFiles(command: Command, files: readonly string[]): void {
  if (command !== 'validate' || files.length > 0) return
  throw new ConfigError('validate needs a file: understudy validate FILE...')
}
