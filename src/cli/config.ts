import type { ClockText } from '../../routes/control/clock/clock-text.ts'
import type { EnvironmentFormat } from '../../routes/control/worlds/environment.ts'
import { isObject } from '../../state/kernel/objects.ts'
import { monotonicTime } from '../../state/kernel/time.ts'
import type { AgentFiles } from '../../state/mesh/file-definitions.ts'
import type { ApiName } from '../api-names.ts'
import { ConfigError } from '../config-error.ts'
import { isTestTraceWord, isTraceWord, traceVariable } from '../trace-setting.ts'
import { type ProvidedValue, parseCommandLine, type TraceView } from './command-line.ts'
import type { Command } from './commands.ts'
import type { StartLines } from './development-server.ts'
import { type DropIn, parseDropIn } from './flags/drop-in.ts'
import { BadValue, type Flag, type TlsSetting } from './flags/flag-types.ts'
import { apiPortNames, flags, variableOf } from './flags/flags.ts'
import { type FlagSettings, impliedBy, impliedByVendor } from './flags/implied-flags.ts'
import { mistypedVariables } from './flags/mistyped-variables.ts'
import { hasTlsFlag, tlsSetting } from './flags/tls-setting.ts'
import { loadingLine } from './loading-progress.ts'
import { isStartedByNpm } from './parent-process.ts'
import {
  type LoadedDocument,
  parseDocument,
  parseJsonObject,
  readDocument,
} from './validate/read-document.ts'

/** Ports of additional listeners for one API each, such as `meshPort`. */
type ApiPorts = { readonly [Name in ApiName as `${Name}Port`]?: number | undefined }

/** Settings of the command, with defaults filled in (behaviour/program#command). */
export interface Config extends ApiPorts {
  readonly command: Command
  /** Program to run, with its arguments (`exec` and `rehearse`). */
  readonly program: readonly string[]
  /** Files of fixtures (`validate`), or the file of a trace (`trace`). */
  readonly files: readonly string[]
  /** Part of a trace to print (`trace`). */
  readonly view?: TraceView | undefined
  /** Id of the request after which the state is printed (`trace`). */
  readonly at?: string | undefined
  /** True if the summary is appended to the file for GitHub job summaries (`trace`). */
  readonly github: boolean
  /** Warnings about settings that have no effect. */
  readonly warnings: readonly string[]
  /** Lines that follow the ready line, in the style of the products. */
  readonly announcements: readonly string[]
  /**
   * Kind of the `vault server` lines that are printed before the ready line; undefined if no such
   * lines are printed.
   */
  readonly startLines?: StartLines | undefined
  readonly host: string
  /** Port of the combined listener. For every listener, 0 means any free port. */
  readonly port: number
  readonly rootToken: string
  readonly dialect: 'neutral' | 'vendor'
  readonly seed?: string | undefined
  readonly clock: ClockText
  readonly worlds: 'off' | 'auto'
  readonly defaultWorld: 'on' | 'off'
  /** Parsed state document; the server checks its content. */
  readonly fixtures?: unknown
  /** The fixtures document without its parsed value, for messages and the progress of loading. */
  readonly fixturesSource?: Omit<LoadedDocument, 'value'> | undefined
  /** Parsed world options; the server checks their content. */
  readonly options?: unknown
  /** Configuration files of the mesh's agent. */
  readonly agentFiles?: AgentFiles | undefined
  readonly tls?: TlsSetting | undefined
  readonly acl: boolean
  readonly rateLimit: boolean
  /** Host names in lower case. */
  readonly allowedHosts: readonly string[]
  readonly controlToken?: string | undefined
  readonly allowShutdown: boolean
  readonly logRequests: 'none' | 'refused' | 'all'
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'
  readonly logFormat: 'pretty' | 'json'
  readonly readyFile?: string | undefined
  /** File that receives the root token of the secrets API (`start`). */
  readonly tokenFile?: string | undefined
  readonly endWithParent: boolean
  /** File that receives a trace of the run (`start` and `exec`). */
  readonly trace?: string | undefined
  /** True if the trace keeps secrets (`start` and `exec`). */
  readonly traceValues: boolean
  /** True if `UNDERSTUDY_TRACE` makes tests write traces, which this server then renders. */
  readonly tracesTests: boolean
  /** File that receives the variables (`exec`). */
  readonly writeEnv?: string | undefined
  /** URL of the server to ask (`env`). */
  readonly url?: string | undefined
  /** World of the server to ask (`env`), or world of a trace (`trace`). */
  readonly world?: string | undefined
  readonly format: EnvironmentFormat
  /** Names of the failures to rehearse; empty for all failures (`rehearse`). */
  readonly presets: readonly string[]
  /** Folder for reports (`rehearse` and `compare`). */
  readonly report?: string | undefined
  /** Minimum percentage of failures that the program must survive (`rehearse`). */
  readonly failUnder: number
  /** Maximum duration of a run in milliseconds (`rehearse`). */
  readonly timeLimit: number
  /** Address of the server to read (`capture`). */
  readonly from?: string | undefined
  /** Token for the server (`capture` and `compare`). */
  readonly token?: string | undefined
  /** Service of the server (`capture` and `compare`). */
  readonly service?: 'secrets' | 'scheduler' | 'mesh' | undefined
  /** True if secret values are captured (`capture`). */
  readonly values: boolean
  /** Address of the server to compare with the mock (`compare`). */
  readonly against?: string | undefined
  /** True if the compared server may be on another machine (`compare`). */
  readonly yes: boolean
  /** Number of sequences to try (`compare`). */
  readonly sequences: number
}

