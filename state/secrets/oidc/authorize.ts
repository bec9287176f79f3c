import { int, list, text } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { entityOf } from '../identity/entity-policies.ts'
import { type Mount, storagePrefix, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import type { Token } from '../tokens/rows.ts'
import { isAssigned } from './assignments.ts'
import { clientById, isRedirectAllowed } from './clients.ts'
import { refuse } from './grant-messages.ts'
import { allowsProvider, type OidcProvider, oidcProviders, openIdScope } from './providers.ts'

/** An authorization code, which can be exchanged once (behaviour/secrets#oidc-provider). */
const codeShape = struct({
  provider: text,
  client_id: text,
  entity_id: text,
  redirect_uri: text,
  nonce: text,
  scopes: list(text),
  /** Empty for a request without PKCE. */
  code_challenge: text,
  code_challenge_method: text,
  /** Time of the user's login in seconds since 1970; only set if the request has `max_age`. */
  auth_time: optional(int),
  /** Instant in milliseconds since 1970. */
  expire_time: int,
  ...walField,
})
export interface AuthorizationCode extends StoredOf<typeof codeShape> {}

/** Authorization codes by `<mount uuid>/<code>`. The mount is that of the identity store. */
export const codeTable = secretsTable('oidc-codes', codeShape, {
  secrets: { key: true, members: [] },
})

const codeLifetime = 5 * 60 * 1000

export interface AuthorizationRequest {
  readonly client_id: string
  readonly redirect_uri: string
  readonly response_type: string
  readonly scope: string
  readonly nonce: string
  readonly code_challenge?: string | undefined
  readonly code_challenge_method: string
  readonly max_age?: number | undefined
  /** Whether the request has the parameter `request`. */
  readonly hasRequest: boolean
  /** Whether the request has the parameter `request_uri`. */
  readonly hasRequestUri: boolean
}

/**
 * Stores an authorization of the caller's entity under a new code and returns the code. Deletes the
 * expired codes of the namespace.
 * @throws Refusal with an OAuth error code for the first check that fails, in the order of
 *   behaviour/secrets#oidc-provider
 */
export function authorize(
  world: World,
  mount: Mount,
  providerName: string,
  request: AuthorizationRequest,
  caller: Pick<Token, 'entity_id' | 'namespace' | 'creation_time'>,
): string {
  const { client_id, redirect_uri, nonce } = request
  if (client_id === '') throw refuse('oidc-client-id-missing')
  const client = clientById(world, mount, client_id)
  if (client === undefined) throw refuse('oidc-client-unknown')
  if (redirect_uri === '') throw refuse('oidc-redirect-missing')
  if (!isRedirectAllowed(redirect_uri, client.redirect_uris)) {
    throw refuse('oidc-redirect-not-allowed')
  }
  const provider = oidcProviders.find(world, mount, providerName)
  if (provider === undefined) throw refuse('oidc-provider-unknown')
  if (!allowsProvider(provider, client_id)) throw refuse('oidc-client-not-allowed')
  if (request.hasRequest) throw refuse('oidc-request-unsupported')
  if (request.hasRequestUri) throw refuse('oidc-request-uri-unsupported')
  const scopes = scopesOf(provider, request.scope)
  if (request.response_type === '') throw refuse('oidc-response-type-missing')
  if (request.response_type !== 'code') throw refuse('oidc-response-type-unknown')
  const entity = entityOf(world, caller)
  if (entity === undefined) throw refuse('oidc-entity-absent')
  if (!isAssigned(world, mount, entity, client.assignments)) {
    throw refuse('oidc-entity-not-assigned')
  }
  if (request.code_challenge === undefined && client.client_type === 'public') {
    throw refuse('oidc-pkce-missing')
  }
  const challenge = challengeOf(request)
  const auth_time = authTimeOf(world, request, caller)
  const row: AuthorizationCode = {
    provider: providerName,
    client_id,
    entity_id: entity.id,
    redirect_uri,
    nonce,
    scopes,
    ...challenge,
    ...(auth_time === undefined ? {} : { auth_time }),
    expire_time: world.clock.now() + codeLifetime,
  }
  return storeCode(world, mount, row)
}

/**
 * Returns the requested scopes that the provider supports, without `openid`.
 * @throws Refusal for a request without `openid`
 */
function scopesOf({ scopes_supported }: OidcProvider, scope: string): string[] {
  const requested = [...new Set(scope.split(' ').filter((name) => name !== ''))].sort()
  if (!requested.includes(openIdScope)) throw refuse('oidc-scope-without-openid')
  return requested.filter((name) => name !== openIdScope && scopes_supported.includes(name))
}

type ChallengeRequest = Pick<AuthorizationRequest, 'code_challenge' | 'code_challenge_method'>

/**
 * Returns the PKCE challenge of a request in the form in which an authorization code stores it.
 * Returns empty strings for a request without PKCE.
 * @throws Refusal for an unknown method and a challenge of the wrong length
 */
export function challengeOf({ code_challenge, code_challenge_method: method }: ChallengeRequest) {
  if (code_challenge === undefined) return { code_challenge: '', code_challenge_method: '' }
  const code_challenge_method = method || 'plain'
  if (code_challenge_method !== 'plain' && code_challenge_method !== 'S256') {
    throw refuse('oidc-challenge-method-unknown')
  }
  if (code_challenge.length < 43 || code_challenge.length > 128) {
    throw refuse('oidc-challenge-invalid')
  }
  return { code_challenge, code_challenge_method }
}

function authTimeOf(
  world: World,
  { max_age }: AuthorizationRequest,
  { creation_time }: Pick<Token, 'creation_time'>,
): number | undefined {
  if (max_age === undefined) return undefined
  if (max_age < 1) throw refuse('oidc-max-age-small')
  if (Math.floor((world.clock.now() - creation_time) / 1000) > max_age) {
    throw refuse('oidc-login-too-old')
  }
  return Math.floor(creation_time / 1000)
}

/**
 * Stores an authorization under a new code and returns the code. Deletes the expired codes of the
 * namespace.
 */
function storeCode(world: World, mount: Mount, row: AuthorizationCode): string {
  const code = world.ids.base62(32)
  world.write(() => {
    const table = world.table(codeTable)
    const prefix = storagePrefix(mount)
    for (const old of table.children(prefix)) {
      const expires = table.get(prefix + old)?.expire_time ?? 0
      if (expires < world.clock.now()) table.delete(prefix + old)
    }
    table.put(prefix + code, row)
  })
  return code
}

/** Deletes a code and returns it. Returns undefined for an unknown or expired code. */
export function takeCode(world: World, mount: Mount, code: string): AuthorizationCode | undefined {
  const key = storagePrefix(mount) + code
  const row = world.table(codeTable).get(key)
  if (row === undefined) return undefined
  world.write(() => world.table(codeTable).delete(key))
  return row.expire_time < world.clock.now() ? undefined : row
}
