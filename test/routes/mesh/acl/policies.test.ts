import { describe, expect, test } from 'vitest'
import { meshWithAcls } from '../../../support/mesh/mesh-acl.ts'

const builtinId = '00000000-0000-0000-0000-000000000001'
const readOnlyId = '00000000-0000-0000-0000-000000000002'
const unknownId = 'ffffffff-0000-4000-8000-000000000000'
const hash = expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/)
const builtinPlace = {
  Datacenters: null,
  Hash: hash,
  CreateIndex: 5,
  ModifyIndex: 5,
  Namespace: 'default',
}

describe('behaviour/mesh#acl-endpoints: policies', () => {
  test('create, read by ID and name, list without rules, replace, delete', async () => {
    const { manager, clock } = await meshWithAcls()
    const input = { Name: 'readers', Description: 'd', Rules: 'operator = "read"' }
    const created = await manager.put('acl/policy', input)
    const policy = {
      ID: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/),
      ...input,
      Hash: hash,
      CreateIndex: 7,
      ModifyIndex: 7,
      Namespace: 'default',
    }
    expect([created.status, created.body]).toEqual([200, policy])
    expect(Object.keys(created.body)).toEqual(Object.keys(policy))
    expect(created.headers['x-mesh-index']).toBe(undefined)
    const { ID } = created.body
    expect((await manager.get(`acl/policy/${ID}`)).body).toEqual(policy)
    const byName = await manager.get('acl/policy/name/readers')
    expect([byName.body, byName.headers['x-mesh-index']]).toEqual([policy, '7'])
    const { Rules: _rules, ...stub } = created.body
    const list = await manager.get('acl/policies')
    expect([list.status, list.body]).toEqual([
      200,
      [
        {
          ID: readOnlyId,
          Name: 'builtin/global-read-only',
          Description: 'A built-in policy that grants read-only access to all Mesh features',
          ...builtinPlace,
        },
        {
          ID: builtinId,
          Name: 'global-management',
          Description: 'A built-in policy that grants read and write access to all Mesh features',
          ...builtinPlace,
        },
        { ...stub, Datacenters: null },
      ],
    ])
    clock.advance(1000)
    const replaced = await manager.put(`acl/policy/${ID}`, { Name: 'writers', ID })
    expect([replaced.status, replaced.body]).toEqual([
      200,
      { ...created.body, Name: 'writers', Description: '', Rules: '', Hash: hash, ModifyIndex: 8 },
    ])
    expect(replaced.body.Hash).not.toBe(created.body.Hash)
    expect((await manager.get('acl/policy/name/readers')).status).toBe(404)
    const deleted = await manager.delete(`acl/policy/${ID}`)
    expect([deleted.status, deleted.body]).toEqual([200, true])
    expect((await manager.get(`acl/policy/${ID}`)).status).toBe(404)
  })

  test.each([
    [
      'PUT',
      'acl/policy',
      { ID: 'x', Name: 'a' },
      400,
      'Cannot specify the ID when creating a new policy',
    ],
    [
      'PUT',
      'acl/policy/a',
      { ID: 'b', Name: 'a' },
      400,
      'Policy ID in URL and payload do not match',
    ],
    ['GET', 'acl/policy/', undefined, 400, 'Missing policy ID'],
    ['DELETE', 'acl/policy/', undefined, 400, 'Missing policy ID'],
    ['GET', 'acl/policy/name/', undefined, 400, 'Missing policy Name'],
    ['PUT', 'acl/policy', '', 400, 'Policy decoding failed: EOF'],
    ['PUT', 'acl/policy/a', '{', 400, 'Policy decoding failed: unexpected EOF'],
    ['PUT', 'acl/policy', { Nam: 'a' }, 400, 'Policy decoding failed: json: unknown field "Nam"'],
    [
      'PUT',
      'acl/policy',
      { Name: 5 },
      400,
      'Policy decoding failed: json: cannot unmarshal number into Go struct field .Alias.Name of type string',
    ],
    ['PUT', 'acl/policy', {}, 500, 'Invalid Policy: no Name is set'],
    ['PUT', 'acl/policy', { Name: '' }, 500, 'Invalid Policy: no Name is set'],
    [
      'PUT',
      'acl/policy',
      { Name: 'a b' },
      500,
      "Invalid Policy: invalid Name. Only alphanumeric characters, a single '/', '-' and '_' are allowed",
    ],
    [
      'PUT',
      'acl/policy',
      { Name: 'a'.repeat(129) },
      500,
      'Invalid Policy: invalid Name. Length must be greater than 0 and less than 128',
    ],
    [
      'PUT',
      'acl/policy',
      { Name: 'global-management' },
      500,
      'Invalid Policy: A Policy with Name "global-management" already exists',
    ],
    [
      'PUT',
      'acl/policy',
      { Name: 'GLOBAL-management' },
      500,
      'Invalid Policy: A Policy with Name "GLOBAL-management" already exists',
    ],
    ['PUT', `acl/policy/${unknownId}`, { Name: 'a' }, 500, `cannot find policy ${unknownId}`],
    ['PUT', 'acl/policy/nonsense', { Name: 'a' }, 500, 'Policy ID invalid UUID'],
    ['PUT', 'acl/policy', { Name: 'a', Rules: 'acl = "x"' }, 500, 'Invalid acl policy: "x"'],
    [
      'PUT',
      'acl/policy',
      { Name: 'a', Rules: 'acl "x"' },
      500,
      "Failed to parse ACL rules: At 1:8: key 'acl \"x\"' expected start of object ('{') or assignment ('=')",
    ],
    [
      'PUT',
      `acl/policy/${builtinId}`,
      { Name: 'global-management', Rules: 'acl = "read"' },
      500,
      'Changing the Rules for the builtin global-management policy is not permitted',
    ],
    [
      'DELETE',
      `acl/policy/${builtinId}`,
      undefined,
      500,
      'Delete operation not permitted on the builtin global-management policy',
    ],
    [
      'GET',
      `acl/policy/${unknownId}`,
      undefined,
      404,
      'Requested policy not found in namespace default: ACL not found',
    ],
    [
      'GET',
      'acl/policy/name/nobody',
      undefined,
      404,
      'Requested policy not found in namespace default: ACL not found',
    ],
  ] as const)('%s %s with %o: %i %s', async (method, path, payload, status, text) => {
    const { manager, world } = await meshWithAcls()
    const index = world.store.index('mesh')
    const reply = await manager.request(method, path, payload)
    expect([reply.status, reply.text]).toEqual([status, text])
    expect(reply.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(world.store.index('mesh')).toBe(index)
  })

  // choice/mesh#mesh-acl-case-of-names
  test('a name may have 128 characters; a policy may change the case of its name, but not the name', async () => {
    const { manager, policy } = await meshWithAcls()
    const long = await manager.put('acl/policy', { Name: `${'a'.repeat(126)}-_` })
    expect(long.status).toBe(200)
    const ID = await policy('Mine', '')
    await policy('other', '')
    const same = await manager.put(`acl/policy/${ID}`, { Name: 'MINE' })
    expect([same.status, same.body.Name]).toEqual([200, 'MINE'])
    expect((await manager.get('acl/policy/name/mine')).body.ID).toBe(ID)
    const taken = await manager.put(`acl/policy/${ID}`, { Name: 'Other' })
    expect([taken.status, taken.text]).toEqual([
      500,
      'Invalid Policy: A policy with name "Other" already exists',
    ])
  })

  test('the builtin policy can be renamed, its rules and datacenters stay', async () => {
    const { manager } = await meshWithAcls()
    const { body } = await manager.get(`acl/policy/${builtinId}`)
    const renamed = await manager.put(`acl/policy/${builtinId}`, { ...body, Name: 'all' })
    expect([renamed.status, renamed.body.Name]).toEqual([200, 'all'])
    expect((await manager.get('acl/token/self')).body.Policies).toEqual([
      { ID: builtinId, Name: 'all' },
    ])
    const bound = await manager.put(`acl/policy/${builtinId}`, { ...body, Datacenters: ['dc1'] })
    expect([bound.status, bound.text]).toEqual([
      500,
      'Changing the Datacenters of the builtin global-management policy is not permitted',
    ])
  })

  test('deleting an unknown policy, or one of another namespace, is 404', async () => {
    const { manager, namespace, policy } = await meshWithAcls()
    const unknown = await manager.delete(`acl/policy/${unknownId}`)
    expect([unknown.status, unknown.text]).toEqual([404, 'Cannot find policy to delete'])
    await namespace('team')
    const ID = await policy('p', '', { query: { ns: 'team' } })
    const other = await manager.delete(`acl/policy/${ID}`)
    expect([other.status, other.text]).toEqual([404, 'Cannot find policy to delete'])
    expect((await manager.delete(`acl/policy/${ID}?ns=team`)).body).toBe(true)
  })

  test.for([
    ['write', builtinId, 'global-management'],
    ['read', readOnlyId, 'builtin/global-read-only'],
  ] as const)(
    'the builtin policy of %s has its rules, and some of its members never change',
    async ([access, id, name]) => {
      const { manager } = await meshWithAcls()
      const { body } = await manager.get(`acl/policy/${id}`)
      const block = (kind: string) => `${kind}_prefix "" {\n\tpolicy = "${access}"\n}\n`
      expect(body.Rules).toBe(
        `\nacl = "${access}"\n${block('agent')}${block('event')}${block('key')}keyring = "${access}"\n${block('node')}operator = "${access}"\nmesh = "${access}"\npeering = "${access}"\n${block('query')}service_prefix "" {\n\tpolicy = "${access}"\n\tintentions = "${access}"\n}\nsession_prefix "" {\n\tpolicy = "${access}"\n}`,
      )
      const textOf = async (path: string, input?: object) =>
        input === undefined
          ? (await manager.delete(path)).text
          : (await manager.put(path, input)).text
      expect(await textOf(`acl/policy/${id}`, { Name: 'other', Rules: '' })).toBe(
        `Changing the Rules for the builtin ${name} policy is not permitted`,
      )
      expect(await textOf(`acl/policy/${id}`)).toBe(
        `Delete operation not permitted on the builtin ${name} policy`,
      )
      const renamed = await manager.put(`acl/policy/${id}`, {
        ...body,
        Name: 'x',
        Description: 'y',
      })
      expect([renamed.status, renamed.body.Name, renamed.body.Description]).toEqual([200, 'x', 'y'])
    },
  )

  test('builtin policies name the vendor’s product in its dialect (behaviour/mesh#vendor-names)', async () => {
    const { manager } = await meshWithAcls({ dialect: 'vendor' })
    const { body } = await manager.get(`acl/policy/${readOnlyId}`)
    expect(body.Description).toBe(
      'A built-in policy that grants read-only access to all Consul features',
    )
  })

  test.for([
    ['a/b', 200],
    ['/a', 500, "Names cannot be prefixed with '/' or 'builtin/'"],
    ['builtin/a', 500, "Names cannot be prefixed with '/' or 'builtin/'"],
    ['a/b/c', 500, "Only alphanumeric characters, a single '/', '-' and '_' are allowed"],
  ] as const)('a policy named %s: %i', async ([Name, status, text]) => {
    const { manager } = await meshWithAcls()
    const reply = await manager.put('acl/policy', { Name })
    expect(reply.status).toBe(status)
    if (text !== undefined) expect(reply.text).toBe(`Invalid Policy: invalid Name. ${text}`)
    else {
      // The official client encodes names twice.
      for (const path of [Name, Name.replace('/', '%2F'), Name.replace('/', '%252F')]) {
        expect((await manager.get(`acl/policy/name/${path}`)).body.Name).toBe(Name)
      }
    }
  })

  test('a malformed ID is 500 for policies, roles, tokens and links', async () => {
    const { manager } = await meshWithAcls()
    const lookup = (kind: string) =>
      `failed acl ${kind} lookup: index error: UUID must be 36 characters`
    for (const [method, path, body, text] of [
      ['GET', 'acl/policy/x', undefined, lookup('policy')],
      ['DELETE', 'acl/policy/x', undefined, lookup('policy')],
      ['PUT', 'acl/policy/x', { Name: 'a' }, 'Policy ID invalid UUID'],
      ['GET', 'acl/role/x', undefined, lookup('role')],
      ['DELETE', 'acl/role/x', undefined, lookup('role')],
      ['PUT', 'acl/role/x', { Name: 'a' }, 'Role ID invalid UUID'],
      ['GET', 'acl/token/x', undefined, lookup('token')],
      ['GET', 'acl/token/a/b', undefined, lookup('token')],
      ['GET', 'acl/tokens?policy=x', undefined, lookup('token')],
      ['GET', 'acl/tokens?role=x', undefined, lookup('token')],
      ['DELETE', 'acl/token/x', undefined, 'Accessor ID is missing or an invalid UUID'],
      ['PUT', 'acl/token/x', {}, 'AccessorID is not a valid UUID'],
      [
        'PUT',
        'acl/token',
        { Policies: [{ ID: 'abc' }] },
        `Error looking up policy for ID: "abc": ${lookup('policy')}`,
      ],
    ] as const) {
      const reply = await manager.request(method, path, body)
      expect([path, reply.status, reply.text]).toEqual([path, 500, text])
      if (method !== 'GET') continue
      expect(reply.headers).toMatchObject({
        'x-mesh-index': '1',
        'x-mesh-knownleader': 'false',
        'x-mesh-lastcontact': '0',
        'x-mesh-query-backend': 'blocking-query',
      })
    }
  })

  test('reads of ACL objects: headers of found, absent and denied ones (behaviour/mesh#conventions and behaviour/mesh#reads)', async () => {
    const { manager, mesh } = await meshWithAcls()
    const found = await manager.get(`acl/policy/${builtinId}`)
    expect(found.headers['x-mesh-knownleader']).toBe('true')
    expect(found.headers['x-mesh-effective-consistency']).toBeUndefined()
    for (const path of [`acl/policy/${unknownId}`, 'acl/policy/name/x', `acl/role/${unknownId}`]) {
      const { status, headers } = await manager.get(path)
      expect(status).toBe(404)
      for (const name of ['index', 'knownleader', 'lastcontact', 'query-backend']) {
        expect(headers[`x-mesh-${name}`]).toBeUndefined()
      }
    }
    for (const path of ['acl/policies', `acl/token/${unknownId}`, 'acl/roles']) {
      const { status, headers } = await mesh.get(path)
      expect([status, headers['x-mesh-index'], headers['x-mesh-knownleader']]).toEqual([
        403,
        '1',
        'false',
      ])
    }
  })

  test('a fresh world has no auth methods and no binding rules (beyond)', async () => {
    const { manager } = await meshWithAcls()
    for (const path of ['acl/auth-methods', 'acl/binding-rules']) {
      expect((await manager.get(path)).text).toBe('[]')
    }
    expect((await manager.get('acl/replication')).text).toBe(
      '{"Enabled":false,"Running":false,"SourceDatacenter":"","ReplicationType":"","ReplicatedIndex":0,"ReplicatedRoleIndex":0,"ReplicatedTokenIndex":0,"LastSuccess":"0001-01-01T00:00:00Z","LastError":"0001-01-01T00:00:00Z","LastErrorMessage":""}',
    )
    const login = await manager.post('acl/login', { AuthMethod: 'k8s', BearerToken: 'x' })
    expect([login.status, login.text]).toEqual([403, 'ACL not found: auth method "k8s" not found'])
  })

  test('bodies are decoded up to the end of their first value, like in Go', async () => {
    const { manager } = await meshWithAcls()
    const read = await manager.put('acl/policy', '{} and more')
    expect([read.status, read.text]).toEqual([500, 'Invalid Policy: no Name is set'])
    const broken = await manager.put('acl/policy', '{"Name":"other"')
    expect([broken.status, broken.text]).toEqual([400, 'Policy decoding failed: unexpected EOF'])
  })

  test('updates check the name before the ID, for policies and roles', async () => {
    const { manager } = await meshWithAcls()
    for (const [path, text] of [
      ['acl/policy/x', 'Invalid Policy: no Name is set'],
      ['acl/role/x', 'Invalid Role: no Name is set'],
    ] as const) {
      const reply = await manager.put(path, {})
      expect([reply.status, reply.text]).toEqual([500, text])
    }
  })

  test('roles are filtered by the ID of a policy; replication accepts the parameters of reads', async () => {
    const { manager } = await meshWithAcls()
    const roles = await manager.get('acl/roles?policy=abc')
    expect([roles.status, roles.text]).toEqual([
      500,
      'failed acl role lookup: index error: UUID must be 36 characters',
    ])
    expect((await manager.get('acl/roles')).body).toEqual([])
    const replication = await manager.get('acl/replication?index=x')
    expect([replication.status, replication.text]).toEqual([400, 'Invalid index'])
  })

  test.each([
    ['{"Zed":3}', 'json: unknown field "Zed"'],
    ['', 'EOF'],
  ])('the login %s is refused: %s', async (body, problem) => {
    const { manager } = await meshWithAcls()
    const reply = await manager.post('acl/login', body)
    expect([reply.status, reply.text]).toEqual([400, `Failed to decode request body: ${problem}`])
  })

  test('datacenters are stored and restrict a policy', async () => {
    const { manager, as, token } = await meshWithAcls()
    const rules = { Rules: 'operator = "read"' }
    const inDatacenter = await manager.put('acl/policy', {
      Name: 'a',
      Datacenters: ['dc1'],
      ...rules,
    })
    expect(inDatacenter.body.Datacenters).toEqual(['dc1'])
    const inOtherDatacenter = await manager.put('acl/policy', {
      Name: 'b',
      Datacenters: ['dc2'],
      ...rules,
    })
    const readWith = async (ID: string) => {
      const { SecretID } = await token({ Policies: [{ ID }] })
      return (await as(SecretID).get('namespace/default')).status
    }
    expect([
      await readWith(inDatacenter.body.ID),
      await readWith(inOtherDatacenter.body.ID),
    ]).toEqual([200, 403])
  })

  test('member names of bodies are case-insensitive; members of responses are ignored', async () => {
    const { manager } = await meshWithAcls()
    const { status, body } = await manager.put('acl/policy', {
      NAME: 'a',
      rules: 'acl = "read"',
      Hash: 'x',
      CreateIndex: 99,
      ModifyIndex: 99,
      Partition: 'default',
    })
    expect([status, body.Name, body.Rules, body.CreateIndex]).toEqual([200, 'a', 'acl = "read"', 7])
  })

  test('a read of policies can block', async () => {
    const { manager, policy } = await meshWithAcls()
    const waiting = manager.get('acl/policies', { query: { index: '6' } })
    await policy('a', '')
    const { status, body, headers } = await waiting
    expect([status, body.length, headers['x-mesh-index']]).toEqual([200, 3, '7'])
  })

  test('wrong methods are 405 with the list of allowed methods', async () => {
    const { manager } = await meshWithAcls()
    for (const [method, path, allow] of [
      ['GET', 'acl/policy', 'OPTIONS,PUT'],
      ['POST', 'acl/policy/x', 'OPTIONS,GET,PUT,DELETE'],
      ['PUT', 'acl/policies', 'OPTIONS,GET'],
      ['PUT', 'acl/policy/name/x', 'OPTIONS,GET'],
      ['GET', 'acl/bootstrap', 'OPTIONS,PUT'],
      ['PUT', 'acl/token/self', 'OPTIONS,GET'],
      ['POST', 'acl/role', 'OPTIONS,PUT'],
    ] as const) {
      const reply = await manager.request(method, path)
      expect([path, reply.status, reply.text, reply.headers['allow']]).toEqual([
        path,
        405,
        `method ${method} not allowed`,
        allow,
      ])
    }
  })

  test('the vendor dialect names the partition', async () => {
    const { manager } = await meshWithAcls({ dialect: 'vendor' })
    const { body } = await manager.put('acl/policy', { Name: 'a' })
    expect(Object.keys(body).slice(-2)).toEqual(['Partition', 'Namespace'])
    expect(body.Partition).toBe('default')
    const reply = await manager.get('acl/tokens', { headers: { 'x-consul-namespace': 'default' } })
    expect(reply.body[0].Partition).toBe('default')
  })

  test('on the shared port there is no /v1/acl', async () => {
    const { manager } = await meshWithAcls({ dedicated: false })
    expect((await manager.get('acl/policies')).status).toBe(404)
  })
})
