import { describe, expect, test } from 'vitest'
import { blockingReader, drainEventLoop } from '../../../support/blocked-reads.ts'
import { type MeshClient, mesh } from '../../../support/mesh/mesh.ts'
import { meshWithAcls } from '../../../support/mesh/mesh-acl.ts'

const waiting = blockingReader('x-mesh-index')
const uuid = expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)

async function namesOf(client: MeshClient, query = ''): Promise<readonly string[]> {
  const { body } = await client.get(`event/list${query}`)
  return body.map(({ Name }: { Name: string }) => Name)
}

/** Returns the index of a list that ends with this event. */
function indexOf({ ID }: { ID: string }): string {
  const digits = ID.replaceAll('-', '')
  return String(BigInt(`0x${digits.slice(0, 16)}`) ^ BigInt(`0x${digits.slice(16)}`))
}

describe('behaviour/mesh#events: sending', () => {
  test.each(['neutral', 'vendor'] as const)(
    'an event is listed with its time: %s',
    async (dialect) => {
      const { mesh: client } = await mesh({ dialect })
      const event = {
        ID: uuid,
        Name: 'deploy',
        Payload: Buffer.from('abc').toString('base64'),
        NodeFilter: '^mesh',
        ServiceFilter: '',
        TagFilter: '',
        Version: 1,
        LTime: 0,
      }
      const fired = await client.put('event/fire/deploy?node=^mesh', 'abc')
      expect([fired.status, fired.body]).toEqual([200, event])
      const second = await client.put('event/fire/deploy')
      expect(second.body.Payload).toBeNull()
      const { body } = await client.get('event/list')
      expect(body).toEqual([
        { ...fired.body, LTime: 2 },
        { ...second.body, LTime: 3 },
      ])
    },
  )

  test('the agent keeps the last 256 events that are meant for its node', async () => {
    const { mesh: client } = await mesh()
    expect(await namesOf(client)).toEqual([])
    await client.put('event/fire/other?node=elsewhere')
    await client.put('event/fire/other?service=web')
    for (let at = 0; at < 257; at += 1) await client.put(`event/fire/e${at}`)
    const { body } = await client.get('event/list')
    expect(body).toHaveLength(256)
    expect([body[0].Name, body[0].LTime]).toEqual(['e1', 5])
  })

  test('an event for a service is kept if the agent has the service with the tag', async () => {
    const { mesh: client } = await mesh()
    await client.put('agent/service/register', { Name: 'web', Tags: ['v1'] })
    await client.put('event/fire/a?service=^web$')
    await client.put('event/fire/b?service=web&tag=v1')
    await client.put('event/fire/c?service=web&tag=v2')
    await client.put('event/fire/d?service=db')
    expect(await namesOf(client)).toEqual(['a', 'b'])
  })

  test.each([
    { path: 'event/fire/', expected: [400, 'Missing name'] },
    {
      path: 'event/fire/a?node=(',
      expected: [500, 'Invalid node filter: error parsing regexp: missing closing ): `(`'],
    },
    {
      path: 'event/fire/a?service=(',
      expected: [500, 'Invalid service filter: error parsing regexp: missing closing ): `(`'],
    },
    {
      path: 'event/fire/a?service=a&tag=*',
      expected: [
        500,
        'Invalid tag filter: error parsing regexp: missing argument to repetition operator: `*`',
      ],
    },
    {
      path: 'event/fire/a?tag=a',
      expected: [500, 'Cannot provide tag filter without service filter'],
    },
    { path: 'event/fire/a?dc=dc2', expected: [500, 'No path to datacenter'] },
    {
      path: 'event/fire/a',
      body: 'x'.repeat(513),
      expected: [
        500,
        'error broadcasting event: user event exceeds configured limit of 512 bytes before encoding',
      ],
    },
  ])('the request $path is refused: $expected.1', async ({ path, body, expected }) => {
    const { mesh: client } = await mesh()
    const { status, text } = await client.put(path, body)
    expect([status, text]).toEqual(expected)
    expect(await namesOf(client)).toEqual([])
  })
})

