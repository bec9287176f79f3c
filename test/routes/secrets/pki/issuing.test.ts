import { execFileSync } from 'node:child_process'
import { createPrivateKey } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, createServer } from 'node:tls'
import * as x509 from '@peculiar/x509'
import { describe, expect, test } from 'vitest'
import { testTime } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, statusAndBody } from '../replies.ts'
import { parse, type TestPki, withPki } from './pki.ts'

/** Starts a server with a root and the role `web`. */
async function withRole(fields: object = {}): Promise<TestPki & { readonly root: string }> {
  const pki = await withPki()
  const root = await pki.write('root/generate/internal', { common_name: 'root', key_type: 'ec' })
  await pki.write('roles/web', {
    key_type: 'ec',
    allowed_domains: 'example.com',
    allow_subdomains: true,
    max_ttl: '72h',
    ttl: '1h',
    ...fields,
  })
  return { ...pki, root: root.data.certificate }
}

/** Makes a signing request with a library other than the mock's. */
async function signingRequest(names: readonly string[], subject = 'CN=a.example.com, O=Mine') {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: 'dns' as const, value })),
      ),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    ],
  })
  return request.toString('pem')
}

describe('behaviour/secrets#pki-roles', () => {
  test('a role keeps the length of the hash for elliptic keys, not for ed25519 and any', async () => {
    const pki = await withPki()
    for (const [key_type, signature_bits] of [
      ['ec', 7],
      ['ed25519', 0],
      ['any', 0],
    ] as const) {
      const { data } = await pki.write('roles/bits', { key_type, signature_bits: 7 })
      expect(data.signature_bits).toBe(signature_bits)
    }
  })

  test('a role has every default, a write replaces it and a patch changes it', async () => {
    const pki = await withPki()
    const { data } = await pki.write('roles/r')
    expect(data).toEqual({
      allow_any_name: false,
      allow_bare_domains: false,
      allow_glob_domains: false,
      allow_ip_sans: true,
      allow_localhost: true,
      allow_subdomains: false,
      allow_token_displayname: false,
      allow_wildcard_certificates: true,
      allowed_domains: [],
      allowed_domains_template: false,
      allowed_other_sans: [],
      allowed_serial_numbers: [],
      allowed_uri_sans: [],
      allowed_uri_sans_template: false,
      allowed_user_ids: [],
      basic_constraints_valid_for_non_ca: false,
      client_flag: true,
      cn_validations: ['email', 'hostname'],
      code_signing_flag: false,
      country: [],
      email_protection_flag: false,
      enforce_hostnames: true,
      ext_key_usage: [],
      ext_key_usage_oids: [],
      generate_lease: false,
      issuer_ref: 'default',
      key_bits: 2048,
      key_type: 'rsa',
      key_usage: ['DigitalSignature', 'KeyAgreement', 'KeyEncipherment'],
      locality: [],
      max_ttl: 0,
      no_store: false,
      not_after: '',
      not_before_duration: 30,
      organization: [],
      ou: [],
      policy_identifiers: [],
      postal_code: [],
      province: [],
      require_cn: true,
      server_flag: true,
      signature_bits: 256,
      street_address: [],
      ttl: 0,
      use_csr_common_name: true,
      use_csr_sans: true,
      use_pss: false,
    })
    const ec = (await pki.write('roles/r', { key_type: 'ec', max_ttl: '2h', ou: 'a,b' })).data
    expect(ec).toMatchObject({ key_bits: 256, signature_bits: 0, max_ttl: 7200, ou: ['a', 'b'] })
    const patched = await pki.secrets.patch('pki/roles/r', { ttl: 60 })
    expect(patched.body.data).toEqual({ ...ec, ttl: 60 })
    expect(await pki.read('roles/r')).toEqual({ ...ec, ttl: 60 })
    expect((await pki.secrets.list('pki/roles')).body.data.keys).toEqual(['r'])
    expect(statusAndBody(await pki.secrets.delete('pki/roles/r'))).toEqual(noContent)
    expect(statusAndBody(await pki.secrets.get('pki/roles/r'))).toEqual(error(404))
    expect(statusAndBody(await pki.secrets.patch('pki/roles/r', {}))).toEqual(
      error(400, 'Unable to fetch role entry to patch'),
    )
    const noIssuer =
      'Issuing Certificate was set to default, but no default issuing certificate (configurable at /config/issuers) is currently set'
    await pki.secrets.post('sys/mounts/empty', { type: 'pki' })
    expect((await pki.secrets.post('empty/roles/r', {})).body.warnings).toEqual([noIssuer])
    const { warnings } = await pki.write('roles/r', { issuer_ref: 'zz' })
    expect(warnings).toEqual([
      'Issuing Certificate was set to zz but no issuing certificate currently has that name',
    ])
  })

  test('policies of certificates may have qualifiers, as a JSON array', async () => {
    const pki = await withRole()
    const patched = async (policy_identifiers: unknown) =>
      (await pki.secrets.patch('pki/roles/web', { policy_identifiers })).body.data
        .policy_identifiers
    expect(await patched('1.2.3, 1.2.4')).toEqual(['1.2.3', '1.2.4'])
    expect(await patched(['1.2.3', '1.2.4'])).toEqual(['1.2.3', '1.2.4'])
    expect(await patched('[{"oid":1}]')).toEqual(['[{"oid":1}]'])
    const policies = [
      { oid: '1.2.3.4', cps: 'https://a.test', notice: 'One, two' },
      { oid: '1.2.3.5', cps: '', notice: '' },
    ]
    expect(await patched(JSON.stringify(policies))).toEqual([
      '{"oid":"1.2.3.4","cps":"https://a.test","notice":"One, two"}',
      '{"oid":"1.2.3.5"}',
    ])
    const encoded = async () => {
      const { data } = await pki.write('issue/web', { common_name: 'a.example.com' })
      const found = new x509.X509Certificate(data.certificate).getExtension('2.5.29.32')
      return Buffer.from(new Uint8Array(found?.value ?? new ArrayBuffer(0)))
    }
    const text = (await encoded()).toString('latin1')
    expect(text).toContain('\x16\x0ehttps://a.test')
    expect(text).toContain('\x0c\x08One, two')
    // If one policy is invalid, only plain identifiers count.
    await patched(['1.2.3', '{"oid":"x"}'])
    expect((await encoded()).toString('hex')).toBe('3006300406022a03')
  })

  test('wrong settings are refused', async () => {
    for (const dialect of ['neutral', 'vendor'] as const) {
      const pki = await withPki({ dialect })
      const refused = async (fields: object, reply: object) =>
        expect(statusAndBody(await pki.secrets.post('pki/roles/r', fields))).toEqual(reply)
      await refused({ key_type: 'zz' }, error(400, 'unknown key type zz'))
      await refused(
        { ttl: 2, max_ttl: 1 },
        error(400, '"ttl" value must be less than "max_ttl" value'),
      )
      await refused(
        { ext_key_usage_oids: 'zz' },
        error(400, '"zz" could not be parsed as a valid oid for an extended key usage'),
      )
      await refused(
        { allowed_other_sans: 'zz' },
        error(400, 'error parsing allowed_other_sans: expected a semicolon in other SAN "zz"'),
      )
      const status = dialect === 'vendor' ? 500 : 400
      await refused(
        { cn_validations: 'zz' },
        multierrorReply(status, 'cn_validations value incorrect: unknown type: `zz`'),
      )
      await refused(
        { cn_validations: 'disabled,email' },
        multierrorReply(
          status,
          'cn_validations value incorrect: cannot specify `disabled` along with `email` or `hostname`',
        ),
      )
      expect(statusAndBody(await pki.secrets.get('pki/roles/r'))).toEqual(error(404))
    }
  })
})

