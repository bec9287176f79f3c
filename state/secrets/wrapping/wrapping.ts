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

/** Texts about wrapped replies (behaviour/secrets#wrapping). */
export const { table: wrappingTexts, refuse } = defineMessages({
  ...commonMessages,
  'wrapping-token-invalid': {
    kind: 'invalid',
    text: 'wrapping token is not valid or does not exist',
  },
})

/** The answer that stands for a wrapped reply (behaviour/secrets#api-envelope). */
export interface WrapInfo {
  /** Opaque, or a JWT where that was asked for. */
  readonly token: string
  readonly accessor: string
  /** Seconds. */
  readonly ttl: number
  readonly creation_time: string
  /** The path whose reply it is, from the namespace. */
  readonly creation_path: string
  /** The accessor of the token inside the reply; empty without one. */
  readonly wrapped_accessor: string
}

/** A reply to be wrapped. */
interface WrapRequest {
  /** The body that unwrapping gives back: JSON. */
  readonly text: string
  /** Seconds, at least 1. Holds exactly: no mount's maximum cuts it. */
  readonly ttl: number
  /** The path whose reply it is, from the namespace, without `/v1/`. */
  readonly path: string
  /** Default: the root namespace. Tokens in JWT form always live there. */
  readonly namespace?: Namespace
  readonly wrappedAccessor?: string
  /** Where to unwrap: with it the token has the form of a JWT, which says so. */
  readonly address?: string | undefined
  /** The path of the request that wraps, where that is not `path`: wrapping anew. */
  readonly requestPath?: string
}

/** The facts that a wrapping token tells without being used. */
interface WrappingInfo {
  /** Seconds. */
  readonly creation_ttl: number
  readonly creation_time: string
  readonly creation_path: string
}

/** Where a wrapping token keeps the body in its cubbyhole, as in the reference, and what is about it. */
const bodyKey = 'response'
const infoKey = 'wrapinfo'

/** Puts a body behind a token that can be used once (behaviour/secrets#wrapping). */
export function wrap(world: World, request: WrapRequest): WrapInfo {
  const { text, ttl, path, address, wrappedAccessor = '' } = request
  const namespace = address === undefined ? request.namespace : rootNamespace
  return world.write(() => {
    const { token } = createToken(world, {
      policies: [responseWrapping],
      displayName: '',
      // Leases lie below it: that of a list has no closing slash there.
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

/** 400: used, expired, unknown, tampered with, another cluster's, or no wrapping token at all. */
export function refuseWrapping(): Refusal {
  return refuse('wrapping-token-invalid')
}

/** The plain token behind either form; undefined for a JWT that is not this cluster's or is over. */
export function opaqueTokenId(world: World, token: string): string | undefined {
  return jwtClaims(token) === undefined ? token : verifiedClaims(world, token)?.jti
}

/** The row of an unused wrapping token, given in either form; refuses any other. */
export function requireUnusedWrapping(world: World, token: string): Token {
  const id = opaqueTokenId(world, token)
  const row = id === undefined ? undefined : findToken(world, id)
  if (row === undefined || !isWrapping(row) || row.num_uses < 0) throw refuseWrapping()
  return row
}

/** Tells whether a token is one that wraps a reply, and nothing else. */
export function isWrapping({ policies }: Pick<Token, 'policies'>): boolean {
  return policies.length === 1 && policies[0] === responseWrapping
}

/** Takes a wrapped body out; the token dies. Refuses with `wrappingRefused`. */
export function unwrap(world: World, token: string): string {
  return unwrapTokenInUse(world, requireUnusedWrapping(world, token))
}

/** The same for a token whose one use is under way: it is the caller's own. */
export function unwrapTokenInUse(world: World, token: Token): string {
  const text = wrappedText(world, token)
  revokeToken(world, token.id)
  return text
}

/**
 * Moves a wrapped body behind a new token of the same namespace, which lasts as long as the old one
 * was to, or `ttl` seconds when that is less and not 0; the old one dies. Refuses with `wrappingRefused`.
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
  const namespace: Namespace = {
    ...rootNamespace,
    id: row.namespace,
    path: row.namespace_path,
  }
  return world.write(() => {
    revokeToken(world, row.id)
    return wrap(world, { ...options, text, ttl, path, namespace })
  })
}

/** Tells about a wrapping token without using it; undefined for what `unwrap` refuses. */
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
    creation_path: entry(world, token, infoKey, 'creation_path'),
  }
}

function wrappedText(world: World, token: Token): string {
  return entry(world, token, bodyKey, 'response')
}

function entry(world: World, token: Token, entryPath: string, key: string): string {
  const value: unknown = JSON.parse(readCubbyhole(world, token, entryPath))[key]
  if (typeof value !== 'string') throw refuseWrapping()
  return value
}
