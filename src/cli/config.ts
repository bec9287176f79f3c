import type { ClockText } from '../../routes/control/clock/clock-text.ts'
import type { EnvironmentFormat } from '../../routes/control/worlds/environment.ts'
import { monotonicTime } from '../../state/kernel/time.ts'
import type { ApiName } from '../api-names.ts'
import { ConfigError } from '../config-error.ts'
import { type ProvidedValue, parseCommandLine } from './command-line.ts'
import type { Command } from './commands.ts'
import { parseDropIn } from './flags/drop-in.ts'
import { BadValue, type Flag } from './flags/flag-types.ts'
import { apiPortNames, flags, variableOf } from './flags/flags.ts'
import { type FlagSettings, impliedBy, impliedByVendor } from './flags/implied-flags.ts'
import { mistypedVariables } from './flags/mistyped-variables.ts'
import { loadingLine } from './loading-progress.ts'
import { isStartedByNpm } from './parent-process.ts'
import {
  type LoadedDocument,
  parseDocument,
  parseJsonObject,
  readDocument,
} from './validate/read-document.ts'

/** Where the certificate comes from; all left out: an own one in a fresh temporary directory. */
export interface TlsSetting {
  readonly dir?: string | undefined
  /** Given together with `keyFile`, instead of an own certificate. */
  readonly certFile?: string | undefined
  readonly keyFile?: string | undefined
}

/** The ports of further listeners with one API each: `meshPort`. */
type ApiPorts = { readonly [Name in ApiName as `${Name}Port`]?: number | undefined }

/** Everything the command was told, defaults filled in (behaviour/program#command). */
export interface Config extends ApiPorts {
  readonly command: Command
  /** Of `exec` and `rehearse`: the program to run, with its arguments. */
  readonly program: readonly string[]
  /** Of `validate`: the files of fixtures. */
  readonly files: readonly string[]
  /** Lines about what was given in vain. */
  readonly warnings: readonly string[]
  /** Lines that follow the ready line: the products' own. */
  readonly announcements: readonly string[]
  readonly host: string
  /** Port of the combined listener; 0 means any free one, as with the others. */
  readonly port: number
  readonly rootToken: string
  readonly dialect: 'neutral' | 'vendor'
  readonly seed?: string | undefined
  readonly clock: ClockText
  readonly worlds: 'off' | 'auto'
  readonly defaultWorld: 'on' | 'off'
  /** The parsed state document; what is in it is the server's to judge. */
  readonly fixtures?: unknown
  /** The text that it was read from, and its name for messages. */
  readonly fixturesSource?: Omit<LoadedDocument, 'value'> | undefined
  /** World options, parsed; likewise. */
  readonly options?: unknown
  readonly tls?: TlsSetting | undefined
  readonly acl: boolean
  readonly rateLimit: boolean
  /** In lower case. */
  readonly allowedHosts: readonly string[]
  readonly controlToken?: string | undefined
  readonly allowShutdown: boolean
  readonly logRequests: 'none' | 'refused' | 'all'
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'
  readonly logFormat: 'pretty' | 'json'
  readonly readyFile?: string | undefined
  readonly endWithParent: boolean
  /** Of `exec`: the file that gets the variables. */
  readonly writeEnv?: string | undefined
  /** Of `env`: the server that is asked, and its world. */
  readonly url?: string | undefined
  readonly world?: string | undefined
  readonly format: EnvironmentFormat
  /** Of `rehearse`: the failures by name (none: all); of `compare`, too: the folder that gets the reports. */
  readonly presets: readonly string[]
  readonly report?: string | undefined
  /** Of `rehearse`: so many percent are to be survived. */
  readonly failUnder: number
  /** Of `rehearse`: the longest that a run takes, in milliseconds. */
  readonly timeLimit: number
  /** Of `capture`: the server; of `compare`, too: a token of it, which API it has, and whether values are taken. */
  readonly from?: string | undefined
  readonly token?: string | undefined
  readonly service?: 'secrets' | 'scheduler' | 'mesh' | undefined
  readonly values: boolean
  /** Of `compare`: the server, and whether it may be on another machine. */
  readonly against?: string | undefined
  readonly yes: boolean
  /** Of `compare`: how many are tried. */
  readonly sequences: number
}

