import { int, list, text, word } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { allows } from '../policies/acl.ts'
import { secretsTable } from '../table.ts'
import { findToken } from '../tokens/rows.ts'
import { refuse } from './messages.ts'

/**
 * A token that authorizes operations on a DR secondary. Operation tokens have no policies and do
 * not expire.
 */
const operationTokenShape = struct({
  /** Milliseconds since 1970. */
  creation_time: int,
})

/** Operation tokens; the key of a row is the token that clients send. */
export const operationTokens = secretsTable('operation-tokens', operationTokenShape, {
  secrets: { key: true, members: [] },
  local: true,
})

/** Number of random characters after the prefix of a token. */
const randomLength = 24

/**
 * Returns the length of operation tokens and one-time passwords: 26 characters with the neutral
 * prefix, 28 characters with the vendor's prefix (behaviour/secrets#operation-tokens).
 */
export function operationTokenLength(world: World): number {
  return optionsOf(world).serviceTokenPrefix.length + randomLength
}

/** Generates and stores an operation token; returns its text. */
export function createOperationToken(world: World): string {
  const token = optionsOf(world).serviceTokenPrefix + world.ids.base62(randomLength)
  world.write(() => world.table(operationTokens).put(token, { creation_time: world.clock.now() }))
  return token
}

/**
 * Checks that a token authorizes a request on a DR secondary. Accepts a stored operation token of
 * this cluster, and a batch token of the primary if the token's policies allow `update` on `path`,
 * which is relative to the root namespace (behaviour/secrets#operation-tokens). Throws an `invalid`
 * refusal without a token, and a `denied` refusal for any other token.
 */
export function checkOperationToken(world: World, text: string, path: string): void {
  if (text === '') throw refuse('operation-token-missing')
  if (world.table(operationTokens).has(text)) return
  if (!isPermittedBatchToken(world, text, path)) throw refuse('operation-token-wrong')
}

/** Deletes an operation token. Does nothing for batch tokens, which only the primary can revoke. */
export function deleteOperationToken(world: World, text: string): void {
  world.write(() => world.table(operationTokens).delete(text))
}

/**
 * Deletes all operation tokens and the attempt in progress, because they are valid only until the
 * cluster is promoted or leaves secondary mode (behaviour/secrets#operation-tokens).
 */
export function dropOperationTokens(world: World): void {
  world.write(() => {
    world.table(operationTokens).deleteAll('')
    world.table(operationTokenAttempts).deleteAll('')
  })
}

function isPermittedBatchToken(world: World, text: string, path: string): boolean {
  const token = findToken(world, text)
  if (token?.type !== 'batch') return false
  return allows(world, token, { operation: 'update', path, sudo: false, input: {} })
}

/**
 * An attempt to generate an operation token or a root token. At most one attempt, of either kind,
 * is in progress (behaviour/secrets#root-generation).
 */
const operationTokenAttemptShape = struct({
  /** Missing for an operation token in rows of earlier releases. */
  kind: optional(word('operation', 'root')),
  nonce: text,
  /** Shares as hex. */
  shares: list(text),
  /** One-time password; empty if the token is encrypted with a PGP key. */
  otp: text,
  /**
   * PGP key in base64 with which the token is encrypted. The key and its fingerprint are empty if
   * there is a one-time password.
   */
  pgp_key: text,
  pgp_fingerprint: text,
})
export interface OperationTokenAttempt extends StoredOf<typeof operationTokenAttemptShape> {}

/** The attempt in progress, in a single row under `attempt`. */
export const operationTokenAttempts = secretsTable(
  'operation-token-attempt',
  operationTokenAttemptShape,
  { secrets: { members: ['shares', 'otp'] }, local: true },
)
