import { describe, expect, test } from 'vitest'
import { mesh } from '../../support/mesh/mesh.ts'
import { meshWithAcls } from '../../support/mesh/mesh-acl.ts'

const unknownId = 'ffffffff-0000-4000-8000-000000000000'
const elsewhere = [500, 'No path to datacenter']

/** Requests that the product forwards to the datacenter that they name. */
const forwarded: readonly (readonly [method: string, path: string, body: string | undefined])[] = [
  ['PUT', 'kv/a', 'x'],
  ['DELETE', 'kv/a', undefined],
  ['DELETE', 'kv/a?recurse', undefined],
  ['PUT', 'txn', '[]'],
  ['PUT', 'txn', '[{"KV":{"Verb":"set","Key":"a","Value":""}}]'],
  ['PUT', 'session/create', undefined],
  ['PUT', 'session/create', '{"Node":""}'],
  ['PUT', `session/destroy/${unknownId}`, undefined],
  ['PUT', `session/renew/${unknownId}`, undefined],
  ['POST', 'acl/login', '{"AuthMethod":"none"}'],
  ['PUT', 'coordinate/update', '{"Node":"none"}'],
  ['PUT', 'event/fire/deploy', undefined],
  ['PUT', 'operator/autopilot/configuration', '{}'],
  ['GET', 'snapshot', undefined],
  ['PUT', 'snapshot', 'x'],
  ['POST', 'query', '{"Service":{"Service":"web"}}'],
  ['PUT', `query/${unknownId}`, '{"Service":{"Service":"web"}}'],
  ['DELETE', `query/${unknownId}`, undefined],
]

/** Requests whose parameters or body are checked before they are forwarded. */
const refusedFirst = [
  ['PUT', 'kv/', 'x', 'Missing key name'],
  ['PUT', 'kv/a?cas=x', 'x', 'strconv.ParseUint: parsing "x": invalid syntax'],
  ['DELETE', 'kv/', undefined, 'Missing key name'],
  ['PUT', 'txn', '{', 'Failed to parse body: unexpected EOF'],
  ['PUT', 'txn?stale&consistent', '[]', /^Cannot specify \?stale with \?consistent/],
  ['PUT', 'session/create', '{', 'Request decode failed: unexpected EOF'],
  ['PUT', 'session/destroy/', undefined, 'Missing session'],
  ['POST', 'acl/login', 'null', 'Invalid Login request: Missing auth parameters'],
] as const

function elsewherePath(path: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}dc=dc2`
}

describe('behaviour/mesh#datacenters', () => {
  test.each(forwarded)('%s %s %s is refused for another datacenter', async (method, path, body) => {
    const { manager: client, as } = await meshWithAcls()
    const { status, text } = await client.request(method, elsewherePath(path), body)
    expect([status, text]).toEqual(elsewhere)
    // The token is resolved where the request is served.
    const other = await as('none').request(method, elsewherePath(path), body)
    expect([other.status, other.text]).toEqual(elsewhere)
  })

  test.each(refusedFirst)(
    '%s %s %s is refused before it is forwarded',
    async (method, path, body, text) => {
      const { manager: client } = await meshWithAcls()
      const reply = await client.request(method, elsewherePath(path), body)
      if (typeof text === 'string') expect(reply.text).toBe(text)
      else expect(reply.text).toMatch(text)
    },
  )

  test('writes of ACL objects and of the agent ignore the datacenter', async () => {
    const { manager: client } = await meshWithAcls()
    const made = async (path: string, body: object) => {
      const { status, body: reply } = await client.put(`${path}?dc=dc2`, body)
      expect(status).toBe(200)
      return reply
    }
    const policy = await made('acl/policy', { Name: 'p' })
    await made(`acl/policy/${policy.ID}`, { Name: 'q' })
    const role = await made('acl/role', { Name: 'r' })
    await made(`acl/role/${role.ID}`, { Name: 's' })
    const token = await made('acl/token', {})
    await made(`acl/token/${token.AccessorID}`, {})
    await made(`acl/token/${token.AccessorID}/clone`, {})
    await made('agent/token/default', { Token: 'x' })
    for (const path of [
      `acl/policy/${policy.ID}`,
      `acl/role/${role.ID}`,
      `acl/token/${token.AccessorID}`,
    ]) {
      expect((await client.request('DELETE', `${path}?dc=dc2`)).status).toBe(200)
    }
    expect((await client.get('acl/roles')).body).toEqual([])
  })

  test('the bootstrap of ACLs ignores the datacenter', async () => {
    const { mesh: client } = await mesh({
      options: { aclEnabled: true, initialManagementToken: '', bootstrap: 'open' },
    })
    expect((await client.put('acl/bootstrap?dc=dc2')).status).toBe(200)
  })
})
