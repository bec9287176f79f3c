import { X509Certificate } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeCertificate, decodeRevocationList } from '../../inspector/pure/certificate.ts'
import type { ServiceState } from '../../inspector/pure/items.ts'
import { leaseViews, oidcKeyViews, staticRoleViews } from '../../inspector/pure/leases.ts'
import {
  certificateStatus,
  type IssuedCertificate,
  type IssuerView,
  pkiMounts,
} from '../../inspector/pure/pki-mounts.ts'
import { createUnderstudy, type Understudy } from '../../src/embedding/index.ts'

/** Replies of a world in which engines issued certificates, credentials and keys. */
type Issued = Record<'root' | 'leaf' | 'login', Readonly<Record<string, string>>>

const hour = 3_600_000
const start = Date.parse('2026-01-01T00:00:00Z')

/** Issues through two PKI mounts, the first of which signed the issuer of the second. */
async function issue(understudy: Understudy): Promise<Issued> {
  const world = understudy.world()
  const send = async (path: string, payload?: object) => {
    const method = payload === undefined ? 'GET' : 'POST'
    const headers = { 'x-secrets-token': 'root', 'content-type': 'application/json' }
    const body = payload === undefined ? {} : { payload: JSON.stringify(payload) }
    const reply = await world.inject({ method, url: `/v1/${path}`, headers, ...body })
    if (reply.statusCode >= 300) throw new Error(`${path}: ${reply.body}`)
    return reply.body === '' ? {} : reply.json().data
  }
  for (const path of ['pki', 'pki_int']) await send(`sys/mounts/${path}`, { type: 'pki' })
  await send('pki/config/urls', {
    issuing_certificates: 'http://ca.test/ca',
    crl_distribution_points: 'http://ca.test/crl',
    ocsp_servers: 'http://ca.test/ocsp',
  })
  const root = await send('pki/root/generate/internal', {
    common_name: 'Root CA',
    issuer_name: 'root',
    organization: 'Acme',
    country: 'DE',
    ttl: '720h',
  })
  const common_name = 'Issuing CA'
  const { csr } = await send('pki_int/intermediate/generate/internal', {
    common_name,
    key_type: 'ec',
  })
  const signed = await send('pki/root/sign-intermediate', { csr, common_name, max_path_length: 0 })
  await send('pki_int/intermediate/set-signed', { certificate: signed.certificate })
  const role = { allow_any_name: true, allowed_uri_sans: '*', allowed_other_sans: '*' }
  await send('pki_int/roles/web', { ...role, key_type: 'ed25519', generate_lease: true })
  const leaf = await send('pki_int/issue/web', {
    common_name: 'www.example.com',
    alt_names: 'example.com,ops@example.com',
    ip_sans: '10.0.0.1,2001:db8::5,::1',
    uri_sans: 'spiffe://example.com/web',
    other_sans: '1.3.6.1.4.1.311.20.2.3;UTF8:ada',
    ttl: '24h',
  })
  const old = await send('pki_int/issue/web', { common_name: 'old.example.com', ttl: '48h' })
  await send('pki_int/revoke', { serial_number: old.serial_number })
  await send('sys/mounts/database', { type: 'database' })
  await send('database/config/pg', {
    plugin_name: 'postgresql-database-plugin',
    connection_url: 'postgresql://{{username}}:{{password}}@db:5432/app',
    username: 'admin',
    password: 'adminpw',
    allowed_roles: '*',
  })
  const creation_statements = `CREATE ROLE "st" LOGIN PASSWORD '{{password}}'`
  await send('database/roles/app', { db_name: 'pg', creation_statements, default_ttl: '1h' })
  const login = await send('database/creds/app')
  const rotation = { db_name: 'pg', username: 'st', rotation_period: '2h' }
  await send('database/static-roles/st', rotation)
  await send('identity/oidc/key/k', { algorithm: 'EdDSA', rotation_period: '3h' })
  await send('identity/oidc/key/k/rotate', { verification_ttl: '30m' })
  return { root, leaf, login }
}

