import { describe, expect, test } from 'vitest'
import { platform } from '../../../support/platform/platform.ts'
import { settingsAt } from '../../../support/platform/platform-settings.ts'

const full = {
  enabled: true,
  'idp-cert': 'plain words',
  'slo-endpoint-url': 'https://idp.example.com/slo',
  'sso-endpoint-url': 'https://idp.example.com/sso',
}

const { patch, read, refused } = settingsAt('saml-settings')

describe('behaviour/platform#settings: rules of SAML settings', () => {
  test('enabled without the attributes that have no default', async () => {
    const { admin } = await platform()
    await refused(
      admin,
      { enabled: true },
      ['idp-cert', "Idp cert can't be blank"],
      ['slo-endpoint-url', "Slo endpoint url can't be blank"],
      ['sso-endpoint-url', "Sso endpoint url can't be blank"],
    )
    const reply = await patch(admin, full)
    expect([reply.status, reply.body.data.attributes]).toMatchObject([
      200,
      { ...full, 'attr-username': 'Username', 'sso-api-token-session-timeout': 1_209_600 },
    ])
  })

  test.each([
    ['idp-cert', "Idp cert can't be blank"],
    ['slo-endpoint-url', "Slo endpoint url can't be blank"],
    ['sso-endpoint-url', "Sso endpoint url can't be blank"],
    ['attr-username', "Attr username can't be blank"],
    ['attr-groups', "Attr groups can't be blank"],
    ['attr-site-admin', "Attr site admin can't be blank"],
    ['site-admin-role', "Site admin role can't be blank"],
  ])('enabled without %s alone', async (name, detail) => {
    const { admin } = await platform()
    for (const blank of ['', '  ', null]) {
      await refused(admin, { ...full, [name]: blank }, [name, detail])
    }
    // The rules apply to the merged result.
    await patch(admin, full)
    await refused(admin, { [name]: '' }, [name, detail])
  })

  test.each(['slo-endpoint-url', 'sso-endpoint-url'])('%s must be HTTPS', async (name) => {
    const { admin } = await platform()
    const detail = `${name === 'slo-endpoint-url' ? 'Slo' : 'Sso'} endpoint url is invalid`
    for (const url of ['http://idp.example.com', 'idp.example.com', 'https://', 'https:idp', 'x']) {
      await refused(admin, { ...full, [name]: url }, [name, detail])
    }
    expect(
      (await patch(admin, { ...full, [name]: 'HTTPS://idp.example.com:8443/a?b' })).status,
    ).toBe(200)
  })

  // choice/platform#saml-timeout-message
  test.each([0, -5])('a session timeout of %d', async (timeout) => {
    const { admin } = await platform()
    const name = 'sso-api-token-session-timeout'
    await refused(admin, { ...full, [name]: timeout }, [
      name,
      'Sso api token session timeout must be greater than 0',
    ])
    expect((await patch(admin, { ...full, [name]: 1 })).status).toBe(200)
  })

  // choice/platform#settings-rules-while-disabled
  test('disabled: nothing is required, and blank values clear attributes', async () => {
    const { admin } = await platform()
    await patch(admin, full)
    const reply = await patch(admin, {
      enabled: false,
      'idp-cert': '',
      'slo-endpoint-url': '',
      'sso-endpoint-url': 'no address',
      'sso-api-token-session-timeout': 0,
      'attr-username': '',
      'site-admin-role': null,
    })
    expect([reply.status, reply.body.data.attributes]).toMatchObject([
      200,
      {
        enabled: false,
        'idp-cert': '',
        'slo-endpoint-url': '',
        'sso-endpoint-url': 'no address',
        'sso-api-token-session-timeout': 0,
        'attr-username': '',
        'site-admin-role': null,
      },
    ])
  })

  test('read-only attributes cannot be set', async () => {
    const { admin } = await platform()
    const before = await read(admin)
    const reply = await patch(admin, {
      'old-idp-cert': 'mine',
      'acs-consumer-url': 5,
      'metadata-url': 'https://example.com',
    })
    expect([reply.status, reply.body.data.attributes]).toEqual([200, before])
  })

  test('addresses use the host that the caller used', async () => {
    const { admin, worlds } = await platform()
    worlds.create({ id: 'w' })
    const headers = { host: 'platform.test:4600' }
    const reply = await admin.get('/_world/w/api/v2/admin/saml-settings', { headers })
    expect(reply.body.data.attributes).toMatchObject({
      'acs-consumer-url': 'http://platform.test:4600/_world/w/users/saml/auth',
      'metadata-url': 'http://platform.test:4600/_world/w/users/saml/metadata',
    })
  })
})

describe('behaviour/platform#saml-rotation: SAML rotation', () => {
  const revoke = 'admin/saml-settings/actions/revoke-old-certificate'

  test.each([
    ['a first one', [], 'one', null],
    ['another one', ['one'], 'two', 'one'],
    ['the same', ['one'], 'one', null],
    ['the same after another', ['one', 'two'], 'two', 'one'],
    ['a third', ['one', 'two'], 'three', 'two'],
    ['back to the first', ['one', 'two'], 'one', 'two'],
    ['none', ['one', 'two'], '', null],
    ['null', ['one', 'two'], null, null],
    ['none at all, where none was', [], '', null],
    ['a first one after none', ['one', 'two', ''], 'three', null],
  ])('%s', async (_what, earlier, cert, old) => {
    const { admin } = await platform()
    for (const each of earlier) await patch(admin, { 'idp-cert': each })
    const reply = await patch(admin, { 'idp-cert': cert })
    expect(reply.body.data.attributes).toMatchObject({ 'idp-cert': cert, 'old-idp-cert': old })
    expect(await read(admin)).toEqual(reply.body.data.attributes)
  })

  test('a rejected change and a change of other attributes rotate nothing', async () => {
    const { admin } = await platform()
    await patch(admin, full)
    await refused(admin, { 'idp-cert': 'two', 'attr-groups': '' }, [
      'attr-groups',
      "Attr groups can't be blank",
    ])
    const reply = await patch(admin, { debug: true })
    expect(reply.body.data.attributes).toMatchObject({
      'idp-cert': 'plain words',
      'old-idp-cert': null,
    })
  })

  test('revoke returns 200 with the settings and a null old certificate', async () => {
    const { admin } = await platform()
    await patch(admin, { 'idp-cert': 'one', debug: true })
    await patch(admin, { 'idp-cert': 'two' })
    const before = await read(admin)
    expect(before['old-idp-cert']).toBe('one')
    const expected = {
      data: {
        id: 'saml',
        type: 'saml-settings',
        attributes: { ...before, 'old-idp-cert': null },
      },
    }
    // Revoking succeeds even if no old certificate exists, and with any body.
    for (const input of [undefined, '', '{']) {
      const reply = await admin.post(revoke, input)
      expect([reply.status, reply.body]).toEqual([200, expected])
    }
    expect(await read(admin)).toEqual(expected.data.attributes)
  })
})
