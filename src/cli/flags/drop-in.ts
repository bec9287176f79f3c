import type { AgentFiles } from '../../../state/mesh/file-definitions.ts'
import { ProductCallError } from '../../config-error.ts'
import type { StartLines } from '../development-server.ts'
import type { Flag, TlsSetting } from './flag-types.ts'
import { flagList, flags } from './flags.ts'
import { type FlagSettings, impliedByVendor } from './implied-flags.ts'
import { type MeshConfig, type MeshConfigSources, readMeshConfig } from './mesh-config.ts'
import type { MeshDefinitions } from './mesh-definitions.ts'
import { localVariable, readServerConfig } from './server-config.ts'
import {
  isConfiguredServer,
  isOn,
  lastOf,
  type ParsedProductCall,
  type ProductFlag,
  parseServerFlags,
} from './server-flags.ts'
import { configuredStart, developmentStart } from './server-start.ts'

type ProcessVariables = Readonly<Record<string, string | undefined>>

/**
 * Command line in the syntax of one of the products, such as `vault server`, translated for this
 * program (behaviour/program#drop-in).
 */
export interface DropIn {
  /** Arguments in the syntax of this program. */
  readonly argv: readonly string[]
  /** Settings that apply unless flags or variables of this program override them. */
  readonly settings: FlagSettings
  /** World options that apply unless the caller overrides them. */
  readonly options: Readonly<Record<string, object>>
  /** Fixtures of the mesh that are loaded before the caller's; undefined if there are none. */
  readonly fixtures?: { readonly mesh: MeshDefinitions } | undefined
  /** Configuration files of the mesh's agent; undefined for calls without any. */
  readonly agentFiles?: AgentFiles | undefined
  /** TLS settings; flags of this program replace them. */
  readonly tls?: TlsSetting | undefined
  /**
   * Whether the call starts a secrets server without naming a root token. The server then generates
   * a random root token.
   */
  readonly hasRandomRootToken: boolean
  readonly warnings: readonly string[]
  /** Lines to print after the start, because container helpers of the products wait for them. */
  readonly announcements: readonly string[]
  /** Kind of the start lines of `vault server`; undefined if none are printed. */
  readonly startLines: StartLines | undefined
  /** Whether the call prevents the server from writing the root token to a file. */
  readonly forbidsTokenFile: boolean
}

const serverAnnouncement = '==> Vault server started! Log data will stream in below:'
const agentAnnouncements = [
  '==> Consul agent running!',
  '==> Nomad agent started! Log data will stream in below:',
  'agent: Synced node info',
] as const

/** Variables of the products' images that have an effect here. */
const serverVariables = [
  'VAULT_DEV_ROOT_TOKEN_ID',
  'VAULT_DEV_LISTEN_ADDRESS',
  localVariable,
] as const
const agentVariables = ['CONSUL_LOCAL_CONFIG', 'NOMAD_LOCAL_CONFIG'] as const

/**
 * Parses a command line in the syntax of the products' development images: `server -dev`, `agent
 * -dev -client 0.0.0.0`, and, with `--drop-in`, the variables of these images. Returns undefined
 * for a command line in the syntax of this program.
 *
 * @throws {ProductCallError} for invalid flags, variables and configuration files
 */
