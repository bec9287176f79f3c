import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:tls'
import * as x509 from '@peculiar/x509'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { testTime } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, statusAndBody } from '../replies.ts'
import { parse, type TestPki, withPki } from './pki.ts'

/** Starts a server with a root that outlives the computer's clock, and the role `web`. */
async function withRole(dialect: 'neutral' | 'vendor' = 'neutral'): Promise<TestPki> {
  const pki = await withPki({ dialect })
  const not_after = '2045-01-01T00:00:00Z'
  await pki.write('root/generate/internal', { common_name: 'root', key_type: 'ec', not_after })
  await pki.write('roles/web', { key_type: 'ec', allow_any_name: true })
  return pki
}

/** Reads the CRL with a library other than the mock's. */
async function readCrl(pki: TestPki) {
  const { body, type } = await pki.raw('crl')
  expect(type).toBe('application/pkix-crl')
  const crl = new x509.X509Crl(new Uint8Array(body))
  const number = crl.extensions.find((each) => each.type === '2.5.29.20')
  return {
    crl,
    serials: crl.entries.map(({ serialNumber }) => serialNumber.match(/../g)?.join(':')),
    number: Buffer.from(number?.value ?? new ArrayBuffer(0)).readUInt8(2),
  }
}

const common_name = 'localhost'

describe('behaviour/secrets#pki-revocation', () => {
  test('a revoked certificate is in the CRL, which its issuer signed', async () => {
    const pki = await withRole()
    const { data } = await pki.write('issue/web', { common_name })
    const before = await readCrl(pki)
    expect([before.serials, before.number]).toEqual([[], 1])
    const serial_number = data.serial_number.replaceAll(':', '-')
    const first = await pki.write('revoke', { serial_number })
    expect(first.data).toEqual({
      revocation_time: testTime / 1000,
      revocation_time_rfc3339: new Date(testTime).toISOString().replace('.000', ''),
      state: 'revoked',
    })
    pki.clock.advance(5000)
    const again = await pki.write('revoke', { certificate: data.certificate })
    expect(again.data).toEqual(first.data)
    const { crl, serials, number } = await readCrl(pki)
    expect([serials, number]).toEqual([[data.serial_number], 2])
    expect(crl.thisUpdate.getTime()).toBe(testTime)
    expect(crl.nextUpdate?.getTime()).toBe(testTime + 72 * 3_600_000)
    expect(crl.entries[0]?.revocationDate.getTime()).toBe(testTime)
    const root = new x509.X509Certificate((await pki.read('cert/ca')).certificate)
    expect(await crl.verify({ publicKey: await root.publicKey.export() })).toBe(true)
    expect(crl.issuer).toBe(root.subject)
    const { issuer_id, ...read } = await pki.read(`cert/${data.serial_number}`)
    expect(read).toEqual({
      certificate: data.certificate,
      revocation_time: testTime / 1000,
      revocation_time_rfc3339: new Date(testTime).toISOString().replace('.000', ''),
    })
    expect(issuer_id).toBe((await pki.read('issuer/default/json')).issuer_id)
  })

  test('a certificate that is not stored can be revoked by its text', async () => {
    const pki = await withRole()
    await pki.write('roles/web', { key_type: 'ec', allow_any_name: true, no_store: true })
    const { certificate, serial_number } = (await pki.write('issue/web', { common_name })).data
    expect(statusAndBody(await pki.secrets.post('pki/revoke', { serial_number }))).toEqual(
      error(400, `certificate with serial ${serial_number} not found.`),
    )
    await pki.write('revoke', { certificate })
    expect((await readCrl(pki)).serials).toEqual([serial_number])
  })

  test('a certificate that has ended is not revoked', async () => {
    const pki = await withRole()
    const { serial_number } = (await pki.write('issue/web', { common_name, ttl: '1m' })).data
    pki.clock.advance(61_000)
    const { data, warnings } = await pki.write('revoke', { serial_number })
    expect([data, warnings]).toEqual([
      null,
      [`certificate with serial ${serial_number} already expired; refusing to add to CRL`],
    ])
    expect((await readCrl(pki)).serials).toEqual([])
  })

  test('wrong requests are refused', async () => {
    for (const dialect of ['neutral', 'vendor'] as const) {
      const pki = await withRole(dialect)
      const refused = async (fields: object, reply: object) =>
        expect(statusAndBody(await pki.secrets.post('pki/revoke', fields))).toEqual(reply)
      await refused({}, error(400, 'The serial number or certificate to revoke must be provided.'))
      await refused(
        { serial_number: 'a', certificate: 'b' },
        error(400, 'Must provide either the certificate or the serial to revoke; not both.'),
      )
      await refused(
        { serial_number: '00-01' },
        error(400, 'certificate with serial 00-01 not found.'),
      )
      await refused(
        { certificate: 'zz' },
        multierrorReply(
          dialect === 'vendor' ? 500 : 400,
          'provided certificate data was too short; perhaps a path was passed to the API rather than the contents of a PEM file',
        ),
      )
      const { issuer_id, certificate } = await pki.read('issuer/default/json')
      await refused(
        { certificate },
        error(400, `adding issuer (id: ${issuer_id}) to its own CRL is not allowed`),
      )
    }
  })

  test('a TLS client that reads the CRL refuses a revoked certificate', async () => {
    const pki = await withRole()
    const fields = { common_name, not_after: '2040-01-01T00:00:00Z' }
    const { data } = await pki.write('issue/web', fields)
    // Clients use the computer's clock, CRLs that of the world.
    await pki.write('config/crl', { expiry: '100000h' })
    const server = createServer({ cert: data.certificate, key: data.private_key })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const verdict = async () => {
      await pki.read('crl/rotate')
      const crl = (await pki.raw('crl/pem')).body.toString()
      const options = { port, host: '127.0.0.1', servername: common_name, ca: data.issuing_ca, crl }
      return new Promise<unknown>((resolve) => {
        const socket = connect({ ...options, rejectUnauthorized: false }, () => {
          resolve(socket.authorized || socket.authorizationError)
          socket.destroy()
        })
      })
    }
    expect(await verdict()).toBe(true)
    await pki.write('revoke', { serial_number: data.serial_number })
    expect(String(await verdict())).toContain('CERT_REVOKED')
    server.close()
  })

  test('serials, revocations and CRL agree after any sequence of requests', async () => {
    const action = fc.constantFrom('issue', 'revoke', 'again', 'rotate', 'wait')
    const property = fc.asyncProperty(fc.array(action, { maxLength: 12 }), async (actions) => {
      const pki = await withRole()
      const issued: string[] = []
      const revoked = new Map<string, number>()
      let number = (await readCrl(pki)).number
      for (const each of actions) {
        const next = issued.find((serial) => !revoked.has(serial))
        const [old] = revoked.keys()
        if (each === 'issue') {
          issued.push((await pki.write('issue/web', { common_name })).data.serial_number)
        } else if (each === 'revoke' && next !== undefined) {
          const { data } = await pki.write('revoke', { serial_number: next })
          revoked.set(next, data.revocation_time)
          number += 1
        } else if (each === 'again' && old !== undefined) {
          const { data } = await pki.write('revoke', { serial_number: old })
          expect(data.revocation_time).toBe(revoked.get(old))
        } else if (each === 'rotate') {
          await pki.read('crl/rotate')
          number += 1
        } else if (each === 'wait') {
          pki.clock.advance(1000)
        }
        const crl = await readCrl(pki)
        expect([crl.serials.toSorted(), crl.number]).toEqual([[...revoked.keys()].sort(), number])
      }
      const { keys } = (await pki.secrets.list('pki/certs')).body.data
      expect(new Set(keys).size).toBe(issued.length + 1)
      expect(keys).toEqual(expect.arrayContaining(issued))
    })
    await fc.assert(property, { numRuns: 8 })
  })
})

