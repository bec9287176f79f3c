import { type Message, renderMessage } from '../../state/kernel/message.ts'
import { cachedRowJson } from '../http/declare/cached-row-json.ts'
import type { DialectName } from '../http/declare/dialect.ts'
import { vendorMessages } from './vendor-messages.ts'

/** The mesh API's side of a dialect (behaviour/mesh#vendor-names). */
export interface MeshDialect {
  readonly name: DialectName
  /** The product's own name, which no namespace can have. */
  readonly product: string
  /** True when objects name their partition. */
  readonly partition: boolean
  /** A text in the dialect's words. */
  renderMessage(message: Message): string
  /** Headers of the API by their names without prefix, in every spelling that is written. */
  headers(values: MeshHeaders): Record<string, string>
}

/** The API's own headers of replies, in the order in which they are written. */
const headerNames = [
  'Default-ACL-Policy',
  'Index',
  'KnownLeader',
  'LastContact',
  'Query-Backend',
  'Effective-Consistency',
  'Results-Filtered-By-ACLs',
] as const

/** Values of headers of the API. */
export type MeshHeaders = { [Name in (typeof headerNames)[number]]?: string }

/** Prefixes of the API's own headers: the neutral spelling, then the vendor's. */
const prefixes = ['X-Mesh-', 'X-Consul-'] as const

/** The spellings of a header that callers may send, in lower case and in order of precedence. */
export function headerNamesOf(name: string): readonly string[] {
  return prefixes.map((prefix) => `${prefix}${name}`.toLowerCase())
}

/** Makes what writes headers; names are spelled once, not for each reply. */
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
  partition: false,
  renderMessage,
  headers: headersWith([prefixes[0]]),
}

const vendorDialect: MeshDialect = {
  name: 'vendor',
  product: 'consul',
  partition: true,
  renderMessage: (message) => renderMessage(message, vendorMessages),
  headers: headersWith(prefixes),
}

/** The dialect of a name. */
export function meshDialect(name: DialectName): MeshDialect {
  return name === 'vendor' ? vendorDialect : neutralDialect
}

/** Returns the JSON of rows that show nothing but what they hold themselves. */
export const renderedJson = cachedRowJson(meshDialect)