/** The wish of a call of the command. */
type Invocation = Config | { readonly help: Command | undefined } | { readonly version: true }

/** Environment variables by name, as `process.env`. */
export type ProcessVariables = Readonly<Record<string, string | undefined>>

/**
 * Reads the command line and the environment; flags win (behaviour/program#command).
 *
 * @param argv the arguments after the script's name
 * @param isTerminal whether the log goes to a terminal, which decides its default form
 * @throws {ConfigError} for unknown words and flags, bad values and unreadable files
 */
export async function readConfig(
  argv: readonly string[],
  environment: ProcessVariables,
  isTerminal = process.stderr.isTTY === true,
): Promise<Invocation> {
  const dropIn = parseDropIn(argv, environment)
  const line = parseCommandLine(dropIn?.argv ?? argv)
  if (line.help) return { help: line.isNamed ? line.command : undefined }
  if (line.version) return { version: true }

  const find = (flag: Flag<unknown>): ProvidedValue | undefined =>
    line.provided.get(flag.name) ?? fromEnvironment(flag, environment)
  const settingOf = <T>(flag: Flag<T>): T => {
    const provided = find(flag) ?? implied.get(flag)
    return provided === undefined ? flag.defaultValue : parseFlag(flag, provided)
  }
  const implied = new Map<Flag<unknown>, ProvidedValue>()
  addImplied(implied, impliedBy[line.command] ?? [], line.command)
  addImplied(implied, dropIn?.settings ?? [], argv[0] ?? '')
  addImplied(implied, settingOf(flags.vendor) ? impliedByVendor : [], '--vendor')

  // Read before; here a mistake in it is told.
  settingOf(flags.dropIn)
  const settings: Config = {
    command: line.command,
    program: line.program,
    files: line.files,
    warnings: [...mistypedVariables(environment), ...(dropIn?.warnings ?? [])],
    announcements: dropIn?.announcements ?? [],
    host: settingOf(flags.host),
    port: settingOf(flags.port),
    ...Object.fromEntries(apiPortNames.map((name) => [name, settingOf(flags[name])])),
    rootToken: settingOf(flags.rootToken),
    dialect: settingOf(flags.dialect),
    seed: settingOf(flags.seed),
    clock: settingOf(flags.clock),
    worlds: settingOf(flags.worlds),
    defaultWorld: settingOf(flags.defaultWorld),
    tls: tlsSetting(settingOf),
    acl: settingOf(flags.acl),
    rateLimit: settingOf(flags.rateLimit),
    allowedHosts: settingOf(flags.allowedHosts),
    controlToken: settingOf(flags.controlToken),
    allowShutdown: settingOf(flags.allowShutdown),
    logLevel: settingOf(flags.logLevel),
    logRequests: settingOf(flags.logRequests),
    logFormat: settingOf(flags.logFormat) ?? (isTerminal ? 'pretty' : 'json'),
    readyFile: settingOf(flags.readyFile),
    endWithParent: settingOf(flags.endWithParent) ?? isStartedByNpm(environment),
    writeEnv: settingOf(flags.writeEnv),
    url: settingOf(flags.url),
    world: settingOf(flags.world),
    format: settingOf(flags.format),
    presets: settingOf(flags.presets),
    report: settingOf(flags.report),
    failUnder: settingOf(flags.failUnder),
    timeLimit: settingOf(flags.timeLimit),
    from: settingOf(flags.from),
    token: settingOf(flags.token),
    service: settingOf(flags.service),
    values: settingOf(flags.values),
    against: settingOf(flags.against),
    sequences: settingOf(flags.sequences),
    yes: settingOf(flags.yes),
  }
  refuseSharedPorts(settings)
  // A health check concerns the address alone; a document on standard input is the server's.
  if (line.command === 'healthcheck' || line.command === 'env') return settings
  const [fixtures, providedOptions] = [find(flags.fixtures), find(flags.options)]
  const parsedOptions =
    providedOptions === undefined
      ? undefined
      : parseJsonObject(providedOptions.origin, providedOptions.text)
  const options =
    dropIn === undefined ? parsedOptions : mergeServiceOptions(dropIn.options, parsedOptions)
  // Their documents are those that they name, or make.
  const ignoresFixtures = line.command === 'validate' || line.command === 'capture'
  if (fixtures === undefined || ignoresFixtures) return { ...settings, options }
  const { value, ...fixturesSource } = readFixtures(fixtures)
  return { ...settings, fixtures: value, fixturesSource, options }
}

