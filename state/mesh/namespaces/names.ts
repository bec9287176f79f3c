import { quoteGo } from '../../go/text.ts'
import { refuse } from '../texts.ts'

const label = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

/** Names that no namespace can have, beside the product's own (3a-mesh-decisions.md section 2). */
const reserved: ReadonlySet<string> = new Set(['system', 'universal', 'operator', 'root'])

/** Names are the same in any letter case: rows are kept under this form. */
export function namespaceKey(name: string): string {
  return name.toLowerCase()
}

/** Refuses a name that is no DNS label of at most 63 characters. */
export function checkLabel(name: string): void {
  if (label.test(name)) return
  throw refuse('no-label', { quoted: quoteGo(name) })
}

/**
 * Refuses a reserved name.
 *
 * @param product the product's own name: `mesh`, or the vendor's
 */
export function checkNotReserved(name: string, product: string): void {
  const key = namespaceKey(name)
  if (key !== product && !reserved.has(key)) return
  throw refuse('namespace-reserved', { name })
}
