import { createPrivateKey } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  KeyUsagesExtension,
  SubjectKeyIdentifierExtension,
} from '@peculiar/x509'
import { describe, expect, test } from 'vitest'
import { testTime } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, statusAndBody } from '../replies.ts'
import { parse, withPki } from './pki.ts'

const title = 'behaviour/secrets#pki-roots'

/** Encoded object identifiers of signature algorithms (RFC 8017, RFC 5758, RFC 8410). */
const signatureOids = {
  rsa256: Buffer.from('06092a864886f70d01010b', 'hex'),
  rsa512: Buffer.from('06092a864886f70d01010d', 'hex'),
  pss: Buffer.from('06092a864886f70d01010a', 'hex'),
  ec256: Buffer.from('06082a8648ce3d040302', 'hex'),
  ec384: Buffer.from('06082a8648ce3d040303', 'hex'),
  ec512: Buffer.from('06082a8648ce3d040304', 'hex'),
  ed25519: Buffer.from('06032b6570', 'hex'),
}

describe(`${title}: a root`, () => {
  test('has the members, the times and the extensions of the contract', async () => {
    const pki = await withPki()
    const { data, warnings } = await pki.write('root/generate/exported', {
      common_name: 'root.example.com',
      alt_names: 'b.example.com,me@example.com,not a host',
      ip_sans: ['10.0.0.1', '2001:db8::1'],
      uri_sans: 'spiffe://x/y',
      other_sans: '1.3.6.1.4.1.311.20.2.3;UTF8:dev',
      organization: ['Acme'],
      country: 'DE',
      key_type: 'ec',
      issuer_name: 'first',
      key_name: 'k1',
      max_path_length: 2,
      ttl: '1h',
    })
    expect(warnings).toEqual([expect.stringMatching(/^This mount hasn't configured any/)])
    const node = parse(data.certificate)
    const parsed = new x509.X509Certificate(data.certificate)
    expect(data).toEqual({
      certificate: expect.stringMatching(/^-----BEGIN CERTIFICATE-----\n[\s\S]*-----$/),
      expiration: testTime / 1000 + 3600,
      issuer_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      issuer_name: 'first',
      issuing_ca: data.certificate,
      key_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      key_name: 'k1',
      private_key: expect.stringMatching(/^-----BEGIN EC PRIVATE KEY-----\n/),
      private_key_type: 'ec',
      serial_number: node.serialNumber.toLowerCase().match(/../g)?.join(':'),
    })
    expect(node.verify(node.publicKey)).toBe(true)
    expect(node.checkPrivateKey(createPrivateKey(data.private_key))).toBe(true)
    expect(node.ca).toBe(true)
    expect(node.subject).toBe('C=DE\nO=Acme\nCN=root.example.com')
    expect(node.issuer).toBe(node.subject)
    expect(parsed.notBefore.getTime()).toBe(testTime - 30_000)
    expect(parsed.notAfter.getTime()).toBe(testTime + 3_600_000)
    expect(node.subjectAltName).toBe(
      'othername:UPN:dev, DNS:b.example.com, DNS:root.example.com, email:me@example.com, IP Address:10.0.0.1, IP Address:2001:DB8:0:0:0:0:0:1, URI:spiffe://x/y',
    )
    const constraints = parsed.getExtension(BasicConstraintsExtension)
    expect(constraints).toMatchObject({ ca: true, critical: true, pathLength: 2 })
    const usage = parsed.getExtension(KeyUsagesExtension)
    expect(usage).toMatchObject({
      critical: true,
      usages: x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
    })
    const keyId = parsed.getExtension(SubjectKeyIdentifierExtension)?.keyId
    expect(parsed.getExtension(AuthorityKeyIdentifierExtension)?.keyId).toBe(keyId)
    expect((await parsed.publicKey.getKeyIdentifier()).byteLength).toBe(20)
    expect(Buffer.from(await parsed.publicKey.getKeyIdentifier()).toString('hex')).toBe(keyId)
  })

  test('can have a key of every type, whose curve or request determines the signature', async () => {
    const pki = await withPki()
    const cases = [
      [{}, 'rsa', signatureOids.rsa256],
      [{ key_type: 'rsa', key_bits: 2048, signature_bits: 512 }, 'rsa', signatureOids.rsa512],
      [{ key_type: 'ec', key_bits: 224 }, 'ec', signatureOids.ec256],
      [{ key_type: 'ec', key_bits: 384 }, 'ec', signatureOids.ec384],
      [{ key_type: 'ec', key_bits: 521 }, 'ec', signatureOids.ec512],
      [{ key_type: 'ed25519' }, 'ed25519', signatureOids.ed25519],
    ] as const
    for (const [fields, kind, signatureOid] of cases) {
      const { data } = await pki.write('root/generate/internal', { common_name: 'r', ...fields })
      expect(data).not.toHaveProperty('private_key')
      const node = parse(data.certificate)
      expect([fields, node.publicKey.asymmetricKeyType]).toEqual([fields, kind])
      expect([fields, node.verify(node.publicKey)]).toEqual([fields, true])
      expect([fields, node.raw.includes(signatureOid)]).toEqual([fields, true])
    }
    const pss = { key_ref: 'default', use_pss: true }
    const { data } = await pki.write('root/generate/existing', pss)
    const node = parse(data.certificate)
    expect(node.verify(node.publicKey)).toBe(true)
    expect(node.raw.includes(signatureOids.pss)).toBe(true)
  })

  test('can use an existing key, and formats are PEM, DER and bundles', async () => {
    const pki = await withPki()
    const first = await pki.write('root/generate/exported', { key_type: 'ec', key_name: 'kept' })
    expect(first.warnings).toHaveLength(2)
    const again = await pki.write('root/generate/existing', { key_ref: 'kept', format: 'der' })
    expect(again.data.key_id).toBe(first.data.key_id)
    const der = Buffer.from(again.data.certificate, 'base64')
    expect(parse(der).publicKey.equals(parse(first.data.certificate).publicKey)).toBe(true)
    const bundle = await pki.write('root/generate/exported', {
      key_type: 'ec',
      format: 'pem_bundle',
      private_key_format: 'pkcs8',
    })
    const { private_key, issuing_ca, certificate } = bundle.data
    expect(private_key).toMatch(/^-----BEGIN PRIVATE KEY-----/)
    expect(certificate).toBe(`${private_key}\n${issuing_ca}`)
  })

  test('is refused for wrong fields, and nothing changes', async () => {
    const pki = await withPki()
    const taken = { key_type: 'ec', issuer_name: 'first', key_name: 'k1' }
    await pki.write('root/generate/internal', taken)
    const before = (await pki.secrets.list('pki/certs')).body.data
    const cases: readonly (readonly [object, string])[] = [
      [{ key_type: 'zz' }, 'unknown key type zz'],
      [{ key_bits: 1024 }, 'RSA keys < 2048 bits are unsafe and not supported: got 1024'],
      [{ key_type: 'ec', key_bits: 123 }, 'unsupported bit length for EC key: 123'],
      [{ signature_bits: 1 }, 'unsupported hash signature algorithm: 1'],
      [{ format: 'zz' }, 'the "format" path parameter must be "pem", "der", or "pem_bundle"'],
      [{ issuer_name: 'default' }, "reserved keyword 'default' can not be used as issuer name"],
      [{ key_name: 'default' }, "reserved keyword 'default' can not be used as key name"],
      [{ issuer_name: 'a b' }, 'issuer name contained invalid characters'],
      [{ issuer_name: 'first' }, 'issuer name already in use'],
      [{ key_name: 'k1' }, 'key name already in use'],
      [{ ip_sans: 'zz' }, 'the value "zz" is not a valid IP address'],
      [{ uri_sans: '::' }, 'the provided URI Subject Alternative Name "::" is not a valid URI'],
      [
        { key_type: 'ec', not_after: 'zz' },
        'parsing time "zz" as "2006-01-02T15:04:05Z07:00": cannot parse "zz" as "2006"',
      ],
    ]
    for (const [fields, text] of cases) {
      const reply = await pki.secrets.post('pki/root/generate/internal', fields)
      expect([fields, statusAndBody(reply)]).toEqual([fields, error(400, text)])
    }
    expect((await pki.secrets.list('pki/certs')).body.data).toEqual(before)
  })

  test('is refused for a wrong path or an existing key with fields of a new one', async () => {
    const pki = await withPki()
    const refused = async (path: string, fields: object, text: string) =>
      expect(statusAndBody(await pki.secrets.post(`pki/root/generate/${path}`, fields))).toEqual(
        error(400, text),
      )
    await refused(
      'zz',
      {},
      'the "exported" path parameter must be "internal", "existing", exported" or "kms"',
    )
    await refused(
      'kms',
      {},
      'unable to determine managed key id: missing argument managed_key_name or managed_key_id',
    )
    await refused(
      'existing',
      { key_type: 'ec' },
      'invalid parameter for the kms/existing path parameter, key_type nor key_bits arguments can be set in this mode',
    )
    await refused(
      'existing',
      { key_ref: 'zz' },
      'failed to lookup public key from existing key: unable to find PKI key for reference: zz',
    )
    const reply = await pki.secrets.post('pki/root/generate/internal', {
      key_type: 'ec',
      max_path_length: -2,
    })
    expect(statusAndBody(reply)).toEqual(
      multierrorReply(
        400,
        'unable to create certificate: x509: invalid MaxPathLen, must be greater or equal to -1',
      ),
    )
  })

  test('beyond the maximum of the mount is capped with a warning', async () => {
    const pki = await withPki()
    const { data, warnings } = await pki.write('root/generate/internal', {
      common_name: 'r',
      key_type: 'ec',
      ttl: '9000h',
    })
    expect(data.expiration).toBe(testTime / 1000 + 768 * 3600)
    expect(warnings).toContain(
      'TTL "9000h0m0s" is longer than permitted maxTTL "768h0m0s", so maxTTL is being used',
    )
  })
})

describe('behaviour/secrets#pki-reading: certificates that anyone can read', () => {
  test('the default issuer in every form, 204 without one', async () => {
    const pki = await withPki()
    for (const path of ['ca', 'ca/pem', 'ca_chain']) {
      expect(await pki.raw(path)).toMatchObject({ status: 204, body: Buffer.alloc(0) })
    }
    expect(statusAndBody(await pki.secrets.get('pki/cert/ca'))).toEqual(
      error(400, 'no default issuer currently configured'),
    )
    expect(statusAndBody(await pki.secrets.list('pki/certs'))).toEqual(error(404))
    const { data } = await pki.write('root/generate/internal', { common_name: 'r', key_type: 'ec' })
    const { certificate, issuer_id, serial_number } = data
    const der = parse(certificate).raw
    const at = (path: string) => pki.raw(path)
    expect(await at('ca')).toEqual({ status: 200, type: 'application/pkix-cert', body: der })
    const chainType = 'application/pem-certificate-chain'
    const pem = Buffer.from(certificate)
    expect(await at('ca/pem')).toEqual({ status: 200, type: chainType, body: pem })
    expect(await at('ca_chain')).toMatchObject({ type: 'application/pkix-cert', body: pem })
    expect(await at(`cert/${serial_number}/raw`)).toMatchObject({ body: der })
    expect(await at('cert/ca/raw/pem')).toMatchObject({ type: chainType, body: pem })
    expect(await at('issuer/default/der')).toMatchObject({ body: der })
    const withNewline = Buffer.from(`${certificate}\n`)
    expect(await at(`issuer/${issuer_id}/pem`)).toMatchObject({ body: withNewline })
    expect(await pki.read('issuer/default/json')).toEqual({
      ca_chain: [`${certificate}\n`],
      certificate: `${certificate}\n`,
      issuer_id,
      issuer_name: '',
    })
    const unrevoked = { revocation_time: 0, revocation_time_rfc3339: '' }
    expect(await pki.read('cert/ca')).toEqual({ certificate, ...unrevoked })
    expect(await pki.read(`cert/${serial_number.replaceAll(':', '-')}`)).toEqual({
      certificate,
      ...unrevoked,
    })
    expect((await pki.secrets.list('pki/certs')).body.data.keys).toEqual([serial_number])
    const open = { token: null }
    expect(statusAndBody(await pki.secrets.get('pki/cert/00:01', open))).toEqual(error(404))
    expect(statusAndBody(await pki.secrets.get('pki/cert/zz', open))).toEqual(
      error(404, 'unsupported path'),
    )
    expect(statusAndBody(await pki.secrets.get('pki/issuer/zz/json', open))).toEqual(
      error(404, 'unable to find PKI issuer for reference: zz'),
    )
    expect(
      (await pki.secrets.get('pki/certs', { token: null, query: { list: 'true' } })).status,
    ).toBe(403)
  })

  test('deleting the root deletes issuers and keys', async () => {
    const pki = await withPki()
    await pki.write('root/generate/internal', { common_name: 'r', key_type: 'ec' })
    for (const _ of [1, 2]) {
      const reply = await pki.secrets.delete('pki/root')
      expect(reply.body.warnings).toEqual([expect.stringMatching(/^DELETE \/root deletes all/)])
    }
    expect((await pki.raw('ca')).status).toBe(204)
  })
})
