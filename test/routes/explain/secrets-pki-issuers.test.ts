import { describe } from 'vitest'
import { testMistakes } from './mistake-tests.ts'
import type { Mistake } from './mistakes.ts'
import { authority, mistakesAfter, mountPki, web } from './pki-mistakes.ts'
import * as pem from './pki-pem.ts'

/** Returns a request that imports the certificate of a CA without its key, and keeps its id. */
const importing = (certificate: string) =>
  `data.imported_issuers<-POST /v1/pki/issuers/import/cert ${JSON.stringify({ pem_bundle: certificate })}`
const main = [...authority, importing(pem.ca)]
const imported = [mountPki, importing(pem.ca)]
const request = { common_name: 'S', csr: pem.signingRequest }

/** Returns a request that sets addresses of the mount with placeholders. */
const templates = (addresses: string) =>
  `POST /v1/pki/config/urls {"enable_templating":true,"issuing_certificates":"${addresses}"}`
const ofCluster = templates('{{cluster_aia_path}}/ca')
const newRoot = { common_name: 'Other', key_type: 'ec' }

const mistakes: readonly Mistake[] = [
  ...mistakesAfter(authority, [
    [
      'an unknown algorithm of CRLs',
      'POST issuer/main',
      { revocation_signature_algorithm: 'MD5' },
      'pki-crl-algorithm-unknown',
      '"revocation_signature_algorithm" is MD5',
    ],
    [
      'an algorithm of CRLs for other keys',
      'POST issuer/main',
      { revocation_signature_algorithm: 'SHA256WithRSA' },
      'pki-crl-algorithm-unfit',
      'the issuer main has a key of the type ECDSA',
    ],
    [
      'a CRL in an unknown format',
      'POST issuer/main/sign-revocation-list',
      { format: 'txt' },
      'pki-signed-crl-format',
      '"format" is txt',
    ],
    [
      'a CRL that ends at no time',
      'POST issuer/main/sign-revocation-list',
      { next_update: 'soon' },
      'pki-signed-crl-next-update',
      '"next_update" is soon',
    ],
    [
      'a CRL that has ended',
      'POST issuer/main/sign-revocation-list',
      { next_update: '0s' },
      'pki-signed-crl-next-update-past',
      'must expire in the future',
    ],
    [
      'a CRL with a negative number',
      'POST issuer/main/resign-crls',
      { crl_number: -1 },
      'pki-signed-crl-number',
      '"crl_number" is -1',
    ],
    [
      'a delta CRL with a negative number',
      'POST issuer/main/resign-crls',
      { delta_crl_base_number: -2 },
      'pki-signed-crl-base',
      '"delta_crl_base_number" is -2',
    ],
    [
      'a path among CRLs',
      'POST issuer/main/resign-crls',
      { crls: ['a.crl'] },
      'pki-signed-crl-undecodable',
      'the CRL at index 0',
      'not one PEM block',
    ],
    [
      'a CRL of another CA',
      'POST issuer/main/resign-crls',
      { crls: [pem.crlOfCa] },
      'pki-signed-crl-foreign',
      'not signed by the key of the issuer main',
    ],
    [
      'a revoked certificate without a serial number',
      'POST issuer/main/sign-revocation-list',
      { revoked_certs: [{}] },
      'pki-signed-crl-content',
      '"revoked_certs" has an invalid entry',
    ],
    [
      'an extension of a CRL without an identifier',
      'POST issuer/main/sign-revocation-list',
      { extensions: [{}] },
      'pki-signed-crl-content',
      '"extensions" has an invalid entry',
    ],
    [
      'a CRL of an issuer with a slip',
      'POST issuer/mian/resign-crls',
      {},
      'pki-signed-crl-issuer',
      'pki/ has no issuer mian',
    ],
  ]),
  ...mistakesAfter(
    [mountPki],
    [
      [
        'a CRL of a mount without a CA',
        'POST issuer/default/resign-crls',
        {},
        'pki-signed-crl-issuer',
        'pki/ has no CA',
      ],
      [
        'the certificate of a mount without a CA',
        'GET cert/ca',
        {},
        'pki-no-default-issuer-open',
        'pki/ has no CA',
      ],
      [
        'the current CRL of a mount without a CA',
        'GET cert/crl',
        {},
        'pki-no-default-crl',
        'pki/ has no CA',
      ],
      [
        'the default key of a mount without keys',
        'GET key/default',
        {},
        'pki-no-default-key',
        'pki/ has no key',
      ],
    ],
  ),
  ...mistakesAfter(
    [
      mountPki,
      'POST /v1/pki/keys/generate/internal {"key_type":"ec","key_name":"mine"}',
      'POST /v1/pki/keys/generate/internal {"key_type":"ec","key_name":"other"}',
      'DELETE /v1/pki/key/mine',
    ],
    [
      [
        'the default key after its deletion',
        'GET key/default',
        {},
        'pki-no-default-key',
        'no default key',
        'it has other',
      ],
    ],
  ),
  ...mistakesAfter(
    [mountPki, importing(pem.caWithoutCrls)],
    [
      [
        'a certificate of an issuer without a key',
        'POST issuer/$imported_issuers/sign-intermediate',
        { common_name: 'S', csr: pem.signingRequest },
        'pki-ca-without-key',
        'no key of the issuer',
      ],
    ],
  ),
  ...mistakesAfter(imported, [
    [
      'a new CRL of an issuer without a key',
      'POST issuer/$imported_issuers/resign-crls',
      {},
      'pki-signed-crl-no-key',
      'pki/ has no key of the issuer',
    ],
    [
      'the CRL of an issuer without a key',
      'GET issuer/$imported_issuers/crl',
      {},
      'pki-crl-absent',
      'pki/ has no key of the issuer',
    ],
  ]),
  ...mistakesAfter(main, [
    [
      'a chain that begins with another issuer',
      'POST issuer/main',
      { manual_chain: ['$imported_issuers', 'main'] },
      'pki-chain-self',
      'must begin with the issuer main itself',
    ],
  ]),
  ...mistakesAfter(
    [mountPki, importing(pem.caWithoutCrls)],
    [
      [
        'CRLs of an issuer whose certificate does not allow them',
        'POST issuer/$imported_issuers',
        { usage: 'crl-signing' },
        'pki-usage-without-crl-sign',
        'lacks the key usage cRLSign',
      ],
      [
        'the CRL of an issuer that may not sign it',
        'GET issuer/$imported_issuers/crl',
        {},
        'pki-crl-absent',
        'lacks the key usage cRLSign',
      ],
    ],
  ),
  ...mistakesAfter(
    [...authority, 'POST /v1/pki/issuer/main {"issuer_name":"main","usage":"read-only"}'],
    [
      [
        'a new CRL of an issuer that may not sign it',
        'POST issuer/main/resign-crls',
        {},
        'pki-signed-crl-usage',
        'read-only, not for crl-signing',
      ],
    ],
  ),
  ...mistakesAfter(
    [...authority, 'POST /v1/pki/issuer/main/revoke {}'],
    [
      [
        'certificates of a revoked issuer',
        'POST issuer/main',
        { usage: 'issuing-certificates' },
        'pki-issuer-revoked',
        'the issuer main was revoked at 2026-01-01T00:00:00Z',
      ],
    ],
  ),
  ...mistakesAfter(
    [
      mountPki,
      'POST /v1/pki/root/generate/internal {"common_name":"R","key_type":"ec","max_path_length":0}',
    ],
    [
      [
        'a CA below one that allows none',
        'POST root/sign-intermediate',
        request,
        'pki-path-length-zero',
        'the path length 0',
      ],
    ],
  ),
  ...mistakesAfter(
    [...web, ofCluster],
    [
      [
        'a certificate with an address of the cluster that is not set',
        'POST issue/web',
        { common_name: 'a.example.com' },
        'pki-addresses-unfilled',
        '"aia_path" of pki/config/cluster is not set',
      ],
      [
        'a root with an address of the cluster that is not set',
        'POST root/generate/internal',
        newRoot,
        'pki-addresses-of-root',
        '"aia_path" of pki/config/cluster is not set',
      ],
    ],
  ),
  ...mistakesAfter(
    [...web, templates('x{{issuer_id}}')],
    [
      [
        'a certificate with an address of the mount that is not a URL',
        'POST issue/web',
        { common_name: 'a.example.com' },
        'pki-addresses-unfilled',
        '"issuing_certificates" result in x',
      ],
    ],
  ),
  ...mistakesAfter(
    [
      ...web,
      'POST /v1/pki/issuer/main {"enable_aia_url_templating":true,"ocsp_servers":"{{issuer_id}}"}',
    ],
    [
      [
        'a certificate with an address of the issuer that is not a URL',
        'POST issue/web',
        { common_name: 'a.example.com' },
        'pki-addresses-unfilled',
        '"ocsp_servers" result in',
      ],
    ],
  ),
  ...mistakesAfter(
    [...authority, templates('{{issuer_id}},{{cluster_path}}')],
    [
      [
        'a root with its own id in its addresses',
        'POST root/generate/internal',
        newRoot,
        'pki-addresses-of-root',
        'the id of the issuer',
      ],
    ],
  ),
]

describe('behaviour/program#explanations: requests that an issuer of PKI cannot serve are named first', () =>
  testMistakes('secrets', 'neutral', mistakes))
