import { createPublicKey, sign, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { Ids } from '../../../../state/kernel/worlds/ids.ts'
import { hkdf } from '../../../../state/secrets/transit/ciphertext.ts'
import { DerError, decodePair, encodePair } from '../../../../state/secrets/transit/der.ts'
import { decryptBytes, encryptBytes } from '../../../../state/secrets/transit/encryption.ts'
import {
  ed25519Key,
  ed25519Public,
  makeRsaKey,
} from '../../../../state/secrets/transit/material.ts'

const hex = (text: string) => Buffer.from(text.replace(/\s/g, ''), 'hex')

describe('behaviour/secrets#transit-encryption: published test vectors', () => {
  test('HKDF with SHA-256 and no salt (RFC 5869, A.3)', () => {
    const created = hkdf(Buffer.alloc(22, 0x0b), new Uint8Array(), 42)
    expect(created.toString('hex')).toBe(
      '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8',
    )
  })

  test.each([
    // McGrew and Viega, The Galois/Counter Mode of Operation, test cases 4 and 16.
    [
      'aes-128-gcm',
      'feffe9928665731c6d6a8f9467308308',
      'cafebabefacedbaddecaf888',
      'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
      'feedfacedeadbeeffeedfacedeadbeefabaddad2',
      '42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091',
      '5bc94fbc3221a5db94fae95ae7121a47',
    ],
    [
      'aes-256-gcm',
      'feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308',
      'cafebabefacedbaddecaf888',
      'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
      'feedfacedeadbeeffeedfacedeadbeefabaddad2',
      '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662',
      '76fc6ece0f4e1768cddf8853bb2d551b',
    ],
    // RFC 8439, 2.8.2.
    [
      'chacha20-poly1305',
      '808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f',
      '070000004041424344454647',
      '4c616469657320616e642047656e746c656d656e206f662074686520636c617373206f66202739393a204966204920636f756c64206f6666657220796f75206f6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73637265656e20776f756c642062652069742e',
      '50515253c0c1c2c3c4c5c6c7',
      'd31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc3ff4def08e4b7a9de576d26586cec64b6116',
      '1ae10b594f09e26a7e902ecbd0600691',
    ],
  ] as const)('%s', (cipher, key, nonce, plaintext, associated, ciphertext, tag) => {
    const sealed = encryptBytes(cipher, hex(key), hex(nonce), hex(plaintext), hex(associated))
    expect(sealed.toString('hex')).toBe(nonce + ciphertext + tag)
    expect(decryptBytes(cipher, hex(key), sealed, hex(associated)).toString('hex')).toBe(plaintext)
  })

  test('Ed25519 (RFC 8032, 7.1, test 2)', () => {
    const key = ed25519Key(hex('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb'))
    expect(ed25519Public(key).toString('hex')).toBe(
      '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    )
    expect(sign(null, hex('72'), key).toString('hex')).toBe(
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    )
  })
})

describe('behaviour/secrets#transit-encryption: RSA keys from the randomness of a world', () => {
  test.each([512, 768, 1024])('%i bits: valid, and equal for equal seeds', (bits) => {
    const key = makeRsaKey(new Ids('seed'), bits)
    expect(key.asymmetricKeyDetails).toMatchObject({ modulusLength: bits, publicExponent: 65537n })
    const signature = sign('sha256', Buffer.from('a'), key)
    expect(verify('sha256', Buffer.from('a'), createPublicKey(key), signature)).toBe(true)
    expect(makeRsaKey(new Ids('seed'), bits).equals(key)).toBe(true)
    expect(makeRsaKey(new Ids('other'), bits).equals(key)).toBe(false)
  })
})

describe('behaviour/secrets#transit-signing: DER signatures', () => {
  test.each<[bigint, bigint]>([
    [1n, 2n],
    [0x80n, 0xffn],
    [2n ** 520n, 2n ** 519n + 1n],
  ])('%i and %i survive a round trip', (r, s) => {
    expect(decodePair(encodePair([r, s]))).toEqual([r, s])
  })

  test.each([
    ['', false],
    ['31060201010201', false],
    ['3006020101020180', false],
    ['300702020001020101', false],
    ['30050201010200', false],
    ['3009020101020101020101', false],
    ['308106020101020101', false],
    ['300602010102010100', true],
  ])('%s is not a DER signature', (text, extra) => {
    expect(() => decodePair(hex(text))).toThrow(new DerError(extra))
  })
})
