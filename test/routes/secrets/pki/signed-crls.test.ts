import * as x509 from '@peculiar/x509'
import { describe, expect, test } from 'vitest'
import { error, statusAndBody } from '../replies.ts'
import { withPki } from './pki.ts'

/** Reads a CRL with a library other than the mock's. */
function readCrl(encoded: string) {
  const crl = new x509.X509Crl(encoded)
  const entries = crl.entries.map(({ serialNumber, revocationDate, extensions }) => [
    serialNumber,
    revocationDate.toISOString(),
    extensions.length,
  ])
  const extensions = crl.extensions.map(({ type, critical }) => [type, critical])
  const end = crl.nextUpdate?.toISOString()
  return { entries, extensions, end }
}

const number = ['2.5.29.20', false]
const authority = ['2.5.29.35', false]

describe('behaviour/secrets#pki-signed-crls', () => {
  test('a CRL has the entries, the extensions and the numbers of the request', async () => {
    const pki = await withPki()
    const not_after = '2045-01-01T00:00:00Z'
    await pki.write('root/generate/internal', { common_name: 'r', key_type: 'ec', not_after })
    const sign = async (fields: object) =>
      (await pki.write('issuer/default/sign-revocation-list', fields)).data.crl
    const reason = { id: '2.5.29.21', value: 'CgEB' }
    const older = await sign({
      crl_number: 3,
      next_update: '1h',
      revoked_certs: [
        { serial_number: '0a:0b', revocation_time: '2026-01-01T00:00:00Z', extensions: [reason] },
        { serial_number: '0c-0d', revocation_time: 1767225600 },
        'skipped',
      ],
      extensions: [{ id: '1.2.3', critical: 'true', value: 'BQA=' }],
    })
    expect(older).toMatch(/^-----BEGIN X509 CRL-----[\s\S]*-----END X509 CRL-----\n$/)
    const first = '2026-01-01T00:00:00.000Z'
    expect(readCrl(older)).toEqual({
      entries: [
        ['0a0b', first, 1],
        ['0c0d', first, 0],
      ],
      extensions: [authority, number, ['1.2.3', true]],
      end: new Date(Math.floor(pki.clock.now() / 1000) * 1000 + 3_600_000).toISOString(),
    })
    const newer = await sign({
      format: 'DER',
      delta_crl_base_number: 2,
      revoked_certs: [
        { serial_number: '0a0b', revocation_time: '1767312000' },
        { serial_number: '0e', revocation_time: '2026-01-03T00:00:00Z' },
      ],
    })
    expect(readCrl(newer).extensions).toEqual([authority, number, ['2.5.29.27', true]])
    const pem = `-----BEGIN X509 CRL-----\n${newer}\n-----END X509 CRL-----`
    const combined = await pki.write('issuer/default/resign-crls', { crls: [pem, older] })
    expect(combined.warnings).toEqual([
      'Duplicate serial 0a:0b with different revocation times detected, using oldest revocation time',
    ])
    expect(readCrl(combined.data.crl).entries).toEqual([
      ['0a0b', first, 0],
      ['0e', '2026-01-03T00:00:00.000Z', 0],
      ['0c0d', first, 0],
    ])
    // Nothing is stored: the CRL of the issuer is still empty.
    expect(new x509.X509Crl(new Uint8Array((await pki.raw('crl')).body)).entries).toEqual([])
    const { issuer_id } = await pki.read('issuer/default')

    const refused = async (path: string, fields: object, text: string) =>
      expect(statusAndBody(await pki.secrets.post(`pki/issuer/${path}`, fields))).toEqual(
        error(400, text),
      )
    const certs = (entry: object) => ({ revoked_certs: [entry] })
    const revocation_time = 1
    const serial_number = '01'
    const value = 'BQA='
    for (const [fields, text] of [
      [{ format: 'zz' }, 'unknown format value of zz'],
      [{ next_update: 'zz' }, 'invalid value for next_update: time: invalid duration "zz"'],
      [{ next_update: 0 }, 'next_update parameter must be greater than 0'],
      [{ crl_number: -1 }, 'crl_number parameter must be 0 or greater'],
      [{ delta_crl_base_number: -2 }, 'delta_crl_base_number parameter must be -1 or greater'],
      [
        certs({ revocation_time }),
        "failed parsing serial_number from entry 0: missing 'serial_number' field",
      ],
      [
        certs({ serial_number: 'zz', revocation_time }),
        "failed parsing serial_number from entry 0: 'serial_number' failed converting to bytes: encoding/hex: invalid byte: U+007A 'z'",
      ],
      [
        certs({ serial_number, revocation_time: 'zz' }),
        'failed parsing revocation_time from entry 0: failed parsing time zz: could not parse string as date and time',
      ],
      [
        certs({ serial_number, revocation_time, extensions: 'zz' }),
        "failed parsing extensions from entry 0: 'extensions' field did not contain a slice",
      ],
      [{ extensions: ['zz'] }, 'extension entry 0 not a map'],
      [{ extensions: [{}] }, 'failed parsing extension entry 0: missing id field'],
      [
        { extensions: [{ id: '1.z' }] },
        'failed parsing extension entry 0: failed parsing asn1 index element 1 value z: strconv.Atoi: parsing "z": invalid syntax',
      ],
      [
        { extensions: [{ id: '2.5.29.20', value }] },
        'failed parsing extension entry 0: crl number object identifier (2.5.29.20) is reserved',
      ],
      [
        { extensions: [{ id: '1.2.3' }] },
        "failed parsing extension entry 0: missing 'value' field",
      ],
      [
        { extensions: [{ id: '1.2.3', value: 'z' }] },
        "failed parsing extension entry 0: failed base64 decoding 'value' field: illegal base64 data at input byte 0",
      ],
      [
        {
          extensions: [
            { id: '1.2.3', value },
            { id: '1.2.3', value },
          ],
        },
        'duplicate extension id: 1.2.3',
      ],
    ] as const) {
      await refused('default/sign-revocation-list', fields, text)
    }
    await refused(
      'zz/resign-crls',
      { crls: [] },
      'failed to resolve issuer issuer_ref: unable to find PKI issuer for reference: zz',
    )
    const onePem = 'failed decoding crl 0: invalid crl; should be one PEM block only'
    await refused('default/resign-crls', { crls: 'zz' }, onePem)
    await refused('default/resign-crls', { crls: [`${older}${older}`] }, onePem)
    await pki.write('root/generate/internal', {
      key_type: 'ed25519',
      issuer_name: 'other',
      not_after,
    })
    const foreign = 'CRL index: 0 was not signed by requested issuer'
    await refused('other/resign-crls', { crls: [older] }, foreign)
    await pki.write('issuer/default', { usage: 'read-only' })
    await refused(
      'default/sign-revocation-list',
      {},
      `error while attempting to use issuer ${issuer_id}: requested usage crl-signing for issuer [id:${issuer_id} / name:] but only had usage read-only`,
    )
  })
})
