import { type Message, renderMessage } from '../../state/kernel/message.ts'
import type { WordingOf } from '../../state/kernel/refusal.ts'
import { formatTimestamp } from '../../state/kernel/time.ts'
import type { aclMessages } from '../../state/mesh/acl/messages.ts'
import type { meshMessages } from '../../state/mesh/messages.ts'
import { cachedRowJson } from '../http/declare/cached-row-json.ts'
import type { DialectName } from '../http/declare/dialect.ts'
import { rowRendererWith } from '../http/declare/row-renderer.ts'

/** Names of members that the general rule of `vendorName` would get wrong. */
const irregularNames: ReadonlyMap<string, string> = new Map([
  ['created_at', 'CreateTime'],
  ['expires_at', 'ExpirationTime'],
])

const acronyms: ReadonlyMap<string, string> = new Map([
  ['id', 'ID'],
  ['acls', 'ACLs'],
  ['ttl', 'TTL'],
])

/**
 * Returns the name of a member in the reference's objects, such as `CreateIndex` for
 * `create_index`.
 */
function vendorName(member: string): string {
  const parts = member.split('_').map((part) => acronyms.get(part) ?? capitalize(part))
  return irregularNames.get(member) ?? parts.join('')
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** Creates a renderer of rows with the names and formats of the reference's objects. */
export const objectRenderer = rowRendererWith({
  renderName: vendorName,
  time: formatTimestamp,
  timeRules: { format: 'date-time' },
  sparseTimes: true,
  sortedMaps: true,
})

/** Messages for which the vendor's server has its own wording (behaviour/mesh#vendor-names). */
export const vendorMessages: WordingOf<typeof meshMessages> & WordingOf<typeof aclMessages> = {
  'global-management': 'A built-in policy that grants read and write access to all Consul features',
  'global-read-only': 'A built-in policy that grants read-only access to all Consul features',
  'namespaces-unsupported-in-header':
    'Invalid header: "X-Consul-Namespace" - Namespaces are a Consul Enterprise feature',
  'partitions-unsupported-in-header':
    'Invalid header: "X-Consul-Partition" - Partitions are a Consul Enterprise feature',
  'txn-too-large':
    'Request body({size} bytes) too large, max size: {largest} bytes. See https://developer.hashicorp.com/docs/agent/config/config-files#txn_max_req_len.',
  'txn-too-large-before-1.21':
    'Request body({size} bytes) too large, max size: {largest} bytes. See https://www.consul.io/docs/agent/config/config-files#txn_max_req_len.',
  'value-too-large':
    'Request body({size} bytes) too large, max size: {largest} bytes. See https://developer.hashicorp.com/docs/agent/config/config-files#kv_max_value_size.',
  'value-too-large-before-1.21':
    'Request body({size} bytes) too large, max size: {largest} bytes. See https://www.consul.io/docs/agent/config/config-files#kv_max_value_size.',
}

/** Mesh part of a dialect: names, headers and messages (behaviour/mesh#vendor-names). */
export interface MeshDialect {
  readonly name: DialectName
  /** Name of the product, which is reserved as a namespace name. */
  readonly product: string
  /** True if replies contain the partition of objects. */
  readonly showsPartition: boolean
  /** Renders a message with the wording of the dialect. */
  renderMessage(message: Message): string
  /** Returns headers in every spelling that replies use. The names in `values` have no prefix. */
  headers(values: MeshHeaders): Record<string, string>
}

/** Names of the API's response headers without prefix, in the order in which they are sent. */
const headerNames = [
  'Default-ACL-Policy',
  'Index',
  'KnownLeader',
  'LastContact',
  'Query-Backend',
  'Effective-Consistency',
  'Results-Filtered-By-ACLs',
  'ContentHash',
  'Reason',
] as const

export type MeshHeaders = { [Name in (typeof headerNames)[number]]?: string }

/** Prefixes of the API's headers: the neutral one, then the vendor's. */
const prefixes = ['X-Mesh-', 'X-Consul-'] as const

/** Returns the spellings of a request header in lower case and in order of precedence. */
export function headerNamesOf(name: string): readonly string[] {
  return prefixes.map((prefix) => `${prefix}${name}`.toLowerCase())
}

/**
 * Returns the function `headers` of a dialect. The prefixed names are computed once, not for each
 * reply.
 */
function headersWith(usedPrefixes: readonly string[]): MeshDialect['headers'] {
  const prefixedNames = headerNames.map(
    (name) => [name, usedPrefixes.map((prefix) => prefix + name)] as const,
  )
  return (values) => {
    const headers: Record<string, string> = {}
    for (const [name, names] of prefixedNames) {
      const value = values[name]
      if (value !== undefined) for (const headerName of names) headers[headerName] = value
    }
    return headers
  }
}

const neutralDialect: MeshDialect = {
  name: 'neutral',
  product: 'mesh',
  showsPartition: false,
  renderMessage,
  headers: headersWith([prefixes[0]]),
}

const vendorDialect: MeshDialect = {
  name: 'vendor',
  product: 'consul',
  showsPartition: true,
  renderMessage: (message) => renderMessage(message, vendorMessages),
  headers: headersWith(prefixes),
}

export function meshDialect(name: DialectName): MeshDialect {
  return name === 'vendor' ? vendorDialect : neutralDialect
}

/**
 * Returns a function that renders rows as JSON and caches the result. The JSON must depend only on
 * the row and the dialect.
 */
export const renderedJson = cachedRowJson(meshDialect)
