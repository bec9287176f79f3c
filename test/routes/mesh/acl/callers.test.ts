import { describe, expect, test } from 'vitest'
import { mesh } from '../../../support/mesh/mesh.ts'
import { meshWithAcls, permissionDenied } from '../../../support/mesh/mesh-acl.ts'

const unknown = [403, 'ACL not found']
const noToken = [403, 'token does not exist: ACL not found']

describe('behaviour/mesh#token', () => {
  test('?token= precedes X-Mesh-Token, which precedes Authorization: Bearer', async () => {
    const { mesh, token } = await meshWithAcls()
    const [a, b, c] = [await token(), await token(), await token()]
    const self = async (query: string, header: string, bearer: string) => {
      const reply = await mesh.get('acl/token/self', {
        query: query === '-' ? {} : { token: query },
        headers: {
          ...(header === '-' ? {} : { 'x-mesh-token': header }),
          ...(bearer === '-' ? {} : { authorization: bearer }),
        },
      })
      return reply.body?.AccessorID ?? [reply.status, reply.text]
    }
    const bearer = `Bearer ${c.SecretID}`
    expect(await self(a.SecretID, b.SecretID, bearer)).toBe(a.AccessorID)
    expect(await self('-', b.SecretID, bearer)).toBe(b.AccessorID)
    expect(await self('-', '-', bearer)).toBe(c.AccessorID)
    // Empty tokens are ignored.
    expect(await self('', b.SecretID, bearer)).toBe(b.AccessorID)
    expect(await self('', '', bearer)).toBe(c.AccessorID)
    // The scheme is case-insensitive; the token is the first word of the value.
    expect(await self('-', '-', `bearer ${c.SecretID} rest`)).toBe(c.AccessorID)
    expect(await self('-', '-', `BEARER   ${c.SecretID}`)).toBe(c.AccessorID)
    const anonymous = '00000000-0000-0000-0000-000000000002'
    expect(await self('anonymous', '-', '-')).toBe(anonymous)
    expect(await self('-', '-', `Basic ${c.SecretID}`)).toEqual(noToken)
    expect(await self('-', '-', '-')).toEqual(noToken)
    // A wrong token is used as sent; later sources are not tried.
    expect(await self('wrong', b.SecretID, bearer)).toEqual(noToken)
  })

  test('without a token the anonymous token applies, which reads itself only by its name', async () => {
    const { mesh } = await meshWithAcls()
    const minimal = await mesh.get('acl/token/self')
    expect([minimal.status, minimal.text]).toEqual(noToken)
    const { status, body } = await mesh.get('acl/token/self', { token: 'anonymous' })
    expect([status, body]).toEqual([
      200,
      {
        AccessorID: '00000000-0000-0000-0000-000000000002',
        SecretID: 'anonymous',
        Description: 'Anonymous Token',
        Local: false,
        CreateTime: '2026-01-01T00:00:00Z',
        Hash: expect.stringMatching(/^.{44}$/),
        CreateIndex: 6,
        ModifyIndex: 6,
        Namespace: 'default',
      },
    ])
  })

  test('an unknown token is 403, on reads and writes alike', async () => {
    const { as } = await meshWithAcls({ options: { defaultPolicy: 'allow' } })
    const unknownClient = as('stranger')
    for (const [method, path] of [
      ['GET', 'namespaces'],
      ['GET', 'namespace/default'],
      ['PUT', 'namespace/a'],
      ['DELETE', 'namespace/a'],
      ['GET', 'acl/policies'],
      ['DELETE', 'acl/policy/x'],
    ] as const) {
      const { status, text } = await unknownClient.request(method, path)
      expect([path, status, text]).toEqual([path, ...unknown])
    }
    const self = await unknownClient.get('acl/token/self')
    expect([self.status, self.text]).toEqual(noToken)
  })

  test('an expired token is 403 from its expiry on, and is deleted', async () => {
    const { token, as, manager, clock } = await meshWithAcls()
    const { AccessorID, SecretID } = await token({ ExpirationTTL: '90s' })
    clock.advance(89_999)
    expect((await as(SecretID).get('acl/token/self')).status).toBe(200)
    clock.advance(1)
    const { status, text } = await as(SecretID).get('acl/token/self')
    expect([status, text]).toEqual(noToken)
    expect((await as(SecretID).get('namespaces')).text).toBe('ACL not found')
    expect((await manager.get(`acl/token/${AccessorID}`)).status).toBe(403)
    const { body } = await manager.get('acl/tokens')
    expect(body.map((one: { SecretID: string }) => one.SecretID)).not.toContain(SecretID)
  })

  test('links of the anonymous token apply to requests without token', async () => {
    const { mesh, manager, policy } = await meshWithAcls()
    expect((await mesh.get('namespace/default')).status).toBe(403)
    const ID = await policy('readers', 'operator = "read"')
    const path = 'acl/token/00000000-0000-0000-0000-000000000002'
    expect((await manager.put(path, { Policies: [{ ID }] })).status).toBe(200)
    expect((await mesh.get('namespace/default')).status).toBe(200)
  })
})

