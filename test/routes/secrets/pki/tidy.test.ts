import { describe, expect, test } from 'vitest'
import { error, statusAndBody } from '../replies.ts'
import { withPki } from './pki.ts'

const day = 24 * 3_600_000

const names =
  'tidy_cert_store / tidy_revoked_certs / tidy_revoked_cert_issuer_associations / tidy_expired_issuers / tidy_move_legacy_ca_bundle / tidy_revocation_queue / tidy_cross_cluster_revoked_certs / tidy_acme'

const autoTidy = {
  enabled: false,
  interval_duration: 43200,
  tidy_cert_store: false,
  tidy_revoked_certs: false,
  tidy_revoked_cert_issuer_associations: false,
  tidy_expired_issuers: false,
  tidy_move_legacy_ca_bundle: false,
  tidy_revocation_queue: false,
  tidy_cross_cluster_revoked_certs: false,
  tidy_acme: false,
  safety_buffer: 259200,
  issuer_safety_buffer: 31536000,
  revocation_queue_safety_buffer: 172800,
  acme_account_safety_buffer: 2592000,
  pause_duration: '0s',
  maintain_stored_certificate_counts: false,
  publish_stored_certificate_count_metrics: false,
}

describe('behaviour/secrets#pki-tidy', () => {
  test('certificates and revocations are removed some time after their end', async () => {
    const pki = await withPki()
    const { secrets } = pki
    const not_after = '2045-01-01T00:00:00Z'
    await pki.write('root/generate/internal', { common_name: 'r', key_type: 'ec', not_after })
    await pki.write('roles/web', { key_type: 'ec', allow_any_name: true, ttl: '1h' })
    const issue = async () => (await pki.write('issue/web', { common_name: 'a.b' })).data
    const [kept, revoked] = [await issue(), await issue()]
    await pki.write('revoke', { serial_number: revoked.serial_number })
    const before = await pki.read('tidy-status')
    expect(before).toMatchObject({ state: 'Inactive', tidy_cert_store: null, safety_buffer: null })
    expect(before.internal_backend_uuid).toMatch(/^[0-9a-f-]{36}$/)
    expect(Object.keys(before)).toHaveLength(29)
    pki.clock.advance(3 * day)
    const serials = async () => (await secrets.list('pki/certs')).body.data.keys
    const tidy = (fields: object) => secrets.post('pki/tidy', fields)
    await tidy({ tidy_cert_store: true, tidy_revoked_certs: true })
    expect(await serials()).toHaveLength(3)
    pki.clock.advance(3_601_000)
    const first = await tidy({ tidy_revoked_certs: true })
    expect([first.status, first.body.data, first.body.warnings]).toEqual([
      202,
      null,
      [
        "Tidy operation successfully started. Any information from the operation will be printed to Service's server logs.",
      ],
    ])
    expect(await serials()).not.toContain(revoked.serial_number)
    expect(statusAndBody(await secrets.list('pki/certs/revoked'))).toEqual(error(404))
    await tidy({ tidy_cert_store: true, safety_buffer: '1s' })
    expect(await serials()).not.toContain(kept.serial_number)
    const now = new Date(pki.clock.now()).toISOString().replace('.000', '')
    expect(await pki.read('tidy-status')).toMatchObject({
      state: 'Finished',
      tidy_cert_store: true,
      safety_buffer: 1,
      cert_store_deleted_count: 1,
      revoked_cert_deleted_count: 0,
      time_started: now,
      time_finished: now,
      last_auto_tidy_finished: now,
      revocation_queue_safety_buffer: 172800,
      error: null,
    })
    expect((await pki.write('tidy-cancel')).warnings).toEqual([
      'Tidy operation cannot be cancelled as none is currently running.',
    ])
    expect((await tidy({})).body.warnings).toEqual([
      `Manual tidy requested but no tidy operations were set. Enable at least one tidy operation to be run (${names}).`,
    ])
  })

  test('tidying runs by the clock, and issuers that ended are removed except the default', async () => {
    const pki = await withPki()
    const root = { common_name: 'r', key_type: 'ec', ttl: '1h' }
    const main = (await pki.write('root/generate/internal', root)).data.issuer_id
    await pki.write('root/generate/internal', root)
    expect(await pki.read('config/auto-tidy')).toEqual(autoTidy)
    const change = { enabled: true, tidy_expired_issuers: true, issuer_safety_buffer: '1h' }
    const changed = { ...autoTidy, ...change, issuer_safety_buffer: 3600 }
    expect((await pki.write('config/auto-tidy', change)).data).toEqual(changed)
    const issuers = async () => (await pki.secrets.list('pki/issuers')).body.data.keys
    pki.clock.advance(11 * 3_600_000)
    expect(await issuers()).toHaveLength(2)
    pki.clock.advance(3_600_000)
    expect(await issuers()).toEqual([main])
    expect((await pki.read('tidy-status')).state).toBe('Finished')
  })

  test('a pause without a unit is seconds', async () => {
    const pki = await withPki()
    const change = { pause_duration: '90' }
    const { pause_duration } = (await pki.write('config/auto-tidy', change)).data
    expect(pause_duration).toBe('1m30s')
  })

  test('wrong settings are refused', async () => {
    const { secrets } = await withPki()
    const cases: readonly (readonly [string, object, string])[] = [
      ['tidy', { safety_buffer: 0 }, 'safety_buffer must be greater than zero'],
      ['tidy', { issuer_safety_buffer: 0 }, 'issuer_safety_buffer must be greater than zero'],
      [
        'tidy',
        { pause_duration: 'zz' },
        'Error parsing pause_duration: time: invalid duration "zz"',
      ],
      ['tidy', { pause_duration: '-1s' }, 'received invalid, negative pause_duration'],
      [
        'config/auto-tidy',
        { enabled: true },
        `Auto-tidy enabled but no tidy operations were requested. Enable at least one tidy operation to be run (${names}).`,
      ],
      [
        'config/auto-tidy',
        { safety_buffer: 0 },
        'given safety_buffer must be at least one second; got: 0',
      ],
      [
        'config/auto-tidy',
        { publish_stored_certificate_count_metrics: true },
        'Can not publish a running storage metrics count to metrics without first maintaining that count.  Enable `maintain_stored_certificate_counts` to enable `publish_stored_certificate_count_metrics`.',
      ],
    ]
    for (const [path, fields, text] of cases) {
      expect(statusAndBody(await secrets.post(`pki/${path}`, fields))).toEqual(error(400, text))
    }
  })
})
