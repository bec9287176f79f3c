import { describe, expect, test } from 'vitest'
import { platform } from '../../../support/platform/platform.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'

/** Every attribute in the specification's tables: type, default, another value. */
const rows = [
  ['general', 'allow-speculative-plans-on-pull-requests-from-forks', 'bool', false, true],
  ['general', 'api-rate-limit', 'integer', 30, 50],
  ['general', 'api-rate-limiting-enabled', 'bool', true, false],
  ['general', 'default-remote-state-access', 'bool', true, false],
  ['general', 'limit-user-organization-creation', 'bool', true, false],
  ['general', 'send-passing-statuses-for-untriggered-speculative-plans', 'bool', false, true],
  // Enabling these settings alone would break a rule; rules.test.ts covers that.
  ['cost-estimation', 'enabled', 'bool', false, false],
  ['cost-estimation', 'cloud1-access-key-id', 'string', null, 'id'],
  ['cost-estimation', 'cloud1-secret-key', 'string', null, 'key'],
  ['cost-estimation', 'cloud2-credentials', 'string', null, '{"type": "service_account"}'],
  ['cost-estimation', 'cloud3-client-id', 'string', null, 'id'],
  ['cost-estimation', 'cloud3-client-secret', 'string', null, 'secret'],
  ['cost-estimation', 'cloud3-subscription-id', 'string', null, 'subscription'],
  ['cost-estimation', 'cloud3-tenant-id', 'string', null, 'tenant'],
  ['saml', 'enabled', 'bool', false, false],
  ['saml', 'debug', 'bool', false, true],
  ['saml', 'idp-cert', 'string', null, 'a certificate'],
  ['saml', 'slo-endpoint-url', 'string', null, 'https://idp.example.com/slo'],
  ['saml', 'sso-endpoint-url', 'string', null, 'https://idp.example.com/sso'],
  ['saml', 'attr-username', 'string', 'Username', 'Name'],
  ['saml', 'attr-groups', 'string', 'MemberOf', 'Groups'],
  ['saml', 'attr-site-admin', 'string', 'SiteAdmin', 'Admin'],
  ['saml', 'site-admin-role', 'string', 'site-admins', 'admins'],
  ['saml', 'sso-api-token-session-timeout', 'integer', 1_209_600, 60],
  ['smtp', 'enabled', 'bool', false, false],
  ['smtp', 'host', 'string', null, 'mail.example.com'],
  ['smtp', 'port', 'integer', null, 25],
  ['smtp', 'sender', 'string', null, 'app@example.com'],
  ['smtp', 'auth', 'string', 'none', 'plain'],
  ['smtp', 'username', 'string', null, 'ada'],
  ['sms', 'enabled', 'bool', false, false],
  ['sms', 'account-sid', 'string', null, 'sid'],
  ['sms', 'from-number', 'string', null, '+15550100'],
  ['customization', 'support-email-address', 'string', 'support@example.com', 'help@example.com'],
  ['customization', 'login-help', 'string', '', '<b>here</b>'],
  ['customization', 'footer', 'string', '', '<p>& so on</p>'],
  ['customization', 'error', 'string', '', 'Call 5'],
  ['customization', 'new-user', 'string', '', '**Welcome**'],
] as const

/** Attributes that callers can set but never read. */
const writeOnly = [
  ['smtp', 'password'],
  ['smtp', 'test-email-address'],
  ['sms', 'auth-token'],
] as const

const names = [...new Set(rows.map(([name]) => name))]

const readOnly: Readonly<Record<string, object>> = {
  saml: {
    'old-idp-cert': null,
    'acs-consumer-url': 'http://localhost:80/users/saml/auth',
    'metadata-url': 'http://localhost:80/users/saml/metadata',
  },
}

function body(attributes: unknown) {
  return { data: { attributes } }
}

function defaultsOf(name: string) {
  const own = rows.filter(([of]) => of === name).map(([, attribute, , value]) => [attribute, value])
  return { ...Object.fromEntries(own), ...readOnly[name] }
}

describe('behaviour/platform#api-settings: the resources', () => {
  test.each(names)('%s: GET returns 200 with id, type and only the defaults', async (name) => {
    const { admin } = await platform()
    const reply = await admin.get(`admin/${name}-settings`)
    expect([reply.status, reply.body]).toEqual([
      200,
      { data: { id: name, type: `${name}-settings`, attributes: defaultsOf(name) } },
    ])
    expect(reply.headers['content-type']).toBe('application/vnd.api+json; charset=utf-8')
  })

  test.each(names)(
    '%s: PATCH replies like GET; without attributes nothing changes',
    async (name) => {
      const { admin } = await platform()
      const path = `admin/${name}-settings`
      const { body: before } = await admin.get(path)
      for (const data of [
        { attributes: {} },
        { attributes: { unknown: 5 } },
        { type: '', attributes: {} },
        { type: `${name}-settings`, id: 'other', attributes: {} },
      ]) {
        const reply = await admin.patch(path, { data })
        expect([reply.status, reply.body]).toEqual([200, before])
      }
    },
  )

  test.each(names)('%s: behaviour/platform#errors, invalid documents', async (name) => {
    const { admin } = await platform()
    const path = `admin/${name}-settings`
    const { body: before } = await admin.get(path)
    for (const [input, detail] of [
      ['', 'data is required'],
      ['{', 'JSON body is invalid'],
      ['[]', 'data is required'],
      [{}, 'data is required'],
      [{ data: null }, 'data is required'],
      [{ data: { type: `${name}-settings` } }, 'attributes is required'],
      [body(null), 'attributes must be an object'],
      [body([]), 'attributes must be an object'],
      [{ data: { type: 'settings', attributes: {} } }, `type must be ${name}-settings`],
    ] as const) {
      const reply = await admin.patch(path, input)
      expect([reply.status, reply.body]).toEqual([422, failure(422, detail)])
    }
    expect((await admin.get(path)).body).toEqual(before)
  })
})