describe('behaviour/mesh#denied-text', () => {
  test('of the anonymous token, unnamed and named', async () => {
    const { mesh } = await meshWithAcls()
    const write = await mesh.put('namespace', { Name: 'a' })
    expect([write.status, write.text]).toEqual([403, permissionDenied("operator:write'")])
    expect(write.headers['content-type']).toBe('text/plain; charset=utf-8')
    const read = await mesh.get('namespace/team-1')
    expect([read.status, read.text]).toEqual([403, permissionDenied(`namespace:read' on "team-1"`)])
    const acl = await mesh.get('acl/policies')
    expect([acl.status, acl.text]).toEqual([403, permissionDenied("acl:read'")])
  })

  test('of another token', async () => {
    const { token, as } = await meshWithAcls()
    const { AccessorID, SecretID } = await token()
    const text = (permission: string) =>
      `Permission denied: token with AccessorID '${AccessorID}' lacks permission '${permission}`
    const caller = as(SecretID)
    expect((await caller.put('namespace', { Name: 'a' })).text).toBe(text("operator:write'"))
    expect((await caller.get('namespace/team-1')).text).toBe(text(`namespace:read' on "team-1"`))
    expect((await caller.put('acl/role', { Name: 'a' })).text).toBe(text("acl:write'"))
  })

  test('a namespace that does not exist is denied in the same words', async () => {
    const { mesh, manager } = await meshWithAcls()
    const { status, text } = await mesh.get('namespace/nowhere')
    expect([status, text]).toEqual([403, permissionDenied(`namespace:read' on "nowhere"`)])
    expect((await manager.get('namespace/nowhere')).status).toBe(404)
  })
})

describe('behaviour/mesh#acl-switches', () => {
  const calls = [
    ['PUT', 'acl/bootstrap'],
    ['PUT', 'acl/policy'],
    ['PUT', 'acl/policy/x'],
    ['GET', 'acl/policy/x'],
    ['GET', 'acl/policy/'],
    ['DELETE', 'acl/policy/x'],
    ['GET', 'acl/policy/name/x'],
    ['GET', 'acl/policies'],
    ['PUT', 'acl/role'],
    ['PUT', 'acl/role/x'],
    ['GET', 'acl/role/x'],
    ['DELETE', 'acl/role/x'],
    ['GET', 'acl/role/name/x'],
    ['GET', 'acl/roles'],
    ['PUT', 'acl/token'],
    ['PUT', 'acl/token/x'],
    ['GET', 'acl/token/x'],
    ['DELETE', 'acl/token/x'],
    ['GET', 'acl/token/self'],
    ['GET', 'acl/tokens'],
  ] as const

  test.each(calls)('ACLs off: %s /v1/%s answers 401', async (method, path) => {
    const { mesh: caller } = await mesh()
    const { status, text, headers } = await caller.request(method, path, '{', { token: 'any' })
    expect([status, text]).toEqual([401, 'ACL support disabled'])
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  })

  test('ACLs off: every token is allowed everything, and nothing is filtered', async () => {
    const { as } = await mesh({ options: { defaultPolicy: 'deny' } })
    const caller = as('unknown')
    expect((await caller.put('namespace', { Name: 'a' })).status).toBe(200)
    const list = await caller.get('namespaces')
    expect([list.status, list.body.length]).toEqual([200, 2])
    expect(list.headers['x-mesh-results-filtered-by-acls']).toBe(undefined)
  })

  test('the default policy `allow` permits everything except ACLs', async () => {
    const { mesh } = await meshWithAcls({ options: { defaultPolicy: 'allow' } })
    expect((await mesh.put('namespace', { Name: 'a' })).status).toBe(200)
    expect((await mesh.get('namespace/a')).status).toBe(200)
    const read = await mesh.get('acl/policies')
    expect([read.status, read.text]).toEqual([403, permissionDenied("acl:read'")])
    const write = await mesh.put('acl/policy', { Name: 'p' })
    expect([write.status, write.text]).toEqual([403, permissionDenied("acl:write'")])
    // Links of a namespace require ACL rights as well (behaviour/mesh#namespace-writes).
    const ACLs = { PolicyDefaults: [{ Name: 'global-management' }] }
    const linked = await mesh.put('namespace/a', { ACLs })
    expect([linked.status, linked.text]).toEqual([403, permissionDenied("acl:write'")])
  })

  test('the secret of the management token is an option', async () => {
    const { as } = await meshWithAcls({ options: { initialManagementToken: 'boss' } })
    const { body } = await as('boss').get('acl/token/self')
    expect(body).toMatchObject({
      SecretID: 'boss',
      Description: 'Initial Management Token',
      Policies: [{ ID: '00000000-0000-0000-0000-000000000001', Name: 'global-management' }],
    })
    expect((await as('mesh-management-token').get('namespaces')).status).toBe(403)
  })

  test('ACLs can be enabled while the world runs', async () => {
    const { world, mesh: caller, manager } = await mesh()
    world.changeOptions({ mesh: { aclEnabled: true, defaultPolicy: 'deny' } })
    expect((await caller.put('namespace', { Name: 'a' })).status).toBe(403)
    expect((await manager.put('namespace', { Name: 'a' })).status).toBe(200)
    expect((await caller.get('namespaces')).headers['x-mesh-default-acl-policy']).toBe('deny')
  })
})
