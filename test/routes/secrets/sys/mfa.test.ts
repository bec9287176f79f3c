import { describe, expect, test } from 'vitest'
import { codeAt } from '../../../../state/secrets/totp/codes.ts'
import { type SecretsClient, servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'

const open = { token: null }
const key = 'JBSWY3DPEHPK3PXP'
const unknownId = '00000000-0000-4000-8000-000000000000'

const fixtures = {
  logins: { userpass: { type: 'userpass', users: { ann: { password: 'pw' } } } },
  identity: { entities: { ann: { aliases: { 'auth/userpass/': 'ann' } } } },
  mfa: {
    methods: {
      phone: { type: 'totp', issuer: 'acme', period: '30s', secrets: { ann: key } },
      push: { type: 'okta', org_name: 'acme', api_token: 't' },
    },
    // Lists and durations may be texts, as in all fixtures.
    enforcements: { all: { mfa_method_ids: 'phone', auth_method_accessors: 'userpass' } },
  },
} as const

/** Starts a server whose user ann needs a second factor. */
async function server(dialect: 'neutral' | 'vendor') {
  const served = await servedSecrets({ dialect, document: { secrets: fixtures } })
  const { secrets, clock } = served
  const code = (offset = 0) =>
    codeAt({ key, algorithm: 'SHA1', digits: 6, period: 30 }, clock.now(), offset)
  const login = (headers: Readonly<Record<string, string>> = {}) =>
    secrets.post('auth/userpass/login/ann', { password: 'pw' }, { ...open, headers })
  const begin = async () => (await login()).body.auth.mfa_requirement.mfa_request_id as string
  const validate = (mfa_request_id: string, mfa_payload: object) =>
    secrets.post('sys/mfa/validate', { mfa_request_id, mfa_payload }, open)
  const methodId = await idOf(secrets, 'phone')
  return { ...served, code, login, begin, validate, methodId, header: headerOf(dialect) }
}

const headerOf = (dialect: string) => (dialect === 'vendor' ? 'x-vault-mfa' : 'x-secrets-mfa')

/** Returns the id of a method. */
async function idOf(secrets: SecretsClient, name: string): Promise<string> {
  const { data } = (await secrets.list('identity/mfa/method')).body
  return data.keys.find((id: string) => data.key_info[id].name === name)
}

describe.each(['neutral', 'vendor'] as const)('behaviour/secrets#mfa, %s', (dialect) => {
  const raisedStatus = dialect === 'vendor' ? 500 : 400

  test('merging moves secrets of second factors; two for one method need force', async () => {
    const { secrets, code, begin, validate, methodId } = await server(dialect)
    const ann = (await secrets.get('identity/entity/name/ann')).body.data.id
    const newEntity = async () => (await secrets.post('identity/entity', {})).body.data.id as string
    const merge = (from: string, to: string, force = false) =>
      secrets.post('identity/entity/merge', { from_entity_ids: [from], to_entity_id: to, force })
    const [second, third] = [await newEntity(), await newEntity()]
    const generation = { method_id: methodId, entity_id: second }
    await secrets.post('identity/mfa/method/totp/admin-generate', generation)
    expect(statusAndBody(await merge(ann, second))).toEqual(
      multierrorReply(
        raisedStatus,
        `conflicting MFA config ID "${methodId}" in entity ID "${ann}"`,
      ),
    )
    expect(statusAndBody(await merge(ann, second, true))).toEqual(noContent)
    expect(statusAndBody(await merge(second, third))).toEqual(noContent)
    const { status, body } = await validate(await begin(), { phone: [code()] })
    expect([status, body.auth.entity_id]).toEqual([200, third])
  })

  test('a login waits for its second factor, which counts once', async () => {
    const { secrets, clock, code, login, begin, validate, methodId } = await server(dialect)
    const { body } = await login()
    expect(body.warnings).toEqual([
      'A login request was issued that is subject to MFA validation. Please make sure to validate the login by sending another request to mfa/validate endpoint.',
    ])
    const id = body.auth.mfa_requirement.mfa_request_id
    const method = { type: 'totp', id: methodId, uses_passcode: true, name: 'phone' }
    expect(body.auth).toEqual({
      client_token: '',
      accessor: '',
      policies: null,
      metadata: null,
      lease_duration: 0,
      renewable: false,
      entity_id: '',
      token_type: 'default',
      orphan: false,
      mfa_requirement: { mfa_request_id: id, mfa_constraints: { all: { any: [method] } } },
      num_uses: 0,
    })
    const head = 'failed to satisfy enforcement all. error: '
    const failed = `\t* login MFA validation failed for methodID: [${methodId}]\n\n`
    const refused = (first: string) =>
      error(403, `${head}2 errors occurred:\n\t* ${first}\n${failed}`)
    expect(statusAndBody(await validate(id, { other: ['1'] }))).toEqual(
      error(
        403,
        `${head}failed to sanitize MFA creds, 1 error occurred:\n\t* failed to find MFA credentials associated with an MFA method ID ${methodId}, method name phone\n\n`,
      ),
    )
    expect(statusAndBody(await validate(id, { phone: ['000000'] }))).toEqual(
      refused('failed to validate TOTP passcode'),
    )
    expect(statusAndBody(await validate(id, { [methodId]: [] }))).toEqual(
      refused('MFA credentials not supplied'),
    )
    expect(statusAndBody(await validate(id, { phone: null }))).toEqual(
      error(403, `${head}1 error occurred:\n${failed}`),
    )
    expect(statusAndBody(await validate(id, { phone: code() }))).toEqual(
      error(400, 'invalid mfa payload'),
    )
    const finished = await validate(id, { phone: [`passcode=${code()}`] })
    expect(finished.body.auth).toMatchObject({
      metadata: { username: 'ann' },
      mfa_requirement: null,
    })
    const token = finished.body.auth.client_token
    expect((await secrets.get('auth/token/lookup-self', { token })).status).toBe(200)
    const unknown = error(400, 'invalid request ID')
    expect(statusAndBody(await validate(id, { phone: [code()] }))).toEqual(unknown)
    const second = await begin()
    expect(statusAndBody(await validate(second, { phone: [code()] }))).toEqual(
      refused('code already used; new code is available in 30 seconds'),
    )
    expect((await validate(second, { phone: [code(1)] })).status).toBe(200)
    const third = await begin()
    clock.advance(300_000)
    expect(statusAndBody(await validate(third, { phone: [code()] }))).toEqual(unknown)
    expect(statusAndBody(await validate('', {}))).toEqual(error(400, 'missing request ID'))
  })

  test('wrong codes are limited, until the period is over', async () => {
    const { clock, begin, code, validate } = await server(dialect)
    const id = await begin()
    for (let attempt = 0; attempt < 5; attempt += 1) await validate(id, { phone: ['1'] })
    const { body } = await validate(id, { phone: [code()] })
    expect(body.errors[0]).toContain(
      'maximum TOTP validation attempts 6 exceeded the allowed attempts 5. Please try again in 30s seconds',
    )
    clock.advance(30_000)
    expect((await validate(id, { phone: [code()] })).status).toBe(200)
  })

  test('a login in one step has the code in a header', async () => {
    const { secrets, code, login, methodId, header } = await server(dialect)
    const denied = error(403, 'permission denied')
    expect(statusAndBody(await login({ [header]: `none:${code()}` }))).toEqual(denied)
    expect(statusAndBody(await login({ [header]: 'phone:000000' }))).toEqual(denied)
    expect(statusAndBody(await login({ [header]: 'phone' }))).toEqual(denied)
    const finished = await login({ [header]: `other:1, ${methodId}:${code()}` })
    expect(finished.body.auth.token_policies).toEqual(['default'])
    expect(finished.body.warnings).toBeNull()
    const name = dialect === 'vendor' ? 'X-Vault-MFA' : 'X-Secrets-MFA'
    const fault = `failed to parse ${name} header: invalid data in header "${name}"; missing method`
    const headers = (value: string) => ({ headers: { [header]: value } })
    expect(statusAndBody(await secrets.get('secret/data/a', headers(':1')))).toEqual(
      error(400, `${fault} name or ID`),
    )
    expect(statusAndBody(await secrets.get('secret/data/a', headers('a:')))).toEqual(
      error(400, `${fault} value`),
    )
    await secrets.delete('identity/mfa/login-enforcement/all')
    expect((await login({ [header]: 'phone:1' })).body.warnings).toEqual([
      'Found MFA header but failed to find MFA Enforcement Config',
    ])
  })

  test('methods of TOTP are checked, replaced by name and deleted once they are unused', async () => {
    const { secrets, methodId } = await server(dialect)
    const at = 'identity/mfa/method/totp'
    const cases = [
      [{}, 'issuer must be set'],
      [{ issuer: 'a', period: 0 }, 'period must be greater than zero'],
      [{ issuer: 'a', digits: 7 }, 'digits can only be 6 or 8'],
      [{ issuer: 'a', algorithm: 'MD5' }, 'unrecognized algorithm'],
      [{ issuer: 'a', skew: 2 }, 'skew must be 0 or 1'],
      [{ issuer: 'a', key_size: 0 }, 'key_size must be greater than zero'],
      [
        { issuer: 'a', max_validation_attempts: -1 },
        'max_validation_attempts must be greater than zero',
      ],
    ] as const
    for (const [body, text] of cases) {
      expect(statusAndBody(await secrets.post(at, body))).toEqual(error(400, text))
    }
    const again = await secrets.post(at, { method_name: 'phone', issuer: 'b', digits: 8 })
    expect(again.body.data).toEqual({ method_id: methodId })
    expect((await secrets.get(`${at}/${methodId}`)).body.data).toEqual({
      algorithm: 'SHA1',
      digits: 8,
      id: methodId,
      issuer: 'b',
      key_size: 20,
      max_validation_attempts: 5,
      name: 'phone',
      namespace_id: 'root',
      namespace_path: '',
      period: 30,
      qr_size: 200,
      skew: 1,
      type: 'totp',
    })
    expect(statusAndBody(await secrets.post(`${at}/${methodId}`, { issuer: 'c' }))).toEqual(
      noContent,
    )
    expect(statusAndBody(await secrets.post(`${at}/${unknownId}`, { issuer: 'c' }))).toEqual(
      noContent,
    )
    expect(statusAndBody(await secrets.get(`${at}/${unknownId}`))).toEqual(error(404))
    expect(
      statusAndBody(await secrets.post(`${at}/${methodId}`, { issuer: 'c', method_name: 'push' })),
    ).toEqual(
      multierrorReply(
        raisedStatus,
        'a login MFA method configuration with the method name push already exists',
      ),
    )
    const { data } = (await secrets.get('identity/mfa/login-enforcement/all')).body
    expect(statusAndBody(await secrets.delete(`${at}/${methodId}`))).toEqual(
      multierrorReply(
        raisedStatus,
        `methodID is still used by an enforcement configuration with ID: ${data.id}`,
      ),
    )
    expect((await secrets.get(`identity/mfa/method/okta/${methodId}`)).body.errors).toEqual([
      'failed to find the method ID under MFA type okta.',
    ])
    await secrets.delete('identity/mfa/login-enforcement/all')
    expect(statusAndBody(await secrets.list('identity/mfa/login-enforcement'))).toEqual(error(404))
    expect(statusAndBody(await secrets.delete(`${at}/${methodId}`))).toEqual(noContent)
    expect(statusAndBody(await secrets.list(at))).toEqual(error(404))
    expect((await secrets.get('identity/mfa/method/none')).status).toBe(404)
  })

  test('secrets are generated for entities, and destroyed', async () => {
    const { secrets, methodId } = await server(dialect)
    const at = 'identity/mfa/method/totp'
    const entity = (await secrets.get('identity/entity/name/ann')).body.data.id
    const target = { method_id: methodId, entity_id: entity }
    expect((await secrets.post(`${at}/admin-generate`, target)).body).toMatchObject({
      data: null,
      warnings: ['Entity already has a secret for MFA method "phone"'],
    })
    expect(statusAndBody(await secrets.post(`${at}/admin-destroy`, target))).toEqual(noContent)
    const { url, barcode } = (await secrets.post(`${at}/admin-generate`, target)).body.data
    expect(new URL(url).searchParams.get('issuer')).toBe('acme')
    expect(decodeURIComponent(new URL(url).pathname)).toBe(`/acme:${entity}`)
    expect(Buffer.from(barcode, 'base64').subarray(1, 4).toString()).toBe('PNG')
    const cases = [
      ['generate', { method_id: methodId }, 'missing entityID'],
      ['admin-generate', {}, 'missing method ID'],
      ['admin-generate', { method_id: methodId }, 'missing entityID'],
      ['admin-generate', { ...target, entity_id: 'x' }, 'invalid entity ID'],
      [
        'admin-generate',
        { ...target, method_id: 'x' },
        'configuration for method ID "x" does not exist',
      ],
      ['admin-destroy', { method_id: methodId }, 'missing entity ID'],
      ['admin-destroy', { ...target, entity_id: 'x' }, 'invalid entity ID'],
    ] as const
    for (const [action, body, text] of cases) {
      expect(statusAndBody(await secrets.post(`${at}/${action}`, body))).toEqual(error(400, text))
    }
  })

  test('enforcements name methods and logins that exist', async () => {
    const { secrets, methodId } = await server(dialect)
    const at = 'identity/mfa/login-enforcement/e'
    const mfa_method_ids = [methodId]
    const cases = [
      [{}, 'missing method ids'],
      [{ mfa_method_ids: [unknownId] }, "one of the provided method ids doesn't exist"],
      [
        { mfa_method_ids },
        'One of auth_method_accessors, auth_method_types, identity_group_ids, identity_entity_ids must be specified',
      ],
      [
        { mfa_method_ids, auth_method_accessors: ['x'] },
        'one of the auth method accessors provided is invalid',
      ],
      [
        { mfa_method_ids, auth_method_types: ['ldap'] },
        'one of the auth method types provided is invalid',
      ],
      [
        { mfa_method_ids, identity_group_ids: ['x'] },
        "one of the provided group ids doesn't exist",
      ],
      [
        { mfa_method_ids, identity_entity_ids: ['x'] },
        "one of the provided entity ids doesn't exist",
      ],
    ] as const
    for (const [body, text] of cases) {
      expect(statusAndBody(await secrets.post(at, body))).toEqual(error(400, text))
    }
    const accepted = { mfa_method_ids, auth_method_types: ['userpass'] }
    expect(statusAndBody(await secrets.post(at, accepted))).toEqual(noContent)
    expect((await secrets.get(at)).body.data).toEqual({
      auth_method_accessors: [],
      auth_method_types: ['userpass'],
      id: expect.any(String),
      identity_entity_ids: [],
      identity_group_ids: [],
      mfa_method_ids,
      name: 'e',
      namespace_id: 'root',
      namespace_path: '',
    })
    const { data } = (await secrets.list('identity/mfa/login-enforcement')).body
    expect(data.keys.sort()).toEqual(['all', 'e'])
    expect(statusAndBody(await secrets.delete(at))).toEqual(noContent)
    expect(statusAndBody(await secrets.delete(at))).toEqual(noContent)
  })

  // choice/secrets#mfa-providers
  test('methods of providers are stored, and never satisfied', async () => {
    const { secrets, begin, validate } = await server(dialect)
    const at = 'identity/mfa/method'
    const cases = [
      ['duo', {}, 'secret_key is empty'],
      ['okta', {}, 'org_name must be set'],
      ['okta', { org_name: 'a' }, 'api_token must be set'],
      ['pingid', {}, 'settings_file_base64 is empty'],
      ['pingid', { settings_file_base64: 'eA==' }, /not in key=value format: "x"/],
      ['pingid', { settings_file_base64: 'eD0x' }, /unknown key "x"/],
      ['pingid', { settings_file_base64: '!' }, /illegal base64 data at input byte 0/],
    ] as const
    for (const [type, body, text] of cases) {
      const { status, body: reply } = await secrets.post(`${at}/${type}`, body)
      expect([status, reply.errors]).toEqual([400, [expect.stringMatching(text)]])
    }
    const duo = { secret_key: 's', integration_key: 'i', api_hostname: 'h', method_name: 'd' }
    const { method_id } = (await secrets.post(`${at}/duo`, duo)).body.data
    expect(statusAndBody(await secrets.get(`${at}/${method_id}`))).toEqual(
      ok({
        data: {
          api_hostname: 'h',
          id: method_id,
          mount_accessor: '',
          name: 'd',
          namespace_id: 'root',
          namespace_path: '',
          pushinfo: '',
          type: 'duo',
          use_passcode: false,
          username_format: '',
        },
      }),
    )
    const ping = Buffer.from('# ping\nuse_signature=true\ntoken=t\norg_alias=o\n').toString(
      'base64',
    )
    const made = (await secrets.post(`${at}/pingid`, { settings_file_base64: ping })).body.data
    expect((await secrets.get(`${at}/pingid/${made.method_id}`)).body.data).toMatchObject({
      use_signature: true,
      org_alias: 'o',
    })
    const okta = await idOf(secrets, 'push')
    expect((await secrets.get(`${at}/okta/${okta}`)).body.data.base_url).toBe('okta.com')
    await secrets.post('identity/mfa/login-enforcement/all', {
      mfa_method_ids: [okta],
      auth_method_types: ['userpass'],
    })
    expect(statusAndBody(await validate(await begin(), { push: [] }))).toEqual(
      error(403, 'failed to satisfy enforcement all. error: okta is not supported here'),
    )
  })
})
