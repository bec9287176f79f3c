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

export const { table, refuse } = defineMessages({
  ...commonMessages,
  'wrapping-token-invalid': {
    kind: 'invalid',
    text: 'wrapping token is not valid or does not exist',
  },
})

/** Information about a wrapped reply, which replaces the reply (behaviour/secrets#api-envelope). */
export interface WrapInfo {
  /** The wrapping token: opaque, or in JWT form if the request asks for it. */
  readonly token: string
  readonly accessor: string
  /** Lifetime of the wrapping token in seconds. */
  readonly ttl: number
  readonly creation_time: string
  /** Path, within the namespace, of the request whose reply was wrapped. */
  readonly creation_path: string
  /** Accessor of the token inside the wrapped reply; empty if the reply contains no token. */
  readonly wrapped_accessor: string
}

interface WrapRequest {
  /** The JSON text that unwrapping returns. */
  readonly text: string
  /** Lifetime in seconds, at least 1. The maximum TTL of mounts does not apply. */
  readonly ttl: number
  /** Path, within the namespace and without `/v1/`, of the request whose reply is wrapped. */
  readonly path: string
  /**
   * Namespace of the wrapping token. Default: the root namespace, to which tokens in JWT form
   * always belong.
   */
  readonly namespace?: Namespace
  readonly wrappedAccessor?: string
  /**
   * URL at which the token can be unwrapped. If set, the token has JWT form and contains the URL.
   */
  readonly address?: string | undefined
  /**
   * Path of the request that creates the token; only set if it differs from `path`, as for
   * rewrapping.
   */
  readonly requestPath?: string
}

/** Details that a lookup of a wrapping token returns. */
interface WrappingInfo {
  /** Lifetime in seconds. */
  readonly creation_ttl: number
  readonly creation_time: string
  readonly creation_path: string
}

/** Path of the wrapped reply in the cubbyhole of a wrapping token, as in the reference. */
const bodyKey = 'response'
/** Path of the details of a wrapping token in its cubbyhole. */
const infoKey = 'wrapinfo'

/**
 * Stores a reply in the cubbyhole of a new single-use token and returns the details of the token
 * (behaviour/secrets#wrapping).
 */
export function wrap(world: World, request: WrapRequest): WrapInfo {
  const { text, ttl, path, address, wrappedAccessor = '' } = request
  const namespace = address === undefined ? request.namespace : rootNamespace
  return world.write(() => {
    const { token } = createToken(world, {
      policies: [responseWrapping],
      displayName: '',
      // Lease ids append `/` and a hash to this path, so the trailing slash of a list's path is
      // removed.
      path: (request.requestPath ?? path).replace(/\/$/, ''),
      namespace: namespace ?? rootNamespace,
      ttl,
      explicitMaxTtl: ttl,
      hasExactTtl: true,
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
 * Returns the refusal (400) for a token that is used, expired, unknown, modified, from another
 * cluster, or not a wrapping token.
 */
export function refuseWrapping(): Refusal {
  return refuse('wrapping-token-invalid')
}

/**
 * Returns the opaque form of a wrapping token, which may be opaque or a JWT. Returns undefined for
 * a JWT that is not valid now or that another cluster signed.
 */
export function opaqueTokenId(world: World, token: string): string | undefined {
  return jwtClaims(token) === undefined ? token : verifiedClaims(world, token)?.jti
}

/**
 * Returns the row of a wrapping token, which may be opaque or a JWT.
 * @throws Refusal of `refuseWrapping` for a used token, and for a token that is not a valid
 *   wrapping token
 */
export function requireUnusedWrapping(world: World, token: string): Token {
  const id = opaqueTokenId(world, token)
  const row = id === undefined ? undefined : findToken(world, id)
  if (row === undefined || !isWrapping(row) || row.num_uses < 0) throw refuseWrapping()
  return row
}

/**
 * Returns whether a token is a wrapping token. Only wrapping tokens have `response-wrapping` as
 * their only policy.
 */
export function isWrapping({ policies }: Pick<Token, 'policies'>): boolean {
  return policies.length === 1 && policies[0] === responseWrapping
}

/**
 * Returns the wrapped reply and revokes the token.
 * @throws Refusal of `refuseWrapping` for a token that cannot be unwrapped
 */
export function unwrap(world: World, token: string): string {
  return unwrapTokenInUse(world, requireUnusedWrapping(world, token))
}

/**
 * Returns the wrapped reply of the token with which the caller made the request, and revokes the
 * token. The request has already consumed the token's single use, so `unwrap` would refuse the
 * token.
 */
export function unwrapTokenInUse(world: World, token: Token): string {
  const text = wrappedText(world, token)
  revokeToken(world, token.id)
  return text
}

/**
 * Moves a wrapped reply to a new token of the same namespace and revokes the old token. The new
 * token has the old token's TTL, or `ttl` seconds if `ttl` is shorter and not 0.
 * @throws Refusal of `refuseWrapping` for a token that cannot be unwrapped
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
 * Returns the details of a wrapping token without using it. Returns undefined for tokens that
 * `unwrap` refuses.
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
