import { generateKeyPairSync } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import { beforeEach, describe, expect, test } from 'vitest'
import { error, multierrorReply, statusAndBody } from '../replies.ts'
import { parse, type TestPki, withPki } from './pki.ts'

let pki: TestPki
let root: string

beforeEach(async () => {
  pki = await withPki()
  const not_after = '2045-01-01T00:00:00Z'
  const fields = { common_name: 'root', key_type: 'ec', not_after }
  root = (await pki.write('root/generate/internal', fields)).data.certificate
  await pki.secrets.post('sys/mounts/int', { type: 'pki' })
})

/** Makes a signing request with the mock's other mount. */
async function makeRequest(fields: object = {}): Promise<string> {
  const path = 'int/intermediate/generate/internal'
  const made = await pki.secrets.post(path, { key_type: 'ec', ...fields })
  return made.body.data.csr
}

/** Makes a signing request with another library. */
async function libraryRequest(name: string, extensions: x509.Extension[] = []) {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const generator = x509.Pkcs10CertificateRequestGenerator
  return generator.create({ name, keys, extensions, signingAlgorithm: algorithm })
}

/** Returns a signing request in which the last byte of the signature is another one. */
async function damagedRequest(): Promise<string> {
  const der = Buffer.from((await libraryRequest('CN=a.example.com')).rawData)
  der.writeUInt8(der.readUInt8(der.length - 1) ^ 1, der.length - 1)
  return new x509.Pkcs10CertificateRequest(der).toString('pem')
}

const refused = async (path: string, fields: object, text: string) =>
  expect(statusAndBody(await pki.secrets.post(`pki/${path}`, fields))).toEqual(error(400, text))