export function parseDropIn(
  argv: readonly string[],
  environment: ProcessVariables,
): DropIn | undefined {
  const [word] = argv
  const isProductCommand = word === 'server' || word === 'agent'
  const isEnabled =
    argv.includes('--drop-in') || /^(?:1|true)$/i.test(environment['UNDERSTUDY_DROP_IN'] ?? '')
  const isAnySet = (names: readonly string[]) =>
    names.some((name) => (environment[name] ?? '') !== '')
  const isServerSet = isAnySet(serverVariables)
  if (!isProductCommand && !(isEnabled && (isServerSet || isAnySet(agentVariables)))) {
    return undefined
  }
  const call = parseCall(argv)
  const { productFlags } = call
  const configPaths = productFlags.flatMap(({ name, value }) => (name === 'config' ? [value] : []))
  const hasConfig = configPaths.length > 0 || (environment[localVariable] ?? '') !== ''
  const isServer = word === 'server' || (word !== 'agent' && isServerSet)
  const isConfigured = isServer && isConfiguredServer(productFlags, hasConfig)
  const meshSources: MeshConfigSources = {
    local: environment['CONSUL_LOCAL_CONFIG'],
    paths: productFlags.flatMap(({ name, value }) =>
      name === 'config-file' || name === 'config-dir'
        ? [{ path: value, isFolder: name === 'config-dir' }]
        : [],
    ),
    datacenter: lastOf(productFlags, 'datacenter'),
    nodeName: lastOf(productFlags, 'node'),
    nodeId: lastOf(productFlags, 'node-id'),
    nodeMeta: productFlags.flatMap(({ name, value }) => (name === 'node-meta' ? [value] : [])),
    allowsScriptChecks: productFlags.some(({ name }) => name === 'enable-script-checks'),
    fragments: productFlags.flatMap(({ name, value }) => (name === 'hcl' ? [value] : [])),
  }
  const mesh = readMeshConfig(meshSources)
  const scheduler = parseSchedulerConfig(environment['NOMAD_LOCAL_CONFIG'])
  const config = readServerConfig(configPaths, isServer ? environment[localVariable] : undefined)
  const start = isConfigured ? configuredStart : developmentStart
  const server = start({
    productFlags,
    config,
    rootToken: environment['VAULT_DEV_ROOT_TOKEN_ID'],
    address: environment['VAULT_DEV_LISTEN_ADDRESS'],
  })
  const [, host, port] = /^(.*):(\d+)$/.exec(server.address ?? '') ?? []
  const flagSettings: readonly (readonly [Flag<unknown>, string | undefined])[] = [
    ...impliedByVendor,
    [flags.host, lastOf(productFlags, 'client') ?? host],
    [flags.secretsPort, port],
    [flags.rootToken, server.rootToken],
    [flags.meshPort, lastOf(productFlags, 'http-port') ?? mesh.port],
    [flags.schedulerPort, scheduler.port],
    [flags.logLevel, logLevelOf(lastOf(productFlags, 'log-level'))],
  ]
  return {
    argv: isProductCommand ? ['start', ...call.programArguments] : call.programArguments,
    settings: flagSettings.flatMap(([flag, text]) =>
      text === undefined || text === '' ? [] : [[flag, text] as const],
    ),
    options: {
      ...(isServer ? { secrets: server.options } : {}),
      ...meshOptionsOf(mesh),
      ...schedulerOptionsOf(scheduler),
    },
    fixtures: fixturesOf(mesh),
    agentFiles: agentFilesOf(meshSources, mesh),
    tls: server.tls,
    hasRandomRootToken: isServer && (server.rootToken ?? '') === '',
    warnings: [...call.warnings, ...config.warnings, ...server.warnings, ...mesh.warnings],
    announcements: [
      ...(isProductCommand || isServer ? [] : [serverAnnouncement]),
      ...(word === 'server' ? [] : agentAnnouncements),
    ],
    startLines: isServer ? (isConfigured ? 'configured' : 'development') : undefined,
    // A server that starts from its configuration alone has no root token before its
    // initialization.
    forbidsTokenFile: isConfigured || isOn(productFlags, 'dev-no-store-token'),
  }
}

/**
 * Separates the flags of a product from those of this program. Only a call that begins with
 * `server` or `agent` has flags of a product.
 */
function parseCall(argv: readonly string[]): ParsedProductCall {
  const [word] = argv
  const programFlags = new Set(flagList.map(({ name }) => name))
  if (word === 'server') return parseServerFlags(argv.slice(1), programFlags)
  if (word === 'agent') return parseAgentFlags(argv.slice(1))
  return { programArguments: argv, productFlags: [], warnings: [] }
}

/** Flags of the agents that have an effect here. */
const effectiveAgentFlags = new Set([
  'client',
  'http-port',
  'datacenter',
  'node',
  'node-id',
  'node-meta',
  'config-file',
  'config-dir',
  'hcl',
  'enable-script-checks',
])
const quietAgentFlags = new Set(['dev', 'ui', 'bind', 'data-dir', 'log-level'])

/**
 * Separates the agents' flags from those of this program. A flag with one dash belongs to the
 * agent. A flag with two dashes belongs to the agent if it is in `effectiveAgentFlags`, otherwise
 * to this program.
 */
