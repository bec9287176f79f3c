import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { meshApi } from '../../../routes/mesh/index.ts'
import { secretsApi } from '../../../routes/secrets/index.ts'
import { buildApp } from '../../../src/server/app.ts'
import { Worlds } from '../../../state/kernel/worlds/worlds.ts'
import { meshService } from '../../../state/mesh/service.ts'
import { secretsService } from '../../../state/secrets/service.ts'
import { MeshClient, mesh } from '../../support/mesh/mesh.ts'

const unknownPath = 'Invalid URL path: not a recognized HTTP API endpoint\n'
const textType = 'text/plain; charset=utf-8'

describe('HTTP conventions (behaviour/mesh#conventions)', () => {
  test('success is compact JSON; ?pretty with any value indents it by 4 and ends the line', async () => {
    const { mesh: client } = await mesh()
    const compact = await client.get('namespace/default')
    expect(compact.headers['content-type']).toBe('application/json')
    expect(compact.text).toBe(
      '{"Name":"default","Description":"Builtin Default Namespace","CreateIndex":6,"ModifyIndex":6}',
    )
    const indented = `{
    "Name": "default",
    "Description": "Builtin Default Namespace",
    "CreateIndex": 6,
    "ModifyIndex": 6
}
`
    for (const query of ['pretty', 'pretty=', 'pretty=false']) {
      expect((await client.get(`namespace/default?${query}`)).text).toBe(indented)
    }
  })

  test.for([
    ['/v1//kv/x', '/v1/kv/x'],
    ['/v1/kv//a?raw&ns=x', '/v1/kv/a?raw&ns=x'],
    ['/v1/kv/a//', '/v1/kv/a/'],
    ['/v1/kv', '/v1/kv/'],
    ['/v1/kv?recurse', '/v1/kv/?recurse'],
    ['/v1/acl/policy/name', '/v1/acl/policy/name/'],
    ['/_world/default/v1//kv/x', '/_world/default/v1/kv/x'],
  ] as const)('%s is redirected to %s for any method (301)', async ([path, location]) => {
    const { mesh: client } = await mesh()
    const link = `<a href="${location.replace('&', '&amp;')}">Moved Permanently</a>.\n\n`
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const { status, headers, text } = await client.request(method, path)
      expect([status, headers.location]).toEqual([301, location])
      expect(headers['x-mesh-default-acl-policy']).toBeUndefined()
      expect([headers['content-type'], text]).toEqual(
        method === 'GET' ? ['text/html; charset=utf-8', link] : [undefined, ''],
      )
    }
  })

  test('dot segments of the raw path are cleaned; encoded ones are part of a key', async () => {
    const { app, mesh: client } = await mesh()
    await app.listen({ port: 0, host: '127.0.0.1' })
    const [address] = app.addresses()
    const port = typeof address === 'object' ? address.port : 0
    const head = (path: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(port, '127.0.0.1')
        let text = ''
        socket.on('error', reject)
        socket.on('data', (data) => {
          text += String(data)
        })
        socket.on('close', () => resolve(text))
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      })
    for (const [path, location] of [
      ['/v1/kv/a/../b', '/v1/kv/b'],
      ['/v1/./kv/a', '/v1/kv/a'],
      ['//v1/kv/a', '/v1/kv/a'],
      ['/x/../v1/kv/a/.', '/v1/kv/a'],
    ]) {
      const text = await head(path ?? '')
      expect(text).toMatch(/^HTTP\/1.1 301 /)
      expect(text).toContain(`\r\nlocation: ${location}\r\n`)
    }
    await client.put('kv/a%2F%2Fb', 'v')
    expect((await client.get('kv/a%2F%2Fb')).body[0].Key).toBe('a//b')
    await client.put('kv/a/', 'v')
    expect((await client.get('kv/a/')).body[0].Key).toBe('a/')
    expect((await client.get('acl/policies/')).text).toBe(unknownPath)
    await app.close()
  })

  test('the root of the API names its prefix', async () => {
    const { mesh: client } = await mesh()
    const root = await client.get('/v1')
    expect([root.status, root.text]).toEqual([
      404,
      "Invalid URL path: if attempting to use the HTTP API, ensure the path starts with '/v1/'\n",
    ])
    expect((await client.get('/v1/')).text).toBe(unknownPath)
    expect((await client.get('/other')).text).toBe(root.text)
    for (const path of ['/v1', '/v1/', '/v1/other', '/other', '/', '/ui', '/ui/']) {
      const { headers } = await client.get(path)
      expect(headers['x-mesh-default-acl-policy'], path).toBeUndefined()
    }
  })

  test.for([
    ['/', '/ui/'],
    ['/ui', '/ui/'],
    ['/_world/default/', '/_world/default/ui/'],
  ] as const)('%s leads to the page at %s', async ([path, location]) => {
    const { mesh: client } = await mesh()
    const { status, headers, text } = await client.get(path)
    expect([status, headers.location, headers['content-type'], text]).toEqual([
      301,
      location,
      'text/html; charset=utf-8',
      `<a href="${location}">Moved Permanently</a>.\n\n`,
    ])
    const page = await client.get(location)
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  })

  test.for([
    'kv/a%00b',
    'kv/a%0A',
    'kv/a%7F',
    'kv/a%C2%A0b',
    'kv/a%C2%85b',
    'kv/a%E2%80%8Bb',
    'kv/a%E2%80%A8b',
    'catalog/node/a%09',
    'acl/policy/name/%01',
    'nowhere/%01',
    '/%01',
    '/_world/default/v1/kv/%01',
  ])(
    'the unprintable path %s is refused for any method, without body and headers',
    async (path) => {
      const { mesh: client } = await mesh()
      for (const method of ['GET', 'PUT', 'DELETE'] as const) {
        const { status, headers, text } = await client.request(method, path)
        expect([status, text, headers['content-type']]).toEqual([400, '', undefined])
        expect(headers['x-mesh-default-acl-policy']).toBeUndefined()
      }
    },
  )

  test.for(['kv/%zz', 'kv/a%2', 'kv/%'])(
    'the malformed path %s closes the connection',
    async (path) => {
      const { mesh: client } = await mesh()
      const { status, text, headers } = await client.get(path)
      expect([status, text, headers['content-type'], headers['connection']]).toEqual([
        400,
        '400 Bad Request',
        textType,
        'close',
      ])
      expect(headers['x-mesh-default-acl-policy']).toBeUndefined()
    },
  )

  test.for(['kv/a%20b', 'kv/%C3%A4%E2%82%AC'])('the path %s is printable', async (path) => {
    const { mesh: client } = await mesh()
    const stored = await client.put(path, 'v')
    expect([stored.status, stored.text]).toEqual([200, 'true'])
    expect((await client.get(`${path}?keys&separator=%01`)).status).toBe(200)
  })

  // choice/mesh#path-bytes
  test('bytes of a path that are not UTF-8 are part of the name', async () => {
    const { mesh: client } = await mesh()
    expect((await client.put('kv/x%FFy', 'v')).text).toBe('true')
    expect((await client.get('kv/x%ffy')).body[0]).toMatchObject({ Key: 'x\uFFFDy', Value: 'dg==' })
    expect((await client.get('kv/x%EF%BF%BDy?raw')).text).toBe('v')
    expect((await client.get('kv/x?keys')).body).toEqual(['x\uFFFDy'])
    expect((await client.get('kv/xy')).status).toBe(404)
    expect((await client.get('kv/%C3%A4%FF?keys')).status).toBe(404)
    expect((await client.request('DELETE', 'kv/x%FFy')).text).toBe('true')
    expect((await client.get('kv/x%FFy')).status).toBe(404)
  })

  test.for(['kv/a', 'acl/policy', 'session/create'])(
    'OPTIONS %s: 200 as plain text without content',
    async (path) => {
      const { mesh: client } = await mesh()
      const { status, text, headers } = await client.request('OPTIONS', path)
      expect([status, text, headers['content-type']]).toEqual([200, '', textType])
    },
  )

  test.each(['LIST', 'HELP'])('%s is a verb of another API: 405', async (verb) => {
    const { mesh: client } = await mesh()
    const reply = await client.request(verb, 'namespace/default')
    expect([reply.status, reply.text]).toEqual([405, `method ${verb} not allowed`])
  })

  test('errors are the bare message as plain text', async () => {
    const { mesh: client } = await mesh()
    const reply = await client.get('namespace/a_b?pretty')
    expect(reply.status).toBe(400)
    expect(reply.headers['content-type']).toBe(textType)
    expect(reply.text).toBe('Namespace name "a_b" is not a valid DNS hostname label')
  })

  test('errors of the HTTP layer are 400, errors of the server behind it 500', async () => {
    const { mesh: client } = await mesh()
    const layer = await client.put('namespace', '{')
    expect([layer.status, layer.text]).toEqual([400, 'Request decoding failed: unexpected EOF'])
    const server = await client.put('namespace', { Name: 'system' })
    expect([server.status, server.text]).toEqual([
      500,
      'Namespace "system" is reserved for future internal use',
    ])
  })

  test('ACL failures are 403', async () => {
    const { mesh: client, as } = await mesh({
      options: { aclEnabled: true, defaultPolicy: 'deny' },
    })
    const unknown = await as('nobody').get('namespaces')
    expect([unknown.status, unknown.text]).toEqual([403, 'ACL not found'])
    const anonymous = await client.put('namespace', { Name: 'team-1' })
    expect([anonymous.status, anonymous.text]).toEqual([
      403,
      "Permission denied: anonymous token lacks permission 'operator:write'. The anonymous token is used implicitly when a request does not specify a token.",
    ])
  })

  test.for([
    ['POST', 'namespace', 'OPTIONS,PUT'],
    ['GET', 'namespace', 'OPTIONS,PUT'],
    ['DELETE', 'namespace', 'OPTIONS,PUT'],
    ['POST', 'namespace/team-1', 'OPTIONS,GET,PUT,DELETE'],
    ['PATCH', 'namespace/team-1', 'OPTIONS,GET,PUT,DELETE'],
    ['PUT', 'namespaces', 'OPTIONS,GET'],
    ['DELETE', 'namespaces', 'OPTIONS,GET'],
    ['POST', 'kv/a', 'OPTIONS,GET,PUT,DELETE'],
  ] as const)('%s /v1/%s is 405 and names the methods: %s', async ([method, path, allow]) => {
    const { mesh: client } = await mesh()
    const reply = await client.request(method, path, '{"Name":"team-1"}')
    expect(reply.status).toBe(405)
    expect(reply.text).toBe(`method ${method} not allowed`)
    expect(reply.headers['content-type']).toBe(textType)
    expect(reply.headers['allow']).toBe(allow)
    const options = await client.request('OPTIONS', path)
    expect([options.status, options.text, options.headers['allow']]).toEqual([200, '', allow])
    expect((await client.get('namespaces')).body).toHaveLength(1)
  })

  test('HEAD is a wrong method like any other', async () => {
    const { mesh: client } = await mesh()
    const reply = await client.request('HEAD', 'namespaces')
    expect([reply.status, reply.headers['allow']]).toEqual([405, 'OPTIONS,GET'])
  })

  test.for(['nothing', 'namespaces/', 'namespaces/x', 'namespac', ''])(
    'the unknown path /v1/%s is 404',
    async (path) => {
      const { mesh: client } = await mesh()
      const reply = await client.get(path)
      expect([reply.status, reply.text]).toEqual([404, unknownPath])
      expect(reply.headers['content-type']).toBe(textType)
    },
  )

  test.for([
    ['GET', '/v1/namespaces', 200],
    ['GET', '/v1/namespace/absent', 404],
    ['GET', '/v1/namespace/a_b', 400],
    ['PUT', '/v1/namespace', 400],
    ['POST', '/v1/namespace', 405],
    ['OPTIONS', '/v1/namespace', 200],
    ['DELETE', '/v1/namespace/default', 500],
  ] as const)('%s %s (%i) shows the default policy', async ([method, path, status]) => {
    for (const defaultPolicy of ['allow', 'deny'] as const) {
      const { mesh: client } = await mesh({ options: { defaultPolicy } })
      const reply = await client.request(method, path)
      expect(reply.status).toBe(status)
      expect(reply.headers['x-mesh-default-acl-policy']).toBe(defaultPolicy)
    }
  })

  test('a body beyond 32 MB is refused as plain text', async () => {
    const { mesh: client } = await mesh()
    const reply = await client.put('namespace', Buffer.alloc(32 * 1024 * 1024 + 1))
    expect(reply.status).toBe(413)
    expect(reply.headers['content-type']).toBe(textType)
    expect(reply.headers['x-mesh-default-acl-policy']).toBe('allow')
  })

  test('member names of bodies are case-insensitive and have aliases', async () => {
    const { mesh: client } = await mesh()
    const reply = await client.put(
      'namespace',
      '{"NAME":"team-1","description":"d","acls":{"policy_defaults":[],"Role_Defaults":[]},"meta":{"Key":"v"}}',
    )
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        Name: 'team-1',
        Description: 'd',
        ACLs: { PolicyDefaults: [], RoleDefaults: [] },
        Meta: { Key: 'v' },
        CreateIndex: 7,
        ModifyIndex: 7,
      },
    ])
  })

  test('members of responses are accepted and ignored in requests', async () => {
    const { mesh: client } = await mesh()
    const reply = await client.put('namespace', {
      Name: 'team-1',
      CreateIndex: 'x',
      modifyindex: 99,
      DeletedAt: '2019-12-02T23:00:00Z',
    })
    expect(reply.body).toEqual({ Name: 'team-1', CreateIndex: 7, ModifyIndex: 7 })
  })

  // choice/mesh#body-content-type
  test('the content type of a body does not matter', async () => {
    const { mesh: client } = await mesh()
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'nonsense', '']) {
      const headers = { 'content-type': type }
      const reply = await client.put('namespace', '{"Name":"team-1"}', { headers })
      expect(reply.status).toBe(200)
    }
  })

  // choice/mesh#broken-json-texts
  test.for([
    ['{"Name":"x","Owner":"y"}', 'json: unknown field "Owner"'],
    ['{"Name":"x","ACLs":{"Policies":[]}}', 'json: unknown field "Policies"'],
    ['{"Name":"x","ACLs":{"PolicyDefaults":[{"Id":"a","X":1}]}}', 'json: unknown field "X"'],
    [
      '{"Name":5}',
      'json: cannot unmarshal number into Go struct field Namespace.Name of type string',
    ],
    [
      '{"Name":["a"]}',
      'json: cannot unmarshal array into Go struct field Namespace.Name of type string',
    ],
    [
      '{"Name":"x","Description":true}',
      'json: cannot unmarshal bool into Go struct field Namespace.Description of type string',
    ],
    [
      '{"Name":"x","Meta":{"a":1}}',
      'json: cannot unmarshal number into Go struct field Namespace.Meta of type string',
    ],
    [
      '{"Name":"x","Meta":"a"}',
      'json: cannot unmarshal string into Go struct field Namespace.Meta of type map[string]string',
    ],
    [
      '{"Name":"x","ACLs":[]}',
      'json: cannot unmarshal array into Go struct field Namespace.ACLs of type NamespaceACLConfig',
    ],
    [
      '{"Name":"x","ACLs":{"RoleDefaults":{}}}',
      'json: cannot unmarshal object into Go struct field NamespaceACLConfig.ACLs.RoleDefaults of type []ACLLink',
    ],
    [
      '{"Name":"x","ACLs":{"RoleDefaults":["a"]}}',
      'json: cannot unmarshal string into Go struct field NamespaceACLConfig.ACLs.RoleDefaults of type ACLLink',
    ],
    ['[]', 'json: cannot unmarshal array into Go value of type Namespace'],
    ['"team-1"', 'json: cannot unmarshal string into Go value of type Namespace'],
    ['', 'EOF'],
    [' \n', 'EOF'],
    ['{"Name":"x"', 'unexpected EOF'],
    ['nonsense', "invalid character 'o' in literal null (expecting 'u')"],
    ['<x>', "invalid character '<' looking for beginning of value"],
    ['{"Name":tr', 'unexpected EOF'],
  ] as const)('the body %s is refused: %s', async ([body, message]) => {
    const { mesh: client } = await mesh()
    for (const path of ['namespace', 'namespace/x']) {
      const reply = await client.put(path, body)
      expect([reply.status, reply.text]).toEqual([400, `Request decoding failed: ${message}`])
    }
    expect((await client.get('namespaces')).body).toHaveLength(1)
  })

  test('null members and null links count as omitted', async () => {
    const { mesh: client } = await mesh()
    const body = '{"Name":"x","Description":null,"ACLs":null,"Meta":null}'
    expect((await client.put('namespace', body)).body).toEqual({
      Name: 'x',
      CreateIndex: 7,
      ModifyIndex: 7,
    })
    const link = await client.put('namespace', '{"Name":"x","ACLs":{"PolicyDefaults":[null]}}')
    expect([link.status, link.text]).toEqual([500, 'No such ACL policy with name ""'])
  })

  test('?dc= may name only the local datacenter', async () => {
    const { mesh: client } = await mesh({ options: { datacenter: 'east' } })
    for (const path of ['namespaces', 'namespace/default']) {
      expect((await client.get(`${path}?dc=east`)).status).toBe(200)
      expect((await client.get(`${path}?dc=`)).status).toBe(200)
      const other = await client.get(`${path}?dc=dc1`)
      expect([other.status, other.text]).toEqual([500, 'No path to datacenter'])
    }
    const write = await client.put('namespace?dc=dc1', { Name: 'team-1' })
    expect([write.status, write.text]).toEqual([500, 'No path to datacenter'])
    expect((await client.put('namespace?dc=east', { Name: 'team-1' })).status).toBe(200)
  })

  // choice/mesh#order-of-common-checks
  test('order of checks: the partition first, the datacenter of writes to namespaces before the body, that of reads last', async () => {
    const { mesh: client } = await mesh()
    const textOf = async (method: string, path: string) =>
      (await client.request(method, path, method === 'PUT' ? '{' : undefined)).text
    const partition = 'Invalid query parameter: "partition" - Partitions are not enabled'
    const elsewhere = 'No path to datacenter'
    const query = 'dc=dc2&index=x'
    expect(await textOf('GET', `namespaces?${query}&partition=p`)).toBe(partition)
    expect(await textOf('PUT', `namespace?${query}&partition=p`)).toBe(partition)
    expect(await textOf('PUT', `namespace?${query}`)).toBe(elsewhere)
    expect(await textOf('GET', `namespaces?${query}`)).toBe('Invalid index')
    expect(await textOf('GET', 'namespaces?dc=dc2')).toBe(elsewhere)
  })

  test('each world has its own mesh (behaviour/program#worlds)', async () => {
    const { mesh: client, worlds } = await mesh()
    worlds.create({ id: 'other' })
    await client.put('/_world/other/v1/namespace', { Name: 'team-1' })
    expect((await client.get('namespace/team-1')).status).toBe(404)
    expect((await client.get('/_world/other/v1/namespace/team-1')).status).toBe(200)
    const none = await client.get('/_world/none/v1/namespaces')
    expect([none.status, none.text]).toEqual([404, 'there is no world "none"'])
  })
})

