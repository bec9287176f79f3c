import { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Mount } from '../mounts/mounts.ts'
import { decodeInput, type Versioned } from './ciphertext.ts'
import { decodePlaintext, decrypt, encrypt } from './encryption.ts'
import { putTransitKey, type TransitKey, transitConfig, transitKeys } from './keys.ts'
import { defaultKeyRequest, newTransitKey } from './lifecycle.ts'
import { refuse } from './messages.ts'
import { isAead, keyTypeOf, keyTypeSpec } from './types.ts'

/**
 * One operand of a request to encrypt, decrypt or rewrap. A batch has any number of items; a
 * request without a batch has one.
 */
export interface TransitItem {
  /** Base64. */
  readonly plaintext: string
  readonly ciphertext: string
  /** Base64; empty if there is no context. */
  readonly context: string
  /** Base64; empty if there are no associated data. */
  readonly associatedData: string
  /** Version to encrypt with; 0 means the latest. */
  readonly keyVersion: number
}

/** Result of one item. If an item is refused, the other items are still processed. */
export type ItemResult<T> = { readonly value: T } | { readonly refused: Refusal }

/** Settings of the key that is created if the requested one does not exist. */
interface UpsertRequest {
  readonly type: string
  readonly convergent_encryption: boolean
}

/**
 * Encrypts items. Creates a missing key, as a derived key if the items have contexts; the new key
 * stays even if every item fails. Throws `invalid` refusals for errors that concern all items.
 */
export function encryptItems(
  world: World,
  mount: Mount,
  name: string,
  items: readonly TransitItem[],
  upsert: UpsertRequest,
): readonly ItemResult<Versioned>[] {
  const isDerived = allHaveContexts(items)
  const known = transitKeys.find(world, mount, name)
  const key = known ?? upsertedKey(world, mount, name, isDerived, upsert)
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
  isDerived: boolean,
  { type: requested, convergent_encryption }: UpsertRequest,
): TransitKey {
  if (convergent_encryption && !isDerived) throw refuse('convergent-without-context')
  const type = keyTypeOf(requested)
  if (keyTypeSpec(type).family === 'ecdsa') throw refuse('key-type-not-created', { type })
  if (!isAead(type)) throw refuse('key-type-unknown', { type })
  if (transitConfig(world, mount).disable_upsert) throw refuse('encryption-key-unknown')
  return newTransitKey(world, name, {
    ...defaultKeyRequest,
    type,
    derived: isDerived,
    convergent_encryption,
  })
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
 * Decrypts items and encrypts the plaintexts again, with the latest version unless an item names
 * another. As in the reference, associated data are ignored. Throws `invalid` refusals for errors
 * that concern all items, and the first refusal of an item that the reference reports as an
 * internal error.
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
  // As in the reference, an item whose error the reference reports as internal fails the whole
  // batch.
  for (const result of results) {
    if ('refused' in result && result.refused.detail['internalInReference'] === true) {
      throw result.refused
    }
  }
  return results
}

/** Returns a key. Throws an `invalid` refusal for an unknown key. */
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

/** Returns whether the items have contexts. Throws an `invalid` refusal if only some have. */
function allHaveContexts(items: readonly TransitItem[]): boolean {
  const contextCount = items.filter(({ context }) => context !== '').length
  if (contextCount !== 0 && contextCount !== items.length) throw refuse('context-in-some')
  return contextCount > 0
}

/**
 * Calls `processItem` for each item and collects results and refusals. Each item of a batch is
 * processed as a separate part of the request, so that a long batch does not block other worlds
 * (behaviour/program#bounds).
 */
export function resultsOf<Item, T>(
  world: World,
  items: readonly Item[],
  processItem: (item: Item, at: number) => T,
): readonly ItemResult<T>[] {
  const resultOf = (item: Item, at: number): ItemResult<T> => {
    try {
      return { value: processItem(item, at) }
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
  /** Base64. */
  readonly context: string
  /** Version to encrypt with; 0 means the latest. */
  readonly keyVersion: number
}

/**
 * Generates a random data key and returns it in plaintext and encrypted, without storing it
 * (behaviour/secrets#transit-encryption). Throws an `invalid` refusal for an unreadable context and
 * for an unknown key or length, and the refusals of `encrypt`.
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