/** Parsed command line: settings, or a request for help or for the version. */
type Invocation = Config | { readonly help: Command | undefined } | { readonly version: true }

/** Environment variables by name, as `process.env`. */
export type ProcessVariables = Readonly<Record<string, string | undefined>>

/**
 * Reads the command line, the environment and the files that they name. Flags take precedence over
 * variables (behaviour/program#command).
 *
 * @param argv the arguments after the script's name
 * @param isTerminal true if the log goes to a terminal; decides the default log format
 * @throws {ConfigError} for unknown words and flags, bad values and unreadable files
 */
export async function readConfig(
  argv: readonly string[],
  environment: ProcessVariables,
  isTerminal = process.stderr.isTTY === true,
): Promise<Invocation> {
  const dropIn = parseDropIn(argv, environment)
  const commandLine = parseCommandLine(dropIn?.argv ?? argv)
  if (commandLine.help) return { help: commandLine.isNamed ? commandLine.command : undefined }
  if (commandLine.version) return { version: true }

  const find = (flag: Flag<unknown>): ProvidedValue | undefined =>
    commandLine.provided.get(flag.name) ?? valueFromEnvironment(flag, environment)
  const settingOf = <T>(flag: Flag<T>): T => {
    const provided = find(flag) ?? impliedValues.get(flag)
    return provided === undefined ? flag.defaultValue : parseFlag(flag, provided)
  }
  const impliedValues = new Map<Flag<unknown>, ProvidedValue>()
  addImplied(impliedValues, impliedBy[commandLine.command] ?? [], commandLine.command)
  addImplied(impliedValues, dropIn?.settings ?? [], argv[0] ?? '')
  addImplied(impliedValues, settingOf(flags.vendor) ? impliedByVendor : [], '--vendor')

  // `parseDropIn` has already read the flag; this call rejects an invalid value.
  settingOf(flags.dropIn)
  const settings: Config = {
    command: commandLine.command,
    program: commandLine.program,
    files: commandLine.files,
    view: commandLine.view,
    at: settingOf(flags.at),
    github: settingOf(flags.github),
    warnings: [...mistypedVariables(environment), ...(dropIn?.warnings ?? [])],
    announcements: dropIn?.announcements ?? [],
    startLines: dropIn?.startLines,
    agentFiles: dropIn?.agentFiles,
    host: settingOf(flags.host),
    port: settingOf(flags.port),
    ...Object.fromEntries(apiPortNames.map((name) => [name, settingOf(flags[name])])),
    rootToken: settingOf(flags.rootToken),
    dialect: settingOf(flags.dialect),
    seed: settingOf(flags.seed),
    clock: settingOf(flags.clock),
    worlds: settingOf(flags.worlds),
    defaultWorld: settingOf(flags.defaultWorld),
    tls: hasTlsFlag(commandLine.provided)
      ? tlsSetting(settingOf)
      : (dropIn?.tls ?? tlsSetting(settingOf)),
    acl: settingOf(flags.acl),
    rateLimit: settingOf(flags.rateLimit),
    allowedHosts: settingOf(flags.allowedHosts),
    controlToken: settingOf(flags.controlToken),
    allowShutdown: settingOf(flags.allowShutdown),
    logLevel: settingOf(flags.logLevel),
    logRequests: settingOf(flags.logRequests),
    logFormat: settingOf(flags.logFormat) ?? (isTerminal ? 'pretty' : 'json'),
    readyFile: settingOf(flags.readyFile),
    tokenFile: dropIn?.forbidsTokenFile === true ? undefined : settingOf(flags.tokenFile),
    endWithParent: settingOf(flags.endWithParent) ?? isStartedByNpm(environment),
    trace: traceFileOf(find(flags.trace)),
    traceValues: settingOf(flags.traceValues),
    tracesTests: isTestTraceWord(environment[traceVariable]),
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
  // These commands start no server, so they must not read fixtures from standard input.
  if (['healthcheck', 'env', 'trace'].includes(commandLine.command)) return settings
  const [fixtures, providedOptions] = [find(flags.fixtures), find(flags.options)]
  const parsedOptions =
    providedOptions === undefined
      ? undefined
      : parseJsonObject(providedOptions.origin, providedOptions.text)
  const impliedOptions = dropIn && dropInOptions(dropIn, find(flags.rootToken) !== undefined)
  const options =
    impliedOptions === undefined
      ? parsedOptions
      : mergeServiceOptions(impliedOptions, parsedOptions)
  // `validate` and `capture` read or write their own documents, so fixtures from a setting are
  // ignored.
  const ignoresFixtures = commandLine.command === 'validate' || commandLine.command === 'capture'
  if (ignoresFixtures) return { ...settings, options }
  if (fixtures === undefined) return { ...settings, fixtures: dropIn?.fixtures, options }
  const { value, ...fixturesSource } = readFixtures(fixtures)
  const merged = withDefinitions(value, dropIn?.fixtures)
  return { ...settings, fixtures: merged, fixturesSource, options }
}

/**
 * Returns fixtures in which the services and checks of a product's configuration precede the
 * fixtures' own. Fixtures of a wrong type are returned unchanged, because the server reports the
 * problem.
 */
function withDefinitions(fixtures: unknown, implied: DropIn['fixtures']): unknown {
  if (implied === undefined || !isObject(fixtures)) return fixtures
  const { mesh = {} } = fixtures
  if (!isObject(mesh)) return fixtures
  const joined = Object.entries(implied.mesh).map(([kind, definitions]) => {
    const own: unknown = mesh[kind]
    return [kind, Array.isArray(own) ? [...definitions, ...own] : (own ?? definitions)]
  })
  return { ...fixtures, mesh: { ...mesh, ...Object.fromEntries(joined) } }
}

/**
 * Returns the world options that a product's command line implies. A random root token is only set
 * if the caller gives no root token.
 */
function dropInOptions({ options, hasRandomRootToken }: DropIn, hasRootToken: boolean) {
  if (!hasRandomRootToken || hasRootToken) return options
  return { ...options, secrets: { ...options['secrets'], randomRootToken: true } }
}

/**
 * Merges implied options of services with the given ones, which take precedence. Given options of a
 * wrong type are returned unchanged, because the server reports the problem.
 */
function mergeServiceOptions(defaults: Readonly<Record<string, object>>, overrides: unknown) {
  if (overrides === undefined) return defaults
  if (typeof overrides !== 'object' || overrides === null) return overrides
  const services = Object.entries(overrides).map(([name, options]) => [
    name,
    isObject(options) ? { ...defaults[name], ...options } : options,
  ])
  return { ...defaults, ...Object.fromEntries(services) }
}

/**
 * Adds settings to the implied settings, which apply to flags that the caller does not set. An
 * added setting replaces an earlier implied setting of the same flag.
 */
function addImplied(
  implied: Map<Flag<unknown>, ProvidedValue>,
  settings: FlagSettings,
  origin: string,
): void {
  for (const [flag, text] of settings) implied.set(flag, { origin, text })
}

function valueFromEnvironment(flag: Flag<unknown>, environment: ProcessVariables) {
  const origin = variableOf(flag)
  const text = environment[origin]
  if (text === undefined || text === '') return undefined
  // For a service named `understudy`, Kubernetes sets UNDERSTUDY_PORT=tcp://10.0.0.1:4600 in every
  // pod. This address of the cluster is not a setting.
  if (flag.valueName === 'PORT' && text.startsWith('tcp://')) return undefined
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

/**
 * Returns the file for a trace; undefined if no file is given. Words such as `on-failure` in the
 * variable are not file names.
 */
function traceFileOf(provided: ProvidedValue | undefined): string | undefined {
  if (provided === undefined) return undefined
  if (!provided.origin.startsWith('--') && isTraceWord(provided.text)) return undefined
  return parseFlag(flags.trace, provided)
}

/**
 * Throws a `ConfigError` for two listeners on one port, because the later failure to listen would
 * name the wrong flag.
 */
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

/**
 * Reads fixtures from a file or a variable. In a variable, a text with a leading brace or several
 * lines is the document itself. Throws a `ConfigError` if the document cannot be read.
 */
function readFixtures({ origin, text }: ProvidedValue): LoadedDocument {
  const announce = () => process.stderr.write(loadingLine)
  if (origin.startsWith('--')) return readDocument(origin, text, announce)
  if (/^\s*\{/.test(text) || text.includes('\n')) {
    const startedAt = monotonicTime()
    return { name: origin, text, value: parseDocument(origin, text), startedAt }
  }
  // In a variable, a dash is the name of a file, not standard input.
  return readDocument(origin, text === '-' ? './-' : text, announce)
}