describe('edition and version (behaviour/scheduler#api-limits)', () => {
  // choice/mesh#editions-without-namespaces
  test.for([{ edition: 'community' }, { version: '1.6.10+ent' }, { version: '0.9.0' }] as const)(
    '%o has no namespaces',
    async (options) => {
      const { mesh: client } = await mesh({ options })
      for (const [method, path] of [
        ['GET', 'namespaces'],
        ['PUT', 'namespace'],
        ['GET', 'namespace/default'],
        ['DELETE', 'namespace/default'],
        ['OPTIONS', 'namespace'],
      ] as const) {
        const reply = await client.request(method, path)
        expect([reply.status, reply.text]).toEqual([404, unknownPath])
      }
      const query = await client.get('kv/a?ns=default')
      expect([query.status, query.text]).toEqual([
        400,
        'Invalid query parameter: "ns" - Namespaces are a Consul Enterprise feature',
      ])
      const header = await client.get('kv/a', { headers: { 'x-mesh-namespace': 'default' } })
      expect([header.status, header.text]).toEqual([
        400,
        'Invalid header: "X-Mesh-Namespace" - Namespaces are a Consul Enterprise feature',
      ])
      expect((await client.put('kv/a', 'value')).body).toBe(true)
    },
  )

  test.for(['1.7.0', '1.18.0+ent', '2.0.0-beta1'])('version %s has namespaces', async (version) => {
    const { mesh: client } = await mesh({ options: { version } })
    expect((await client.get('namespaces')).status).toBe(200)
  })
})

