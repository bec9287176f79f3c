import { describe, expect, test } from 'vitest'
import { error, multierrorReply, statusAndBody } from '../replies.ts'
import { parse, withPki } from './pki.ts'

describe('behaviour/secrets#pki-issuers', () => {
  test('issuers are listed, read, changed, chosen and deleted', async () => {
    const pki = await withPki()
    const { secrets } = pki
    expect(statusAndBody(await secrets.list('pki/issuers'))).toEqual(error(404))
    const root = (fields: object) =>
      pki.write('root/generate/internal', { common_name: 'r', key_type: 'ec', ...fields })
    const first = (await root({ issuer_name: 'one' })).data
    const second = (await root({ issuer_name: 'two' })).data
    const listed = (await secrets.list('pki/issuers', { token: null })).body.data
    expect(listed.keys.toSorted()).toEqual([first.issuer_id, second.issuer_id].sort())
    expect(listed.key_info[second.issuer_id]).toEqual({
      is_default: false,
      issuer_name: 'two',
      key_id: second.key_id,
      serial_number: second.serial_number,
    })
    const read = await pki.read('issuer/one')
    expect(read).toEqual({
      ca_chain: [`${first.certificate}\n`],
      certificate: `${first.certificate}\n`,
      crl_distribution_points: [],
      issuer_id: first.issuer_id,
      issuer_name: 'one',
      issuing_certificates: [],
      key_id: first.key_id,
      leaf_not_after_behavior: 'err',
      manual_chain: null,
      ocsp_servers: [],
      revocation_signature_algorithm: 'ECDSAWithSHA256',
      revoked: false,
      usage: 'crl-signing,issuing-certificates,ocsp-signing,read-only',
    })
    const patched = await secrets.patch('pki/issuer/one', { leaf_not_after_behavior: 'truncate' })
    expect(patched.body.data).toEqual({ ...read, leaf_not_after_behavior: 'truncate' })
    await pki.write('roles/r', { key_type: 'ec', allow_any_name: true })
    const fields = { common_name: 'a.org', not_after: '2040-01-01T00:00:00Z' }
    const cut = (await pki.write('issue/r', fields)).data
    expect(parse(cut.certificate).validTo).toBe(parse(first.certificate).validTo)
    // A write replaces every setting, the name included.
    const usage = 'crl-signing,read-only'
    expect((await pki.write('issuer/one', { usage })).data).toEqual({
      ...read,
      issuer_name: '',
      revocation_signature_algorithm: '',
      usage,
    })
    const id = first.issuer_id
    expect(statusAndBody(await secrets.post('pki/issue/r', { common_name: 'a.org' }))).toEqual(
      multierrorReply(
        400,
        `error fetching CA certificate: error while attempting to use issuer ${id}: requested usage issuing-certificates for issuer [id:${id} / name:] but only had usage crl-signing,read-only`,
      ),
    )
    const chosen = { default: second.issuer_id, default_follows_latest_issuer: true }
    expect((await pki.write('config/issuers', { ...chosen, default: 'two' })).data).toEqual(chosen)
    const third = (await root({})).data
    expect((await pki.read('config/issuers')).default).toBe(third.issuer_id)
    const deleted = await secrets.delete('pki/issuer/default')
    expect(deleted.body).toMatchObject({
      data: null,
      warnings: [
        `Deleted issuer ${third.issuer_id} (via issuer_ref default); this was configured as the default issuer. Operations without an explicit issuer will not work until a new default is configured.`,
        '1 roles reference default',
      ],
    })
    expect((await secrets.delete('pki/issuer/zz')).body).toMatchObject({ warnings: null })
    expect((await pki.raw('ca')).status).toBe(204)
  })

  test('an import changes the default issuer only if it has exactly one issuer with a key', async () => {
    const source = await withPki({ dialect: 'vendor' })
    const bundleOf = async (common_name: string) => {
      const fields = { common_name, key_type: 'ec' }
      const { data } = await source.write('root/generate/exported', fields)
      return { certificate: data.certificate, bundle: `${data.private_key}\n${data.certificate}` }
    }
    const [a, b, c] = [await bundleOf('a'), await bundleOf('b'), await bundleOf('c')]
    const pki = await withPki({ dialect: 'vendor' })
    const load = async (pem_bundle: string) => {
      const { data, warnings } = await pki.write('issuers/import/bundle', { pem_bundle })
      const texts: string[] = warnings
      const shown = texts.filter((text) => /default issuer/i.test(text))
      return { ids: data.imported_issuers, warnings: shown }
    }
    const isDefault = async () => (await pki.read('config/issuers')).default
    const first = await load(a.certificate)
    expect(await isDefault()).toBe('')
    expect((await pki.raw('ca')).status).toBe(204)
    const second = await load(b.bundle)
    expect([await isDefault(), second.warnings]).toEqual([second.ids[0], []])
    const follows = { default: second.ids[0], default_follows_latest_issuer: true }
    await pki.write('config/issuers', follows)
    const third = await load(`${c.bundle}\n${b.certificate}`)
    expect([await isDefault(), third.warnings]).toEqual([third.ids[0], []])
    const [d, e] = [await bundleOf('d'), await bundleOf('e')]
    expect((await load(`${d.bundle}\n${e.bundle}`)).warnings).toEqual([
      'Default issuer left unchanged: could not select new issuer automatically as multiple imported issuers had key material in Vault.',
    ])
    expect(await isDefault()).toBe(third.ids[0])
    await pki.write('config/issuers', { default: first.ids[0] })
    expect((await load(a.certificate)).warnings).toEqual([
      'The default issuer has no key associated with it. Some operations like issuing certificates and signing CRLs will be unavailable with the requested default issuer until a key is imported or the default issuer is changed.',
    ])
    await pki.secrets.delete('pki/root')
    expect((await load(`${d.bundle}\n${e.bundle}`)).warnings.slice(1)).toEqual([
      'The imported bundle contained multiple certs matching keys, the default issuer that was selected should be verified and manually changed if incorrect.',
    ])
  })

  test('wrong references and settings are refused', async () => {
    for (const dialect of ['neutral', 'vendor'] as const) {
      const pki = await withPki({ dialect })
      const raised = (text: string) => multierrorReply(dialect === 'vendor' ? 500 : 404, text)
      expect(statusAndBody(await pki.secrets.get('pki/issuer/default'))).toEqual(
        raised('no default issuer currently configured'),
      )
      expect(statusAndBody(await pki.secrets.get('pki/issuer/zz'))).toEqual(
        raised('unable to find PKI issuer for reference: zz'),
      )
      await pki.write('root/generate/internal', { key_type: 'ec' })
      const refused = async (path: string, fields: object, text: string) =>
        expect(statusAndBody(await pki.secrets.post(`pki/${path}`, fields))).toEqual(
          error(400, text),
        )
      await refused(
        'issuer/default',
        { usage: 'zz' },
        'Unable to parse specified usages: [zz] - valid values are crl-signing,issuing-certificates,ocsp-signing,read-only',
      )
      await refused(
        'issuer/default',
        { leaf_not_after_behavior: 'zz' },
        'Unknown value for field `leaf_not_after_behavior`. Possible values are `err`, `truncate`, and `permit`.',
      )
      await refused(
        'config/issuers',
        { default: 'default' },
        "Invalid issuer specification; must be non-empty and can't be 'default'.",
      )
    }
  })
})
