import { describe, expect, test } from 'vitest'
import { mesh } from '../../support/mesh/mesh.ts'
import { meshWithAcls } from '../../support/mesh/mesh-acl.ts'

const conflict = 'Cannot specify ?stale with ?consistent, conflicting semantics.'

describe('behaviour/mesh#reads: parameters of reads', () => {
  test.each(['status/leader', 'status/peers', 'operator/raft/configuration'])(
    '%s checks the parameters of reads before the datacenter, and has no index',
    async (path) => {
      const { mesh: client } = await mesh()
      const textOf = async (query: string) => (await client.get(`${path}?${query}`)).text
      expect(await textOf('stale&consistent&dc=dc2')).toBe(conflict)
      expect(await textOf('index=x')).toBe('Invalid index')
      expect(await textOf('wait=x')).toBe('Invalid wait time')
      expect(await textOf('dc=dc2')).toBe('No path to datacenter')
      const { status, headers } = await client.get(`${path}?index=9&wait=1h`)
      expect([status, headers['x-mesh-index']]).toEqual([200, undefined])
    },
  )

  test('operator/raft/configuration checks the parameters of reads before the token', async () => {
    const { as } = await meshWithAcls()
    const path = 'operator/raft/configuration'
    expect((await as('none').get(`${path}?dc=dc2`)).status).toBe(500)
    expect((await as('none').get(path)).text).toBe('ACL not found')
  })

  test('the list of datacenters checks only the parameters of consistency', async () => {
    const { mesh: client } = await mesh()
    const reply = await client.get('catalog/datacenters?stale&consistent')
    expect([reply.status, reply.text]).toEqual([400, conflict])
    expect((await client.get('catalog/datacenters?wait=x&dc=dc2')).text).toBe('["dc1"]')
  })

  test('agent/members ignores the parameters of reads', async () => {
    const { mesh: client } = await mesh()
    const query = 'wait=x&max_stale=x&stale&consistent&dc=dc2'
    expect((await client.get(`agent/members?${query}`)).text).toContain('mesh-1')
  })

  test.each([
    ['kv/', 'Missing key name'],
    ['session/info/', 'Missing session'],
    ['session/node/', 'Missing node name'],
    ['catalog/node/', 'Missing node name'],
    ['catalog/service/', 'Missing service name'],
    ['health/node/', 'Missing node name'],
    ['health/service/', 'Missing service name'],
    ['health/state/', 'Missing check state'],
  ])(
    '%s checks the parameters of reads before it refuses a missing name',
    async (path, missing) => {
      const { mesh: client } = await mesh()
      expect((await client.get(`${path}?index=x`)).text).toBe('Invalid index')
      expect((await client.get(`${path}?dc=dc2`)).text).toBe(missing)
    },
  )

  test.each(['', '&keys', '&recurse'])(
    'kv/a?dc=dc2%s is refused before its token',
    async (more) => {
      const { as } = await meshWithAcls()
      const { status, text } = await as('none').get(`kv/a?dc=dc2${more}`)
      expect([status, text]).toEqual([500, 'No path to datacenter'])
    },
  )
})

describe('behaviour/mesh#community: namespace and partition', () => {
  const community = () => mesh({ options: { edition: 'community', aclEnabled: true } })
  const namespaces = /^Invalid query parameter: "ns" - Namespaces/
  const partitions = /^Invalid query parameter: "partition" - Partitions/

  test.each([
    ['GET', 'status/leader'],
    ['GET', 'status/peers'],
    ['GET', 'agent/self'],
    ['GET', 'catalog/datacenters'],
    ['GET', 'operator/raft/configuration'],
    ['GET', 'acl/token/self'],
    ['GET', 'acl/replication'],
    ['PUT', 'txn'],
    ['PUT', 'agent/token/default'],
  ])('%s %s ignores the namespace and the partition', async (method, path) => {
    const { manager } = await community()
    const body = path === 'txn' ? '[]' : '{"Token":"x"}'
    const sent = method === 'PUT' ? body : undefined
    expect((await manager.request(method, `${path}?ns=x&partition=y`, sent)).status).toBe(200)
  })

  test.each(['catalog/nodes', 'agent/members'])('%s evaluates only the partition', async (path) => {
    const { manager } = await community()
    expect((await manager.get(`${path}?ns=x`)).status).toBe(200)
    expect((await manager.get(`${path}?ns=x&partition=y`)).text).toMatch(partitions)
  })

  test.each(['kv/a', 'session/list', 'catalog/services', 'acl/tokens', 'health/state/any'])(
    '%s refuses a namespace and a partition',
    async (path) => {
      const { manager } = await community()
      expect((await manager.get(`${path}?ns=x`)).text).toMatch(namespaces)
      expect((await manager.get(`${path}?partition=y`)).text).toMatch(partitions)
    },
  )
})

