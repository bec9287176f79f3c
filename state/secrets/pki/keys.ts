import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { Message } from '../../kernel/message.ts'
import { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Mount } from '../mounts/mounts.ts'
import { addKey, checkKeyName, isEntityName } from './issuers.ts'
import { formatPrivateKey, type KeySpec, keySpec, makePkiKey, pkiKeyTypeOf } from './key-making.ts'
import { message, refuse } from './messages.ts'
import { encodedPublicKey, pemBlocks, toPem } from './signing.ts'
import {
  findKey,
  issuersOf,
  keyObjectOf,
  keysOf,
  type PkiKey,
  parsedCertificate,
  pkiDefaults,
  pkiIssuers,
  pkiKeys,
  setPkiDefaults,
} from './tables.ts'

/** Id of an imported key or issuer. `isNew` is false if the mount already had it. */
export interface ImportedId {
  readonly id: string
  readonly isNew: boolean
}

/**
 * Stores a private key unless the mount already has it. Only a new key gets the name. Throws an
 * `invalid` refusal for a new key that is not RSA, EC or Ed25519.
 */
export function importKey(world: World, mount: Mount, key: KeyObject, name = ''): ImportedId {
  const id = findKeyId(world, mount, encodedPublicKey(key))
  if (id !== '') return { id, isNew: false }
  const pem = key.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { id: addKey(world, mount, { name, type: pkiKeyTypeOf(key), pem }), isNew: true }
}

/**
 * Returns the id of the key with this DER-encoded public key. Returns an empty string if the mount
 * does not have the key.
 */
export function findKeyId(world: World, mount: Mount, publicKey: Buffer): string {
  const all = keysOf(world, mount)
  return all.find((key) => encodedPublicKey(keyObjectOf(world, key)).equals(publicKey))?.id ?? ''
}

/**
 * Assigns the matching key to each issuer without a key, because a key may be imported after its
 * certificate. If the mount has no default issuer, the first issuer that gets a key becomes the
 * default.
 */
export function linkIssuersToKeys(world: World, mount: Mount): void {
  for (const issuer of issuersOf(world, mount)) {
    const key_id =
      issuer.key_id === '' ? findKeyId(world, mount, parsedCertificate(issuer).publicKey) : ''
    if (key_id === '') continue
    pkiIssuers.put(world, mount, issuer.id, { ...issuer, key_id })
    if (pkiDefaults(world, mount).issuer === '') {
      setPkiDefaults(world, mount, { issuer: issuer.id })
    }
  }
}

/**
 * Resolves a reference: `default`, an id or a name. Throws an `absent` refusal for an unknown key.
 */
export function requireKey(world: World, mount: Mount, ref: string): PkiKey {
  const key = findKey(world, mount, ref)
  if (key !== undefined) return key
  throw ref === 'default' ? refuse('pki-no-default-key') : refuse('pki-key-unknown', { ref })
}

interface NewKey {
  readonly row: PkiKey
  readonly pem: string
}

/**
 * Generates and stores a key without an issuer, and returns its row and private PEM. Throws an
 * `invalid` refusal for a name that is malformed or in use, and for a type or length that is not
 * supported (behaviour/secrets#pki-keys).
 */
export function generateKey(
  world: World,
  mount: Mount,
  request: { readonly key_name: string; readonly key_type: string; readonly key_bits: number },
): NewKey {
  checkKeyName(world, mount, request.key_name)
  const key = makePkiKey(world, checkedSpec(request.key_type, request.key_bits))
  const { id } = importKey(world, mount, key, request.key_name)
  return { row: pkiKeys.read(world, mount, id), pem: formatPrivateKey(key, 'pem', 'der') }
}

/**
 * Calls `keySpec` and puts `Validation for key_type, key_bits failed` in front of the reason of its
 * refusal.
 */
function checkedSpec(type: string, bits: number): KeySpec {
  try {
    return keySpec(type, bits)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw refuse('pki-key-spec', { why: error.reason })
  }
}

/**
 * Imports a private key from a PEM text with exactly one block, and assigns the key to the issuers
 * whose certificates match it. Throws an `invalid` refusal for an unusable name, for a text with
 * several blocks, and for a text without a readable RSA, EC or Ed25519 key.
 */
export function importKeyBundle(
  world: World,
  mount: Mount,
  bundle: string,
  name: string,
): { readonly row: PkiKey; readonly isNew: boolean } {
  checkKeyName(world, mount, name)
  if (bundle.length < 64) throw refuse('pki-import-short')
  const blocks = pemBlocks(bundle)
  const [block] = blocks
  if (block === undefined) throw refuse('pki-key-import-undecodable')
  if (blocks.length > 1) throw refuse('pki-key-import-several')
  let key: KeyObject
  try {
    key = createPrivateKey(toPem(block.label, block.der))
  } catch {
    throw refuse('pki-key-import-unreadable')
  }
  return world.write(() => {
    const { id, isNew } = importKey(world, mount, key, name)
    linkIssuersToKeys(world, mount)
    return { row: pkiKeys.read(world, mount, id), isNew }
  })
}

/**
 * Changes the name of a key and returns its row. Throws `absent` for an unknown key and `invalid`
 * for a malformed name. Does not check whether another key has the name.
 */
export function renameKey(world: World, mount: Mount, ref: string, name: string): PkiKey {
  const before = requireKey(world, mount, ref)
  if (name !== '' && !isEntityName(name)) throw refuse('pki-new-key-name-invalid')
  const row = { ...before, name }
  pkiKeys.put(world, mount, row.id, row)
  return row
}

/**
 * Deletes a key and returns a warning if it was the default. Does nothing for an unknown key.
 * Throws an `invalid` refusal if an issuer uses the key.
 */
export function deleteKey(world: World, mount: Mount, ref: string): Message[] {
  const key = findKey(world, mount, ref)
  if (key === undefined) return []
  const { id } = key
  const user = issuersOf(world, mount).find(({ key_id }) => key_id === id)
  if (user !== undefined) throw refuse('pki-key-in-use', { issuer: user.id })
  const wasDefault = pkiDefaults(world, mount).key === id
  world.write(() => {
    pkiKeys.remove(world, mount, id)
    if (wasDefault) setPkiDefaults(world, mount, { key: '' })
  })
  return wasDefault ? [message('pki-default-key-deleted', { id, ref })] : []
}

/**
 * Sets the default key and returns its id. Throws an `invalid` refusal for an empty or unknown
 * reference, and for `default`.
 */
export function setDefaultKey(world: World, mount: Mount, ref: string): string {
  if (ref === '' || ref === 'default') throw refuse('pki-default-key-invalid')
  const key = findKey(world, mount, ref)
  if (key === undefined) throw refuse('pki-default-key-unresolved', { ref })
  setPkiDefaults(world, mount, { key: key.id })
  return key.id
}
