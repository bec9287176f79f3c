import { describe, expect, test } from 'vitest'
import { platform, testsOfModule } from '../../../support/platform/platform.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'

const organization = 'organizations/example-org'
const teams = `${organization}/teams`
const vars = `${testsOfModule}/vars`

describe(`behaviour/platform#errors: error bodies`, () => {
  test('a 400 has a title and names the unknown user in its detail', async () => {
    const { platform: api } = await platform()
    const [team] = (await api.get(teams)).body.data
    const reply = await api.post(`teams/${team.id}/relationships/users`, {
      data: [{ type: 'users', id: 'nobody' }],
    })
    expect([reply.status, reply.body]).toEqual([
      400,
      { errors: [{ status: '400', title: 'bad request', detail: 'user nobody was not found' }] },
    ])
  })

  test('a 401 has a title and no detail', async () => {
    const { platform: api } = await platform()
    const reply = await api.get('account/details', { token: 'bad' })
    expect([reply.status, reply.body]).toEqual([
      401,
      { errors: [{ status: '401', title: 'unauthorized' }] },
    ])
  })

  test('E404: missing and hidden resources get the same reply, without a detail', async () => {
    const { platform: api, as } = await platform()
    const missing = await api.get('organizations/unknown')
    const hidden = await as('member-token').delete(organization)
    expect([missing.status, hidden.status]).toEqual([404, 404])
    for (const { text } of [missing, hidden]) {
      expect(text).toBe('{"errors":[{"status":"404","title":"not found"}]}')
    }
  })

  test('E422a: one object for each broken rule, with pointer', async () => {
    const { admin } = await platform()
    const reply = await admin.post('organizations', { data: { attributes: {} } })
    expect([reply.status, reply.body]).toEqual([
      422,
      {
        errors: [
          {
            status: '422',
            title: 'invalid attribute',
            detail: "Name can't be blank",
            source: { pointer: '/data/attributes/name' },
          },
          {
            status: '422',
            title: 'invalid attribute',
            detail: "Email can't be blank",
            source: { pointer: '/data/attributes/email' },
          },
        ],
      },
    ])
  })

  test('a missing enumeration attribute causes two error objects', async () => {
    const { platform: api } = await platform()
    const reply = await api.post(vars, { data: { type: 'vars', attributes: { key: 'a' } } })
    expect([reply.status, reply.body]).toEqual([
      422,
      invalid(
        ['category', "Category can't be blank"],
        ['category', 'Category is not included in the list'],
      ),
    ])
  })

  test.each([
    ['{', 'JSON body is invalid'],
    ['not json', 'JSON body is invalid'],
    ['', 'data is required'],
    [' ', 'data is required'],
    ['{}', 'data is required'],
    ['[]', 'data is required'],
    ['null', 'data is required'],
    ['5', 'data is required'],
    ['{"data":null}', 'data is required'],
    ['{"data":[]}', 'data is required'],
    ['{"data":"x"}', 'data is required'],
    ['{"__proto__":{"data":{}}}', 'data is required'],
    ['{"data":{"attributes":[]}}', 'attributes must be an object'],
    ['{"data":{"attributes":"x"}}', 'attributes must be an object'],
    ['{"data":{"attributes":null}}', 'attributes must be an object'],
    ['{"data":{"type":"users"}}', 'type must be organizations'],
    ['{"data":{"type":5}}', 'type must be organizations'],
  ])('E422d: the document %s', async (payload, detail) => {
    const { platform: api } = await platform()
    const reply = await api.patch(organization, payload)
    expect([reply.status, reply.body]).toEqual([422, failure(422, detail)])
  })

  test.each([
    '{"data":{}}',
    '{"data":{"type":""}}',
    '{"data":{"type":null}}',
    '{"data":{"type":"organizations","id":"other","attributes":{}}}',
    '{"data":{"attributes":{"unknown":1,"constructor":2,"__proto__":3}},"meta":4}',
  ])('tolerated: %s', async (payload) => {
    const { platform: api } = await platform()
    const before = (await api.get(organization)).body
    const reply = await api.patch(organization, payload)
    expect([reply.status, reply.body]).toEqual([200, before])
  })

  test('PATCH of a variable requires its type; a blank type counts as missing', async () => {
    const { platform: api } = await platform()
    const attributes = { key: 'a', category: 'env' }
    const { id } = (await api.post(vars, { data: { attributes } })).body.data
    for (const data of [{}, { type: '' }, { type: null }]) {
      const reply = await api.patch(`${vars}/${id}`, { data })
      expect([reply.status, reply.body]).toEqual([422, failure(422, 'type is required')])
    }
    expect((await api.patch(`${vars}/${id}`, { data: { type: 'vars' } })).status).toBe(200)
  })

  test('a PATCH of settings requires attributes', async () => {
    const { admin } = await platform()
    const reply = await admin.patch('admin/general-settings', { data: {} })
    expect([reply.status, reply.body]).toEqual([422, failure(422, 'attributes is required')])
  })

  test("errors of the framework have the API's structure", async () => {
    const { platform: api } = await platform()
    const large = `{"data":"${'x'.repeat(33 * 1024 * 1024)}"}`
    const reply = await api.patch(organization, large)
    expect([reply.status, reply.body.errors]).toMatchObject([
      413,
      [{ status: '413', title: 'payload too large' }],
    ])
    expect(reply.headers['content-type']).toBe('application/vnd.api+json; charset=utf-8')
  })
})