describe('behaviour/mesh#acl-endpoints: paths without an ID', () => {
  test.each([
    ['policy', { Name: 'p' }],
    ['role', { Name: 'r' }],
    ['token', { Description: 't' }],
  ])('PUT acl/%s/ creates', async (kind, body) => {
    const { manager } = await meshWithAcls()
    const path = `acl/${kind}/`
    const { status, body: made } = await manager.put(path, body)
    expect(status).toBe(200)
    expect(made).toMatchObject(body)
    expect((await manager.get(`${path}${made.AccessorID ?? made.ID}`)).body).toMatchObject(body)
    const id = kind === 'token' ? 'AccessorID' : 'ID'
    const differing = await manager.put(path, { ...body, [id]: 'x' })
    expect([differing.status, differing.text.endsWith('in URL and payload do not match')]).toEqual([
      400,
      true,
    ])
    expect((await manager.get(path)).text).toMatch(/^Missing /)
  })

  test('roles of a token are checked before its policies', async () => {
    const { manager } = await meshWithAcls()
    const body = { Policies: [{ Name: 'p' }], Roles: [{ Name: 'r' }] }
    expect((await manager.put('acl/token', body)).text).toBe('No such ACL role with name "r"')
  })
})

describe('behaviour/mesh#acl-endpoints: order of checks', () => {
  test('the mode of a token is checked before its links', async () => {
    const { manager, token } = await meshWithAcls()
    const { AccessorID } = await token({ Local: true })
    const { text } = await manager.put(`acl/token/${AccessorID}`, { Roles: [{}] })
    expect(text).toBe(`Cannot toggle local mode of ${AccessorID}`)
  })
})

describe('behaviour/mesh#conventions', () => {
  test('a wrong method at a clone is one of the token', async () => {
    const { manager } = await meshWithAcls()
    const { status, headers } = await manager.request('POST', 'acl/token/x/clone')
    expect([status, headers['allow']]).toEqual([405, 'OPTIONS,GET,PUT,DELETE'])
  })

  test('a success without a body is plain text', async () => {
    const { manager } = await meshWithAcls()
    const { status, text, headers } = await manager.put('agent/token/default', { Token: 'x' })
    expect([status, text, headers['content-type']]).toEqual([200, '', 'text/plain; charset=utf-8'])
  })
})

describe('behaviour/mesh#templated-policies', () => {
  test('a path without the name of a template is 400, whatever the token', async () => {
    const { as } = await meshWithAcls()
    const missing = [400, 'Missing templated policy Name']
    const read = await as('none').get('acl/templated-policy/name/')
    const preview = await as('none').request('POST', 'acl/templated-policy/preview/', '{}')
    expect([read.status, read.text]).toEqual(missing)
    expect([preview.status, preview.text]).toEqual(missing)
  })

  test('the ID of a synthetic policy is its rules in hex and the hash of nothing', async () => {
    const { manager } = await meshWithAcls()
    const path = 'acl/templated-policy/preview/builtin/service'
    const { body } = await manager.request('POST', path, '{"Name":"web"}')
    const id = `${Buffer.from(body.Rules).toString('hex')}6c62272e07bb014262b821756295c58d`
    expect([body.ID, body.Name]).toEqual([id, `synthetic-policy-${id}`])
  })
})

describe('behaviour/mesh#filters: a filter of an unknown caller', () => {
  test.each(['agent/checks', 'agent/services', 'catalog/services', 'health/service/mesh'])(
    '%s resolves the token before the filter',
    async (path) => {
      const { as } = await meshWithAcls()
      const { status, text } = await as('none').get(`${path}?filter=x`)
      expect([status, text]).toEqual([403, 'ACL not found'])
    },
  )
})

describe('behaviour/mesh#catalog: peers, sameness groups and tags', () => {
  test.each(['catalog/service/mesh', 'health/service/mesh'])(
    '%s?tag= asks for an empty tag, which the server does not have',
    async (path) => {
      const { mesh: client } = await mesh()
      expect((await client.get(`${path}?tag=`)).body).toEqual([])
    },
  )

  test.each(['enterprise', 'community'] as const)('of the %s edition', async (edition) => {
    const { mesh: client } = await mesh({ options: { edition } })
    const path = 'health/service/mesh'
    expect((await client.get(`${path}?peer=`)).body).toHaveLength(1)
    expect((await client.get(`${path}?peer=x`)).body).toEqual([])
    const { status, text } = await client.get(`${path}?sg=x`)
    if (edition === 'enterprise') expect(status).toBe(200)
    else expect([status, text]).toEqual([500, 'sameness groups are not supported in consul CE'])
  })
})
