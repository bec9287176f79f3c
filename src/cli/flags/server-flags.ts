import { parseGoBoolean } from '../../../state/go/booleans.ts'
import { ProductCallError } from '../../config-error.ts'

/** Flag of a product with its value. */
export interface ProductFlag {
  readonly name: string
  readonly value: string
}

/** Parsed words of a product's command. */
export interface ParsedProductCall {
  /** Arguments for this program. */
  readonly programArguments: readonly string[]
  readonly productFlags: readonly ProductFlag[]
  readonly warnings: readonly string[]
}

type FlagKind = 'switch' | 'text'

/** Flags of `vault server` that have an effect here. */
const effectiveFlags: Readonly<Record<string, FlagKind>> = {
  config: 'text',
  dev: 'switch',
  'dev-kv-v1': 'switch',
  'dev-listen-address': 'text',
  'dev-no-store-token': 'switch',
  'dev-plugin-dir': 'text',
  'dev-root-token-id': 'text',
  'dev-skip-init': 'switch',
  'dev-tls': 'switch',
  'dev-tls-cert-dir': 'text',
  'log-level': 'text',
}

/** Flags that cause no warning, because their settings do not matter to a mock. */
const quietFlags: Readonly<Record<string, FlagKind>> = {
  'combine-logs': 'switch',
  'log-file': 'text',
  'log-format': 'text',
  'log-rotate-bytes': 'text',
  'log-rotate-duration': 'text',
  'log-rotate-max-files': 'text',
  'non-interactive': 'switch',
}

/**
 * Other flags of `vault server` 1.14, including its flags for clients. Each of them causes a
 * warning.
 */
const ineffectiveFlags: Readonly<Record<string, FlagKind>> = {
  address: 'text',
  'agent-address': 'text',
  'ca-cert': 'text',
  'ca-path': 'text',
  'client-cert': 'text',
  'client-key': 'text',
  'dev-auto-seal': 'switch',
  'dev-cluster-json': 'text',
  'dev-consul': 'switch',
  'dev-four-cluster': 'switch',
  'dev-ha': 'switch',
  'dev-latency': 'text',
  'dev-latency-jitter': 'text',
  'dev-leased-kv': 'switch',
  'dev-plugin-init': 'switch',
  'dev-three-node': 'switch',
  'dev-transactional': 'switch',
  'disable-redirects': 'switch',
  'exit-on-core-shutdown': 'switch',
  experiment: 'text',
  header: 'text',
  mfa: 'text',
  namespace: 'text',
  ns: 'text',
  'output-curl-string': 'switch',
  'output-policy': 'switch',
  'policy-override': 'switch',
  recovery: 'switch',
  'test-server-config': 'switch',
  'test-verify-only': 'switch',
  'tls-server-name': 'text',
  'tls-skip-verify': 'switch',
  'unlock-key': 'text',
  'wrap-ttl': 'text',
}

/**
 * Parses the words after `server` as the product's command does (behaviour/program#drop-in). The
 * product's flags have one dash or two. A flag with two dashes belongs to this program if this
 * program has a flag of that name.
 *
 * @throws {ProductCallError} for flags that neither program has, and for invalid values
 */
export function parseServerFlags(
  argv: readonly string[],
  programFlags: ReadonlySet<string>,
): ParsedProductCall {
  const programArguments: string[] = []
  const productFlags: ProductFlag[] = []
  const warnings: string[] = []
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? ''
    const [, dashes = '', name = '', inline] = /^(--?)([^-=][^=]*)(?:=(.*))?$/s.exec(word) ?? []
    const isProgramFlag = dashes === '--' && programFlags.has(name.replace(/^no-/, ''))
    if (name === '' || isProgramFlag) programArguments.push(word)
    else if (name === 'h' || name === 'help') programArguments.push('--help')
    else {
      const kind = effectiveFlags[name] ?? quietFlags[name] ?? ineffectiveFlags[name]
      if (kind === undefined) {
        throw new ProductCallError(`flag provided but not defined: -${name}`)
      }
      if (kind === 'switch') productFlags.push({ name, value: booleanValue(name, inline) })
      else {
        if (inline === undefined) at += 1
        const value = inline ?? argv[at]
        if (value === undefined) throw new ProductCallError(`flag needs an argument: -${name}`)
        productFlags.push({ name, value })
      }
      if (name in ineffectiveFlags) warnings.push(`-${name} has no effect`)
    }
  }
  return { programArguments, productFlags, warnings }
}

/** Flags that make the server a development server, as `-dev` does. */
const developmentFlags = [
  ...['dev', 'dev-auto-seal', 'dev-consul', 'dev-four-cluster', 'dev-ha', 'dev-kv-v1'],
  ...['dev-leased-kv', 'dev-three-node', 'dev-tls', 'dev-transactional'],
]

/**
 * Returns whether `vault server` starts from its configuration alone, and so has to be initialized
 * by a client. Without a configuration, the product would refuse to start; a mock starts a
 * development server.
 */
export function isConfiguredServer(
  productFlags: readonly ProductFlag[],
  hasConfig: boolean,
): boolean {
  return hasConfig && !developmentFlags.some((flag) => isOn(productFlags, flag))
}

/** Returns the value of the last flag of this name; undefined if there is no such flag. */
export function lastOf(productFlags: readonly ProductFlag[], flag: string): string | undefined {
  return productFlags.findLast(({ name }) => name === flag)?.value
}

/** Returns whether the last flag of this name turns a switch on. */
export function isOn(productFlags: readonly ProductFlag[], flag: string): boolean {
  return lastOf(productFlags, flag) === 'true'
}

function booleanValue(name: string, text = 'true'): string {
  const value = parseGoBoolean(text)
  if (value !== undefined) return String(value)
  throw new ProductCallError(
    `invalid boolean value ${JSON.stringify(text)} for -${name}: parse error`,
  )
}
