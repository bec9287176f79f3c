import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/message.ts'
import { list, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, NamedRows, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { BuiltInRows } from './built-in-rows.ts'
import { clientById, clientsOf, type OidcClient } from './clients.ts'
import { checkIssuer, type IssuerContext } from './issuer.ts'
import { message, refuse } from './messages.ts'
import { checkedTemplate, parsedTemplate } from './templates.ts'

/**
 * A scope that clients can request; `template` defines the claims that the scope adds to identity
 * tokens.
 */
const scopeShape = struct({ template: text, description: text, ...walField })
interface OidcScope extends StoredOf<typeof scopeShape> {}

/** Scopes by `<mount uuid>/<name>`. The mount is that of the identity store. */
export const scopeTable = secretsTable('oidc-scopes', scopeShape, { secrets: 'none' })

/** The scopes of each namespace; names are case-sensitive. */
export const oidcScopes = new NamedRows<OidcScope>(
  scopeTable,
  () => refuse('nothing-here'),
  (name) => name,
)

/** An OIDC provider, through which entities of a namespace log in to client applications. */
const providerShape = struct({
  /** Scheme and host of the issuer; if empty, the address of the request is used. */
  issuer: text,
  allowed_client_ids: list(text),
  scopes_supported: list(text),
  ...walField,
})
export interface OidcProvider extends StoredOf<typeof providerShape> {}

/** Providers by `<mount uuid>/<name>`. The mount is that of the identity store. */
export const providerTable = secretsTable('oidc-providers', providerShape, { secrets: 'none' })

const defaultName = 'default'

/** The providers of each namespace. The built-in provider `default` always exists. */
export const oidcProviders = new BuiltInRows(
  providerTable,
  () => refuse('nothing-here'),
  defaultName,
  { issuer: '', allowed_client_ids: ['*'], scopes_supported: [] },
)

/** Scope that requests must contain. Every provider supports this scope, which has no row. */
export const openIdScope = 'openid'

/**
 * Creates or changes a scope; members that are left out keep their values.
 * @throws Refusal for the scope `openid`, for a template that does not produce a JSON object, and
 *   for reserved claims
 */
export function writeScope(
  world: World,
  mount: Mount,
  name: string,
  change: Partial<Pick<OidcScope, 'template' | 'description'>>,
): void {
  if (name === openIdScope) throw refuse('oidc-scope-reserved')
  const before = oidcScopes.find(world, mount, name) ?? { template: '', description: '' }
  const merged = { ...before, ...change }
  const template = checkedTemplate(world, merged.template)
  oidcScopes.put(world, mount, name, { ...merged, template })
}

/** Deletes a scope. Throws a refusal if a provider supports the scope. */
export function deleteScope(world: World, mount: Mount, name: string): void {
  const providers = oidcProviders
    .names(world, mount)
    .filter((each) => oidcProviders.read(world, mount, each).scopes_supported.includes(name))
  if (providers.length > 0) {
    const names = providers.join(', ')
    throw refuse('oidc-scope-of-providers', { name: quoteGo(name), names })
  }
  oidcScopes.remove(world, mount, name)
}

/**
 * Creates or changes a provider and returns warnings. Members that are left out keep their values.
 * @throws Refusal for an unknown scope or a malformed issuer
 */
export function writeProvider(
  world: World,
  mount: Mount,
  name: string,
  change: Partial<Omit<OidcProvider, 'wal'>>,
): readonly Message[] {
  const empty = { issuer: '', allowed_client_ids: [], scopes_supported: [] }
  const merged = { ...(oidcProviders.find(world, mount, name) ?? empty), ...change }
  const allowed_client_ids = [...new Set(merged.allowed_client_ids)]
  const scopes_supported = [...new Set(merged.scopes_supported)]
  const warnings = [...checkIssuer(merged.issuer)]
  const scopeOf = new Map<string, string>()
  for (const scope of scopes_supported) {
    const row = oidcScopes.find(world, mount, scope)
    if (row === undefined) throw refuse('oidc-scope-unknown', { name: quoteGo(scope) })
    const claims = row.template === '' ? {} : parsedTemplate(world, row.template)
    for (const claim of Object.keys(claims)) {
      const other = scopeOf.get(claim)
      if (other !== undefined) {
        const scopes = { scope: quoteGo(scope), other: quoteGo(other) }
        warnings.push(message('oidc-scopes-conflict', { claim: quoteGo(claim), ...scopes }))
      }
      scopeOf.set(claim, scope)
    }
  }
  oidcProviders.put(world, mount, name, { ...merged, allowed_client_ids, scopes_supported })
  return warnings
}

/** Deletes a provider. Throws a refusal for the provider `default`. */
export function deleteProvider(world: World, mount: Mount, name: string): void {
  if (name === defaultName) throw refuse('oidc-default-provider-stays')
  oidcProviders.remove(world, mount, name)
}

export function allowsProvider(
  { allowed_client_ids: ids }: OidcProvider,
  clientId: string,
): boolean {
  return ids.includes('*') || ids.includes(clientId)
}

export function clientsOfProvider(
  world: World,
  mount: Mount,
  { allowed_client_ids: ids }: OidcProvider,
): OidcClient[] {
  if (ids.includes('*')) return clientsOf(world, mount).map(([, client]) => client)
  return ids.flatMap((id) => clientById(world, mount, id) ?? [])
}

/**
 * Returns the URL of a provider's issuer. If the provider has no configured issuer, the URL begins
 * with the address of the request.
 */
export function providerIssuer(
  { issuer }: OidcProvider,
  name: string,
  { namespace, origin }: IssuerContext,
): string {
  return `${issuer || origin}/v1/${namespace.path}identity/oidc/provider/${name}`
}
