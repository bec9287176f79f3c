import type { Flag } from './flag-kinds.ts'
import { flags } from './flags.ts'
import { impliedByVendor, type Settings } from './implied.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** What a call means that is meant for one of the products (behaviour/program#drop-in). */
export interface DropIn {
  /** In our words. */
  readonly argv: readonly string[]
  /** Settings that count where nobody says otherwise in our words. */
  readonly settings: Settings
  /** World options beneath those that are given. */
  readonly options: Readonly<Record<string, object>>
  readonly warnings: readonly string[]
  /** Lines that helpers which start containers wait for. */
  readonly announced: readonly string[]
}

/** Their commands that start a server, and the lines that each product then says. */
const starts = {
  server: ['==> Vault server started! Log data will stream in below:'],
  agent: [
    '==> Consul agent running!',
    '==> Nomad agent started! Log data will stream in below:',
    'agent: Synced node info',
  ],
} as const

/** Their variables; the images of the products read no others that matter here. */
const variables = [
  'VAULT_DEV_ROOT_TOKEN_ID',
  'VAULT_DEV_LISTEN_ADDRESS',
  'CONSUL_LOCAL_CONFIG',
  'NOMAD_LOCAL_CONFIG',
] as const

/**
 * Reads a call as the products' development images take it: `server -dev`, `agent -dev -client
 * 0.0.0.0`, and, where `--drop-in` says so, their variables. Undefined for one in our own words.
 */
export function dropInOf(argv: readonly string[], environment: Variables): DropIn | undefined {
  const [word] = argv
  const isTheirs = word === 'server' || word === 'agent'
  const asked =
    argv.includes('--drop-in') || /^(?:1|true)$/i.test(environment['UNDERSTUDY_DROP_IN'] ?? '')
  const isSet = variables.some((name) => (environment[name] ?? '') !== '')
  if (!isTheirs && !(asked && isSet)) return undefined
  const call = isTheirs ? readFlags(argv.slice(1)) : { own: argv, given: new Map(), warnings: [] }
  const mesh = configOf(environment['CONSUL_LOCAL_CONFIG'])
  const scheduler = configOf(environment['NOMAD_LOCAL_CONFIG'])
  const listen = call.given.get('dev-listen-address') ?? environment['VAULT_DEV_LISTEN_ADDRESS']
  const root = call.given.get('dev-root-token-id') ?? environment['VAULT_DEV_ROOT_TOKEN_ID']
  const [, host, port] = /^(.*):(\d+)$/.exec(listen ?? '') ?? []
  const given: readonly (readonly [Flag<unknown>, string | undefined])[] = [
    ...impliedByVendor,
    [flags.host, call.given.get('client') ?? host],
    [flags.secretsPort, port],
    [flags.rootToken, root],
    [flags.meshPort, call.given.get('http-port') ?? mesh.port],
    [flags.schedulerPort, scheduler.port],
  ]
  return {
    argv: isTheirs ? ['start', ...call.own] : call.own,
    settings: given.flatMap(([flag, text]) =>
      text === undefined || text === '' ? [] : [[flag, text] as const],
    ),
    options: { ...aclOptions('mesh', mesh), ...aclOptions('scheduler', scheduler) },
    warnings: call.warnings,
    announced: isTheirs ? starts[word] : [...starts.server, ...starts.agent],
  }
}

/** Their flags that have an effect here, and those that need none. */
const taken = new Set(['dev-root-token-id', 'dev-listen-address', 'client', 'http-port'])
const needless = new Set([
  'dev',
  'dev-no-store-token',
  'ui',
  'bind',
  'node',
  'data-dir',
  'log-level',
])

/** Takes their flags, which begin with one dash, out of a command line; ours begin with two. */
function readFlags(argv: readonly string[]) {
  const own: string[] = []
  const given = new Map<string, string>()
  const warnings: string[] = []
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? ''
    const [, name = '', inline] = /^-([a-z][a-z-]*)(?:=(.*))?$/s.exec(word) ?? []
    if (name === '') own.push(word)
    else {
      const next = argv[at + 1]
      const follows = inline === undefined && next !== undefined && !next.startsWith('-')
      if (follows) at += 1
      if (taken.has(name)) given.set(name, inline ?? (follows ? next : ''))
      else if (!needless.has(name)) warnings.push(`-${name} has no effect`)
    }
  }
  return { own, given, warnings }
}

/** The parts of a product's configuration that have an effect here. */
interface ProductConfig {
  readonly port?: string | undefined
  readonly acl?: boolean
  readonly deny?: boolean
  readonly token?: string | undefined
}

/** Reads a configuration: JSON, or HCL as far as single settings of it go. */
function configOf(text = ''): ProductConfig {
  const flat = text.replaceAll(/["\s]+/g, ' ')
  const [, port] = /\bports ?[:=]? ?{[^}]*\bhttp ?[:=] ?(\d+)/.exec(flat) ?? []
  const [, token] =
    /\b(?:initial_management|master|acl_master_token) ?[:=] ?([\w.-]+)/.exec(flat) ?? []
  const acl = /\bacl ?[:=]? ?{.*\benabled ?[:=] ?true/.test(flat) || token !== undefined
  return { port, token, acl, deny: /\b(?:acl_)?default_policy ?[:=] ?deny/.test(flat) }
}

/** World options: without a first token somebody has to bootstrap ACLs. */
function aclOptions(service: 'mesh' | 'scheduler', { acl, deny, token }: ProductConfig) {
  if (acl !== true) return {}
  const first = token === undefined ? { bootstrap: 'open' } : { initialManagementToken: token }
  const policy = service === 'mesh' && deny === true ? { defaultPolicy: 'deny' } : {}
  return { [service]: { aclEnabled: true, ...first, ...policy } }
}