describe(`behaviour/platform#order-of-checks: unknown paths and methods`, () => {
  test.each(['/api/v2/%zz', '/api/v2/organizations/%FF', '/api/v2/organizations/100%'])(
    '%s cannot be decoded: 404 like any unknown path',
    async (path) => {
      const { platform: api } = await platform()
      const reply = await api.get(path)
      expect([reply.status, reply.body]).toEqual([404, failure(404)])
    },
  )

  test('the reply also has the version headers of the vendor dialect', async () => {
    const { platform: api } = await platform({ dialect: 'vendor' })
    const { headers } = await api.get('/api/v2/%zz')
    expect([headers['tfp-api-version'], headers['tfp-appname']]).toEqual([
      '2.6',
      'Terraform Enterprise',
    ])
  })

  test.each(['LIST', 'HELP'])('%s is not treated as GET: 404', async (verb) => {
    const { app } = await platform()
    for (const path of ['ping', organization]) {
      const reply = await app.inject({
        method: verb as 'GET',
        validate: false,
        url: `/api/v2/${path}`,
        headers: { authorization: 'Bearer owner-token' },
      })
      expect([path, reply.statusCode, reply.json()]).toEqual([path, 404, failure(404)])
    }
  })
})

describe(`behaviour/platform#coercion: coercion`, () => {
  test.each([
    ['name', 5, 'Name must be a string'],
    ['name', true, 'Name must be a string'],
    ['name', {}, 'Name must be a string'],
    ['cost-estimation-enabled', 'true', 'Cost estimation enabled must be true or false'],
    ['cost-estimation-enabled', 1, 'Cost estimation enabled must be true or false'],
    ['session-timeout', '5', 'Session timeout is not a number'],
    ['session-timeout', true, 'Session timeout is not a number'],
    ['session-timeout', 5.5, 'Session timeout must be an integer'],
  ])('JSON types must match: %s %j', async (name, value, detail) => {
    const { platform: api } = await platform()
    const reply = await api.patch(organization, { data: { attributes: { [name]: value } } })
    expect([reply.status, reply.body]).toEqual([422, invalid([name, detail])])
  })

  test('null counts as a blank text, and as missing for a boolean or integer', async () => {
    const { platform: api } = await platform()
    const before = (await api.get(organization)).body
    const nothing = { 'cost-estimation-enabled': null, 'session-timeout': null }
    const reply = await api.patch(organization, { data: { attributes: nothing } })
    expect([reply.status, reply.body]).toEqual([200, before])
    const blank = await api.patch(organization, { data: { attributes: { email: null } } })
    expect([blank.status, blank.body]).toEqual([422, invalid(['email', "Email can't be blank"])])
    const sso = await api.post(teams, { data: { attributes: { name: 'a', 'sso-team-id': null } } })
    expect(sso.body.data.attributes['sso-team-id']).toBeNull()
  })

  test('values of run variables may be numbers and booleans', async () => {
    const { platform: api } = await platform()
    const variables = [
      { key: 'a', value: 4 },
      { key: 'b', value: true },
      { key: 'c', value: 'x' },
    ]
    const reply = await api.post(`${testsOfModule}/test-runs`, {
      data: { attributes: { variables } },
    })
    expect([reply.status, reply.body.data.attributes.variables]).toEqual([
      201,
      [
        { key: 'a', value: '4' },
        { key: 'b', value: 'true' },
        { key: 'c', value: 'x' },
      ],
    ])
  })
})
