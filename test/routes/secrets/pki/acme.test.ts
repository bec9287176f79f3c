import { describe, expect, test } from 'vitest'
import { error, multierrorReply, statusAndBody } from '../replies.ts'
import { withPki } from './pki.ts'

describe('behaviour/secrets#pki-acme', () => {
  // choice/secrets#pki-acme
  test('settings are stored, but ACME stays off', async () => {
    const pki = await withPki()
    const { secrets } = pki
    const all = {
      allow_role_ext_key_usage: false,
      allowed_issuers: ['*'],
      allowed_roles: ['*'],
      default_directory_policy: 'sign-verbatim',
      dns_resolver: '',
      eab_policy: 'not-required',
      enabled: false,
    }
    expect(await pki.read('config/acme')).toEqual(all)
    const change = { eab_policy: 'always-required', enabled: false }
    expect((await pki.write('config/acme', change)).data).toEqual({ ...all, ...change })
    const refused = async (fields: object, reply: object) =>
      expect(statusAndBody(await secrets.post('pki/config/acme', fields))).toEqual(reply)
    await refused({ enabled: true }, error(400, 'ACME is not supported here'))
    await refused(
      { eab_policy: 'zz' },
      multierrorReply(
        400,
        "invalid eab policy name provided, valid values are 'not-required', 'new-account-required', 'always-required'",
      ),
    )
    await refused(
      { default_directory_policy: 'zz' },
      multierrorReply(
        400,
        'invalid default_directory_policy: string zz not a valid Default Directory Policy',
      ),
    )
    expect(statusAndBody(await secrets.list('pki/eab'))).toEqual(error(404))
    for (const path of ['acme/directory', 'acme/new-order']) {
      const reply = await pki.raw(path)
      expect([reply.status, reply.body.length]).toEqual([404, 0])
    }
    const ofRole = await secrets.get('pki/roles/web/acme/directory')
    expect([ofRole.status, ofRole.text]).toEqual([404, ''])
    for (const path of ['unified-crl', 'certs/unified-revoked']) {
      expect(statusAndBody(await secrets.get(`pki/${path}`))).toEqual(
        error(404, 'unsupported path'),
      )
    }
  })
})
