import { int, list, text, word } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { allows } from '../policies/acl.ts'
import { findToken } from '../tokens/rows.ts'
import { refuse } from './messages.ts'

/** A token that lets its holder move a DR secondary; it has no policies and no end. */
const operationTokenShape = struct({
  /** When it was generated, in milliseconds since 1970. */
  creation_time: int,
})

/** Live operation tokens of this cluster by their text. */
export const operationTokens = defineTable({
  service: 'secrets',
  name: 'operation-tokens',
  local: true,
  shape: operationTokenShape,
})

/**
 * The number of letters and digits that follow the prefix (behaviour/secrets#tokens).
 */
const randomPart = 24

/**
 * Returns how long an operation token of this world is, and with it a one-time password: 26
 * characters with the neutral prefix, 28 with the vendor's (behaviour/secrets#operation-tokens).
 */
export function operationTokenLength(world: World): number {
  return optionsOf(world).serviceTokenPrefix.length + randomPart
}

/** Makes an operation token and returns its text. */
export function createOperationToken(world: World): string {
  const token = optionsOf(world).serviceTokenPrefix + world.ids.base62(randomPart)
  world.write(() => world.table(operationTokens).put(token, { creation_time: world.clock.now() }))
  return token
}

/**
 * Refuses a caller who may not operate on this DR secondary: `invalid` without a token, `denied`
 * unless it is a live operation token of this cluster or a batch token of the primary whose policies
 * allow `update` on `path`, which counts from the root namespace (behaviour/secrets#operation-tokens).
 */
export function checkOperationToken(world: World, text: string, path: string): void {
  if (text === '') throw refuse('operation-token-missing')
  if (world.table(operationTokens).has(text)) return
  if (!isPermittedBatchToken(world, text, path)) {
    throw refuse('operation-token-wrong')
  }
}

/** Deletes the token itself; a batch token is the primary's to end. */
export function deleteOperationToken(world: World, text: string): void {
  world.write(() => world.table(operationTokens).delete(text))
}

/**
 * Forgets every operation token: they are good until the cluster is promoted or leaves secondary
 * mode (behaviour/secrets#operation-tokens). The attempt under way ends with them.
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
 * A generation of an operation token, or of a root token, that has not come to its threshold. There is
 * one of both at a time (behaviour/secrets#operation-tokens).
 */
const operationTokenAttemptShape = struct({
  /** What is generated: left out for an operation token. */
  kind: optional(word('operation', 'root')),
  nonce: text,
  /** Shares handed in so far, as hex. */
  shares: list(text),
  /** The one-time password; empty with a PGP key. */
  otp: text,
  /** The base64 binary PGP key that the token is encrypted to, and its fingerprint; or empty. */
  pgp_key: text,
  pgp_fingerprint: text,
})
export interface OperationTokenAttempt extends StoredOf<typeof operationTokenAttemptShape> {}

/** The one attempt under way, under `attempt`. */
export const operationTokenAttempts = defineTable({
  service: 'secrets',
  name: 'operation-token-attempt',
  local: true,
  shape: operationTokenAttemptShape,
})
