import { describe, expect, test } from 'vitest'
import { outboxMessages } from '../../../../state/platform/settings/outbox.ts'
import { storedSettings } from '../../../../state/platform/settings/settings.ts'
import { type PlatformClient, platform } from '../../../support/platform/platform.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'

const vendor = () => platform({ dialect: 'vendor' })

function patch(admin: PlatformClient, name: string, attributes: object) {
  return admin.patch(`admin/${name}-settings`, { data: { attributes } })
}

async function read(admin: PlatformClient, name: string) {
  return (await admin.get(`admin/${name}-settings`)).body.data.attributes
}

/** All attributes that each resource returns in the vendor's dialect, with their defaults. */
const defaults: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  general: {
    'allow-speculative-plans-on-pull-requests-from-forks': false,
    'api-rate-limit': 30,
    'api-rate-limiting-enabled': true,
    'default-remote-state-access': true,
    'limit-user-organization-creation': true,
    'send-passing-statuses-for-untriggered-speculative-plans': false,
    'plan-timeout': '2h',
    'apply-timeout': '24h',
    'terraform-build-worker-plan-timeout': '2h',
    'terraform-build-worker-apply-timeout': '24h',
    'require-two-factor-for-admins': false,
    'fair-run-queuing-enabled': false,
    'limit-organizations-per-user': false,
    'default-organizations-per-user-ceiling': null,
    'limit-workspaces-per-organization': false,
    'default-workspaces-per-organization-ceiling': null,
  },
  'cost-estimation': {
    enabled: false,
    'aws-access-key-id': null,
    'aws-secret-key': null,
    'gcp-credentials': null,
    'azure-client-id': null,
    'azure-client-secret': null,
    'azure-subscription-id': null,
    'azure-tenant-id': null,
    'aws-enabled': false,
    'aws-instance-profile-enabled': false,
    'gcp-enabled': false,
    'azure-enabled': false,
  },
  saml: {
    enabled: false,
    debug: false,
    'old-idp-cert': null,
    'idp-cert': null,
    'slo-endpoint-url': null,
    'sso-endpoint-url': null,
    'attr-username': 'Username',
    'attr-groups': 'MemberOf',
    'attr-site-admin': 'SiteAdmin',
    'site-admin-role': 'site-admins',
    'sso-api-token-session-timeout': 1_209_600,
    certificate: null,
    'authn-requests-signed': false,
    'want-assertions-signed': false,
    'team-management-enabled': false,
    'signature-signing-method': 'SHA256',
    'signature-digest-method': 'SHA256',
    'provider-type': 'unknown',
    'acs-consumer-url': 'http://localhost:80/users/saml/auth',
    'metadata-url': 'http://localhost:80/users/saml/metadata',
  },
  smtp: {
    enabled: false,
    host: null,
    port: null,
    sender: null,
    auth: 'none',
    username: null,
    'client-id': null,
  },
  twilio: { enabled: false, 'account-sid': null, 'from-number': null },
  customization: {
    'support-email-address': 'support@hashicorp.com',
    'login-help': '',
    footer: '',
    error: '',
    'new-user': '',
  },
}

describe('behaviour/platform#vendor-names: vendor names of settings', () => {
  test.each(Object.keys(defaults))('%s: id, type and attributes', async (name) => {
    const { admin } = await vendor()
    const reply = await admin.get(`admin/${name}-settings`)
    const data = { id: name, type: `${name}-settings`, attributes: defaults[name] }
    expect([reply.status, reply.body]).toEqual([200, { data }])
  })

  test("SMS settings have the vendor's name at the specification's path as well", async () => {
    const { admin } = await vendor()
    const reply = await admin.get('admin/sms-settings')
    expect(reply.body.data).toMatchObject({ id: 'twilio', type: 'twilio-settings' })
    for (const type of ['twilio-settings', 'sms-settings', '']) {
      const changed = await admin.patch('admin/twilio-settings', { data: { type, attributes: {} } })
      expect(changed.status).toBe(200)
    }
    const wrong = await admin.patch('admin/twilio-settings', {
      data: { type: 'x', attributes: {} },
    })
    expect([wrong.status, wrong.body]).toEqual([422, failure(422, 'type must be twilio-settings')])
  })

  test.each(['neutral', 'vendor'] as const)('both spellings are accepted: %s', async (dialect) => {
    const { admin, world } = await platform({ dialect })
    await patch(admin, 'cost-estimation', { 'aws-secret-key': 'a', 'cloud2-credentials': 'b' })
    expect(storedSettings(world, 'cost-estimation')).toEqual({
      'cloud1-secret-key': 'a',
      'cloud2-credentials': 'b',
    })
    const expectedValue = await read(admin, 'cost-estimation')
    const names =
      dialect === 'vendor'
        ? ['aws-secret-key', 'gcp-credentials']
        : ['cloud1-secret-key', 'cloud2-credentials']
    expect(names.map((name) => expectedValue[name])).toEqual(['a', 'b'])
  })

  test("violations use the vendor's attribute names", async () => {
    const { admin } = await vendor()
    const reply = await patch(admin, 'cost-estimation', { 'cloud1-access-key-id': 5 })
    expect([reply.status, reply.body]).toEqual([
      422,
      invalid(['aws-access-key-id', 'Aws access key id must be a string']),
    ])
  })

  test('a stored support address is never translated', async () => {
    const { admin } = await vendor()
    await patch(admin, 'customization', { 'support-email-address': 'support@example.com' })
    expect(await read(admin, 'customization')).toMatchObject({
      'support-email-address': 'support@example.com',
    })
  })
})

