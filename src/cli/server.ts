import { rmSync } from 'node:fs'
import { OptionsError } from '../../routes/control/state/documents.ts'
import { greatest } from '../../state/kernel/lists.ts'
import { Mistakes, Refusal } from '../../state/kernel/refusal.ts'
import { formatTimestamp, wallClock } from '../../state/kernel/time.ts'
import { apiNames } from '../api-names.ts'
import { ConfigError, reasonOf } from '../config-error.ts'
import type { EmbeddedWorld, NewEmbeddedWorld } from '../embedding/embedded-world.ts'
import type { RehearsedRun } from '../embedding/rehearsed-worlds.ts'
import { Understudy } from '../embedding/understudy.ts'
import type { UncheckedOptions } from '../embedding/understudy-options.ts'
import { givenFlags } from '../given-flags.ts'
import { hasInspector } from '../server/inspector-files.ts'
import { logOptions } from '../server/log.ts'
import { loadTls, type TlsMaterial } from '../server/tls.ts'
import { services, servicesWithFiles } from '../services.ts'
import type { Config } from './config.ts'
import { developmentServerOf, productLines, type StartLines } from './development-server.ts'
import { LoadingProgress } from './loading-progress.ts'
import { isSlowToParse } from './validate/read-document.ts'
import { locateProblems } from './validate/validate-fixtures.ts'

/**
 * Returns the lines that a user may want to copy after starting the server by hand: addresses,
 * tokens, and the variables of the products' own clients.
 *
 * @param environment variables of the default world
 * @param inspector address of the inspector, if there is one
 */
export function bannerText(
  environment: Readonly<Record<string, string>>,
  dialect: 'neutral' | 'vendor',
  inspector?: string,
): string {
  const apis = services.map(({ name, products = '' }) => {
    const prefix = `UNDERSTUDY_${name.toUpperCase()}`
    const token = environment[`${prefix}_TOKEN`]
    return [name, products, environment[`${prefix}_URL`] ?? '', `token ${token}`]
  })
  const rows = [
    ...apis,
    ['control', '/_mock', environment['UNDERSTUDY_CONTROL_URL'] ?? '', ''],
    ...(inspector === undefined ? [] : [['inspector', '', inspector, '']]),
  ]
  const clients =
    dialect === 'vendor'
      ? exportLines(environment)
      : ["The products' own clients need --vendor, or --dialect vendor."]
  return ['', ...alignColumns(rows), '', ...clients, ''].map((line) => `${line}\n`).join('')
}

function alignColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const width = (at: number) => greatest(rows.map((row) => row[at]?.length ?? 0))
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(width(at)))
      .join('  ')
      .trimEnd(),
  )
}

/**
 * Returns the variables as one `export` line for each product. The name of a variable begins with
 * the name of its product. The variables of this program are left out.
 */