describe('behaviour/secrets#pki-roots: signing requests', () => {
  test('a request that its key did not sign is refused', async () => {
    const csr = await damagedRequest()
    await pki.write('roles/web', { key_type: 'ec', allow_any_name: true })
    for (const path of ['sign/web', 'sign-verbatim', 'root/sign-intermediate']) {
      await refused(path, { csr }, 'request signature invalid')
    }
  })

  test('an intermediate takes names, path length and key identifier from request and issuer', async () => {
    const csr = await makeRequest({ common_name: 'middle', serial_number: 'S1' })
    const sign = (fields: object) => pki.write('root/sign-intermediate', { csr, ...fields })
    const plain = await sign({})
    expect(parse(plain.data.certificate).subject).toBe('CN=middle\nserialNumber=S1')
    const skid = 'ab:CD-01 02'
    const mimic = new x509.X509Certificate((await sign({ skid })).data.certificate)
    expect(mimic.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId).toBe('abcd0102')
    const last = await sign({ common_name: 'last', max_path_length: 0 })
    expect(parse(last.data.certificate).subject).toBe('CN=last\nserialNumber=S1')
    expect(last.warnings).toContain(
      'Max path length of the signed certificate is zero. This certificate cannot be used to issue intermediate CA certificates.',
    )
    const path = 'root/sign-intermediate'
    const unreadable = 'cannot parse requested SKID value as hex: encoding/hex: '
    await refused(path, { csr, skid: 'zz' }, `${unreadable}invalid byte: U+007A 'z'`)
    await refused(path, { csr, skid: 'abc' }, `${unreadable}odd length hex string`)
    const fields = { common_name: 'short', key_type: 'ec', max_path_length: 1, issuer_name: 'one' }
    await pki.write('root/generate/internal', fields)
    const below = await pki.write('issuer/one/sign-intermediate', { csr })
    const constraints = (pem: string) =>
      new x509.X509Certificate(pem).getExtension(x509.BasicConstraintsExtension)
    expect(constraints(below.data.certificate)?.pathLength).toBe(0)
    const generated = { common_name: 'zero', key_type: 'ec', max_path_length: 0 }
    const zero = await pki.write('root/generate/internal', { ...generated, issuer_name: 'zero' })
    expect(zero.warnings).toContain(
      'Max path length of the generated certificate is zero. This certificate cannot be used to issue intermediate CA certificates.',
    )
    await refused(
      'issuer/zero/sign-intermediate',
      { csr },
      'signing certificate has a max path length of zero, and cannot issue further CA certificates',
    )
  })

  test('cross-sign makes a request with an existing key', async () => {
    const key = (await pki.write('keys/generate/internal', { key_type: 'ed25519' })).data
    const made = (
      await pki.write('intermediate/cross-sign', { common_name: 'x', key_ref: key.key_id })
    ).data
    expect(made.key_id).toBe(key.key_id)
    const request = new x509.Pkcs10CertificateRequest(made.csr)
    expect([request.subject, await request.verify()]).toEqual(['CN=x', true])
  })

  test('sign-self-issued gives a root a second issuer', async () => {
    await pki.secrets.post('sys/mounts/other', { type: 'pki' })
    const path = 'other/root/generate/internal'
    const other = (await pki.secrets.post(path, { common_name: 'other', key_type: 'ed25519' })).body
      .data.certificate
    const signed = (await pki.write('root/sign-self-issued', { certificate: other })).data
    expect(signed.issuing_ca).toBe(root)
    const [before, after] = [parse(other), parse(signed.certificate)]
    expect(after.verify(parse(root).publicKey)).toBe(true)
    expect(after.checkIssued(parse(root))).toBe(true)
    const same = ({ subject, serialNumber, validTo, ca }: typeof before) => {
      return { subject, serialNumber, validTo, ca }
    }
    expect(same(after)).toEqual(same(before))
    await pki.secrets.post('sys/mounts/rsa', { type: 'pki' })
    await pki.secrets.post('rsa/root/generate/internal', { common_name: 'rsa' })
    const ofRsa = await pki.secrets.post('rsa/root/sign-self-issued', { certificate: other })
    expect(new x509.X509Certificate(ofRsa.body.data.certificate).signatureAlgorithm).toEqual({
      name: 'RSASSA-PKCS1-v1_5',
      hash: { name: 'SHA-256' },
    })
    const denied = await pki.secrets.post('pki/issuer/default/sign-self-issued', {
      certificate: other,
      require_matching_certificate_algorithms: true,
    })
    expect(statusAndBody(denied)).toEqual(
      multierrorReply(
        400,
        "signing certificate's public key algorithm (ECDSA) does not match submitted certificate's (Ed25519), and require_matching_certificate_algorithms is true",
      ),
    )
    const self = 'root/sign-self-issued'
    await refused(self, { certificate: 'z' }, 'certificate could not be PEM-decoded')
    const { certificate } = signed
    await refused(self, { certificate }, 'given certificate is not self-issued')
    await pki.write('roles/leaf', { key_type: 'ec', allow_any_name: true })
    const leaf = (await pki.write('issue/leaf', { common_name: 'a.b' })).data.certificate
    await refused(self, { certificate: leaf }, 'given certificate is not a CA certificate')
  })

  test('use_rsa_pss asks for PSS padding, as use_pss does', async () => {
    await pki.secrets.post('sys/mounts/rsa', { type: 'pki' })
    // A key of another maker is there sooner than one of the mock.
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem_bundle = privateKey.export({ type: 'pkcs8', format: 'pem' })
    await pki.secrets.post('rsa/keys/import', { pem_bundle })
    const fields = { common_name: 'r', use_rsa_pss: true }
    const made = (await pki.secrets.post('rsa/root/generate/existing', fields)).body.data
    expect(new x509.X509Certificate(made.certificate).signatureAlgorithm.name).toBe('RSA-PSS')
    const { body } = await pki.secrets.get('rsa/issuer/default')
    expect(body.data.revocation_signature_algorithm).toBe('SHA256WithRSAPSS')
  })
})