describe('behaviour/mesh#events: the list', () => {
  test('the index is made of the last ID and is the only read header; an empty list has the index 1', async () => {
    const { mesh: client } = await mesh()
    const empty = await client.get('event/list')
    expect([empty.headers['x-mesh-index'], empty.body]).toEqual(['1', []])
    const { body: event } = await client.put('event/fire/a')
    const { headers } = await client.get('event/list')
    expect(headers['x-mesh-index']).toBe(indexOf(event))
    expect(headers).not.toHaveProperty('x-mesh-knownleader')
    expect(headers).not.toHaveProperty('x-mesh-lastcontact')
  })

  test('events and tokens of the agent raise no index of the data, and wake no other wait', async () => {
    const { mesh: client, world } = await mesh()
    const index = world.store.index('mesh')
    const services = await waiting(client, `catalog/services?index=${index}`)
    await client.put('event/fire/a')
    await drainEventLoop()
    expect([world.store.index('mesh'), services.state]).toEqual([index, 'waits'])
    const { body } = await client.put('kv/a?cas=0', 'v')
    expect([body, world.store.index('mesh')]).toEqual([true, index + 1])
  })

  test('name selects events, and dc has no effect', async () => {
    const { mesh: client } = await mesh()
    await client.put('event/fire/a')
    await client.put('event/fire/b')
    expect(await namesOf(client, '?name=a')).toEqual(['a'])
    expect(await namesOf(client, '?dc=dc9')).toEqual(['a', 'b'])
  })

  test('a wait is held while the index is the same; any other index answers at once', async () => {
    const { mesh: client } = await mesh()
    const first = await waiting(client, 'event/list?index=1')
    expect(first.outcome).toBe('waits')
    const { body: event } = await client.put('event/fire/a')
    await drainEventLoop()
    expect(first.outcome).toEqual([200, indexOf(event)])
    const same = await waiting(client, `event/list?index=${indexOf(event)}`)
    expect(same.outcome).toBe('waits')
    const named = await waiting(client, 'event/list?name=b&index=1')
    await client.put('event/fire/a')
    await drainEventLoop()
    expect([same.reply?.body.length, named.outcome]).toEqual([2, 'waits'])
    const other = await waiting(client, 'event/list?index=5')
    expect(other.reply?.status).toBe(200)
  })

  test('a wait that times out returns the present events', async () => {
    const { mesh: client, world } = await mesh({ options: { waitJitter: false } })
    const timed = await waiting(client, 'event/list?index=1&wait=10s')
    expect(timed.outcome).toBe('waits')
    world.clock.moveTo(world.clock.now() + 10_000)
    world.runDueJobs()
    await drainEventLoop()
    expect(timed.outcome).toEqual([200, '1'])
  })
})

describe('behaviour/mesh#events: rights', () => {
  test('sending takes event:write, and an unknown token is 500', async () => {
    const { clientWithRules, as } = await meshWithAcls()
    const reader = await clientWithRules('event_prefix "" { policy = "read" }')
    const refused = await reader.put('event/fire/a')
    expect([refused.status, refused.text]).toEqual([403, 'Permission denied'])
    const unknown = await as('ffffffff-0000-4000-8000-000000000000').put('event/fire/a')
    expect([unknown.status, unknown.text]).toEqual([500, 'ACL not found'])
    const writer = await clientWithRules('event "a" { policy = "write" }')
    expect((await writer.put('event/fire/a')).status).toBe(200)
    expect((await writer.put('event/fire/b')).status).toBe(403)
  })

  test('the list leaves out events that the caller may not read', async () => {
    const { clientWithRules, manager } = await meshWithAcls()
    const reader = await clientWithRules('event "a" { policy = "read" }')
    await manager.put('event/fire/a')
    await manager.put('event/fire/b')
    expect(await namesOf(reader)).toEqual(['a'])
  })
})
