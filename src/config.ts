import type { ClockText } from '../routes/control/clock-text.ts'
import type { EnvironmentFormat } from '../routes/control/environment.ts'
import { monotonicTime } from '../state/kernel/time.ts'
import type { ApiName } from './api-names.ts'
import { type Given, parseCommandLine } from './command-line.ts'
import type { Command } from './commands.ts'
import { ConfigError } from './config-error.ts'
import { parseDocument, parseJsonObject, type ReadDocument, readDocument } from './document.ts'
import { dropInOf } from './drop-in.ts'
import { BadValue, type Flag } from './flag-kinds.ts'
import { apiPortNames, flags, variableOf } from './flags.ts'
import { impliedBy, impliedByVendor, type Settings } from './implied.ts'
import { loadingLine } from './loading-note.ts'
import { mistypedVariables } from './mistyped.ts'
import { isStartedByNpm } from './parent.ts'

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
  readonly announced: readonly string[]
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
  readonly fixturesSource?: Omit<ReadDocument, 'value'> | undefined
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
type Call = Config | { readonly help: Command | undefined } | { readonly version: true }

/** Environment variables by name, as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads the command line and the environment; flags win (behaviour/program#command).
 *
 * @param argv the arguments after the script's name
 * @param terminal whether the log goes to a terminal, which decides its default form
 * @throws {ConfigError} for unknown words and flags, bad values and unreadable files
 */
export async function readConfig(
  argv: readonly string[],
  environment: Environment,
  terminal = process.stderr.isTTY === true,
): Promise<Call> {
  const dropIn = dropInOf(argv, environment)
  const line = parseCommandLine(dropIn?.argv ?? argv)
  if (line.help) return { help: line.named ? line.command : undefined }
  if (line.version) return { version: true }

  const find = (flag: Flag<unknown>): Given | undefined =>
    line.given.get(flag.name) ?? fromEnvironment(flag, environment)
  const take = <T>(flag: Flag<T>): T => {
    const given = find(flag) ?? implied.get(flag)
    return given === undefined ? flag.absent : read(flag, given)
  }
  const implied = new Map<Flag<unknown>, Given>()
  imply(implied, impliedBy[line.command] ?? [], line.command)
  imply(implied, dropIn?.settings ?? [], argv[0] ?? '')
  imply(implied, take(flags.vendor) ? impliedByVendor : [], '--vendor')

  // Read before; here a mistake in it is told.
  take(flags.dropIn)
  const settings: Config = {
    command: line.command,
    program: line.program,
    files: line.files,
    warnings: [...mistypedVariables(environment), ...(dropIn?.warnings ?? [])],
    announced: dropIn?.announced ?? [],
    host: take(flags.host),
    port: take(flags.port),
    ...Object.fromEntries(apiPortNames.map((name) => [name, take(flags[name])])),
    rootToken: take(flags.rootToken),
    dialect: take(flags.dialect),
    seed: take(flags.seed),
    clock: take(flags.clock),
    worlds: take(flags.worlds),
    defaultWorld: take(flags.defaultWorld),
    tls: tlsSetting(take),
    acl: take(flags.acl),
    rateLimit: take(flags.rateLimit),
    allowedHosts: take(flags.allowedHosts),
    controlToken: take(flags.controlToken),
    allowShutdown: take(flags.allowShutdown),
    logLevel: take(flags.logLevel),
    logRequests: take(flags.logRequests),
    logFormat: take(flags.logFormat) ?? (terminal ? 'pretty' : 'json'),
    readyFile: take(flags.readyFile),
    endWithParent: take(flags.endWithParent) ?? isStartedByNpm(environment),
    writeEnv: take(flags.writeEnv),
    url: take(flags.url),
    world: take(flags.world),
    format: take(flags.format),
    presets: take(flags.presets),
    report: take(flags.report),
    failUnder: take(flags.failUnder),
    timeLimit: take(flags.timeLimit),
    from: take(flags.from),
    token: take(flags.token),
    service: take(flags.service),
    values: take(flags.values),
    against: take(flags.against),
    sequences: take(flags.sequences),
    yes: take(flags.yes),
  }
  refuseSharedPorts(settings)
  // A health check concerns the address alone; a document on standard input is the server's.
  if (line.command === 'healthcheck' || line.command === 'env') return settings
  const [fixtures, given] = [find(flags.fixtures), find(flags.options)]
  const said = given === undefined ? undefined : parseJsonObject(given.origin, given.text)
  const options = dropIn === undefined ? said : merged(dropIn.options, said)
  // Their documents are those that they name, or make.
  const makesOwn = line.command === 'validate' || line.command === 'capture'
  if (fixtures === undefined || makesOwn) return { ...settings, options }
  const { value, ...fixturesSource } = readFixtures(fixtures)
  return { ...settings, fixtures: value, fixturesSource, options }
}

