import type { Correction } from '../../http/journal-hooks/api-explanations.ts'
import type { Corrector, RefusedRequest } from '../../http/journal-hooks/token-corrections.ts'
import { type ExplainInMount, listAt, memberOf } from './names.ts'
import { sendTo, withField } from './root-requests.ts'

/** A signing request for www.example.com. Nobody has its private key. */
const exampleRequest = `-----BEGIN CERTIFICATE REQUEST-----
MIHVMHwCAQAwGjEYMBYGA1UEAwwPd3d3LmV4YW1wbGUuY29tMFkwEwYHKoZIzj0C
AQYIKoZIzj0DAQcDQgAEt14/W9LBUWxB34qsX4yFhVMYGCU1cDE7OJFL1HOxYLjU
rONv7lntdatDrTDZQ6nBQXMujmr9Obk3o7MalcRxbqAAMAoGCCqGSM49BAMCA0kA
MEYCIQDP0uUvp5THLh5LomEkm6OPMGS58AjyNMx4si+IZrj6dAIhANq0RhB2b57v
gOl9Y3NVgbgARDagvHmz5DqiNQnV4FmO
-----END CERTIFICATE REQUEST-----`

/** A self-signed CA certificate. Nobody has its private key. */
const exampleCa = `-----BEGIN CERTIFICATE-----
MIIBXTCCAQOgAwIBAgIBATAKBggqhkjOPQQDAjAVMRMwEQYDVQQDDApFeGFtcGxl
IENBMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAVMRMwEQYDVQQD
DApFeGFtcGxlIENBMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEZOjfoBUoGDec
ARDscNfKLNBzZfhZq3JFaAS+1q9QjowuOki9cKvjf+XTJZd5mDeHkezRWZgMWG7L
QvE4kDcjhKNCMEAwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAQYwHQYD
VR0OBBYEFGCCzkeF+gqOAVun1S47z6GlqxYfMAoGCCqGSM49BAMCA0gAMEUCIHa6
lKAKJAoinfw4OtywbDLWjr6uKJ6CEojh6fa7vJ++AiEA5UJlGba+sKGIB7THqO82
YWFekPeODUpSxJSuSa6rIn8=
-----END CERTIFICATE-----`

/** Returns a function that explains an unusable signing request and suggests an example. */
function explainUnusableRequest(because: string): ExplainInMount {
  return (request) => ({ because, ...withField('csr', exampleRequest)(request) })
}

/**
 * Returns a function that explains a certificate that the mount cannot sign again, and suggests an
 * example.
 */
function explainUnusableCertificate(because: string): ExplainInMount {
  return (request) => ({ because, ...withField('certificate', exampleCa)(request) })
}

/** Returns the name of the body's member that contains the certificates to import. */
function bundleMember(request: RefusedRequest): 'certificate' | 'pem_bundle' {
  const isCertificate =
    request.operation?.id === 'pkiSetSigned' || memberOf(request, 'certificate') !== undefined
  return isCertificate ? 'certificate' : 'pem_bundle'
}

/**
 * Returns a function that explains that a text cannot be imported. The function suggests an
 * example.
 *
 * @param because receives the quoted name of the member and the index of the invalid part
 */
function explainBundle(because: (member: string, index: string) => string): ExplainInMount {
  return (request) => {
    const member = bundleMember(request)
    return {
      because: because(`"${member}"`, String(request.refusal?.params['index'])),
      ...withField(member, exampleCa)(request),
    }
  }
}

/** Returns a function that explains an unusable private key and suggests generating a key. */
function explainKeyText(because: string): ExplainInMount {
  return (request, mount) => ({ because, ...makeKey(request, mount.path) })
}

function makeKey(request: RefusedRequest, mountPath: string): Correction {
  const body = () => ({ key_type: 'ec' })
  return sendTo(request, `${mountPath}keys/generate/internal`, body, 'Generate a key instead')
}

/**
 * Returns a function that explains that a private key does not prove the right to revoke. The
 * function suggests revoking without the key.
 */
function explainProof(because: string): ExplainInMount {
  return (request, mount) => ({
    because,
    ...sendTo(
      request,
      `${mount.path}revoke`,
      (sent) => ({ ...Object(sent), private_key: undefined }),
      'Revoke without the private key, with a token that may use revoke',
    ),
  })
}

/**
 * Returns a function that explains that the certificate to revoke is missing or invalid. The
 * function suggests listing the serial numbers.
 */
function explainRevoked(because: (mountPath: string) => string): ExplainInMount {
  return (request, mount) => ({
    because: because(mount.path),
    ...listAt(request, `${mount.path}certs`, 'List the stored serial numbers'),
  })
}

