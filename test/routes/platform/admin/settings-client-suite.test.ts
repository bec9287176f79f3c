import { describe, expect, test } from 'vitest'
import { platform, testsOfModule } from '../../../support/platform/platform.ts'

/** Options that the vendor dialect sets (behaviour/platform#vendor-switches). */
const switches = {
  strictContentType: true,
  autoCreateTestRunOnUpload: false,
  cancelQueued: true,
  adminUnauthorized: true,
  storeHcl: true,
} as const

async function client() {
  const { admin } = await platform({ dialect: 'vendor', options: switches })
  const get = async (name: string) => (await admin.get(`admin/${name}-settings`)).body.data
  /** Sends a change with an empty type, as the reference client does. */
  const change = async (name: string, attributes: object) => {
    const reply = await admin.patch(`admin/${name}-settings`, { data: { type: '', attributes } })
    return { status: reply.status, ...reply.body.data?.attributes }
  }
  return { admin, get, change }
}

describe('behaviour/platform#client-suites: the reference client’s suite, settings', () => {
  test.each(['general', 'cost-estimation', 'saml', 'smtp', 'twilio', 'customization'])(
    'reading %s returns the expected id',
    async (name) => {
      const { get } = await client()
      expect(await get(name)).toMatchObject({ id: name, type: `${name}-settings` })
    },
  )

  test('general: changed, echoed, restored', async () => {
    const { get, change } = await client()
    const before = (await get('general')).attributes
    const changes = {
      'limit-user-organization-creation': false,
      'api-rate-limiting-enabled': false,
      'api-rate-limit': 50,
      'default-remote-state-access': false,
      'apply-timeout': '2h',
      'plan-timeout': '30m',
    }
    expect(await change('general', changes)).toMatchObject({ status: 200, ...changes })
    const names = Object.keys(changes)
    const old = Object.fromEntries(names.map((name) => [name, before[name]]))
    expect(await change('general', old)).toEqual({ status: 200, ...before })
  })

  test('cost estimation can be enabled and disabled', async () => {
    const { change } = await client()
    expect(await change('cost-estimation', { enabled: false })).toMatchObject({
      status: 200,
      enabled: false,
    })
  })

  test('customization: five texts with markup', async () => {
    const { get, change } = await client()
    const values = {
      'support-email-address': 'test@example.com',
      'login-help': '<div>Login Help</div>',
      footer: '<p>Custom Footer Content</p>',
      error: '<em>Custom Error Instructions</em>',
      'new-user': '<a href="https://example.com">New user? Click me</a>',
    }
    expect(await change('customization', values)).toEqual({ status: 200, ...values })
    expect((await get('customization')).attributes).toEqual(values)
  })

  test('SAML, in order', async () => {
    const { admin, get, change } = await client()
    const off = await change('saml', { enabled: false, debug: false })
    expect(off).toMatchObject({ status: 200, enabled: false, debug: false })
    expect(off['private-key']).toBeUndefined()

    const signed = {
      certificate: 'testCert',
      'private-key': 'testPrivateKey',
      'idp-cert': 'testCert',
      'slo-endpoint-url': 'https://example.com/slo',
      'sso-endpoint-url': 'https://example.com/sso',
      'signature-signing-method': 'SHA1',
      'signature-digest-method': 'SHA1',
    }
    const { 'private-key': hidden, ...echoed } = signed
    const changed = await change('saml', signed)
    expect(changed).toMatchObject({ status: 200, ...echoed })
    expect(Object.values(changed)).not.toContain(hidden)

    const team = { ...signed, enabled: true, 'team-management-enabled': true }
    expect(await change('saml', team)).toMatchObject({
      status: 200,
      enabled: true,
      'team-management-enabled': true,
    })
    for (const name of ['signature-signing-method', 'signature-digest-method']) {
      expect((await change('saml', { [name]: 'SHA1234' })).status).toBe(422)
      expect((await get('saml')).attributes[name]).toBe('SHA1')
    }

    const rotated = await change('saml', { 'idp-cert': 'testCert2' })
    expect(rotated).toMatchObject({ 'idp-cert': 'testCert2', 'old-idp-cert': 'testCert' })
    const revoked = await admin.post('admin/saml-settings/actions/revoke-old-certificate')
    expect(revoked.body.data).toMatchObject({ id: 'saml', attributes: { 'old-idp-cert': null } })

    for (const provider of ['okta', 'entra', 'saml', 'unknown']) {
      await change('saml', { 'provider-type': provider })
      expect((await get('saml')).attributes['provider-type']).toBe(provider)
    }
  })

  test('disabled SMTP settings accept a test address without sending a mail', async () => {
    const { change } = await client()
    expect(await change('smtp', { enabled: false, auth: 'none' })).toMatchObject({ status: 200 })
    const input = {
      enabled: false,
      host: '123',
      port: 123,
      'test-email-address': 'test@example.com',
    }
    expect(await change('smtp', input)).toMatchObject({ status: 200, host: '123', port: 123 })
  })

  test('disabled SMS settings are accepted without other members', async () => {
    const { change } = await client()
    expect(await change('twilio', { enabled: false })).toMatchObject({
      status: 200,
      enabled: false,
    })
  })
})

