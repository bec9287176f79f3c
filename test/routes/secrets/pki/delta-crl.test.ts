import { generateKeyPairSync } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import { describe, expect, test } from 'vitest'
import { error, multierrorReply, statusAndBody } from '../replies.ts'
import { type TestPki, withPki } from './pki.ts'

const common_name = 'a.example.com'

/** Starts a server with a root and the role `web`. */
async function withRole(): Promise<TestPki> {
  const pki = await withPki()
  const not_after = '2045-01-01T00:00:00Z'
  await pki.write('root/generate/internal', { common_name: 'root', key_type: 'ec', not_after })
  await pki.write('roles/web', { key_type: 'ec', allow_any_name: true })
  return pki
}

/** Reads a CRL with a library other than the mock's: serials, number and base number. */
async function readCrl(pki: TestPki, path: string) {
  const { body, type } = await pki.raw(path)
  expect(type).toBe('application/pkix-crl')
  const crl = new x509.X509Crl(new Uint8Array(body))
  const numberOf = (identifier: string) => {
    const found = crl.extensions.find(({ type: each }) => each === identifier)
    return found === undefined ? undefined : Buffer.from(found.value).readUInt8(2)
  }
  const base = crl.extensions.find(({ type: each }) => each === '2.5.29.27')
  expect(base?.critical ?? true).toBe(true)
  const serials = crl.entries.map(({ serialNumber }) => serialNumber.match(/../g)?.join(':'))
  return { serials, number: numberOf('2.5.29.20'), base: numberOf('2.5.29.27') }
}

const issue = async (pki: TestPki) => (await pki.write('issue/web', { common_name })).data

describe('behaviour/secrets#pki-crl: delta CRLs', () => {
  test('a delta CRL has the revocations since the complete one', async () => {
    const pki = await withRole()
    expect(await readCrl(pki, 'crl/delta')).toEqual({ serials: [], number: 1, base: 1 })
    expect((await pki.secrets.get('pki/crl/rotate-delta')).body).toMatchObject({
      data: { success: true },
      warnings: ['requested rebuild of delta CRL when delta CRL is not enabled; this is a no-op'],
    })
    await pki.write('config/crl', { auto_rebuild: true, enable_delta: true })
    const [first, second] = [await issue(pki), await issue(pki)]
    expect(await readCrl(pki, 'crl/delta')).toEqual({ serials: [], number: 2, base: 2 })
    await pki.write('revoke', { serial_number: first.serial_number })
    expect((await readCrl(pki, 'crl/delta')).serials).toEqual([])
    pki.clock.advance(15 * 60_000)
    const delta = { serials: [first.serial_number], number: 3, base: 2 }
    expect(await readCrl(pki, 'crl/delta')).toEqual(delta)
    expect((await readCrl(pki, 'crl')).serials).toEqual([])
    await pki.write('revoke', { serial_number: second.serial_number })
    expect((await pki.secrets.get('pki/crl/rotate-delta')).body.warnings).toBeNull()
    const both = [first.serial_number, second.serial_number].sort()
    const rotated = await readCrl(pki, 'issuer/default/crl/delta/der')
    expect([rotated.serials.toSorted(), rotated.number]).toEqual([both, 4])
    const pem = (await pki.raw('crl/delta/pem')).body.toString()
    expect((await pki.read('cert/delta-crl')).certificate).toBe(pem)
    expect((await pki.raw('cert/delta-crl/raw/pem')).body.toString()).toBe(pem)
    expect(await pki.read('issuer/default/crl/delta')).toEqual({ crl: `${pem}\n` })
    await pki.read('crl/rotate')
    const complete = await readCrl(pki, 'crl')
    expect([complete.serials.toSorted(), complete.number]).toEqual([both, 5])
    expect(await readCrl(pki, 'crl/delta')).toEqual({ serials: [], number: 5, base: 5 })
    const listed = await pki.secrets.list('pki/certs/revoked')
    expect(listed.body.data.keys).toEqual(both)
  })

  test('with crl-stale, a delta CRL keeps its number and the number of its complete CRL', async () => {
    const pki = await withRole()
    await pki.write('config/crl', { auto_rebuild: true, enable_delta: true })
    const { serial_number } = await issue(pki)
    await readCrl(pki, 'crl/delta')
    await pki.write('revoke', { serial_number })
    await pki.read('crl/rotate-delta')
    const { number, base } = await readCrl(pki, 'crl/delta')
    expect([number, base]).toEqual([3, 2])
    pki.world.changeOptions({ secrets: { pkiFault: 'crl-stale' } })
    expect(await readCrl(pki, 'crl/delta')).toEqual({ serials: [], number, base })
  })

  test('settings that turn CRLs off or on, or disable automatic rebuilding, rebuild the CRLs', async () => {
    const pki = await withRole()
    const { serial_number } = await issue(pki)
    expect(statusAndBody(await pki.secrets.list('pki/certs/revoked'))).toEqual(error(404))
    await pki.write('config/crl', { auto_rebuild: true })
    await pki.write('revoke', { serial_number })
    expect((await readCrl(pki, 'crl')).serials).toEqual([])
    pki.clock.advance(60 * 3_600_000)
    expect((await readCrl(pki, 'crl')).serials).toEqual([serial_number])
    await pki.write('config/crl', { disable: true })
    expect((await readCrl(pki, 'crl')).serials).toEqual([])
    await pki.write('config/crl', { disable: false, auto_rebuild: false })
    expect((await readCrl(pki, 'crl')).serials).toEqual([serial_number])
  })
})