function exportLines(environment: Readonly<Record<string, string>>): readonly string[] {
  const lines = new Map<string, string[]>()
  for (const [name, value] of Object.entries(environment)) {
    const [product = ''] = name.split('_')
    if (product === 'UNDERSTUDY') continue
    const quoted = /^[\w./:@%+,-]*$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`
    lines.set(product, [...(lines.get(product) ?? []), `${name}=${quoted}`])
  }
  return [...lines.values()].map((settings) => `export ${settings.join(' ')}`)
}

export { compare } from './compare/compare.ts'

/** Server that accepts requests. */
export interface RunningServer {
  /** Document of `GET /_mock/info`. */
  readonly info: unknown
  /** Root token of the secrets API; empty before the initialization. */
  readonly rootToken: string
  /** Line that lists all addresses (behaviour/program#command). */
  readonly readyLine: string
  /** Variables with which clients find the default world (behaviour/program#commands). */
  readonly env: Readonly<Record<string, string>>
  /** Returns the start lines of `vault server` (behaviour/program#drop-in). */
  productLines(startLines: StartLines): readonly string[]
  /** Returns the lines that are printed at a terminal (behaviour/program#command). */
  banner(): string
  /** Creates a world with listeners of its own (behaviour/program#worlds-for-clients). */
  openWorld(request?: NewEmbeddedWorld): Promise<EmbeddedWorld>
  /**
   * Applies a preset to all worlds and reports their requests, until the returned function is
   * called; see `Understudy.rehearseWorlds`.
   */
  rehearseWorlds(run: RehearsedRun): () => void
  /** Returns every world, oldest first. */
  worlds(): readonly EmbeddedWorld[]
  /** Returns the trace of the run; see `TracedServer`. */
  tracePage(exitCode: number | null): Promise<string>
  close(): Promise<void>
}

export interface StartContext {
  /** Arguments of the call, for its trace. */
  readonly argv?: readonly string[]
  /** Called instead of closing the server when a client requests the shutdown. */
  readonly onShutdown?: (() => void) | undefined
}

/**
 * Starts a server. When the promise resolves, fixtures are loaded and every listener accepts
 * connections. If an address cannot be used, the promise rejects with the error of the operating
 * system.
 *
 * @throws {ConfigError} for invalid certificates, fixtures and options
 */
export async function startServer(
  config: Config,
  context: StartContext = {},
): Promise<RunningServer> {
  const { tls: tlsSetting, host } = config
  const tls =
    tlsSetting === undefined
      ? undefined
      : await loadTls({ ...tlsSetting, hosts: [host, ...config.allowedHosts] })
  const removeTemporaryFiles = () => {
    if (tls?.temporaryDir !== undefined) rmSync(tls.temporaryDir, { recursive: true, force: true })
    process.off('exit', removeTemporaryFiles)
  }
  // The process may exit without a call of `close`.
  if (tls?.temporaryDir !== undefined) process.once('exit', removeTemporaryFiles)
  try {
    const server = await startWith(config, tls, context)
    const close = () => server.close().finally(removeTemporaryFiles)
    return { ...server, close }
  } catch (error) {
    removeTemporaryFiles()
    throw error
  }
}

async function startWith(
  config: Config,
  tls: TlsMaterial | undefined,
  { argv = [], onShutdown }: StartContext,
): Promise<RunningServer> {
  const log = await logOptions(config)
  const { host } = config
  const understudy: Understudy = loadUnderstudy(config, {
    host,
    port: config.port,
    apiPorts: Object.fromEntries(apiNames.map((name) => [name, config[`${name}Port`]])),
    rootToken: config.rootToken,
    dialect: config.dialect,
    acl: config.acl,
    rateLimit: config.rateLimit,
    seed: config.seed,
    clock: config.clock,
    worlds: config.worlds,
    defaultWorld: config.defaultWorld === 'on',
    fixtures: config.fixtures,
    options: config.options,
    tls,
    allowedHosts: config.allowedHosts,
    controlToken: config.controlToken,
    onShutdown: config.allowShutdown ? (onShutdown ?? (() => void understudy.close())) : undefined,
    log,
    logRequests: config.logRequests,
  })
  const startedAt = formatTimestamp(wallClock())
  if (config.trace !== undefined) understudy.traces.collector.start()
  // Traces of tests and rehearsals use the journals, which lack requests that reach no world. Such
  // requests are collected separately.
  if (config.tracesTests || config.report !== undefined) understudy.traces.collectStrays()
  try {
    const url = await understudy.listen()
    if (tls !== undefined) understudy.app.log.info({ ca: tls.caFile }, 'clients trust this CA')
    const env = understudy.world().env(url, {})
    const addresses = apiNames.map((name) => `${name}=${understudy.apiUrl(name)}`)
    return {
      info: understudy.world().info(url),
      rootToken: developmentServerOf(understudy.world(), url, config.logLevel).rootToken,
      readyLine: `Ready. ${addresses.join(' ')} control=${url}/_mock`,
      env,
      productLines: (startLines) =>
        productLines(
          startLines,
          developmentServerOf(understudy.world(), url, config.logLevel, tls?.caFile),
        ),
      banner: () => {
        const inspector = hasInspector() ? `${url}/_mock/ui` : undefined
        return bannerText(understudy.world().env(url, {}), config.dialect, inspector)
      },
      openWorld: (request) => understudy.openWorld(request),
      rehearseWorlds: (run) => understudy.rehearseWorlds(run),
      worlds: () => understudy.worlds(),
      tracePage: (exitCode) => {
        understudy.traces.collector.stop()
        return understudy.traces.page({
          startedAt,
          command: config.program,
          exitCode,
          flags: givenFlags(argv, config.traceValues),
          fixtures: config.fixturesSource === undefined ? [] : [config.fixturesSource.name],
          addresses: addressesOf(env),
          keepsValues: config.traceValues,
        })
      },
      close: () => understudy.close(),
    }
  } catch (error) {
    await understudy.close()
    throw error
  }
}

/** Returns the variables that hold an address. */
function addressesOf(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => /^https?:/.test(value)))
}

/**
 * Returns the problems that a start with these settings would find in fixtures, one line for each.
 *
 * @throws {ConfigError} for invalid world options, which are not part of the fixtures
 */
export function fixtureProblems(config: Config, fixtures: unknown): readonly string[] {
  const { dialect, rootToken, acl, rateLimit, options } = config
  try {
    void new Understudy({ dialect, rootToken, acl, rateLimit, options, fixtures }).close()
    return []
  } catch (error) {
    if (error instanceof Mistakes && !(error instanceof OptionsError)) return error.problems
    throw startError(error, undefined)
  }
}

/**
 * Creates the server and shows the progress of loading fixtures. Throws a `ConfigError` if the
 * initial state is invalid.
 */
function loadUnderstudy(config: Config, options: UncheckedOptions): Understudy {
  const { fixturesSource: source, agentFiles } = config
  const served = agentFiles && servicesWithFiles(agentFiles)
  const progress = source === undefined ? undefined : loadingProgress(source)
  progress?.update()
  try {
    const understudy = new Understudy(options, served, progress?.countLoadedEntry)
    progress?.end()
    return understudy
  } catch (error) {
    progress?.cancel()
    throw startError(error, source)
  }
}

function loadingProgress({ startedAt, text }: NonNullable<Config['fixturesSource']>) {
  const { stderr } = process
  return new LoadingProgress({
    write: (text) => stderr.write(text),
    isTerminal: stderr.isTTY === true,
    startedAt: startedAt,
    isAnnounced: isSlowToParse(text),
  })
}

/**
 * Returns the error for a failed start: for a refusal, a `ConfigError`; any other error unchanged.
 * If the fixtures have problems, the message gives the line number of each problem.
 */
function startError(error: unknown, source: Config['fixturesSource']): unknown {
  if (!(error instanceof Refusal)) return error
  const heading = 'the initial state was rejected:'
  if (!(error instanceof Mistakes) || error instanceof OptionsError || source === undefined) {
    return new ConfigError(`${heading} ${reasonOf(error)}`)
  }
  const lines = locateProblems(source.name, source.text, error.problems)
  return new ConfigError(`${heading} ${lines.join('; ')}`, [heading, ...lines])
}