describe('behaviour/platform#client-suites: the reference client’s suite, variables', () => {
  const vars = `${testsOfModule}/vars`
  const long = 'tortor aliquam nulla go lint is fussy about spelling cras'.repeat(10)

  async function variables() {
    const { admin } = await client()
    const create = (attributes: object) => admin.post(vars, { data: { type: 'vars', attributes } })
    const change = async (id: string, attributes?: object) => {
      const data = { type: 'vars', id, ...(attributes === undefined ? {} : { attributes }) }
      return (await admin.patch(`${vars}/${id}`, { data })).body.data.attributes
    }
    return { admin, create, change }
  }

  test('a variable is created with the given attributes', async () => {
    const { create } = await variables()
    const defaults = { key: 'k1', value: 'v', category: 'env', description: 'd' }
    const made = await create(defaults)
    expect([made.status, made.body.data.attributes]).toMatchObject([201, defaults])
    expect(made.body.data.id).toMatch(/^var-/)
    const blank = await create({ key: 'k2', value: '', description: '', category: 'env' })
    expect(blank.body.data.attributes).toMatchObject({ value: '', description: '' })
    const none = await create({ key: 'k3', category: 'env' })
    expect(none.body.data.attributes.value).toBe('')
    expect((await create({ key: 'k4', category: 'env', description: long })).status).toBe(422)
    expect((await create({ value: 'v', category: 'env' })).status).toBe(422)
    expect((await create({ key: 'k5', value: 'v' })).status).toBe(422)
  })

  test('list, read, change, delete', async () => {
    const { admin, create, change } = await variables()
    const first = (await create({ key: 'k1', value: 'v', category: 'env' })).body.data
    await create({ key: 'k2', value: 'v', category: 'env' })
    const list = await admin.get(vars)
    expect(list.body.meta.pagination).toMatchObject({ 'current-page': 1, 'total-count': 2 })
    expect(list.body.data[0]).toEqual(first)
    const pastLastPage = await admin.get(vars, {
      query: { 'page[number]': '999', 'page[size]': '100' },
    })
    expect([pastLastPage.body.data, pastLastPage.body.meta.pagination]).toMatchObject([
      [],
      { 'current-page': 999, 'total-count': 2 },
    ])
    expect((await admin.get(`${vars}/${first.id}`)).body.data).toEqual(first)
    expect((await admin.get(`${vars}/nonexisting`)).status).toBe(404)

    const touched = await change(first.id)
    expect({ ...touched, 'version-id': first.attributes['version-id'] }).toEqual(first.attributes)
    expect(touched['version-id']).not.toBe(first.attributes['version-id'])
    const input = { key: 'newname', value: 'newvalue', hcl: true }
    expect(await change(first.id, input)).toMatchObject(input)
    expect(await change(first.id, { sensitive: true })).toMatchObject({
      sensitive: true,
      value: null,
    })

    expect((await admin.delete(`${vars}/${first.id}`)).status).toBe(204)
    expect((await admin.delete(`${vars}/${first.id}`)).status).toBe(404)
  })
})