describe('behaviour/secrets#pki-revocation: with a key', () => {
  test('the private key of a certificate revokes it', async () => {
    const pki = await withRole()
    const { certificate, private_key, serial_number } = await issue(pki)
    const path = 'pki/revoke-with-key'
    const refused = async (fields: object, reply: object) =>
      expect(statusAndBody(await pki.secrets.post(path, fields))).toEqual(reply)
    await refused(
      { serial_number },
      error(400, 'Must have private key to revoke via the /revoke-with-key path.'),
    )
    await refused(
      { serial_number, private_key: 'z' },
      error(
        400,
        'Provided data for private_key was too short; perhaps a path was passed to the API rather than the contents of a PEM file?',
      ),
    )
    const other = (await issue(pki)).private_key
    await refused(
      { certificate, private_key: other },
      multierrorReply(400, "provided private key does not match certificate's public key"),
    )
    const ed25519 = generateKeyPairSync('ed25519').privateKey
    await refused(
      { certificate, private_key: ed25519.export({ type: 'pkcs8', format: 'pem' }) },
      multierrorReply(
        400,
        "provided private key type does not match certificate's public key type",
      ),
    )
    const { data } = await pki.write('revoke-with-key', { serial_number, private_key })
    expect(data.state).toBe('revoked')
    expect((await readCrl(pki, 'crl')).serials).toEqual([serial_number])
  })

  test('a certificate that no issuer of the mount signed is not revoked', async () => {
    const pki = await withRole()
    await pki.secrets.post('sys/mounts/other', { type: 'pki' })
    const root = { common_name: 'o', key_type: 'ec' }
    const made = await pki.secrets.post('other/root/generate/internal', root)
    const { certificate } = made.body.data
    expect(statusAndBody(await pki.secrets.post('pki/revoke', { certificate }))).toEqual(
      multierrorReply(
        400,
        'unable to verify signature on presented cert from any present issuer in this mount; certificates from previous CAs will need to have their issuing CA and key re-imported if revocation is necessary',
      ),
    )
  })
})

