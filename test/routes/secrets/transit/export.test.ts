import { createPrivateKey, createPublicKey } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { error, multierrorReply, noContent, statusAndBody } from '../replies.ts'
import { base64, withTransit } from './transit.ts'

const title = 'behaviour/secrets#transit-export'

describe(`${title}: keys themselves`, () => {
  test.each([
    ['aes128-gcm96', 16],
    ['aes256-gcm96', 32],
    ['chacha20-poly1305', 32],
  ])('%s', async (type, length) => {
    const { key, secrets } = await withTransit()
    await key('k', { type, exportable: true })
    await secrets.post('transit/keys/k/rotate')
    const { data } = (await secrets.get('transit/export/encryption-key/k')).body
    expect(data).toEqual({
      name: 'k',
      type,
      keys: { 1: expect.any(String), 2: expect.any(String) },
    })
    expect(Buffer.from(data.keys[1], 'base64')).toHaveLength(length)
    const { body } = await secrets.get('transit/export/encryption-key/k/latest')
    expect(body.data.keys).toEqual({ 2: data.keys[2] })
    const first = await secrets.get('transit/export/encryption-key/k/v1')
    expect(first.body.data.keys).toEqual({ 1: data.keys[1] })
    expect(statusAndBody(await secrets.get('transit/export/encryption-key/k/-1'))).toEqual(
      error(400, 'version for export is below minimum decryption version'),
    )
    const hmac = await secrets.get('transit/export/hmac-key/k/1')
    expect(Buffer.from(hmac.body.data.keys[1], 'base64')).toHaveLength(32)
  })

  test.each([
    ['rsa-2048', 'RSA PRIVATE KEY'],
    ['ecdsa-p256', 'EC PRIVATE KEY'],
    ['ecdsa-p521', 'EC PRIVATE KEY'],
  ])('%s as %s', async (type, label) => {
    const { key, secrets } = await withTransit()
    const { public_key } = (await key('k', { type, exportable: true })).keys[1]
    const rendered = (await secrets.get('transit/export/signing-key/k')).body.data.keys[1]
    expect(rendered).toContain(`BEGIN ${label}`)
    const renderedAgain = createPublicKey(createPrivateKey(rendered))
    expect(renderedAgain.export({ type: 'spki', format: 'pem' })).toBe(public_key)
    const shown = (await secrets.get('transit/export/public-key/k')).body.data.keys[1]
    expect(shown).toBe(public_key)
  })

  test('ed25519 as 64 bytes, of which the last 32 are public; hmac keys', async () => {
    const { key, secrets } = await withTransit()
    const { public_key } = (await key('k', { type: 'ed25519', exportable: true })).keys[1]
    const rendered = (await secrets.get('transit/export/signing-key/k')).body.data.keys[1]
    const bytes = Buffer.from(rendered, 'base64')
    expect(bytes).toHaveLength(64)
    expect(bytes.subarray(32).toString('base64')).toBe(public_key)
    await key('h', { type: 'hmac', key_size: 40, exportable: true })
    const hmac = (await secrets.get('transit/export/hmac-key/h')).body.data.keys[1]
    expect(Buffer.from(hmac, 'base64')).toHaveLength(40)
  })

  test('material that cannot be exported', async () => {
    const { key, secrets } = await withTransit()
    await key('closed')
    await key('k', { exportable: true })
    await key('pair', { type: 'ecdsa-p256', exportable: true })
    const refused = async (path: string, text: string) =>
      expect(statusAndBody(await secrets.get(`transit/export/${path}`))).toEqual(error(400, text))
    await refused('zz/k', 'invalid export type: zz')
    await refused('encryption-key/closed', 'private key material is not exportable')
    await refused('encryption-key/pair', 'encryption not supported for the key')
    await refused('signing-key/k', 'signing not supported for the key')
    await refused('encryption-key/k/x', 'invalid key version')
    await refused('encryption-key/k/2', 'version does not exist or cannot be found')
    await refused('encryption-key/k/0', 'version for export is below minimum decryption version')
    expect(statusAndBody(await secrets.get('transit/export/hmac-key/none'))).toEqual(error(404))
    expect(statusAndBody(await secrets.get('transit/export/public-key/closed'))).toEqual(
      multierrorReply(400, 'unknown key type aes256-gcm96 for export type public-key'),
    )
  })
})

describe.each([
  ['neutral', 400, 404],
  ['vendor', 500, 500],
] as const)(`${title}: backups (%s)`, (dialect, multierror, absent) => {
  test('a restored key decrypts earlier ciphertexts', async () => {
    const { key, data, secrets } = await withTransit({ dialect })
    await key('k', { exportable: true, allow_plaintext_backup: true })
    const { ciphertext } = await data('encrypt/k', { plaintext: base64('a') })
    await secrets.post('transit/keys/k/rotate')
    const before = (await secrets.get('transit/keys/k')).body.data
    const { backup } = (await secrets.get('transit/backup/k')).body.data
    expect(statusAndBody(await secrets.post('transit/restore', { backup }))).toEqual(
      multierrorReply(multierror, 'key "k" already exists'),
    )
    expect(statusAndBody(await secrets.post('transit/restore/other', { backup }))).toEqual(
      noContent,
    )
    expect(await data('decrypt/other', { ciphertext })).toEqual({ plaintext: base64('a') })
    expect((await secrets.get('transit/keys/other')).body.data).toEqual({
      ...before,
      name: 'other',
    })
    await secrets.post('transit/keys/k/rotate')
    expect(statusAndBody(await secrets.post('transit/restore', { backup, force: true }))).toEqual(
      noContent,
    )
    expect((await secrets.get('transit/keys/k')).body.data).toEqual(before)
  })

  test('invalid backups, and keys that may not be backed up', async () => {
    const { key, secrets } = await withTransit({ dialect })
    await key('k')
    const backups = async (name: string) =>
      statusAndBody(await secrets.get(`transit/backup/${name}`))
    expect(await backups('none')).toEqual(multierrorReply(absent, 'key "none" not found'))
    expect(await backups('k')).toEqual(
      multierrorReply(multierror, 'exporting is disallowed on the policy'),
    )
    await secrets.post('transit/keys/k/config', { exportable: true })
    expect(await backups('k')).toEqual(
      multierrorReply(multierror, 'plaintext backup is disallowed on the policy'),
    )
    const restored = async (backup: string, path = 'restore') =>
      statusAndBody(await secrets.post(`transit/${path}`, { backup }))
    expect(await restored('')).toEqual(error(400, "'backup' must be supplied"))
    expect(await restored('!')).toEqual(
      multierrorReply(multierror, 'illegal base64 data at input byte 0'),
    )
    expect(await restored('AAAA', 'restore/a/b')).toEqual(
      multierrorReply(multierror, 'key names cannot be paths'),
    )
    const foreign = multierrorReply(multierror, 'the backup was not made by this service')
    for (const text of ['', 'null', '[]', '{"policy":"{}","sum":"x"}']) {
      expect(await restored(base64(text === '' ? 'x' : text))).toEqual(foreign)
    }
  })
})