describe('behaviour/secrets#pki-names: subjects of requests', () => {
  test('serial number and user ids of a request are checked and used', async () => {
    const request = await libraryRequest(
      'CN=a.example.com, 2.5.4.5=S1, 0.9.2342.19200300.100.1.1=U1',
      [new x509.BasicConstraintsExtension(true)],
    )
    const csr = request.toString('pem')
    const role = { key_type: 'ec', allow_any_name: true }
    await pki.write('roles/subject', role)
    await refused('sign/subject', { csr }, 'serial_number S1 not allowed by this role')
    await pki.write('roles/subject', { ...role, allowed_serial_numbers: 'S*' })
    await refused('sign/subject', { csr }, 'user_id U1 is not allowed by this role')
    const allowed = { allowed_serial_numbers: 'S1', allowed_user_ids: 'u1' }
    await pki.write('roles/subject', { ...role, ...allowed })
    const { data, warnings } = await pki.write('sign/subject', { csr })
    expect(parse(data.certificate).subject).toBe('CN=a.example.com\nserialNumber=S1\nUID=U1')
    expect(warnings).toEqual([
      'specified CSR contained a Basic Constraints extension that was ignored during issuance',
    ])
  })

  test('cn_validations decide whether hosts or mail addresses may be common names', async () => {
    const role = { key_type: 'ec', allow_any_name: true }
    await pki.write('roles/mail', { ...role, cn_validations: 'email' })
    const cn = (common_name: string) => ({ common_name })
    await refused('issue/mail', cn('a.b'), 'common name a.b not allowed by this role')
    await pki.write('issue/mail', cn('a@b.c'))
    await pki.write('roles/host', { ...role, cn_validations: 'hostname' })
    await refused('issue/host', cn('a@b.c'), 'common name a@b.c not allowed by this role')
    const bare = { key_type: 'ec', allowed_domains: 'example.com', cn_validations: 'disabled' }
    await pki.write('roles/none', bare)
    await pki.write('issue/none', cn('any name'))
    await refused('issue/none', cn('a.b'), 'subject alternate name a.b not allowed by this role')
  })

  test('templates of allowed domains are filled in for the entity of the caller', async () => {
    const { secrets } = pki
    await secrets.post('sys/auth/userpass', { type: 'userpass' })
    await secrets.post('auth/userpass/users/ann', { password: 'p', token_policies: 'issue' })
    await secrets.put('sys/policies/acl/issue', {
      policy: 'path "pki/issue/*" { capabilities = ["update"] }',
    })
    const login = await secrets.post('auth/userpass/login/ann', { password: 'p' })
    const { client_token: token, entity_id } = login.body.auth
    await secrets.post(`identity/entity/id/${entity_id}`, {
      name: 'ann',
      metadata: { team: 'red' },
    })
    const role = {
      key_type: 'ec',
      allow_subdomains: true,
      allowed_domains:
        '{{identity.entity.metadata.team}}.example.com,{{identity.entity.metadata.zz}}',
      allowed_domains_template: true,
      allowed_uri_sans: 'spiffe://{{identity.entity.name}}/*',
      allowed_uri_sans_template: true,
    }
    await pki.write('roles/team', role)
    const issue = async (fields: object) =>
      statusAndBody(await secrets.post('pki/issue/team', fields, { token }))
    const common_name = 'a.red.example.com'
    expect(await issue({ common_name, uri_sans: 'spiffe://ann/x' })).toMatchObject({ status: 200 })
    expect(await issue({ common_name, uri_sans: 'spiffe://bob/x' })).toEqual(
      error(
        400,
        'URI Subject Alternative Names were provided via the API which are not valid for this role',
      ),
    )
    expect(await issue({ common_name: 'a.blue.example.com' })).toEqual(
      error(400, 'common name a.blue.example.com not allowed by this role'),
    )
    await refused(
      'issue/team',
      { common_name },
      `common name ${common_name} not allowed by this role`,
    )
  })
})