describe('behaviour/secrets#pki-issuing', () => {
  test('an issued certificate has the names, times and usages of request and role', async () => {
    const pki = await withRole({ organization: 'Acme' })
    const { data, ...envelope } = await pki.write('issue/web', {
      common_name: 'a.example.com',
      alt_names: 'b.example.com,a b',
      ip_sans: '127.0.0.1',
      ttl: '2h',
    })
    expect(envelope).toMatchObject({ lease_id: '', warnings: null })
    const node = parse(data.certificate)
    const root = parse(pki.root)
    expect(data).toEqual({
      ca_chain: [pki.root],
      certificate: expect.stringMatching(/^-----BEGIN CERTIFICATE-----\n/),
      expiration: testTime / 1000 + 7200,
      issuing_ca: pki.root,
      private_key: expect.stringMatching(/^-----BEGIN EC PRIVATE KEY-----\n/),
      private_key_type: 'ec',
      serial_number: node.serialNumber.toLowerCase().match(/../g)?.join(':'),
    })
    expect(node.checkIssued(root)).toBe(true)
    expect(node.verify(root.publicKey)).toBe(true)
    expect(node.checkPrivateKey(createPrivateKey(data.private_key))).toBe(true)
    expect(node.subject).toBe('O=Acme\nCN=a.example.com')
    expect(node.subjectAltName).toBe('DNS:a.example.com, DNS:b.example.com, IP Address:127.0.0.1')
    const parsed = new x509.X509Certificate(data.certificate)
    expect(parsed.getExtension(x509.BasicConstraintsExtension)).toBeNull()
    expect(parsed.getExtension(x509.KeyUsagesExtension)?.usages).toBe(
      x509.KeyUsageFlags.digitalSignature |
        x509.KeyUsageFlags.keyAgreement |
        x509.KeyUsageFlags.keyEncipherment,
    )
    expect(parsed.getExtension(x509.ExtendedKeyUsageExtension)?.usages).toEqual([
      x509.ExtendedKeyUsage.serverAuth,
      x509.ExtendedKeyUsage.clientAuth,
    ])
    const listed = (await pki.secrets.list('pki/certs')).body.data.keys
    expect(listed).toContain(data.serial_number)
    expect((await pki.read(`cert/${data.serial_number}`)).certificate).toBe(data.certificate)
  })

  test('formats are PEM, DER and bundles, and the chain can be without roots', async () => {
    const pki = await withRole({ no_store: true })
    const fields = { common_name: 'a.example.com' }
    const der = (await pki.write('issue/web', { ...fields, format: 'der' })).data
    const key = Buffer.from(der.private_key, 'base64')
    expect(createPrivateKey({ key, format: 'der', type: 'sec1' }).type).toBe('private')
    expect(parse(Buffer.from(der.certificate, 'base64')).subject).toBe('CN=a.example.com')
    expect(der.ca_chain).toEqual([parse(pki.root).raw.toString('base64')])
    const bundle = (
      await pki.write('issue/web', {
        ...fields,
        format: 'pem_bundle',
        private_key_format: 'pkcs8',
        remove_roots_from_chain: true,
      })
    ).data
    expect(bundle).not.toHaveProperty('ca_chain')
    expect(bundle.certificate).toMatch(
      /^-----BEGIN PRIVATE KEY-----\n[\s\S]*-----\n-----BEGIN CERTIFICATE-----/,
    )
    // Certificates of a role with `no_store` are not listed.
    expect((await pki.secrets.list('pki/certs')).body.data.keys).toHaveLength(1)
  })

  test('names that the role does not allow are refused', async () => {
    const pki = await withRole()
    const cases: readonly (readonly [object, string])[] = [
      [{ common_name: 'example.com' }, 'common name example.com not allowed by this role'],
      [{ common_name: 'a.example.org' }, 'common name a.example.org not allowed by this role'],
      [{ common_name: 'a_b.example.com' }, 'common name a_b.example.com not allowed by this role'],
      [{ common_name: 'a@b@example.com' }, 'common name a@b@example.com not allowed by this role'],
      [{ common_name: 'a.*.example.com' }, 'common name a.*.example.com not allowed by this role'],
      [
        { common_name: 'a.example.com', alt_names: 'x.org' },
        'subject alternate name x.org not allowed by this role',
      ],
      [
        { common_name: 'a.example.com', alt_names: 'me@x.org' },
        'email address me@x.org not allowed by this role',
      ],
      [
        { common_name: 'a.example.com', uri_sans: 'spiffe://a' },
        'URI Subject Alternative Names are not allowed in this role, but were provided via the API',
      ],
      [
        { common_name: 'a.example.com', other_sans: '1.2.3;UTF8:a' },
        'other SAN OID 1.2.3 not allowed by this role',
      ],
      [
        { common_name: 'a.example.com', other_sans: 'zz' },
        'could not parse requested other SAN: expected a semicolon in other SAN "zz"',
      ],
      [
        { common_name: 'a.example.com', serial_number: 's' },
        'serial_number s not allowed by this role',
      ],
      [{ common_name: 'a.example.com', user_ids: 'u' }, 'user_id u is not allowed by this role'],
      [
        {},
        'the common_name field is required, or must be provided in a CSR with "use_csr_common_name" set to true, unless "require_cn" is set to false',
      ],
    ]
    for (const [fields, text] of cases) {
      const reply = await pki.secrets.post('pki/issue/web', fields)
      expect([fields, statusAndBody(reply)]).toEqual([fields, error(400, text)])
    }
    for (const name of ['*.example.com', '*.a.example.com', 'localhost', 'x.localdomain']) {
      const reply = await pki.secrets.post('pki/issue/web', { common_name: name })
      expect([name, reply.status]).toEqual([name, 200])
    }
    await pki.write('roles/web', {
      key_type: 'ec',
      allow_ip_sans: false,
      allowed_domains: 'ex*.org,me.net',
      allow_glob_domains: true,
      allow_bare_domains: true,
      allow_wildcard_certificates: false,
    })
    for (const [common_name, status] of [
      ['exact.org', 200],
      ['ME.net', 200],
      ['a@me.net', 200],
      ['*.exact.org', 400],
      ['x.me.net', 400],
    ] as const) {
      const reply = await pki.secrets.post('pki/issue/web', { common_name })
      expect([common_name, reply.status]).toEqual([common_name, status])
    }
    const withAddress = { common_name: 'me.net', ip_sans: '1.2.3.4' }
    expect(statusAndBody(await pki.secrets.post('pki/issue/web', withAddress))).toEqual(
      error(
        400,
        'IP Subject Alternative Names are not allowed in this role, but was provided [1.2.3.4]',
      ),
    )
  })

  test('times are those of the request, the role and the mount, and end with the issuer', async () => {
    const pki = await withRole()
    const common_name = 'a.example.com'
    const capped = await pki.write('issue/web', { common_name, ttl: '9000h' })
    expect(capped.data.expiration).toBe(testTime / 1000 + 72 * 3600)
    expect(capped.warnings).toEqual([
      'TTL "9000h0m0s" is longer than permitted maxTTL "72h0m0s", so maxTTL is being used',
    ])
    expect((await pki.write('issue/web', { common_name })).data.expiration).toBe(
      testTime / 1000 + 3600,
    )
    const end = Date.parse(parse(pki.root).validTo)
    const not_after = new Date(end + 1000).toISOString()
    expect(
      statusAndBody(await pki.secrets.post('pki/issue/web', { common_name, not_after })),
    ).toEqual(
      error(
        400,
        `cannot satisfy request, as TTL would result in notAfter of ${not_after.replace('.000', '')} that is beyond the expiration of the CA certificate at ${new Date(end).toISOString().replace('.000', '')}`,
      ),
    )
  })

  test('a role, an issuer and a key that can be used are needed', async () => {
    for (const dialect of ['neutral', 'vendor'] as const) {
      const pki = await withPki({ dialect })
      await pki.write('roles/web', { key_type: 'ec', allow_any_name: true })
      await pki.write('roles/any', { key_type: 'any', allow_any_name: true })
      const refused = async (path: string, reply: object) =>
        expect(
          statusAndBody(await pki.secrets.post(`pki/${path}`, { common_name: 'a.org' })),
        ).toEqual(reply)
      const isVendor = dialect === 'vendor'
      await refused('issue/zz', error(400, 'unknown role: zz'))
      await refused(
        'issue/any',
        error(400, 'role key type "any" not allowed for issuing certificates, only signing'),
      )
      await refused('sign/web', error(400, '"csr" is empty'))
      await refused(
        'issue/web',
        multierrorReply(
          isVendor ? 500 : 400,
          'could not fetch the CA certificate (was one set?): no default issuer currently configured',
        ),
      )
      await refused(
        'issuer/zz/issue/web',
        multierrorReply(
          isVendor ? 500 : 404,
          'could not fetch the CA certificate (was one set?): unable to find PKI issuer for reference: zz',
        ),
      )
      expect((await pki.secrets.get('pki/issue/web')).status).toBe(405)
    }
  })

  test('signing takes names from the request, verbatim all of it', async () => {
    const pki = await withRole()
    const csr = await signingRequest(['z.example.com', 'b.example.com'])
    const signed = await pki.write('sign/web', { csr, common_name: 'x', alt_names: 'y' })
    expect(signed.warnings).toEqual([
      'the common_name field was provided but the role is set with "use_csr_common_name" set to true',
      'the alt_names field was provided but the role is set with "use_csr_sans" set to true',
    ])
    expect(signed.data).not.toHaveProperty('private_key')
    const node = parse(signed.data.certificate)
    expect(node.subject).toBe('CN=a.example.com')
    expect(node.subjectAltName).toBe('DNS:a.example.com, DNS:b.example.com, DNS:z.example.com')
    const verbatim = (await pki.write('sign-verbatim', { csr })).data
    const same = parse(verbatim.certificate)
    expect(same.subject).toBe('CN=a.example.com\nO=Mine')
    expect(same.subjectAltName).toBe('DNS:z.example.com, DNS:b.example.com')
    expect(same.publicKey.equals(node.publicKey)).toBe(true)
    expect(verbatim.expiration).toBe(testTime / 1000 + 768 * 3600)
    const parsed = new x509.X509Certificate(verbatim.certificate)
    expect(parsed.getExtension(x509.KeyUsagesExtension)?.usages).toBe(
      x509.KeyUsageFlags.digitalSignature,
    )
    await pki.write('roles/web', { allow_any_name: true })
    expect(statusAndBody(await pki.secrets.post('pki/sign/web', { csr }))).toEqual(
      error(400, 'role requires keys of type rsa'),
    )
    expect(statusAndBody(await pki.secrets.post('pki/sign/web', { csr: 'zz' }))).toEqual(
      error(400, 'csr contains no data'),
    )
  })

  test('a lease of a certificate revokes it', async () => {
    const pki = await withRole({ generate_lease: true })
    const issued = await pki.write('issue/web', { common_name: 'a.example.com' })
    expect(issued).toMatchObject({
      lease_id: expect.stringMatching(/^pki\/issue\/web\/[0-9A-Za-z]{24}$/),
      renewable: false,
      lease_duration: 3600,
    })
    await pki.secrets.post('sys/leases/revoke', { lease_id: issued.lease_id })
    expect(await pki.read(`cert/${issued.data.serial_number}`)).toMatchObject({
      revocation_time: testTime / 1000,
    })
  })

  test('a TLS client and openssl accept an issued certificate', async () => {
    const pki = await withRole()
    // Clients use the computer's clock, certificates that of the world.
    const later = { key_type: 'ec', not_after: '2045-01-01T00:00:00Z', issuer_name: 'later' }
    const root = (await pki.write('root/generate/internal', { common_name: 'l', ...later })).data
    const fields = { common_name: 'localhost', not_after: '2040-01-01T00:00:00Z' }
    const { data } = await pki.write('issuer/later/issue/web', fields)
    const server = createServer({ cert: data.certificate, key: data.private_key })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const options = { port, host: '127.0.0.1', servername: 'localhost' }
    const isAuthorized = (ca: string) =>
      new Promise<boolean>((resolve) => {
        const socket = connect({ ...options, ca, rejectUnauthorized: false }, () => {
          resolve(socket.authorized)
          socket.destroy()
        })
      })
    expect(await isAuthorized(root.certificate)).toBe(true)
    expect(await isAuthorized(pki.root)).toBe(false)
    server.close()
    const folder = mkdtempSync(join(tmpdir(), 'pki-'))
    try {
      writeFileSync(join(folder, 'root.pem'), root.certificate)
      writeFileSync(join(folder, 'leaf.pem'), data.certificate)
      const verifyArguments = ['verify', '-x509_strict', '-CAfile', 'root.pem', 'leaf.pem']
      const output = execFileSync('openssl', verifyArguments, { cwd: folder, encoding: 'utf8' })
      expect(output.trim()).toBe('leaf.pem: OK')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
