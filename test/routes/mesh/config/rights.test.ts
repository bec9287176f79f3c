import { describe, expect, test } from 'vitest'
import { mesh } from '../../../support/mesh/mesh.ts'
import { meshWithAcls } from '../../../support/mesh/mesh-acl.ts'

const defaults = (Name: string, Namespace?: string) => ({
  Kind: 'service-defaults',
  Name,
  ...(Namespace !== undefined && { Namespace }),
})

describe('behaviour/mesh#config: rights and namespaces', () => {
  test('a service kind needs rights on its service and on those it leads to', async () => {
    const { manager, clientWithRules } = await meshWithAcls()
    const caller = await clientWithRules('service "a" { policy = "write" }')
    const lacks = (right: string) => expect.stringContaining(`lacks permission '${right}`)
    expect((await caller.put('config', defaults('a'))).status).toBe(200)
    const redirect = { Kind: 'service-resolver', Name: 'a', Redirect: { Service: 'b' } }
    expect((await caller.put('config', redirect)).text).toEqual(lacks('service:read\' on "b"'))
    expect((await caller.put('config', defaults('b'))).text).toEqual(
      lacks('service:write\' on "b"'),
    )
    expect((await caller.put('config', { Kind: 'mesh' })).text).toEqual(lacks("mesh:write'"))
    await manager.put('config', defaults('b'))
    await manager.put('config', { Kind: 'mesh' })
    const list = await caller.get('config/')
    expect(
      list.body.map(({ Kind, Name }: { Kind: string; Name?: string }) => [Kind, Name]),
    ).toEqual([
      ['mesh', undefined],
      ['service-defaults', 'a'],
    ])
    expect(list.headers['x-mesh-results-filtered-by-acls']).toBe('true')
    expect((await caller.get('config/service-defaults/b')).status).toBe(403)
    expect((await caller.get('config/mesh/mesh')).status).toBe(200)
    expect((await caller.get('config/exported-services/default')).text).toEqual(lacks('mesh:read'))
  })

  test('without a rule on the mesh, the rule on the operator decides', async () => {
    const { clientWithRules } = await meshWithAcls()
    const operator = await clientWithRules('operator = "write"')
    const denied = await clientWithRules('operator = "write"\nmesh = "read"')
    expect((await operator.put('config', { Kind: 'mesh' })).status).toBe(200)
    expect((await denied.put('config', { Kind: 'mesh' })).status).toBe(403)
  })

  test('entries live in namespaces, but for those of the partition', async () => {
    const { mesh: client, clock } = await mesh({ dialect: 'vendor' })
    await client.put('namespace', { Name: 'team' })
    expect((await client.put('config?ns=team', defaults('a'))).text).toBe('true')
    expect((await client.put('config', defaults('b', 'team'))).text).toBe('true')
    expect((await client.get('config/service-defaults')).body).toEqual([])
    const { body } = await client.get('config/service-defaults?ns=*')
    expect(body).toMatchObject([
      { Name: 'a', Namespace: 'team', Partition: 'default' },
      { Name: 'b', Namespace: 'team', Partition: 'default' },
    ])
    const global = await client.put('config?ns=team', { Kind: 'proxy-defaults' })
    expect([global.status, global.text]).toEqual([
      500,
      'Config entries of kind "proxy-defaults" are only allowed in the "default" namespace',
    ])
    const absent = await client.put('config?ns=none', defaults('a'))
    expect([absent.status, absent.text]).toEqual([500, 'Namespace "none" does not exist'])
    await client.delete('namespace/team')
    clock.advance(1_000)
    expect((await client.get('config/service-defaults?ns=*')).body).toEqual([])
  })
})
