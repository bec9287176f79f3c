import { describe, expect, test } from 'vitest'
import { pkiExplanations } from '../../../routes/secrets/explained/pki.ts'
import { table } from '../../../state/secrets/pki/messages.ts'
import { testMistakes } from './mistake-tests.ts'
import type { Mistake } from './mistakes.ts'
import { authority, mistakesAfter, web } from './pki-mistakes.ts'
import * as pem from './pki-pem.ts'

const issued = [
  ...web,
  'data.serial_number<-POST /v1/pki/issue/web {"common_name":"a.example.com"}',
]
const importCa = `POST /v1/pki/issuers/import/cert ${JSON.stringify({ pem_bundle: pem.ca })}`

/** Returns a PEM text with one other character near its end. */
function damaged(text: string): string {
  const at = text.lastIndexOf('\n-----END') - 3
  return text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
}

/** Returns a PEM block whose content does not fit its label. */
const block = (label: string) =>
  `-----BEGIN ${label}-----\n${Buffer.alloc(90, 7).toString('base64')}\n-----END ${label}-----`

const zeros = '0'.repeat(80)
const bundle = 'POST issuers/import/bundle'

const mistakes: readonly Mistake[] = [
  ...mistakesAfter(web, [
    ['an empty signing request', 'POST sign/web', { csr: '' }, 'pki-csr-empty', 'has no "csr"'],
    [
      'a path as a signing request',
      'POST sign/web',
      { csr: 'a.csr' },
      'pki-csr-undecodable',
      'not a PEM block',
    ],
    [
      'a CRL as a signing request',
      'POST sign/web',
      { csr: pem.crlOfCa },
      'pki-csr-invalid',
      'not a signing request',
    ],
    [
      'a damaged signing request',
      'POST sign/web',
      { csr: damaged(pem.signingRequest) },
      'pki-csr-signature',
      'was changed after it was signed',
    ],
    [
      'a signing request of an Ed448 key',
      'POST sign/web',
      { csr: pem.ed448Request },
      'pki-csr-key-unknown',
      'RSA, ECDSA or Ed25519',
    ],
    [
      'a path as a certificate to sign',
      'POST root/sign-self-issued',
      { certificate: 'ca.pem' },
      'pki-certificate-undecodable',
      'not a PEM block',
    ],
    [
      'a signing request as a certificate to sign',
      'POST root/sign-self-issued',
      { certificate: pem.signingRequest },
      'pki-certificate-unparsable',
      'not a certificate',
    ],
    [
      'a certificate to sign that is not of a CA',
      'POST root/sign-self-issued',
      { certificate: pem.leaf },
      'pki-no-authority',
      'not the certificate of a CA',
    ],
    [
      'a certificate to sign of a subordinate CA',
      'POST root/sign-self-issued',
      { certificate: pem.subordinateCa },
      'pki-not-self-issued',
      'its issuer is not its subject',
    ],
    [
      'an import without certificates',
      bundle,
      { pem_bundle: '' },
      'pki-bundle-missing',
      'to import in "pem_bundle"',
    ],
    [
      'an import of a signed CA without its certificate',
      'POST intermediate/set-signed',
      {},
      'pki-bundle-missing',
      'to import in "certificate"',
    ],
    [
      'an import of a path',
      bundle,
      { pem_bundle: 'ca.pem' },
      'pki-import-short',
      '"pem_bundle" is too short for a certificate',
    ],
    [
      'an import of text that is not PEM',
      bundle,
      { pem_bundle: zeros },
      'pki-import-undecodable',
      'only of PEM blocks',
    ],
    [
      'an import of a certificate that is not of a CA',
      bundle,
      { pem_bundle: `${pem.ca}\n${pem.leaf}` },
      'pki-import-issuer',
      'certificate at index 1 in "pem_bundle"',
    ],
    [
      'an import of a private key that cannot be read',
      bundle,
      { pem_bundle: block('PRIVATE KEY') },
      'pki-import-private-key',
      'private key at index 0',
    ],
    [
      'an import of a path as a key',
      'POST keys/import',
      { pem_bundle: 'key.pem' },
      'pki-import-short',
      'too short for a private key',
    ],
    [
      'an import of text as a key',
      'POST keys/import',
      { pem_bundle: zeros },
      'pki-key-import-undecodable',
      'not a PEM block',
    ],
    [
      'an import of two keys',
      'POST keys/import',
      { pem_bundle: `${pem.ca}\n${pem.leaf}` },
      'pki-key-import-several',
      'several PEM blocks',
    ],
    [
      'an import of a certificate as a key',
      'POST keys/import',
      { pem_bundle: pem.ca },
      'pki-key-import-unreadable',
      'not a private key',
    ],
    [
      'a revocation of nothing',
      'POST revoke',
      {},
      'pki-revoke-nothing',
      'neither "serial_number" nor "certificate"',
    ],
    [
      'a revocation of a path',
      'POST revoke',
      { certificate: 'a.pem' },
      'pki-revoke-short',
      'too short',
    ],
    [
      'a revocation of text',
      'POST revoke',
      { certificate: zeros },
      'pki-revoke-no-pem',
      'not a PEM block',
    ],
    [
      'a revocation of a signing request',
      'POST revoke',
      { certificate: pem.signingRequest },
      'pki-revoke-unparsable',
      'not a certificate',
    ],
    [
      'a revocation of a certificate of another CA',
      'POST revoke',
      { certificate: pem.leaf },
      'pki-revoke-foreign',
      'none of the issuers of pki/',
    ],
  ]),
  ...mistakesAfter(
    [...web, importCa, `POST /v1/pki/revoke ${JSON.stringify({ certificate: pem.leaf })}`],
    [
      [
        'a revocation of a certificate whose serial number another has',
        'POST revoke',
        { certificate: pem.leafWithSameSerial },
        'pki-revoke-unequal',
        'another certificate with the serial number 10',
      ],
    ],
  ),
  ...mistakesAfter(issued, [
    [
      'a revocation by a key without the key',
      'POST revoke-with-key',
      { serial_number: '$serial_number' },
      'pki-revoke-key-missing',
      'has no "private_key"',
    ],
    [
      'a revocation by the path of a key',
      'POST revoke-with-key',
      { serial_number: '$serial_number', private_key: 'key.pem' },
      'pki-revoke-key-short',
      'too short',
    ],
    [
      'a revocation by text',
      'POST revoke-with-key',
      { serial_number: '$serial_number', private_key: zeros },
      'pki-revoke-key-undecodable',
      'not a PEM block',
    ],
    [
      'a revocation by a certificate as a key',
      'POST revoke-with-key',
      { serial_number: '$serial_number', private_key: pem.ca },
      'pki-revoke-key-unreadable',
      'not a private key',
    ],
  ]),
  ...mistakesAfter(
    [...issued, 'data.private_key<-POST /v1/pki/issue/web {"common_name":"b.example.com"}'],
    [
      [
        'a revocation by the key of another certificate',
        'POST revoke-with-key',
        { serial_number: '$serial_number', private_key: '$private_key' },
        'pki-revoke-key-other',
        'not the key of the certificate',
      ],
    ],
  ),
  ...mistakesAfter(
    [...issued, 'data.private_key<-POST /v1/pki/keys/generate/exported {"key_type":"ed25519"}'],
    [
      [
        'a revocation by a key of another type',
        'POST revoke-with-key',
        { serial_number: '$serial_number', private_key: '$private_key' },
        'pki-revoke-key-type',
        'not that of the key',
      ],
    ],
  ),
  ...mistakesAfter(
    authority.map((request) => request.replace('"ec"', '"ed25519"')),
    [
      [
        'a certificate to sign with a key of another type',
        'POST root/sign-self-issued',
        { certificate: pem.ca, require_matching_certificate_algorithms: true },
        'pki-algorithms-differ',
        'the issuer is Ed25519, that of "certificate" is ECDSA',
      ],
    ],
  ),
]

describe('behaviour/program#explanations: unusable PEM texts in requests to PKI are named first', () =>
  testMistakes('secrets', 'neutral', mistakes))

/** Refusals that only occur as parts of others. */
const parts = ['pki-addresses-no-cluster', 'pki-addresses-no-issuer', 'pki-addresses-invalid']

test('behaviour/program#explanations: each refusal of the PKI engine has an explanation', () => {
  const refusals = Object.entries(table).filter(
    ([rule, message]) => rule.startsWith('pki-') && 'kind' in message && !parts.includes(rule),
  )
  const unexplained = refusals.filter(([rule]) => !(rule in pkiExplanations))
  expect(unexplained.map(([rule]) => rule)).toEqual([])
})