describe('behaviour/secrets#pki-issuers: revocation and settings', () => {
  test('a revoked issuer issues no more, and is in the CRL of the issuer above it', async () => {
    const pki = await withRole()
    const { csr } = (
      await pki.write('intermediate/generate/internal', { common_name: 'mid', key_type: 'ec' })
    ).data
    const { certificate, serial_number } = (await pki.write('root/sign-intermediate', { csr })).data
    const { imported_issuers } = (await pki.write('intermediate/set-signed', { certificate })).data
    const [id] = imported_issuers
    const { data, warnings } = await pki.write(`issuer/${id}/revoke`)
    expect([data.revoked, data.usage, warnings]).toEqual([
      true,
      'crl-signing,ocsp-signing,read-only',
      null,
    ])
    expect(data.revocation_time).toBe(pki.clock.now() / 1000)
    expect((await pki.write(`issuer/${id}/revoke`)).data).toEqual(data)
    expect((await readCrl(pki, 'crl')).serials).toEqual([serial_number])
    expect((await pki.secrets.list('pki/certs/revoked')).body.data.keys).toEqual([serial_number])
    expect(
      statusAndBody(await pki.secrets.patch(`pki/issuer/${id}`, { usage: 'issuing-certificates' })),
    ).toEqual(
      error(
        400,
        'This issuer was revoked; unable to modify its usage to include certificate signing again. Reissue this certificate (preferably with a new key) and modify that entry instead.',
      ),
    )
    const root = await pki.write('issuer/default/revoke')
    expect(root.warnings).toEqual([
      expect.stringContaining('This issuer is a self-signed'),
      expect.stringContaining('This issuer lacks another parent issuer'),
      expect.stringContaining('currently configured as the default issuer'),
    ])
    expect((await readCrl(pki, 'crl')).serials).toEqual([serial_number])
  })

  test('addresses, chain and algorithm of an issuer are set and used', async () => {
    const pki = await withRole()
    const patch = (fields: object) => pki.secrets.patch('pki/issuer/default', fields)
    const set = await patch({
      issuer_name: 'main',
      ocsp_servers: 'http://a.b/ocsp',
      manual_chain: 'self',
      revocation_signature_algorithm: 'ecdsawithsha384',
    })
    const { issuer_id } = set.body.data
    expect(set.body.data).toMatchObject({
      ocsp_servers: ['http://a.b/ocsp'],
      enable_aia_url_templating: false,
      manual_chain: [issuer_id],
      revocation_signature_algorithm: 'ECDSAWithSHA384',
    })
    const leaf = new x509.X509Certificate((await issue(pki)).certificate)
    expect(leaf.getExtension(x509.AuthorityInfoAccessExtension)?.ocsp[0]?.value).toBe(
      'http://a.b/ocsp',
    )
    const refused = async (fields: object, reply: object) =>
      expect(statusAndBody(await patch(fields))).toEqual(reply)
    await refused(
      { ocsp_servers: 'zz' },
      error(
        400,
        'invalid URL found in Authority Information Access (AIA) parameter ocsp_servers: zz',
      ),
    )
    await refused(
      { revocation_signature_algorithm: 'SHA256WithRSA' },
      multierrorReply(400, 'unable to use issuer of type ECDSA to sign with SHA256-RSA key type'),
    )
    expect((await patch({ revocation_signature_algorithm: 'zz' })).body.errors[0]).toMatch(
      /^Unknown signature algorithm value: 0 - valid values are .*ecdsawithsha256/,
    )
    await pki.write('root/generate/internal', { key_type: 'ec', issuer_name: 'other' })
    await refused(
      { manual_chain: 'other' },
      error(
        400,
        expect.stringMatching(
          /^expected first cert in chain to be a self-reference, but was: other\//,
        ) as unknown as string,
      ),
    )
    await pki.write('roles/named', { issuer_ref: 'main' })
    expect((await patch({ issuer_name: 'new' })).body.warnings).toEqual(['1 roles reference main'])
    expect((await pki.secrets.delete('pki/issuer/new')).body.warnings).toEqual([
      `Deleted issuer ${issuer_id} (via issuer_ref new); this was configured as the default issuer. Operations without an explicit issuer will not work until a new default is configured.`,
      '1 roles reference default',
    ])
  })
})