describe('the shared port (behaviour/program#http)', () => {
  test('serves the paths of namespaces; the rest of /v1 is the secrets API', async () => {
    const worlds = new Worlds({ services: [secretsService, meshService], seed: 'test' })
    const dialect = 'neutral'
    const apis = [secretsApi({ dialect }), meshApi({ dialect, isDedicated: false })]
    const app = buildApp({ worlds, apis, log: false })
    const client = new MeshClient(app)
    expect((await client.get('namespaces')).body).toHaveLength(1)
    expect((await client.put('namespace', { Name: 'team-1' })).status).toBe(200)
    expect((await client.get('namespace/team-1')).status).toBe(200)
    for (const [method, path] of [
      ['POST', 'namespace'],
      ['GET', 'namespace'],
      ['PATCH', 'namespace/team-1'],
      ['PUT', 'namespaces'],
    ] as const) {
      expect((await client.request(method, path)).text).toBe(`method ${method} not allowed`)
    }
    expect((await client.get('namespace/')).text).toBe('Missing namespace name')
    expect((await client.get('namespaces/x')).text).toBe(unknownPath)
    for (const path of ['kv/a', 'acl/tokens', 'nothing', 'namespacesx']) {
      const { status, body } = await client.get(path)
      expect([status, Object.keys(body)]).toEqual([403, ['errors']])
    }
    expect((await client.get('sys/health')).status).toBe(200)
    worlds.close()
    await app.close()
  })
})