describe('behaviour/program#inspector: issued credentials and certificates', () => {
  let understudy: Understudy
  let issued: Issued
  let state: ServiceState
  beforeAll(async () => {
    understudy = await createUnderstudy({ clock: 'frozen@2026-01-01T00:00:00Z', seed: 'issued' })
    issued = await issue(understudy)
    state = understudy.world().serviceState('secrets') as ServiceState
  })
  afterAll(() => understudy.close())

  test.each(['root', 'leaf'] as const)('the certificate of a %s is decoded', (name) => {
    const { certificate = '', serial_number } = issued[name]
    const decoded = decodeCertificate(certificate)
    const { validFrom, validTo, subject, issuer } = new X509Certificate(certificate)
    expect(decoded?.serial).toBe(serial_number)
    expect([decoded?.notBefore, decoded?.notAfter]).toEqual([validFrom, validTo].map(Date.parse))
    expect(decoded?.subject.split(', ')).toEqual(subject.split('\n'))
    expect(decoded?.issuer.split(', ')).toEqual(issuer.split('\n'))
  })

  test('names, keys, usages and addresses are shown in words', () => {
    const root = decodeCertificate(issued.root['certificate'] ?? '')
    const leaf = decodeCertificate(issued.leaf['certificate'] ?? '')
    expect(leaf?.names).toEqual([
      '1.3.6.1.4.1.311.20.2.3 ada',
      'DNS example.com',
      'DNS www.example.com',
      'email ops@example.com',
      'IP 10.0.0.1',
      'IP 2001:db8::5',
      'IP ::1',
      'URI spiffe://example.com/web',
    ])
    expect(leaf?.fields.map((field) => field.flat().join(' '))).toEqual([
      'Public key Ed25519',
      'Signature algorithm ECDSA with SHA256',
      'Key usage digital signature key encipherment key agreement',
      'Extended key usage server authentication client authentication',
    ])
    expect(root?.fields.map((field) => field.flat().join(' '))).toEqual([
      'Public key RSA 2048 bits',
      'Signature algorithm SHA256 with RSA',
      'Basic constraints CA',
      'Key usage certificate signing CRL signing',
      'CRL http://ca.test/crl',
      'Addresses OCSP http://ca.test/ocsp issuer http://ca.test/ca',
    ])
    expect(root?.keyId).toBe(root?.issuerKeyId)
  })

  test('an issuer has the certificates and issuers that it signed, and its CRL', () => {
    const now = start + 30 * hour
    const line = ({ pem, ...times }: IssuedCertificate) =>
      `${decodeCertificate(pem)?.subject} ${certificateStatus(times, now)}`
    const lines = (issuer: IssuerView): readonly string[] => [
      [issuer.name, issuer.isDefault && 'default', issuer.hasKey && 'key', issuer.signedElsewhereBy]
        .filter(Boolean)
        .join(', '),
      `CRL with ${decodeRevocationList(issuer.crl?.content ?? '')?.serials.length}`,
      ...issuer.issuers.flatMap(lines),
      ...issuer.certificates.map(line),
    ]
    const shown = pkiMounts(state, decodeCertificate).map(({ path, issuers, orphans, total }) => [
      `${path} ${total} ${orphans.length}`,
      ...issuers.flatMap(lines),
    ])
    expect(shown).toEqual([
      ['pki/ 1 0', 'root, default, key', 'CRL with 0', 'CN=Issuing CA valid'],
      [
        'pki_int/ 2 0',
        'CN=Issuing CA, default, key, pki/root',
        'CRL with 1',
        'CN=old.example.com revoked',
        'CN=www.example.com expired',
      ],
    ])
  })

  test('certificates of a deleted issuer are shown, and so are two issuers that sign each other', () => {
    const { tables } = state
    const without = pkiMounts({ tables: { ...tables, 'pki-issuers': {} } }, decodeCertificate)
    expect(without.map(({ orphans, issuers }) => [orphans.length, issuers])).toEqual([
      // The certificate of the root itself is no longer that of an issuer.
      [2, []],
      [2, []],
    ])
    const known = (subject: string, issuer: string) => ({
      subject,
      issuer,
      keyId: subject,
      issuerKeyId: issuer,
    })
    const crossed = { a: known('a', 'b'), b: known('b', 'a'), c: known('c', 'b') }
    const issuers = Object.keys(crossed).map((id) => [`m/${id}`, { id, name: id, certificate: id }])
    const [mount] = pkiMounts(
      {
        tables: {
          mounts: { 'root/x/': { type: 'pki', uuid: 'm' } },
          'pki-issuers': Object.fromEntries(issuers),
        },
      },
      (id) => {
        const base = decodeCertificate(issued.root['certificate'] ?? '')
        return base && { ...base, ...crossed[id as 'a'] }
      },
    )
    const names = (all: readonly IssuerView[] = []): readonly string[] =>
      all.map(({ name, issuers: below }) => `${name}(${names(below)})`)
    expect(names(mount?.issuers)).toEqual(['a()', 'b(c())'])
  })

  test('a text that is not a certificate is not decoded', () => {
    const texts = ['', 'x', '-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----']
    expect(texts.map(decodeCertificate)).toEqual(texts.map(() => undefined))
    expect(texts.map(decodeRevocationList)).toEqual(texts.map(() => undefined))
    const der = new X509Certificate(issued.leaf['certificate'] ?? '').raw
    const at = fc.nat(der.length - 1)
    fc.assert(
      fc.property(at, fc.nat(255), at, (place, byte, end) => {
        const broken = Buffer.from(der.subarray(0, end + 1))
        broken[Math.min(place, end)] = byte
        const decoded = decodeCertificate(broken.toString('base64'))
        expect(end === der.length - 1 || decoded === undefined).toBe(true)
      }),
      { numRuns: 100 },
    )
  })

  test('leases name the leased objects and are ordered by their ends', () => {
    const [database, leaf, old] = leaseViews(state)
    expect(database).toMatchObject({
      id: expect.stringMatching(/^database\/creds\/app\/\w{24}$/),
      subject: `user ${issued.login['username']}`,
      issuedAt: start,
      expiresAt: start + hour,
      renewedAt: undefined,
      isRenewable: true,
    })
    expect(leaf?.subject).toBe(`certificate ${issued.leaf['serial_number']}`)
    expect([leaf, old].map((lease) => lease?.expiresAt)).toEqual([
      start + 24 * hour,
      start + 48 * hour,
    ])
  })

  test('static roles and keys of identity tokens have their next rotation', () => {
    const times = { rotatedAt: start, nextRotation: start + 2 * hour }
    expect(staticRoleViews(state)).toMatchObject([{ id: 'database/st', username: 'st', ...times }])
    const [key] = oidcKeyViews(state)
    expect(key).toMatchObject({ id: 'k', algorithm: 'EdDSA', nextRotation: start + 3 * hour })
    expect(key?.pairs.map(({ use, expiresAt }) => [use, expiresAt])).toEqual([
      ['former', start + hour / 2],
      ['signs', undefined],
      ['next', undefined],
    ])
  })
})