/** Options of services beneath those that are given, which the server judges. */
function mergeServiceOptions(
  defaults: Readonly<Record<string, object>>,
  overrides: unknown,
): unknown {
  if (overrides === undefined) return defaults
  if (typeof overrides !== 'object' || overrides === null) return overrides
  const services = Object.entries(overrides).map(([name, options]) => [
    name,
    isObject(options) ? { ...defaults[name], ...options } : options,
  ])
  return { ...defaults, ...Object.fromEntries(services) }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Notes settings that count where nobody gave any. */
function addImplied(
  implied: Map<Flag<unknown>, ProvidedValue>,
  settings: FlagSettings,
  origin: string,
): void {
  for (const [flag, text] of settings) implied.set(flag, { origin, text })
}

function fromEnvironment(
  flag: Flag<unknown>,
  environment: ProcessVariables,
): ProvidedValue | undefined {
  const origin = variableOf(flag)
  const text = environment[origin]
  if (text === undefined || text === '') return undefined
  // For a service named `understudy`, Kubernetes sets UNDERSTUDY_PORT=tcp://10.0.0.1:4600 in every
  // pod: that is an address of theirs, not our setting.
  if (flag.value === 'PORT' && text.startsWith('tcp://')) return undefined
  return { origin, text }
}

function parseFlag<T>(flag: Flag<T>, { origin, text }: ProvidedValue): T {
  try {
    return flag.parse(text)
  } catch (error) {
    if (!(error instanceof BadValue)) throw error
    const shownValue = error.mayBeShown ? `, not ${JSON.stringify(text)}` : ''
    const remedy = error.suggestion === undefined ? '' : `; did you mean ${error.suggestion}?`
    throw new ConfigError(`${origin} must be ${error.message}${shownValue}${remedy}`)
  }
}

/** Naming files turns TLS on, unless a plain no says otherwise. */
function tlsSetting(settingOf: <T>(flag: Flag<T>) => T): TlsSetting | undefined {
  const dir = settingOf(flags.tlsDir)
  const certFile = settingOf(flags.tlsCert)
  const keyFile = settingOf(flags.tlsKey)
  const namesFiles = dir !== undefined || certFile !== undefined || keyFile !== undefined
  if (!(settingOf(flags.tls) ?? namesFiles)) return undefined
  if ((certFile === undefined) === (keyFile === undefined)) return { dir, certFile, keyFile }
  throw new ConfigError(
    certFile === undefined
      ? '--tls-key needs --tls-cert, the certificate it belongs to'
      : '--tls-cert needs --tls-key, its private key',
  )
}

/** Two listeners on one port would fail later, and name the wrong culprit. */
function refuseSharedPorts(config: Config): void {
  const flagByPort = new Map<number, string>()
  for (const flag of ['port', ...apiPortNames] as const) {
    const number = config[flag]
    if (number === undefined || number === 0) continue
    const other = flagByPort.get(number)
    const name = `--${flags[flag].name}`
    if (other !== undefined) {
      throw new ConfigError(`${name} and ${other} are both ${number}; use different ports`)
    }
    flagByPort.set(number, name)
  }
}

/** In the variable, text with a brace in front or with several lines is the document itself. */
function readFixtures({ origin, text }: ProvidedValue): LoadedDocument {
  const announce = () => process.stderr.write(loadingLine)
  if (origin.startsWith('--')) return readDocument(origin, text, announce)
  if (/^\s*\{/.test(text) || text.includes('\n')) {
    const startedAt = monotonicTime()
    return { name: origin, text, value: parseDocument(origin, text), startedAt }
  }
  // `./-`: in the variable a dash is a file like any other.
  return readDocument(origin, text === '-' ? './-' : text, announce)
}