function parseAgentFlags(argv: readonly string[]): ParsedProductCall {
  const programArguments: string[] = []
  const productFlags: ProductFlag[] = []
  const warnings: string[] = []
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? ''
    const [, dashes = '', name = '', inline] =
      /^(--?)([a-z][a-z0-9-]*)(?:=(.*))?$/s.exec(word) ?? []
    if (name === '' || (dashes === '--' && !effectiveAgentFlags.has(name)))
      programArguments.push(word)
    else {
      const next = argv[at + 1]
      const hasValue = inline === undefined && next !== undefined && !next.startsWith('-')
      if (hasValue) at += 1
      const value = inline ?? (hasValue ? next : '')
      if (effectiveAgentFlags.has(name)) productFlags.push({ name, value })
      else if (!quietAgentFlags.has(name)) warnings.push(`-${name} has no effect`)
    }
  }
  return { programArguments, productFlags, warnings }
}

/** Log levels of this program, by the log level of the secrets product. */
const logLevels: Readonly<Record<string, string>> = {
  trace: 'trace',
  debug: 'debug',
  notice: 'info',
  info: 'info',
  warn: 'warn',
  warning: 'warn',
  err: 'error',
  error: 'error',
}

function logLevelOf(sent: string | undefined): string | undefined {
  if (sent === undefined || sent === '') return undefined
  const level = logLevels[sent.trim().toLowerCase()]
  if (level === undefined) throw new ProductCallError(`unknown log level: ${sent}`)
  return level
}

/** Parts of the scheduler's configuration that have an effect here. */
interface SchedulerConfig {
  readonly port?: string | undefined
  readonly enforcesAcls: boolean
}

/**
 * Finds the HTTP port, and whether ACLs are enabled, in a configuration in JSON or HCL. Other
 * settings are ignored.
 */
function parseSchedulerConfig(text = ''): SchedulerConfig {
  const normalized = text.replaceAll(/["\s]+/g, ' ')
  const [, port] = /\bports ?[:=]? ?{[^}]*\bhttp ?[:=] ?(\d+)/.exec(normalized) ?? []
  return { port, enforcesAcls: /\bacl ?[:=]? ?{.*\benabled ?[:=] ?true/.test(normalized) }
}

/** Returns the scheduler's world options. If ACLs are enabled, clients have to bootstrap them. */
function schedulerOptionsOf({ enforcesAcls }: SchedulerConfig) {
  return enforcesAcls ? { scheduler: { aclEnabled: true, bootstrap: 'open' } } : {}
}

/**
 * Returns the services and checks of the mesh's configuration as fixtures; undefined if the
 * configuration has neither.
 */
function fixturesOf({ definitions }: MeshConfig) {
  const isEmpty = definitions.services.length + definitions.checks.length === 0
  return isEmpty ? undefined : { mesh: definitions }
}

/**
 * Returns the configuration files of the mesh's agent, which `agent/reload` reads again; undefined
 * if the call names no files.
 */
function agentFilesOf(sources: MeshConfigSources, { definitions }: MeshConfig) {
  if (sources.paths.length === 0) return undefined
  return {
    initial: definitions,
    read() {
      try {
        return readMeshConfig(sources).definitions
      } catch (error) {
        if (!(error instanceof ProductCallError)) throw error
        return { problem: error.text }
      }
    },
  }
}

/**
 * Returns the mesh's world options. If ACLs are enabled without an initial management token,
 * clients have to bootstrap them.
 */
function meshOptionsOf(config: MeshConfig) {
  const {
    enforcesAcls,
    deniesByDefault,
    token,
    datacenter,
    nodeName,
    nodeId,
    nodeMeta,
    clusterId,
  } = config
  const first = token === undefined ? { bootstrap: 'open' } : { initialManagementToken: token }
  const options = {
    ...(datacenter !== undefined && { datacenter }),
    ...(nodeName !== undefined && { nodeName }),
    ...(nodeId !== undefined && { nodeId }),
    ...(Object.keys(nodeMeta).length > 0 && { nodeMeta }),
    ...(clusterId !== undefined && { clusterId }),
    ...(config.allowsScriptChecks && { scriptChecks: true }),
    ...(enforcesAcls && {
      aclEnabled: true,
      ...first,
      ...(deniesByDefault && { defaultPolicy: 'deny' }),
    }),
  }
  return Object.keys(options).length === 0 ? {} : { mesh: options }
}