const wrongValues = {
  bool: ['true', 1, []],
  string: [5, true, {}],
  integer: ['5', true, 1.5],
} as const

const messages = {
  bool: () => 'must be true or false',
  string: () => 'must be a string',
  integer: (value: unknown) =>
    typeof value === 'number' ? 'must be an integer' : 'is not a number',
} as const

function attributeInSentence(attribute: string): string {
  const words = attribute.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

describe('behaviour/platform#api-settings: every attribute', () => {
  test.each(rows)('%s %s (%s, default %j)', async (name, attribute, type, defaults, other) => {
    const { admin } = await platform()
    const path = `admin/${name}-settings`
    const before = (await admin.get(path)).body.data
    expect(before.attributes[attribute]).toEqual(defaults)

    for (const value of wrongValues[type]) {
      const reply = await admin.patch(path, body({ [attribute]: value }))
      const detail = `${attributeInSentence(attribute)} ${messages[type](value)}`
      expect([reply.status, reply.body]).toEqual([422, invalid([attribute, detail])])
    }
    expect((await admin.get(path)).body.data).toEqual(before)

    const changed = await admin.patch(path, body({ [attribute]: other }))
    const after = { ...before, attributes: { ...before.attributes, [attribute]: other } }
    expect([changed.status, changed.body.data]).toEqual([200, after])
    expect((await admin.get(path)).body.data).toEqual(after)

    // Null is ignored for booleans and numbers, and blank for texts; a blank authentication type
    // means none.
    const nothing = await admin.patch(path, body({ [attribute]: null }))
    const isText = type === 'string' && attribute !== 'auth'
    const left = isText ? null : other
    expect(nothing.status).toBe(attribute === 'auth' ? 422 : 200)
    expect((await admin.get(path)).body.data.attributes[attribute]).toEqual(left)
  })

  test.each(writeOnly)('%s %s is accepted and never returned', async (name, attribute) => {
    const { admin } = await platform()
    const path = `admin/${name}-settings`
    const before = (await admin.get(path)).body
    const wrong = await admin.patch(path, body({ [attribute]: 5 }))
    const fault = invalid([attribute, `${attributeInSentence(attribute)} must be a string`])
    expect([wrong.status, wrong.body]).toEqual([422, fault])
    const changed = await admin.patch(path, body({ [attribute]: 'a value' }))
    expect([changed.status, changed.body]).toEqual([200, before])
    expect((await admin.get(path)).body).toEqual(before)
  })

  test('behaviour/platform#settings: several wrong types are reported together, in order, and nothing is stored', async () => {
    const { admin } = await platform()
    const input = { 'api-rate-limit': '50', 'default-remote-state-access': 0 }
    const path = 'admin/general-settings'
    const reply = await admin.patch(
      path,
      body({ ...input, 'limit-user-organization-creation': false }),
    )
    expect([reply.status, reply.body]).toEqual([
      422,
      invalid(
        ['api-rate-limit', 'Api rate limit is not a number'],
        ['default-remote-state-access', 'Default remote state access must be true or false'],
      ),
    ])
    expect((await admin.get(path)).body.data.attributes).toEqual(defaultsOf('general'))
  })

  test('behaviour/platform#settings: changes of settings are merged, and survive a snapshot', async () => {
    const { admin, world } = await platform()
    const path = 'admin/customization-settings'
    await admin.patch(path, body({ footer: 'one', error: 'two' }))
    const snapshot = world.snapshot()
    await admin.patch(path, body({ error: 'three' }))
    const both = (await admin.get(path)).body.data.attributes
    expect(both).toEqual({ ...defaultsOf('customization'), footer: 'one', error: 'three' })
    world.restore(snapshot)
    expect((await admin.get(path)).body.data.attributes.error).toBe('two')
    world.reset()
    expect((await admin.get(path)).body.data.attributes).toEqual(defaultsOf('customization'))
  })

  test('behaviour/platform#vendor-names: vendor-only attributes are ignored in the neutral dialect', async () => {
    const { admin } = await platform()
    for (const [name, attributes] of [
      ['general', { 'plan-timeout': 5 }],
      ['cost-estimation', { 'cloud1-enabled': 'x' }],
      ['saml', { certificate: 5, 'provider-type': 'nobody' }],
      ['smtp', { 'client-id': 5 }],
    ] as const) {
      const reply = await admin.patch(`admin/${name}-settings`, body(attributes))
      expect([reply.status, reply.body.data.attributes]).toEqual([200, defaultsOf(name)])
    }
  })
})