describe('behaviour/platform#vendor-settings: vendor extras', () => {
  const wrong = {
    boolean: ['x', 'must be true or false'],
    number: ['x', 'is not a number'],
    string: [5, 'must be a string'],
  } as const

  // choice/platform#saml-signing-while-disabled
  test.each([
    ['general', 'plan-timeout', '1h'],
    ['general', 'apply-timeout', '30m'],
    ['general', 'require-two-factor-for-admins', true],
    ['general', 'fair-run-queuing-enabled', true],
    ['general', 'limit-organizations-per-user', true],
    ['general', 'default-organizations-per-user-ceiling', 5],
    ['general', 'limit-workspaces-per-organization', true],
    ['general', 'default-workspaces-per-organization-ceiling', 8],
    ['cost-estimation', 'aws-enabled', true],
    ['cost-estimation', 'aws-instance-profile-enabled', true],
    ['cost-estimation', 'gcp-enabled', true],
    ['cost-estimation', 'azure-enabled', true],
    ['saml', 'certificate', 'testCert'],
    ['saml', 'authn-requests-signed', true],
    ['saml', 'want-assertions-signed', true],
    ['saml', 'team-management-enabled', true],
    ['saml', 'signature-signing-method', 'SHA1'],
    ['saml', 'signature-digest-method', 'SHA1'],
    ['saml', 'provider-type', 'okta'],
    ['smtp', 'client-id', 'id'],
  ] as const)('%s %s', async (name, attribute, value) => {
    const { admin } = await vendor()
    const [bad, message] = wrong[typeof value as keyof typeof wrong]
    const refused = await patch(admin, name, { [attribute]: bad })
    const attributeInSentence =
      attribute.charAt(0).toUpperCase() + attribute.slice(1).replaceAll('-', ' ')
    expect([refused.status, refused.body]).toEqual([
      422,
      invalid([attribute, `${attributeInSentence} ${message}`]),
    ])
    const changed = await patch(admin, name, { [attribute]: value })
    expect([changed.status, changed.body.data.attributes]).toMatchObject([
      200,
      { [attribute]: value },
    ])
    expect((await read(admin, name))[attribute]).toEqual(value)
  })

  // choice/platform#general-timeout-twins
  test('behaviour/platform#coercion, 6: the deprecated aliases of the timeouts have the same values; null counts as missing, "" as the default', async () => {
    const { admin } = await vendor()
    const pairs = ['plan', 'apply'] as const
    for (const timeoutKind of pairs) {
      const name = `${timeoutKind}-timeout`
      const aliasName = `terraform-build-worker-${timeoutKind}-timeout`
      for (const [input, value] of [
        [{ [name]: '1h' }, '1h'],
        [{ [aliasName]: '3h' }, '3h'],
        [{ [aliasName]: '4h', [name]: '5h' }, '5h'],
        [{ [name]: null }, '5h'],
        [{ [aliasName]: null, [name]: null }, '5h'],
        [{ [aliasName]: '6h', [name]: null }, '6h'],
        [{ [name]: '' }, timeoutKind === 'plan' ? '2h' : '24h'],
        [{ [name]: '7h' }, '7h'],
        [{ [aliasName]: '' }, timeoutKind === 'plan' ? '2h' : '24h'],
        [{ [name]: 'a while' }, 'a while'],
      ] as const) {
        const reply = await patch(admin, 'general', input)
        expect(reply.body.data.attributes).toMatchObject({ [name]: value, [aliasName]: value })
      }
    }
    expect(Object.keys(await read(admin, 'general'))).toHaveLength(16)
  })

  test('conflicting aliases, for both timeouts at once: the newer names win', async () => {
    const { admin } = await vendor()
    const reply = await patch(admin, 'general', {
      'plan-timeout': '1h',
      'terraform-build-worker-plan-timeout': '2h',
      'apply-timeout': '3h',
      'terraform-build-worker-apply-timeout': '4h',
    })
    expect(reply.body.data.attributes).toMatchObject({
      'plan-timeout': '1h',
      'terraform-build-worker-plan-timeout': '1h',
      'apply-timeout': '3h',
      'terraform-build-worker-apply-timeout': '3h',
    })
  })

  test.each([
    ['signature-signing-method', 'SHA1234', 'Signature signing method'],
    ['signature-digest-method', 'SHA1234', 'Signature digest method'],
    ['provider-type', 'nobody', 'Provider type'],
  ])(
    'saml %s must be in a list, whether enabled or not',
    async (attribute, value, attributeInSentence) => {
      const { admin } = await vendor()
      const unlisted = [attribute, `${attributeInSentence} is not included in the list`] as const
      const wrongValue = await patch(admin, 'saml', { [attribute]: value })
      expect([wrongValue.status, wrongValue.body]).toEqual([422, invalid(unlisted)])
      const blank = await patch(admin, 'saml', { [attribute]: '' })
      expect([blank.status, blank.body]).toEqual([
        422,
        invalid([attribute, `${attributeInSentence} can't be blank`], unlisted),
      ])
      expect(await read(admin, 'saml')).toEqual(defaults['saml'])
    },
  )

  test.each(['okta', 'entra', 'saml', 'unknown'])('saml provider-type %s', async (provider) => {
    const { admin } = await vendor()
    await patch(admin, 'saml', { 'provider-type': provider })
    expect((await read(admin, 'saml'))['provider-type']).toBe(provider)
  })

  test('saml: signing requires a certificate and a private key, which is never returned', async () => {
    const { admin } = await vendor()
    const full = {
      enabled: true,
      'idp-cert': 'c',
      'slo-endpoint-url': 'https://idp.example.com/slo',
      'sso-endpoint-url': 'https://idp.example.com/sso',
    }
    const certificate = ['certificate', "Certificate can't be blank"] as const
    const key = ['private-key', "Private key can't be blank"] as const
    for (const name of ['authn-requests-signed', 'want-assertions-signed']) {
      const neither = await patch(admin, 'saml', { ...full, [name]: true })
      expect([neither.status, neither.body]).toEqual([422, invalid(certificate, key)])
      const noKey = await patch(admin, 'saml', { ...full, [name]: true, certificate: 'c' })
      expect([noKey.status, noKey.body]).toEqual([422, invalid(key)])
      const noCert = await patch(admin, 'saml', { ...full, [name]: true, 'private-key': 'k' })
      expect([noCert.status, noCert.body]).toEqual([422, invalid(certificate)])
    }
    const input = { ...full, 'authn-requests-signed': true, certificate: 'c', 'private-key': 'k' }
    const reply = await patch(admin, 'saml', input)
    const { 'private-key': hidden, ...expectedValue } = input
    expect([reply.status, reply.body.data.attributes]).toEqual([
      200,
      { ...defaults['saml'], ...expectedValue },
    ])
    expect(hidden in (await read(admin, 'saml'))).toBe(false)
    expect((await patch(admin, 'saml', { 'want-assertions-signed': true })).status).toBe(200)
  })

  // choice/platform#general-ceilings
  test('limits on organizations and workspaces are stored but have no effect', async () => {
    const { admin } = await vendor()
    const limits = {
      'limit-organizations-per-user': true,
      'default-organizations-per-user-ceiling': 0,
      'limit-workspaces-per-organization': true,
      'default-workspaces-per-organization-ceiling': 0,
    }
    expect((await patch(admin, 'general', limits)).body.data.attributes).toMatchObject(limits)
    const attributes = { name: 'acme', email: 'a@example.com' }
    expect((await admin.post('organizations', { data: { attributes } })).status).toBe(201)
    const workspace = { data: { attributes: { name: 'net' } } }
    expect((await admin.post('organizations/acme/workspaces', workspace)).status).toBe(201)
  })

  // choice/platform#cost-estimation-flags
  test('cost estimation: the enabled flag of a cloud does not replace its credentials', async () => {
    const { admin } = await vendor()
    const reply = await patch(admin, 'cost-estimation', { enabled: true, 'aws-enabled': true })
    expect([reply.status, reply.body]).toEqual([
      422,
      invalid(['enabled', 'Enabled requires at least one complete set of credentials']),
    ])
  })

  // choice/platform#smtp-xoauth2
  test('smtp xoauth2 requires client id and secret, which is never returned', async () => {
    const { admin, world } = await vendor()
    const full = { enabled: true, host: 'm', port: 25, sender: 's@example.com', auth: 'xoauth2' }
    const id = ['client-id', "Client id can't be blank"] as const
    const secret = ['client-secret', "Client secret can't be blank"] as const
    const neither = await patch(admin, 'smtp', full)
    expect([neither.status, neither.body]).toEqual([422, invalid(id, secret)])
    const noSecret = await patch(admin, 'smtp', { ...full, 'client-id': 'i' })
    expect([noSecret.status, noSecret.body]).toEqual([422, invalid(secret)])
    const noId = await patch(admin, 'smtp', { ...full, 'client-secret': 's' })
    expect([noId.status, noId.body]).toEqual([422, invalid(id)])
    const both = { 'client-id': 'i', 'client-secret': 's', 'test-email-address': 'a@example.com' }
    const reply = await patch(admin, 'smtp', { ...full, ...both })
    expect([reply.status, reply.body.data.attributes]).toEqual([
      200,
      { ...full, username: null, 'client-id': 'i' },
    ])
    expect(outboxMessages(world)).toHaveLength(1)
  })
})