const revokeBySerial: Corrector = ({ refusal }) => {
  const serial = String(refusal?.details['serial'])
  return {
    change: `Send "serial_number": "${serial}" to revoke the stored certificate`,
    request: {
      body: (sent) => ({ ...Object(sent), certificate: '', serial_number: serial }),
    },
  }
}

const notPemText = 'is not a PEM block, which begins with a line such as'

/** Explanations of PEM texts that PKI engines cannot read or use. */
export const pkiTextExplanations: Readonly<Record<string, ExplainInMount>> = {
  'pki-csr-empty': explainUnusableRequest('the request has no "csr", the signing request as PEM'),
  'pki-csr-undecodable': explainUnusableRequest(
    `"csr" ${notPemText} "-----BEGIN CERTIFICATE REQUEST-----"`,
  ),
  'pki-csr-invalid': explainUnusableRequest('"csr" is PEM, but not a signing request'),
  'pki-csr-signature': explainUnusableRequest(
    '"csr" was changed after it was signed: its signature does not match its key',
  ),
  'pki-csr-key-unknown': explainUnusableRequest(
    '"csr" has a key of an unknown type; it must be an RSA, ECDSA or Ed25519 key',
  ),
  'pki-certificate-undecodable': explainUnusableCertificate(
    `"certificate" ${notPemText} "-----BEGIN CERTIFICATE-----"`,
  ),
  'pki-certificate-unparsable': explainUnusableCertificate(
    '"certificate" is PEM, but not a certificate',
  ),
  'pki-no-authority': explainUnusableCertificate('"certificate" is not the certificate of a CA'),
  'pki-not-self-issued': explainUnusableCertificate(
    '"certificate" is not self-issued: its issuer is not its subject',
  ),
  'pki-algorithms-differ': (request) => ({
    because: `the key of the issuer is ${String(request.refusal?.params['ofSigner'])}, that of "certificate" is ${String(request.refusal?.params['ofCertificate'])}, and "require_matching_certificate_algorithms" is true`,
    ...withField('require_matching_certificate_algorithms', false)(request),
  }),
  'pki-bundle-missing': explainBundle(
    (member) => `the request has no certificates to import in ${member}`,
  ),
  'pki-import-short': (request, mount) =>
    request.operation?.id === 'pkiImportKey'
      ? explainKeyText('"pem_bundle" is too short for a private key as PEM')(request, mount)
      : explainBundle((member) => `${member} is too short for a certificate as PEM`)(
          request,
          mount,
        ),
  'pki-import-undecodable': explainBundle(
    (member) => `${member} does not consist only of PEM blocks`,
  ),
  'pki-import-issuer': explainBundle(
    (member, index) =>
      `the certificate at index ${index} in ${member} cannot be parsed, or is not a CA certificate`,
  ),
  'pki-import-private-key': explainBundle(
    (member, index) => `the private key at index ${index} in ${member} cannot be parsed`,
  ),
  'pki-key-import-undecodable': explainKeyText(
    `"pem_bundle" ${notPemText} "-----BEGIN PRIVATE KEY-----"`,
  ),
  'pki-key-import-several': explainKeyText(
    '"pem_bundle" has several PEM blocks, but only one key can be imported at a time',
  ),
  'pki-key-import-unreadable': explainKeyText('"pem_bundle" is PEM, but not a private key'),
  'pki-revoke-nothing': explainRevoked(
    () => 'the request has neither "serial_number" nor "certificate"',
  ),
  'pki-revoke-short': explainRevoked(() => '"certificate" is too short for a certificate as PEM'),
  'pki-revoke-no-pem': explainRevoked(
    () => `"certificate" ${notPemText} "-----BEGIN CERTIFICATE-----"`,
  ),
  'pki-revoke-unparsable': explainRevoked(() => '"certificate" is PEM, but not a certificate'),
  'pki-revoke-foreign': explainRevoked(
    (mountPath) => `none of the issuers of ${mountPath} signed "certificate"`,
  ),
  'pki-revoke-unequal': (request, mount) => ({
    because: `${mount.path} has stored another certificate with the serial number ${String(request.refusal?.details['serial'])}`,
    ...revokeBySerial(request),
  }),
  'pki-revoke-key-missing': explainProof(
    'the request has no "private_key", which must prove that the caller owns the certificate',
  ),
  'pki-revoke-key-short': explainProof('"private_key" is too short for a private key as PEM'),
  'pki-revoke-key-undecodable': explainProof(
    `"private_key" ${notPemText} "-----BEGIN PRIVATE KEY-----"`,
  ),
  'pki-revoke-key-unreadable': explainProof('"private_key" is PEM, but not a private key'),
  'pki-revoke-key-type': explainProof(
    'the type of "private_key" is not that of the key of the certificate',
  ),
  'pki-revoke-key-other': explainProof('"private_key" is not the key of the certificate'),
}