describe('behaviour/secrets#pki-crl', () => {
  test('every form of a CRL is open, 204 without a default issuer', async () => {
    const empty = await withPki()
    expect((await empty.raw('crl')).status).toBe(204)
    expect((await empty.raw('crl/pem')).status).toBe(204)
    for (const dialect of ['neutral', 'vendor'] as const) {
      const { secrets } = await withPki({ dialect })
      expect(statusAndBody(await secrets.get('pki/cert/crl', { token: null }))).toEqual(
        error(dialect === 'vendor' ? 500 : 400, 'no default issuer currently configured'),
      )
    }
    const pki = await withRole()
    const der = (await pki.raw('crl')).body
    const pem = await pki.raw('crl/pem')
    expect(pem.type).toBe('application/x-pem-file')
    const text = pem.body.toString()
    expect(Buffer.from(new x509.X509Crl(text).rawData)).toEqual(der)
    expect((await pki.raw('issuer/default/crl/der')).body).toEqual(der)
    expect((await pki.raw('issuer/default/crl/pem')).body).toEqual(pem.body)
    expect(await pki.read('issuer/default/crl')).toEqual({ crl: `${text}\n` })
    expect((await pki.read('cert/crl')).certificate).toBe(text)
  })

  test.each([
    ['neutral', 404],
    ['vendor', 500],
  ] as const)('an issuer without a key has no CRL, %s', async (dialect, status) => {
    const pki = await withRole(dialect)
    const { certificate } = await pki.read('cert/ca')
    const other = await withPki({ dialect })
    const pem_bundle = certificate
    const { data } = await other.write('issuers/import/cert', { pem_bundle })
    const [id] = data.imported_issuers
    for (const path of ['crl', 'crl/pem', 'crl/der', 'crl/delta', 'crl/delta/pem']) {
      expect(statusAndBody(await other.secrets.get(`pki/issuer/${id}/${path}`))).toEqual(
        error(status, `unable to find CRL for issuer: id:${id}/ref:${id}`),
      )
    }
  })

  test('an issuer that may no longer sign CRLs keeps its last one', async () => {
    const pki = await withRole()
    const before = await readCrl(pki)
    await pki.secrets.patch('pki/issuer/default', { usage: 'read-only' })
    pki.clock.advance(73 * 3_600_000)
    const after = await readCrl(pki)
    expect([after.number, after.crl.thisUpdate]).toEqual([before.number, before.crl.thisUpdate])
  })

  test('with auto_rebuild, a revocation waits for the clock; disable empties the CRL', async () => {
    const pki = await withRole()
    const { serial_number } = (await pki.write('issue/web', { common_name })).data
    await pki.write('config/crl', { auto_rebuild: true })
    await pki.read('crl/rotate')
    await pki.write('revoke', { serial_number })
    expect((await readCrl(pki)).serials).toEqual([])
    pki.clock.advance(30 * 3_600_000)
    // Settings that are written while automatic rebuilding is on do not postpone it.
    await pki.write('config/crl', { ocsp_expiry: '6h' })
    pki.clock.advance(30 * 3_600_000)
    expect((await readCrl(pki)).serials).toEqual([serial_number])
    await pki.write('config/crl', { disable: true })
    await pki.read('crl/rotate')
    expect((await readCrl(pki)).serials).toEqual([])
    expect(parse((await pki.read('cert/ca')).certificate).ca).toBe(true)
  })

  test('a CRL that has ended is rebuilt when it is read', async () => {
    const pki = await withRole()
    expect((await readCrl(pki)).number).toBe(1)
    pki.clock.advance(73 * 3_600_000)
    const { crl, number } = await readCrl(pki)
    expect([number, crl.thisUpdate.getTime()]).toEqual([2, testTime + 73 * 3_600_000])
  })

  test('settings have defaults, keep their texts and are checked', async () => {
    const pki = await withPki()
    const all = {
      auto_rebuild: false,
      auto_rebuild_grace_period: '12h',
      cross_cluster_revocation: false,
      delta_rebuild_interval: '15m',
      disable: false,
      enable_delta: false,
      expiry: '72h',
      ocsp_disable: false,
      ocsp_expiry: '12h',
      unified_crl: false,
      unified_crl_on_existing_paths: false,
    }
    expect(await pki.read('config/crl')).toEqual(all)
    const changed = { ...all, expiry: '1h30m' }
    expect((await pki.write('config/crl', { expiry: '1h30m' })).data).toEqual(changed)
    expect((await pki.write('config/crl', { ocsp_expiry: '' })).data.ocsp_expiry).toBe('')
    await pki.write('config/crl', { ocsp_expiry: all.ocsp_expiry })
    const cases: readonly (readonly [object, string])[] = [
      [{ expiry: 'zz' }, 'given expiry could not be decoded: time: invalid duration "zz"'],
      [
        { auto_rebuild: true },
        'CRL auto-rebuilding grace period (12h) must be strictly shorter than CRL expiry (1h30m) value when auto-rebuilding of CRLs is enabled',
      ],
      [
        { auto_rebuild: true, expiry: '72h', enable_delta: true, delta_rebuild_interval: '99h' },
        'CRL delta rebuild window (99h) must be strictly shorter than CRL expiry (72h) value when delta CRLs are enabled',
      ],
      [
        { enable_delta: true },
        'Delta CRLs cannot be enabled when auto rebuilding is disabled as the complete CRL is always regenerated!',
      ],
      [
        { cross_cluster_revocation: true },
        'Global, cross-cluster revocation queue cannot be enabled when auto rebuilding is disabled as the local cluster may not have the certificate entry!',
      ],
    ]
    for (const [fields, text] of cases) {
      expect(statusAndBody(await pki.secrets.post('pki/config/crl', fields))).toEqual(
        error(400, text),
      )
    }
    expect(await pki.read('config/crl')).toEqual(changed)
  })

  test('an empty time until the end of CRLs is stored, and read as the default', async () => {
    const pki = await withPki()
    expect((await pki.write('config/crl', { expiry: null })).data.expiry).toBe('')
    expect((await pki.read('config/crl')).expiry).toBe('72h')
  })

  test('durations of CRLs without a unit are seconds, and d is the unit of days', async () => {
    const pki = await withPki()
    const times = { expiry: '90', auto_rebuild_grace_period: '60', delta_rebuild_interval: '30' }
    const settings = { ...times, auto_rebuild: true, enable_delta: true, ocsp_expiry: '1d' }
    expect((await pki.write('config/crl', settings)).data).toMatchObject(settings)
    const crl = { ...settings, expiry: 60 }
    expect(statusAndBody(await pki.secrets.post('pki/config/crl', crl))).toEqual(
      error(
        400,
        'CRL auto-rebuilding grace period (60) must be strictly shorter than CRL expiry (60) value when auto-rebuilding of CRLs is enabled',
      ),
    )
  })
})
