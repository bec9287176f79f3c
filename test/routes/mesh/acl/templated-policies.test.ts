import { describe, expect, test } from 'vitest'
import { meshWithAcls } from '../../../support/mesh/mesh-acl.ts'

const service = { TemplateName: 'builtin/service', TemplateVariables: { Name: 'web' } }
const stored = {
  TemplateID: '00000000-0000-0000-0000-000000000003',
  TemplateName: 'builtin/service',
  TemplateVariables: { name: 'web' },
}

describe('behaviour/mesh#templated-policies', () => {
  test('tokens and roles keep templated policies, equal ones once; an update replaces all', async () => {
    const { manager } = await meshWithAcls()
    const TemplatedPolicies = [
      { ...service, TemplateID: 'x' },
      service,
      { TemplateName: 'builtin/dns' },
    ]
    const shown = [
      stored,
      { TemplateID: '00000000-0000-0000-0000-000000000005', TemplateName: 'builtin/dns' },
    ]
    const token = (await manager.put('acl/token', { TemplatedPolicies })).body
    expect(token.TemplatedPolicies).toEqual(shown)
    const path = `acl/token/${token.AccessorID}`
    expect((await manager.get(path)).body.TemplatedPolicies).toEqual(shown)
    const role = (await manager.put('acl/role', { Name: 'r', TemplatedPolicies })).body
    expect(role.TemplatedPolicies).toEqual(shown)
    expect((await manager.put(path, {})).body.TemplatedPolicies).toBeUndefined()
    expect((await manager.put(`acl/role/${role.ID}`, { Name: 'r' })).body.TemplatedPolicies).toBe(
      undefined,
    )
  })

  test('tokens and roles get the rules of the template, in its datacenters', async () => {
    const { manager, as } = await meshWithAcls()
    const keys = async (body: object) => {
      const { SecretID } = (await manager.put('acl/token', body)).body
      await manager.put('kv/a', 'v')
      return (await as(SecretID).get('kv/a')).status
    }
    const client = { TemplateName: 'builtin/nomad-client' }
    await manager.put('acl/role', { Name: 'r', TemplatedPolicies: [client] })
    expect(await keys({})).toBe(403)
    expect(await keys({ TemplatedPolicies: [client] })).toBe(200)
    expect(await keys({ Roles: [{ Name: 'r' }] })).toBe(200)
    expect(await keys({ TemplatedPolicies: [{ ...client, Datacenters: ['dc2'] }] })).toBe(403)
    expect(await keys({ TemplatedPolicies: [{ ...client, Datacenters: ['dc1'] }] })).toBe(200)
    const token = (await manager.put('acl/token', { TemplatedPolicies: [service] })).body
    const expanded = (await manager.get(`acl/token/${token.AccessorID}?expanded`)).body
    expect(expanded.ExpandedPolicies).toMatchObject([
      { Description: 'synthetic policy generated from templated policy: builtin/service' },
    ])
  })

  const invalid = (name: string, text: string) =>
    `validation error for templated policy "${name}": ${text}`
  const odd = "has an invalid name. Only lowercase alphanumeric characters, '-' and '_' are allowed"
  test.for([
    ['token', {}, 'templated policy is missing the template name field on this token'],
    ['token', { TemplateName: 'x' }, 'no such ACL templated policy with Name "x"'],
    [
      'role',
      { TemplateName: 'x' },
      'templated policy with an invalid templated name: x for this role',
    ],
    [
      'token',
      { TemplateName: 'builtin/service' },
      invalid(
        'builtin/service',
        '1 error occurred:\n\t* Invalid type. Expected: object, given: null\n\n',
      ),
    ],
    [
      'role',
      { TemplateName: 'builtin/api-gateway', TemplateVariables: {} },
      invalid('builtin/api-gateway', '1 error occurred:\n\t* name is required\n\n'),
    ],
    [
      'token',
      { TemplateName: 'builtin/service', TemplateVariables: { Name: 'A b' } },
      invalid('builtin/service', `service identity "A b" ${odd}`),
    ],
    [
      'role',
      { TemplateName: 'builtin/node', TemplateVariables: { Name: 'A b' } },
      invalid('builtin/node', `node identity "A b" ${odd}`),
    ],
  ] as const)('a %s with %j is refused: %s', async ([noun, templated, text]) => {
    const { manager } = await meshWithAcls()
    const body = { ...(noun === 'role' && { Name: 'r' }), TemplatedPolicies: [templated] }
    const reply = await manager.put(`acl/${noun}`, body)
    expect([reply.status, reply.text]).toEqual([500, text])
  })

  test('templates are listed, read and previewed', async () => {
    const { manager, mesh: anonymous } = await meshWithAcls()
    const { body } = await manager.get('acl/templated-policies')
    expect(Object.keys(body)).toEqual([
      'builtin/service',
      'builtin/node',
      'builtin/dns',
      'builtin/nomad-server',
      'builtin/api-gateway',
      'builtin/nomad-client',
    ])
    const path = 'acl/templated-policy/name'
    expect((await manager.get(`${path}/builtin/dns`)).body).toEqual(body['builtin/dns'])
    const unknown = await manager.get(`${path}/x`)
    expect([unknown.status, unknown.text]).toEqual([400, 'Invalid templated policy Name: x'])
    const preview = 'acl/templated-policy/preview'
    expect((await manager.post(`${preview}/builtin/api-gateway`, { Name: 'gw' })).body).toEqual({
      ID: expect.stringMatching(/^[0-9a-f]{64,}$/),
      Name: expect.stringMatching(/^synthetic-policy-[0-9a-f]{64,}$/),
      Description: 'synthetic policy generated from templated policy: builtin/api-gateway',
      Rules:
        'mesh = "read"\nnode_prefix "" {\n\tpolicy = "read"\n}\nservice_prefix "" {\n\tpolicy = "read"\n}\nservice "gw" {\n\tpolicy = "write"\n}',
      Hash: expect.any(String),
      CreateIndex: 0,
      ModifyIndex: 0,
    })
    for (const [name, sent, text] of [
      ['x', {}, 'templated policy "x" does not exist'],
      ['builtin/dns', '{', 'Failed to decode request body: unexpected EOF'],
      [
        'builtin/service',
        { Name: 'A b' },
        `validation error for templated policy: "builtin/service": service identity "A b" ${odd}`,
      ],
    ] as const) {
      const reply = await manager.post(`${preview}/${name}`, sent)
      expect([reply.status, reply.text]).toEqual([400, text])
    }
    for (const denied of ['acl/templated-policies', `${path}/builtin/dns`]) {
      expect((await anonymous.get(denied)).text).toContain("lacks permission 'acl:read'")
    }
  })
})
