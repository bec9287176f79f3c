import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'
import { parse, withPki } from './pki.ts'

describe('behaviour/secrets#pki-keys', () => {
  test('keys are generated, imported, listed, renamed, chosen, used and deleted', async () => {
    const pki = await withPki()
    const { secrets } = pki
    expect(statusAndBody(await secrets.list('pki/keys'))).toEqual(error(404))
    expect(await pki.read('config/keys')).toEqual({ default: '' })
    const first = (await pki.write('keys/generate/exported', { key_type: 'ec', key_name: 'one' }))
      .data
    expect(first).toEqual({
      key_id: expect.any(String),
      key_name: 'one',
      key_type: 'ec',
      private_key: expect.stringMatching(/^-----BEGIN EC PRIVATE KEY-----/),
    })
    expect(createPrivateKey(first.private_key).asymmetricKeyDetails?.namedCurve).toBe('prime256v1')
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const pem_bundle = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const second = (await pki.write('keys/import', { pem_bundle })).data
    expect(second).toEqual({ key_id: expect.any(String), key_name: '', key_type: 'ed25519' })
    const again = await pki.write('keys/import', { pem_bundle, key_name: 'two' })
    expect([again.data, again.warnings]).toEqual([
      second,
      ['Key already imported, use key/ endpoint to update name.'],
    ])
    const listed = (await secrets.list('pki/keys')).body.data
    expect(listed.keys.toSorted()).toEqual([first.key_id, second.key_id].sort())
    expect(listed.key_info).toEqual({
      [first.key_id]: { is_default: true, key_name: 'one' },
      [second.key_id]: { is_default: false, key_name: '' },
    })
    const named = await pki.write(`key/${second.key_id}`, { key_name: 'two' })
    expect(named.data).toEqual({ ...second, key_name: 'two' })
    expect((await pki.write('config/keys', { default: 'two' })).data).toEqual({
      default: second.key_id,
    })
    const root = (await pki.write('root/generate/existing', { common_name: 'r' })).data
    expect(root.key_id).toBe(second.key_id)
    const { publicKey: used } = parse(root.certificate)
    expect(used.equals(createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })))).toBe(
      true,
    )
    const { subject_key_id, ...read } = await pki.read('key/default')
    expect(read).toEqual({ ...second, key_name: 'two' })
    // The identifier in the certificate was encoded by another part of the mock.
    expect(parse(root.certificate).raw.includes(hexBytes(subject_key_id))).toBe(true)
    const unnamed = await pki.write('key/two')
    expect(unnamed.warnings).toEqual([
      `Name successfully deleted, you will now need to reference this key by it's Id: ${second.key_id}`,
    ])
    expect(statusAndBody(await secrets.delete('pki/key/default'))).toEqual(
      error(400, `Failed to Delete Key.  Key in Use by Issuer: ${root.issuer_id}`),
    )
    expect(statusAndBody(await secrets.delete('pki/key/one'))).toEqual(noContent)
    expect(statusAndBody(await secrets.delete('pki/key/one'))).toEqual(noContent)
    await secrets.delete('pki/root')
    await pki.write('keys/generate/internal', { key_type: 'ec', key_name: 'three' })
    expect(statusAndBody(await secrets.delete('pki/key/three'))).toEqual(
      ok({
        warnings: [
          expect.stringMatching(
            /^Deleted key [0-9a-f-]{36} \(via key_ref three\); this was configured as the default key\. Operations without an explicit key will not work until a new default is configured\.$/,
          ),
        ],
      }),
    )
  })

  test('wrong references, types and bundles are refused', async () => {
    for (const dialect of ['neutral', 'vendor'] as const) {
      const pki = await withPki({ dialect })
      const raised = (text: string) => multierrorReply(dialect === 'vendor' ? 500 : 404, text)
      expect(statusAndBody(await pki.secrets.get('pki/key/default'))).toEqual(
        raised('no default key currently configured'),
      )
      expect(statusAndBody(await pki.secrets.post('pki/key/zz', { key_name: 'a' }))).toEqual(
        raised('unable to find PKI key for reference: zz'),
      )
      const kms = await pki.secrets.post('pki/keys/generate/kms')
      expect(statusAndBody(kms)).toEqual(
        multierrorReply(
          dialect === 'vendor' ? 500 : 400,
          'unable to determine managed key id: missing argument managed_key_name or managed_key_id',
        ),
      )
      const unknown = await pki.secrets.post('pki/keys/generate/zz')
      expect(statusAndBody(unknown)).toEqual(multierrorReply(404, 'unsupported path'))
      const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
      const cases: readonly (readonly [string, object, string])[] = [
        [
          'keys/generate/internal',
          { key_type: 'zz' },
          'Validation for key_type, key_bits failed: unknown key type zz',
        ],
        ['keys/generate/internal', { key_name: 'a b' }, 'key name contained invalid characters'],
        [
          'config/keys',
          { default: 'default' },
          "Invalid key specification; must be non-empty and can't be 'default'.",
        ],
        [
          'config/keys',
          { default: 'zz' },
          'Error resolving issuer reference: unable to find PKI key for reference: zz',
        ],
        [
          'keys/import',
          { pem_bundle: '/tmp/key.pem' },
          'provided data for import was too short; perhaps a path was passed to the API rather than the contents of a PEM file',
        ],
        ['keys/import', { pem_bundle: 'z'.repeat(70) }, 'provided PEM block contained no data'],
        [
          'keys/import',
          { pem_bundle: `${pem}${pem}` },
          'only a single key can be present within the pem_bundle for importing',
        ],
      ]
      for (const [path, fields, text] of cases) {
        expect(statusAndBody(await pki.secrets.post(`pki/${path}`, fields))).toEqual(
          error(400, text),
        )
      }
    }
  })

  test('root/replace makes the rotated root the default', async () => {
    const pki = await withPki()
    const { secrets } = pki
    const fields = { common_name: 'r', key_type: 'ec' }
    const root = (await pki.write('root/generate/internal', fields)).data
    const unresolved = (ref: string) =>
      error(
        400,
        `Error resolving issuer reference: unable to find PKI issuer for reference: ${ref}`,
      )
    expect(statusAndBody(await secrets.post('pki/root/replace'))).toEqual(unresolved('next'))
    expect(statusAndBody(await secrets.post('pki/config/issuers', { default: 'zz' }))).toEqual(
      unresolved('zz'),
    )
    const next = (await pki.write('root/rotate/internal', fields)).data
    expect((await pki.write('root/replace')).data).toEqual({
      default: next.issuer_id,
      default_follows_latest_issuer: false,
    })
    await secrets.delete('pki/root')
    await pki.write('issuers/import/cert', { pem_bundle: root.certificate })
    const { keys } = (await secrets.list('pki/issuers')).body.data
    expect((await pki.write('root/replace', { default: keys[0] })).warnings).toEqual([
      'This selected default issuer has no key associated with it. Some operations like issuing certificates and signing CRLs will be unavailable with the requested default issuer until a key is imported or the default issuer is changed.',
    ])
  })
})

/** Returns the bytes of hexadecimal pairs with colons. */
function hexBytes(text: string): Buffer {
  return Buffer.from(text.replaceAll(':', ''), 'hex')
}
