import { createPublicKey, type KeyObject } from 'node:crypto'
import { DerSyntaxError } from '../../kernel/der.ts'
import { pkiKeyTypeOf } from './key-making.ts'
import { refuse } from './messages.ts'
import { decodeCsr, type ParsedCsr } from './parsed.ts'
import type { PkiRole } from './roles.ts'
import { pemBlocks, verifyStructure } from './signing.ts'

/**
 * Parses the signing request in the first block of a PEM text. Throws an `invalid` refusal for any
 * other text.
 */
export function parseRequest(csr: string): ParsedCsr {
  if (csr === '') throw refuse('pki-csr-empty')
  const [block] = pemBlocks(csr)
  if (block === undefined) throw refuse('pki-csr-undecodable')
  try {
    return decodeCsr(block.der)
  } catch (error) {
    if (!(error instanceof DerSyntaxError)) throw error
    throw refuse('pki-csr-invalid', { why: 'asn1: structure error' })
  }
}

type KeyLimits = Pick<PkiRole, 'key_type' | 'key_bits'>

/** Key limits for requests that no role restricts: keys of every type are allowed. */
export const anyKeyLimits: KeyLimits = { key_type: 'any', key_bits: 0 }

/** Minimum key length in bits, by type, if the type `any` is allowed. */
const defaultMinBits = { rsa: 2048, ec: 224, ed25519: 0 } as const

/** Throws an `invalid` refusal if the type or the length of the key is not allowed. */
export function checkRequestKey({ key_type, key_bits }: KeyLimits, csr: ParsedCsr): void {
  const key = readPublicKey(csr.publicKey)
  const type = pkiKeyTypeOf(key)
  if (key_type !== 'any' && type !== key_type) throw refuse('pki-csr-key-type', { type: key_type })
  const bits = keyLength(key)
  // As in the reference, `key_bits` of a role with `key_type: any` has no effect.
  const minBits = key_type === 'any' ? defaultMinBits[type] : key_bits
  if (bits < minBits) throw refuse('pki-csr-key-bits', { most: minBits, bits })
}

/**
 * Throws an `invalid` refusal if the signing request is not signed with its own key, or if the key
 * is not RSA, EC or Ed25519.
 */
export function checkRequestSignature(csr: ParsedCsr): void {
  if (!verifyStructure(csr.der, readPublicKey(csr.publicKey))) throw refuse('pki-csr-signature')
}

function readPublicKey(key: Buffer): KeyObject {
  try {
    const read = createPublicKey({ key, format: 'der', type: 'spki' })
    if (['rsa', 'ec', 'ed25519'].includes(read.asymmetricKeyType ?? '')) return read
  } catch {
    // Node cannot read the key; the refusal below also covers this case.
  }
  throw refuse('pki-csr-key-unknown')
}

const curveBits: Readonly<Record<string, number>> = {
  secp224r1: 224,
  prime256v1: 256,
  secp384r1: 384,
  secp521r1: 521,
}

/**
 * Returns the length of a key in bits. Returns infinity for Ed25519 keys, whose fixed length every
 * limit accepts, and for curves that are not in `curveBits`.
 */
function keyLength({ asymmetricKeyDetails: details }: KeyObject): number {
  return details?.modulusLength ?? curveBits[details?.namedCurve ?? ''] ?? Number.POSITIVE_INFINITY
}
