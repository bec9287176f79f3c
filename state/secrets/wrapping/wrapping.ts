import { defineMessages, type Refusal } from '../../kernel/refusal.ts'
import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { commonMessages } from '../common-messages.ts'
import { readCubbyhole, writeCubbyhole } from '../kv/cubbyhole.ts'
import { type Namespace, rootNamespace } from '../namespaces/namespaces.ts'
import { responseWrapping } from '../policies/policies.ts'
import { createToken } from '../tokens/creation.ts'
import { findToken, type Token } from '../tokens/rows.ts'
import { revokeToken } from '../tokens/tokens.ts'
import { jwtClaims, signClaims, verifiedClaims } from './jwt.ts'

/** Messages about wrapped replies (behaviour/secrets#wrapping). */
export const { table, refuse } = defineMessages({
  ...commonMessages,
  'wrapping-token-invalid': {
    kind: 'invalid',
    text: 'wrapping token is not valid or does not exist',
  },
})

/** The reply that replaces a wrapped reply (behaviour/secrets#api-envelope). */
export interface WrapInfo {
  /** The wrapping token: opaque, or a JWT if that was requested. */
  readonly token: string
  readonly accessor: string
  /** Duration in seconds. */
  readonly ttl: number
  readonly creation_time: string
  /** The path of the wrapped reply, within the namespace. */
  readonly creation_path: string
  /** Accessor of the token inside the reply; empty without one. */
  readonly wrapped_accessor: string
}

/** A reply to wrap. */
interface WrapRequest {
  /** The JSON body that unwrapping returns. */
  readonly text: string
  /** Seconds, at least 1. No mount's maximum applies. */
  readonly ttl: number
  /** The path of the wrapped reply, within the namespace and without `/v1/`. */
  readonly path: string
  /** Default: the root namespace, to which tokens in JWT form always belong. */
  readonly namespace?: Namespace
  readonly wrappedAccessor?: string
  /** Address for unwrapping; if given, the token has the form of a JWT that contains it. */
  readonly address?: string | undefined
  /** The path of the wrapping request if it differs from `path`, as for rewrapping. */
  readonly requestPath?: string
}

/** Details of a wrapping token, as a lookup returns them. */
interface WrappingInfo {
  /** Duration in seconds. */
  readonly creation_ttl: number
  readonly creation_time: string
  readonly creation_path: string
}

/** Cubbyhole keys of a wrapping token for the body, as in the reference, and for its details. */
const bodyKey = 'response'
const infoKey = 'wrapinfo'

/** Stores a body behind a single-use token (behaviour/secrets#wrapping). */
export function wrap(world: World, request: WrapRequest): WrapInfo {
  const { text, ttl, path, address, wrappedAccessor = '' } = request
  const namespace = address === undefined ? request.namespace : rootNamespace
  return world.write(() => {
    const { token } = createToken(world, {
      policies: [responseWrapping],
      displayName: '',
      // Lease ids append `/` and a hash to this path, so the closing slash of a list path is
      // removed.
      path: (request.requestPath ?? path).replace(/\/$/, ''),
      namespace: namespace ?? rootNamespace,
      ttl,
      explicitMaxTtl: ttl,
      exactTtl: true,
      renewable: false,
      numUses: 1,
    })
    writeCubbyhole(world, token, bodyKey, { response: text })
    writeCubbyhole(world, token, infoKey, { creation_path: path })
    return {
      token: address === undefined ? token.id : toJwt(world, token, address),
      accessor: token.accessor,
      ttl,
      creation_time: formatTimestamp(token.creation_time),
      creation_path: path,
      wrapped_accessor: wrappedAccessor,
    }
  })
}

function toJwt(world: World, token: Token, addr: string): string {
  const iat = Math.floor(token.creation_time / 1000)
  return signClaims(world, {
    accessor: '',
    addr,
    exp: iat + token.creation_ttl,
    iat,
    jti: token.id,
    nbf: iat - 5,
    type: 'wrapping',
  })
}

/**
 * Returns the refusal (400) of a token that is used, expired, unknown, modified, from another
 * cluster, or not a wrapping token.
 */
export function refuseWrapping(): Refusal {
  return refuse('wrapping-token-invalid')
}

/**
 * Returns the plain token of either form; undefined for a JWT that has expired or belongs to
 * another cluster.
 */
export function opaqueTokenId(world: World, token: string): string | undefined {
  return jwtClaims(token) === undefined ? token : verifiedClaims(world, token)?.jti
}

/** Returns the row of an unused wrapping token in either form; refuses any other token. */
export function requireUnusedWrapping(world: World, token: string): Token {
  const id = opaqueTokenId(world, token)
  const row = id === undefined ? undefined : findToken(world, id)
  if (row === undefined || !isWrapping(row) || row.num_uses < 0) throw refuseWrapping()
  return row
}

/** Returns whether a token is a wrapping token. */
export function isWrapping({ policies }: Pick<Token, 'policies'>): boolean {
  return policies.length === 1 && policies[0] === responseWrapping
}

/** Returns the wrapped body and revokes the token. Refuses like `refuseWrapping`. */
export function unwrap(world: World, token: string): string {
  return unwrapTokenInUse(world, requireUnusedWrapping(world, token))
}

/** Unwraps the caller's own token while its single use is under way. */
export function unwrapTokenInUse(world: World, token: Token): string {
  const text = wrappedText(world, token)
  revokeToken(world, token.id)
  return text
}

/**
 * Moves a wrapped body to a new token of the same namespace and revokes the old one. The new token
 * has the original TTL, or `ttl` seconds if that is smaller and not 0. Refuses like
 * `refuseWrapping`.
 */
export function rewrap(
  world: World,
  token: string,
  options: Pick<WrapRequest, 'ttl' | 'requestPath' | 'address'>,
): WrapInfo {
  const row = requireUnusedWrapping(world, token)
  const text = wrappedText(world, row)
  const { creation_path: path, creation_ttl } = wrappingInfo(world, row)
  const ttl = options.ttl > 0 ? Math.min(options.ttl, creation_ttl) : creation_ttl
  const namespace: Namespace = { ...rootNamespace, id: row.namespace, path: row.namespace_path }
  return world.write(() => {
    revokeToken(world, row.id)
    return wrap(world, { ...options, text, ttl, path, namespace })
  })
}

/**
 * Returns details of a wrapping token without using it; undefined for tokens that `unwrap` refuses.
 */
export function findWrapping(world: World, token: string): WrappingInfo | undefined {
  const id = opaqueTokenId(world, token)
  const row = id === undefined ? undefined : findToken(world, id)
  if (row === undefined || !isWrapping(row) || row.num_uses < 0) return undefined
  return wrappingInfo(world, row)
}

function wrappingInfo(world: World, token: Token): WrappingInfo {
  const { creation_ttl, creation_time } = token
  return {
    creation_ttl,
    creation_time: formatTimestamp(creation_time),
    creation_path: wrappedEntry(world, token, infoKey, 'creation_path'),
  }
}

function wrappedText(world: World, token: Token): string {
  return wrappedEntry(world, token, bodyKey, 'response')
}

function wrappedEntry(world: World, token: Token, entryPath: string, key: string): string {
  const value: unknown = JSON.parse(readCubbyhole(world, token, entryPath))[key]
  if (typeof value !== 'string') throw refuseWrapping()
  return value
}
