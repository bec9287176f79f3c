import { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Mount } from '../mounts/mounts.ts'
import { decodeInput, type Versioned } from './ciphertext.ts'
import { decodePlaintext, decrypt, encrypt } from './encryption.ts'
import { putTransitKey, type TransitKey, transitConfig, transitKeys } from './keys.ts'
import { defaultKeyRequest, newTransitKey } from './lifecycle.ts'
import { refuse } from './messages.ts'
import { isAead, keyTypeOf, keyTypeSpec } from './types.ts'

/** An item to encrypt, decrypt or rewrap. A single request has one item, a batch several. */
export interface TransitItem {
  /** Base64-encoded bytes. */
  readonly plaintext: string
  readonly ciphertext: string
  /** Base64; empty for no context. */
  readonly context: string
  /** Base64; empty for no associated data. */
  readonly associatedData: string
  /** 0 for the latest version. */
  readonly keyVersion: number
}

/** The result of one item; a refused item does not stop the others. */
export type ItemResult<T> = { readonly value: T } | { readonly refused: Refusal }

/** The key to create if no key has the requested name. */
interface UpsertRequest {
  readonly type: string
  readonly convergent_encryption: boolean
}

/**
 * Encrypts items. A missing key is created, as a derived key if the items have contexts, and stays
 * even if every item fails. Throws `invalid` refusals for errors that concern all items.
 */
export function encryptItems(
  world: World,
  mount: Mount,
  name: string,
  items: readonly TransitItem[],
  upsert: UpsertRequest,
): readonly ItemResult<Versioned>[] {
  const derived = allHaveContexts(items)
  const known = transitKeys.find(world, mount, name)
  const key = known ?? upsertedKey(world, mount, name, derived, upsert)
  const results = resultsOf(world, items, (item, at) => {
    const plaintext = decodePlaintext(item.plaintext)
    const context = decodePlaintext(item.context)
    const { associatedData } = item
    return encrypt(world, key, item.keyVersion, plaintext, { context, associatedData, at })
  })
  if (known !== undefined) return results
  putTransitKey(world, transitKeys.keyOf(mount, name), key)
  return results.map((result) =>
    'refused' in result ? { refused: result.refused.commitWrites() } : result,
  )
}

function upsertedKey(
  world: World,
  mount: Mount,
  name: string,
  derived: boolean,
  { type: requested, convergent_encryption }: UpsertRequest,
): TransitKey {
  if (convergent_encryption && !derived) throw refuse('convergent-without-context')
  const type = keyTypeOf(requested)
  if (keyTypeSpec(type).family === 'ecdsa') throw refuse('key-type-not-created', { type })
  if (!isAead(type)) throw refuse('key-type-unknown', { type })
  if (transitConfig(world, mount).disable_upsert) throw refuse('encryption-key-unknown')
  return newTransitKey(world, name, { ...defaultKeyRequest, type, derived, convergent_encryption })
}

/** Decrypts items. Throws `invalid` refusals for errors that concern all items. */
export function decryptItems(
  world: World,
  mount: Mount,
  name: string,
  items: readonly TransitItem[],
): readonly ItemResult<Uint8Array>[] {
  allHaveContexts(items)
  const key = requireKey(world, mount, name)
  return resultsOf(world, items, (item, at) => decryptItem(world, key, item, at))
}

/**
 * Decrypts items and encrypts the plaintexts again, under the latest version unless an item names
 * another. Associated data are not used, as in the product.
 */
export function rewrapItems(
  world: World,
  mount: Mount,
  name: string,
  items: readonly TransitItem[],
): readonly ItemResult<Versioned>[] {
  allHaveContexts(items)
  const key = requireKey(world, mount, name)
  const results = resultsOf(world, items, (item, at) => {
    const plaintext = decryptItem(world, key, { ...item, associatedData: '' }, at)
    const cryptoContext = { context: decodePlaintext(item.context), associatedData: '', at }
    return encrypt(world, key, item.keyVersion, plaintext, cryptoContext)
  })
  // As in the product, an error that the product reports as internal fails the whole batch.
  for (const result of results) {
    if ('refused' in result && result.refused.detail['internalInReference'] === true) {
      throw result.refused
    }
  }
  return results
}

/** Returns a key for encryption or decryption; refuses with `invalid` if there is no such key. */
function requireKey(world: World, mount: Mount, name: string): TransitKey {
  const key = transitKeys.find(world, mount, name)
  if (key === undefined) throw refuse('encryption-key-unknown')
  return key
}

function decryptItem(world: World, key: TransitKey, item: TransitItem, at: number): Uint8Array {
  const { ciphertext, associatedData } = item
  if (ciphertext === '') throw refuse('ciphertext-missing')
  const context = decodePlaintext(item.context)
  return decrypt(world, key, ciphertext, { context, associatedData, at })
}

/** Returns whether the items have contexts; refuses with `invalid` if only some of them do. */
function allHaveContexts(items: readonly TransitItem[]): boolean {
  const withContext = items.filter(({ context }) => context !== '').length
  if (withContext !== 0 && withContext !== items.length) throw refuse('context-in-some')
  return withContext > 0
}

/**
 * Runs `act` on each item and collects values and refusals. Each item is a part of the request: a
 * long batch does not hold up other worlds (behaviour/program#bounds).
 */
export function resultsOf<Item, T>(
  world: World,
  items: readonly Item[],
  act: (item: Item, at: number) => T,
): readonly ItemResult<T>[] {
  const resultOf = (item: Item, at: number): ItemResult<T> => {
    try {
      return { value: act(item, at) }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { refused: error }
    }
  }
  const [only] = items
  if (only !== undefined && items.length === 1) return [resultOf(only, 0)]
  return items.map((item, at) => world.part(() => resultOf(item, at)))
}

interface DataKeyRequest {
  readonly bits: number
  /** Base64-encoded bytes. */
  readonly context: string
  /** 0 for the latest version. */
  readonly keyVersion: number
}

/**
 * Generates a random data key and encrypts it (behaviour/secrets#transit-encryption, datakey).
 * Throws `invalid` refusals.
 */
export function makeDataKey(
  world: World,
  mount: Mount,
  name: string,
  request: DataKeyRequest,
): { readonly plaintext: Uint8Array; readonly sealed: Versioned } {
  const context = decodeInput(request.context, () => refuse('context-base64-invalid'))
  const key = requireKey(world, mount, name)
  if (![128, 256, 512].includes(request.bits)) throw refuse('data-key-bits')
  const plaintext = world.ids.bytes(request.bits / 8)
  const cryptoContext = { context, associatedData: '', at: 0 }
  return { plaintext, sealed: encrypt(world, key, request.keyVersion, plaintext, cryptoContext) }
}