describe('vendor names (behaviour/mesh#vendor-names)', () => {
  // choice/mesh#stale-last-contact
  test('responses have both spellings of every header', async () => {
    const { mesh: client } = await mesh({ dialect: 'vendor', options: { staleLastContact: 7 } })
    const { headers } = await client.get('namespaces?stale')
    for (const prefix of ['x-mesh-', 'x-consul-']) {
      const found = Object.entries(headers).filter(([name]) => name.startsWith(prefix))
      expect(Object.fromEntries(found)).toEqual({
        [`${prefix}index`]: '6',
        [`${prefix}knownleader`]: 'true',
        [`${prefix}lastcontact`]: '7',
        [`${prefix}effective-consistency`]: 'stale',
        [`${prefix}query-backend`]: 'blocking-query',
        [`${prefix}default-acl-policy`]: 'allow',
      })
    }
  })

  test('responses of the neutral dialect have only the neutral spelling', async () => {
    const { mesh: client } = await mesh()
    const { headers } = await client.get('namespaces')
    expect(Object.keys(headers).filter((name) => name.includes('consul'))).toEqual([])
  })

  test.for(['neutral', 'vendor'] as const)(
    'requests may use either spelling in dialect %s',
    async (dialect) => {
      const { mesh: client } = await mesh({
        dialect,
        options: { aclEnabled: true, defaultPolicy: 'deny' },
      })
      for (const spelling of ['x-mesh-', 'x-consul-']) {
        const headers = {
          [`${spelling}token`]: 'mesh-management-token',
          [`${spelling}namespace`]: 'absent',
        }
        const reply = await client.get('kv/a', { headers })
        expect([reply.status, reply.text]).toEqual([500, 'Namespace "absent" does not exist'])
      }
    },
  )

  test('namespaces show their partition in the vendor dialect, after DeletedAt', async () => {
    const { mesh: client } = await mesh({ dialect: 'vendor' })
    const created = await client.put('namespace', { Name: 'team-1' })
    expect(created.text).toBe(
      '{"Name":"team-1","Partition":"default","CreateIndex":7,"ModifyIndex":7}',
    )
    await client.delete('namespace/team-1')
    expect((await client.get('namespace/team-1')).text).toBe(
      '{"Name":"team-1","DeletedAt":"2026-01-01T00:00:00Z","Partition":"default","CreateIndex":7,"ModifyIndex":8}',
    )
    expect((await client.get('namespaces')).body[0]).toEqual({
      Name: 'default',
      Description: 'Builtin Default Namespace',
      Partition: 'default',
      CreateIndex: 6,
      ModifyIndex: 6,
    })
  })

  test('a refused header is named as in the dialect', async () => {
    for (const [dialect, name] of [
      ['neutral', 'X-Mesh-Namespace'],
      ['vendor', 'X-Consul-Namespace'],
    ] as const) {
      const { mesh: client } = await mesh({ dialect, options: { edition: 'community' } })
      const reply = await client.get('kv/a', { headers: { [name]: 'default' } })
      expect([reply.status, reply.text]).toEqual([
        400,
        `Invalid header: "${name}" - Namespaces are a Consul Enterprise feature`,
      ])
    }
  })

  test.each(['neutral', 'vendor'] as const)(
    'the community edition shows and knows neither namespaces nor partitions (behaviour/mesh#community, %s)',
    async (dialect) => {
      const { manager: client, as } = await mesh({
        dialect,
        options: { edition: 'community', aclEnabled: true, bootstrap: 'done' },
      })
      const policy = await client.put('acl/policy', { Name: 'p' })
      const role = await client.put('acl/role', { Name: 'r', Policies: [{ Name: 'p' }] })
      const token = await client.put('acl/token', { Roles: [{ Name: 'r' }] })
      const texts = [policy, role, token].map(({ text }) => text)
      for (const path of [
        'acl/policies',
        'acl/roles',
        'acl/tokens',
        'acl/token/self',
        `acl/token/${token.body.AccessorID}?expanded`,
      ]) {
        texts.push((await client.get(path)).text)
      }
      for (const text of texts) expect(text).not.toMatch(/"(?:Namespace|Partition)"/)
      expect((await client.get('agent/self')).body.Config.Version).toBe('1.18.0')
      for (const member of ['Namespace', 'Partition', 'namespace']) {
        const { status, text } = await client.put('acl/policy', { Name: 'q', [member]: 'default' })
        expect([status, text]).toEqual([
          400,
          `Policy decoding failed: json: unknown field "${member}"`,
        ])
      }
      const partition = await client.get('kv/a?partition=default')
      expect([partition.status, partition.text]).toEqual([
        400,
        'Invalid query parameter: "partition" - Partitions are a Consul Enterprise feature',
      ])
      const name = dialect === 'vendor' ? 'X-Consul-Partition' : 'X-Mesh-Partition'
      const header = await client.get('kv/a', { headers: { [name]: 'default' } })
      expect([header.status, header.text]).toEqual([
        400,
        `Invalid header: "${name}" - Partitions are a Consul Enterprise feature`,
      ])
      const id = '00000000-0000-4000-8000-000000000000'
      for (const [path, status, text] of [
        [`acl/policy/${id}`, 404, 'Requested policy does not exist: ACL not found'],
        ['acl/policy/name/x', 404, 'Requested policy does not exist: ACL not found'],
        [`acl/role/${id}`, 404, 'Requested role does not exist: ACL not found'],
        [`acl/token/${id}`, 403, 'token does not exist: ACL not found'],
      ] as const) {
        const reply = await client.get(path)
        expect([path, reply.status, reply.text]).toEqual([path, status, text])
      }
      expect((await as('nobody').get('kv/a')).status).toBe(403)
    },
  )

  test("the product's own name in the dialect is reserved", async () => {
    for (const [dialect, reserved, free] of [
      ['neutral', 'mesh', 'consul'],
      ['vendor', 'consul', 'mesh'],
    ] as const) {
      const { mesh: client } = await mesh({ dialect })
      const refused = await client.put('namespace', { Name: reserved })
      expect([refused.status, refused.text]).toEqual([
        500,
        `Namespace "${reserved}" is reserved for future internal use`,
      ])
      expect((await client.put('namespace', { Name: free })).status).toBe(200)
    }
  })
})
