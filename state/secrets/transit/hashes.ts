import { createHash } from 'node:crypto'

/** A hash function that requests can select. */
export interface HashSpec {
  /** Name of the hash function in Node. */
  readonly node: string
  readonly bytes: number
  /** DER that precedes a digest in an RSA signature (RFC 8017, section 9.2, note 1). */
  readonly digestInfo: Buffer
}

/** Last byte of the hash's object identifier, `2.16.840.1.101.3.4.2.<n>`. */
const identifiers = {
  'sha2-256': 1,
  'sha2-384': 2,
  'sha2-512': 3,
  'sha2-224': 4,
  'sha3-224': 7,
  'sha3-256': 8,
  'sha3-384': 9,
  'sha3-512': 10,
} as const

function nistHash(name: string, identifier: number): HashSpec {
  const bytes = Number(name.slice(-3)) / 8
  const head = [0x30, 0x11 + bytes, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03]
  const tail = [0x04, 0x02, identifier, 0x05, 0x00, 0x04, bytes]
  return {
    node: name.startsWith('sha2') ? `sha${8 * bytes}` : name,
    bytes,
    digestInfo: Buffer.from([...head, ...tail]),
  }
}

const sha1: HashSpec = {
  node: 'sha1',
  bytes: 20,
  digestInfo: Buffer.from('3021300906052b0e03021a05000414', 'hex'),
}

const hashes: ReadonlyMap<string, HashSpec> = new Map([
  ['sha1', sha1],
  ...Object.entries(identifiers).map(([name, id]) => [name, nistHash(name, id)] as const),
])

/**
 * Returns the hash function with a name. Returns undefined for a name that requests cannot use
 * (behaviour/secrets#transit-signing).
 */
export function hashNamed(name: string): HashSpec | undefined {
  return hashes.get(name)
}

/** Hashes the concatenated parts. */
export function digestOf({ node }: HashSpec, ...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash(node)
  for (const part of parts) hash.update(part)
  return hash.digest()
}
