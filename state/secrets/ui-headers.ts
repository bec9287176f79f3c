import { list, text } from '../kernel/shape/kinds.ts'
import { struct } from '../kernel/shape/members.ts'
import type { World } from '../kernel/worlds/world.ts'
import { refuse } from './messages.ts'
import { isSealed } from './seal/seal.ts'
import { secretsTable } from './table.ts'

/** Configured response headers of the web interface: values by canonical name of the header. */
export const uiHeaders = secretsTable('ui-headers', struct({ values: list(text) }), {
  secrets: 'none',
})

/** Name of the header whose replacement causes a warning, because its default is secure. */
const contentSecurityPolicy = 'Content-Security-Policy'

/** Headers that the web interface sends unless they are configured otherwise. */
const defaultHeaders: Readonly<Record<string, string>> = {
  [contentSecurityPolicy]:
    "default-src 'none'; connect-src 'self'; img-src 'self' data:; script-src 'self'; style-src 'unsafe-inline' 'self'; form-action  'none'; frame-ancestors 'none'; font-src 'self'",
  'Service-Worker-Allowed': '/',
  'X-Content-Type-Options': 'nosniff',
}

/** Prefix of the API's own headers in either dialect. Requests cannot configure these headers. */
const reservedNamePattern = /^x-(?:secrets|vault)-/i

/** Capitalizes each part of a header's name and puts the rest in lower case, as Go does. */
function canonicalName(name: string): string {
  return name.toLowerCase().replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())
}

/** Returns the canonical names of the configured headers, sorted. */
export function uiHeaderNames(world: World): readonly string[] {
  return [...world.table(uiHeaders).entries()].map(([name]) => name)
}

/** Returns the values of a configured header; undefined if it is not configured. */
export function uiHeaderValues(world: World, name: string): readonly string[] | undefined {
  return world.table(uiHeaders).get(canonicalName(name))?.values
}

/**
 * Replaces the values of a header.
 *
 * @returns whether the header is the content security policy, whose replacement causes a warning
 * @throws Refusal `invalid` if `values` is empty or the header is one of the API's own
 */
export function setUiHeader(world: World, name: string, values: readonly string[]): boolean {
  if (values.length === 0) throw refuse('ui-header-values-missing')
  if (reservedNamePattern.test(name)) throw refuse('ui-header-reserved')
  const canonical = canonicalName(name)
  world.write(() => world.table(uiHeaders).put(canonical, { values }))
  return canonical === contentSecurityPolicy
}

/** Deletes a configured header. Does nothing if the header is not configured. */
export function deleteUiHeader(world: World, name: string): void {
  world.write(() => world.table(uiHeaders).delete(canonicalName(name)))
}

/**
 * Returns the response headers of the web interface. Only the first value of each header is sent.
 * As in the reference, a sealed node sends only the default headers.
 */
export function sentUiHeaders(world: World): Readonly<Record<string, string>> {
  if (isSealed(world)) return defaultHeaders
  const configured = [...world.table(uiHeaders).entries()]
  return {
    ...defaultHeaders,
    ...Object.fromEntries(configured.map(([name, { values }]) => [name, values[0] ?? ''])),
  }
}
