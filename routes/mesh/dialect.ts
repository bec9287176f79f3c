import { type Said, tell } from '../../state/kernel/wording.ts'
import type { DialectName } from '../http/dialect.ts'
import { renderedIn } from '../http/rendered.ts'
import { vendorTexts } from './vendor-texts.ts'

/** The mesh API's side of a dialect (behaviour/mesh#vendor-names). */
export interface MeshDialect {
  readonly name: DialectName
  /** The product's own name, which no namespace can have. */
  readonly product: string
  /** True when objects name their partition. */
  readonly partition: boolean
  /** A text in the dialect's words. */
  tell(said: Said): string
  /** Headers of the API by their names without prefix, in every spelling that is written. */
  headers(values: Readonly<Record<string, string>>): Record<string, string>
}

/** Prefixes of the API's own headers: the neutral spelling, then the vendor's. */
const prefixes = ['X-Mesh-', 'X-Consul-'] as const

/** The spellings of a header that callers may send, in lower case and in order of precedence. */
export function spellingsOf(name: string): readonly string[] {
  return prefixes.map((prefix) => `${prefix}${name}`.toLowerCase())
}

function withPrefixes(
  written: readonly string[],
  values: Readonly<Record<string, string>>,
): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(values)) {
    for (const prefix of written) headers[prefix + name] = value
  }
  return headers
}

const neutralDialect: MeshDialect = {
  name: 'neutral',
  product: 'mesh',
  partition: false,
  tell,
  headers: (values) => withPrefixes([prefixes[0]], values),
}

const vendorDialect: MeshDialect = {
  name: 'vendor',
  product: 'consul',
  partition: true,
  tell: (said) => tell(said, vendorTexts),
  headers: (values) => withPrefixes(prefixes, values),
}

/** The dialect of a name. */
export function meshDialect(name: DialectName): MeshDialect {
  return name === 'vendor' ? vendorDialect : neutralDialect
}

/** Returns the JSON of rows that show nothing but what they hold themselves. */
export const rendered = renderedIn(meshDialect)
