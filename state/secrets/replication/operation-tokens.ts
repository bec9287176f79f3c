import { int, list, text, word } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { allows } from '../policies/acl.ts'
import { secretsTable } from '../table.ts'
import { findToken } from '../tokens/rows.ts'
import { refuse } from './messages.ts'

/** A token that authorizes operations on a DR secondary; it has no policies and does not expire. */
const operationTokenShape = struct({
  /** Creation time in milliseconds since 1970. */
  creation_time: int,
})

/** Valid operation tokens of this cluster, by the text of the token. */
export const operationTokens = secretsTable('operation-tokens', operationTokenShape, {
  secrets: { key: true, members: [] },
  local: true,
})

/** Number of random letters and digits after the prefix of a token (behaviour/secrets#tokens). */
const randomPart = 24

/**
 * Returns the length of operation tokens and one-time passwords in this world: 26 characters with
 * the neutral prefix, 28 with the vendor's (behaviour/secrets#operation-tokens).
 */
export function operationTokenLength(world: World): number {
  return optionsOf(world).serviceTokenPrefix.length + randomPart
}

/** Generates an operation token and returns its text. */
export function createOperationToken(world: World): string {
  const token = optionsOf(world).serviceTokenPrefix + world.ids.base62(randomPart)
  world.write(() => world.table(operationTokens).put(token, { creation_time: world.clock.now() }))
  return token
}

/**
 * Checks the token for an operation on this DR secondary. Throws an `invalid` refusal without a
 * token. Throws a `denied` refusal unless the token is a live operation token of this cluster or a
 * batch token of the primary whose policies allow `update` on `path`, relative to the root
 * namespace (behaviour/secrets#operation-tokens).
 */
export function checkOperationToken(world: World, text: string, path: string): void {
  if (text === '') throw refuse('operation-token-missing')
  if (world.table(operationTokens).has(text)) return
  if (!isPermittedBatchToken(world, text, path)) throw refuse('operation-token-wrong')
}

/** Deletes an operation token. Batch tokens stay, because only the primary can revoke them. */
export function deleteOperationToken(world: World, text: string): void {
  world.write(() => world.table(operationTokens).delete(text))
}

/**
 * Deletes every operation token and the attempt in progress. Tokens are valid only until the
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
 * The generation of an operation token or root token that has not yet reached its threshold. At
 * most one attempt exists at a time, whatever its kind (behaviour/secrets#operation-tokens).
 */
const operationTokenAttemptShape = struct({
  /** The kind of token; left out for an operation token. */
  kind: optional(word('operation', 'root')),
  nonce: text,
  /** Submitted shares, as hex. */
  shares: list(text),
  /** The one-time password; empty if the token is encrypted for a PGP key. */
  otp: text,
  /**
   * The PGP key for which the token is encrypted, in base64. The next member is the fingerprint of
   * the key. Both are empty if there is a one-time password.
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