/** Options of services beneath those that are given, which the server judges. */
function merged(beneath: Readonly<Record<string, object>>, given: unknown): unknown {
  if (given === undefined) return beneath
  if (typeof given !== 'object' || given === null) return given
  const services = Object.entries(given).map(([name, options]) => [
    name,
    isObject(options) ? { ...beneath[name], ...options } : options,
  ])
  return { ...beneath, ...Object.fromEntries(services) }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Notes settings that count where nobody gave any. */
function imply(implied: Map<Flag<unknown>, Given>, settings: Settings, origin: string): void {
  for (const [flag, text] of settings) implied.set(flag, { origin, text })
}

function fromEnvironment(flag: Flag<unknown>, environment: Environment): Given | undefined {
  const origin = variableOf(flag)
  const text = environment[origin]
  if (text === undefined || text === '') return undefined
  // For a service named `understudy`, Kubernetes sets UNDERSTUDY_PORT=tcp://10.0.0.1:4600 in every
  // pod: that is an address of theirs, not our setting.
  if (flag.value === 'PORT' && text.startsWith('tcp://')) return undefined
  return { origin, text }
}

function read<T>(flag: Flag<T>, { origin, text }: Given): T {
  try {
    return flag.read(text)
  } catch (error) {
    if (!(error instanceof BadValue)) throw error
    const repeated = error.repeat ? `, not ${JSON.stringify(text)}` : ''
    const remedy = error.meant === undefined ? '' : `; did you mean ${error.meant}?`
    throw new ConfigError(`${origin} must be ${error.message}${repeated}${remedy}`)
  }
}

/** Naming files turns TLS on, unless a plain no says otherwise. */
function tlsSetting(take: <T>(flag: Flag<T>) => T): TlsSetting | undefined {
  const dir = take(flags.tlsDir)
  const certFile = take(flags.tlsCert)
  const keyFile = take(flags.tlsKey)
  const named = dir !== undefined || certFile !== undefined || keyFile !== undefined
  if (!(take(flags.tls) ?? named)) return undefined
  if ((certFile === undefined) === (keyFile === undefined)) return { dir, certFile, keyFile }
  throw new ConfigError(
    certFile === undefined
      ? '--tls-key needs --tls-cert, the certificate it belongs to'
      : '--tls-cert needs --tls-key, its private key',
  )
}

/** Two listeners on one port would fail later, and name the wrong culprit. */
function refuseSharedPorts(config: Config): void {
  const users = new Map<number, string>()
  for (const flag of ['port', ...apiPortNames] as const) {
    const number = config[flag]
    if (number === undefined || number === 0) continue
    const other = users.get(number)
    const name = `--${flags[flag].name}`
    if (other !== undefined) {
      throw new ConfigError(`${name} and ${other} are both ${number}; use different ports`)
    }
    users.set(number, name)
  }
}

/** In the variable, text with a brace in front or with several lines is the document itself. */
function readFixtures({ origin, text }: Given): ReadDocument {
  const announce = () => process.stderr.write(loadingLine)
  if (origin.startsWith('--')) return readDocument(origin, text, announce)
  if (/^\s*\{/.test(text) || text.includes('\n')) {
    const begun = monotonicTime()
    return { name: origin, text, value: parseDocument(origin, text), begun }
  }
  // `./-`: in the variable a dash is a file like any other.
  return readDocument(origin, text === '-' ? './-' : text, announce)
}
