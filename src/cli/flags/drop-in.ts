import type { Flag } from './flag-types.ts'
import { flags } from './flags.ts'
import { type FlagSettings, impliedByVendor } from './implied-flags.ts'

type ProcessVariables = Readonly<Record<string, string | undefined>>

/**
 * Call in the form of one of the products, translated for this program (behaviour/program#drop-in).
 */
export interface DropIn {
  /** Arguments in the form of this program. */
  readonly argv: readonly string[]
  /** Settings that apply unless flags or variables of this program say otherwise. */
  readonly settings: FlagSettings
  /** World options that apply unless the caller gives others. */
  readonly options: Readonly<Record<string, object>>
  readonly warnings: readonly string[]
  /** Lines that container helpers of the products wait for. */
  readonly announcements: readonly string[]
}

/** Start commands of the products, and the lines that each product prints after its start. */
const startAnnouncements = {
  server: ['==> Vault server started! Log data will stream in below:'],
  agent: [
    '==> Consul agent running!',
    '==> Nomad agent started! Log data will stream in below:',
    'agent: Synced node info',
  ],
} as const

/** Variables of the products' images that have an effect here. */
const variables = [
  'VAULT_DEV_ROOT_TOKEN_ID',
  'VAULT_DEV_LISTEN_ADDRESS',
  'CONSUL_LOCAL_CONFIG',
  'NOMAD_LOCAL_CONFIG',
] as const

/**
 * Parses a call in the form of the products' development images: `server -dev`, `agent -dev -client
 * 0.0.0.0`, and, with `--drop-in`, their variables. Returns undefined for a call in the form of
 * this program.
 */
export function parseDropIn(
  argv: readonly string[],
  environment: ProcessVariables,
): DropIn | undefined {
  const [word] = argv
  const isProductCommand = word === 'server' || word === 'agent'
  const isEnabled =
    argv.includes('--drop-in') || /^(?:1|true)$/i.test(environment['UNDERSTUDY_DROP_IN'] ?? '')
  const isSet = variables.some((name) => (environment[name] ?? '') !== '')
  if (!isProductCommand && !(isEnabled && isSet)) return undefined
  const call = isProductCommand
    ? parseProductFlags(argv.slice(1))
    : { own: argv, given: new Map(), warnings: [] }
  const mesh = parseProductConfig(environment['CONSUL_LOCAL_CONFIG'])
  const scheduler = parseProductConfig(environment['NOMAD_LOCAL_CONFIG'])
  const listen = call.given.get('dev-listen-address') ?? environment['VAULT_DEV_LISTEN_ADDRESS']
  const root = call.given.get('dev-root-token-id') ?? environment['VAULT_DEV_ROOT_TOKEN_ID']
  const [, host, port] = /^(.*):(\d+)$/.exec(listen ?? '') ?? []
  const flagSettings: readonly (readonly [Flag<unknown>, string | undefined])[] = [
    ...impliedByVendor,
    [flags.host, call.given.get('client') ?? host],
    [flags.secretsPort, port],
    [flags.rootToken, root],
    [flags.meshPort, call.given.get('http-port') ?? mesh.port],
    [flags.schedulerPort, scheduler.port],
  ]
  return {
    argv: isProductCommand ? ['start', ...call.own] : call.own,
    settings: flagSettings.flatMap(([flag, text]) =>
      text === undefined || text === '' ? [] : [[flag, text] as const],
    ),
    options: { ...aclOptions('mesh', mesh), ...aclOptions('scheduler', scheduler) },
    warnings: call.warnings,
    announcements: isProductCommand
      ? startAnnouncements[word]
      : [...startAnnouncements.server, ...startAnnouncements.agent],
  }
}

/** Flags of the products that have an effect here, and flags that need none. */
const effectiveFlags = new Set(['dev-root-token-id', 'dev-listen-address', 'client', 'http-port'])
const ignoredFlags = new Set([
  'dev',
  'dev-no-store-token',
  'ui',
  'bind',
  'node',
  'data-dir',
  'log-level',
])

/**
 * Separates the products' flags, which have one dash, from those of this program, which have two.
 */
function parseProductFlags(argv: readonly string[]) {
  const own: string[] = []
  const given = new Map<string, string>()
  const warnings: string[] = []
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? ''
    const [, name = '', inline] = /^-([a-z][a-z-]*)(?:=(.*))?$/s.exec(word) ?? []
    if (name === '') own.push(word)
    else {
      const next = argv[at + 1]
      const hasValue = inline === undefined && next !== undefined && !next.startsWith('-')
      if (hasValue) at += 1
      if (effectiveFlags.has(name)) given.set(name, inline ?? (hasValue ? next : ''))
      else if (!ignoredFlags.has(name)) warnings.push(`-${name} has no effect`)
    }
  }
  return { own, given, warnings }
}

/** Parts of a product's configuration that have an effect here. */
interface ProductConfig {
  readonly port?: string | undefined
  readonly acl?: boolean
  readonly deny?: boolean
  readonly token?: string | undefined
}

/** Parses a product's configuration: JSON, or HCL with single settings. */
function parseProductConfig(text = ''): ProductConfig {
  const normalized = text.replaceAll(/["\s]+/g, ' ')
  const [, port] = /\bports ?[:=]? ?{[^}]*\bhttp ?[:=] ?(\d+)/.exec(normalized) ?? []
  const [, token] =
    /\b(?:initial_management|master|acl_master_token) ?[:=] ?([\w.-]+)/.exec(normalized) ?? []
  const acl = /\bacl ?[:=]? ?{.*\benabled ?[:=] ?true/.test(normalized) || token !== undefined
  return { port, token, acl, deny: /\b(?:acl_)?default_policy ?[:=] ?deny/.test(normalized) }
}

/**
 * Returns the world options for a product's ACL settings. Without an initial token, clients have to
 * bootstrap ACLs.
 */
function aclOptions(service: 'mesh' | 'scheduler', { acl, deny, token }: ProductConfig) {
  if (acl !== true) return {}
  const bootstrap = token === undefined ? { bootstrap: 'open' } : { initialManagementToken: token }
  const policy = service === 'mesh' && deny === true ? { defaultPolicy: 'deny' } : {}
  return { [service]: { aclEnabled: true, ...bootstrap, ...policy } }
}
