import { describe, expect, test } from 'vitest'
import { signingKeyId } from '../../../../state/scheduler/signing-key.ts'
import { blockingReader, drainEventLoop } from '../../../support/blocked-reads.ts'
import { type SchedulerClient, scheduler } from '../../../support/scheduler/scheduler.ts'
import { testTime } from '../../../support/secrets/secrets.ts'
import { allocationOf, mockJob, unknownId } from '../cluster/support.ts'
import {
  aclScheduler,
  apiHeaders,
  failureOf,
  frozenScheduler,
  readHeaders,
  register,
  requireSuccess,
  uuid,
} from '../support.ts'

const section = 'behaviour/scheduler#operator'
const waiting = blockingReader('x-sched-index')
const now = testTime * 1e6

interface Key {
  readonly KeyID: string
  readonly State: string
  readonly CreateIndex: number
}

const keys = async (client: SchedulerClient): Promise<readonly Key[]> =>
  (await requireSuccess(client.get('operator/keyring/keys'))).body
const published = async (client: SchedulerClient): Promise<readonly Record<string, string>[]> =>
  (await requireSuccess(client.get('/.well-known/jwks.json'))).body.keys
const rotate = async (client: SchedulerClient, query = '') =>
  (await requireSuccess(client.put(`operator/keyring/rotate${query}`))).body
const states = async (client: SchedulerClient) =>
  Object.fromEntries((await keys(client)).map(({ KeyID, State }) => [KeyID, State]))

describe(`the key of a world (${section})`, () => {
  // choice/scheduler#operator-keys
  test('is in the keyring, is published, and signs allocations', async () => {
    const { scheduler: client, clock, world } = await scheduler()
    const [key, ...others] = await keys(client)
    expect([key, others]).toEqual([
      {
        KeyID: expect.stringMatching(uuid),
        Algorithm: 'aes256-gcm',
        CreateTime: now,
        CreateIndex: 1,
        ModifyIndex: 1,
        State: 'active',
        PublishTime: 0,
      },
      [],
    ])
    expect(key?.KeyID).toBe(signingKeyId(world, 0))
    await register(client, mockJob({ t: {} }))
    clock.advance(1000)
    const { ID } = await allocationOf(client)
    const { SigningKeyID } = (await client.get(`allocation/${ID}`)).body
    expect(SigningKeyID).toBe(key?.KeyID)
    const read = await client.get('operator/keyring/keys')
    expect(apiHeaders(read)).toEqual(readHeaders(1))
  })

  test.each(['neutral', 'vendor'] as const)('is published in the dialect %s', async (dialect) => {
    const { scheduler: client, as } = await aclScheduler({ dialect })
    // Tokens are neither required nor checked.
    for (const caller of [client, as('x')]) {
      const read = await requireSuccess(caller.get('/.well-known/jwks.json'))
      expect(read.headers['content-type']).toBe('application/json')
      expect(read.body).toEqual({
        keys: [
          {
            use: 'sig',
            kty: 'RSA',
            kid: expect.stringMatching(uuid),
            alg: 'RS256',
            n: expect.stringMatching(/^[\w-]{342}$/),
            e: 'AQAB',
          },
        ],
      })
      const [{ n }] = read.body.keys
      const modulus = Buffer.from(n, 'base64url')
      expect([modulus.length, modulus.readUInt8(0) >> 7, modulus.readUInt8(255) % 2]).toEqual([
        256, 1, 1,
      ])
      const prefix = dialect === 'vendor' ? 'x-nomad-' : 'x-sched-'
      expect(apiHeaders(read, prefix)).toEqual(readHeaders(1, prefix))
    }
    expect(await failureOf(client.post('/.well-known/jwks.json'))).toEqual([405, 'Invalid method'])
  })

  test('may be cached for half the time until the next rotation, at least a quarter of an hour', async () => {
    const { scheduler: client, clock } = await frozenScheduler()
    const age = async () =>
      (await requireSuccess(client.get('/.well-known/jwks.json'))).headers['cache-control']
    const days = 24 * 3600
    expect(await age()).toBe(`max-age=${15 * days}`)
    clock.advance(20 * days * 1000)
    expect(await age()).toBe(`max-age=${5 * days}`)
    clock.advance((10 * days - 1799) * 1000)
    expect(await age()).toBe('max-age=900')
    clock.advance(100 * days * 1000)
    expect(await age()).toBe('max-age=900')
    await rotate(client)
    expect(await age()).toBe(`max-age=${15 * days}`)
  })

  test('differs for a world with another name, and is not served on a shared port', async () => {
    const { scheduler: shared } = await frozenScheduler({ dedicated: false })
    expect((await shared.get('/.well-known/jwks.json')).status).toBe(404)
    const { scheduler: client } = await frozenScheduler()
    expect((await client.get('/v1/.well-known/jwks.json')).status).toBe(404)
    expect((await client.get('/.well-known/other')).status).toBe(404)
  })

  test('discovery is not offered', async () => {
    const { scheduler: client } = await aclScheduler()
    const path = '/.well-known/openid-configuration'
    expect(await failureOf(client.get(path))).toEqual([404, 'OIDC Discovery endpoint disabled'])
    expect(await failureOf(client.delete(path))).toEqual([405, 'Invalid method'])
  })
})

describe(`rotating keys (${section})`, () => {
  // choice/scheduler#operator-keys-rotated
  test('activates a new key; existing data keeps the older one', async () => {
    const { scheduler: client, clock } = await scheduler()
    const [first = { KeyID: '' }] = await keys(client)
    await register(client, mockJob({ t: {} }))
    clock.advance(1000)
    const made = await rotate(client, '?algo=aes256-gcm')
    expect(made).toEqual({
      Key: {
        KeyID: expect.stringMatching(uuid),
        Algorithm: 'aes256-gcm',
        CreateTime: now + 1e9,
        CreateIndex: 0,
        ModifyIndex: 0,
        State: 'active',
        PublishTime: 0,
      },
      Index: expect.any(Number),
    })
    const { KeyID } = made.Key
    expect(await states(client)).toEqual({ [first.KeyID]: 'inactive', [KeyID]: 'active' })
    const stored = (await keys(client)).find((each) => each.KeyID === KeyID)
    expect(stored?.CreateIndex).toBe(made.Index)
    expect((await published(client)).map(({ kid }) => kid).sort()).toEqual(
      [first.KeyID, KeyID].sort(),
    )
    await register(client, mockJob({ t: {} }, {}, { ID: 'other' }))
    clock.advance(1000)
    const signing = async (id: string) => {
      const { ID } = await allocationOf(client, 0, id)
      return (await client.get(`allocation/${ID}`)).body.SigningKeyID
    }
    expect([await signing('example'), await signing('other')]).toEqual([first.KeyID, KeyID])
  })

  // choice/scheduler#operator-keys
  test('with a publish time, the key is published at once and active then', async () => {
    const { scheduler: client, clock } = await scheduler()
    const [first = { KeyID: '' }] = await keys(client)
    const at = now + 3600e9
    const { Key } = await rotate(client, `?publish_time=${at}`)
    expect([Key.State, Key.PublishTime]).toEqual(['prepublished', at])
    expect(await states(client)).toEqual({ [first.KeyID]: 'active', [Key.KeyID]: 'prepublished' })
    expect(await published(client)).toHaveLength(2)
    clock.advance(3_599_000)
    const { headers } = await client.get('operator/keyring/keys')
    const index = headers['x-sched-index']
    const next = [
      await waiting(client, `operator/keyring/keys?index=${index}`),
      await waiting(client, `/.well-known/jwks.json?index=${index}`),
    ]
    expect(next.map(({ outcome }) => outcome)).toEqual(['waits', 'waits'])
    clock.advance(1000)
    await drainEventLoop()
    const later = String(Number(index) + 1)
    expect(next.map(({ outcome }) => outcome)).toEqual([
      [200, later],
      [200, later],
    ])
    expect(await states(client)).toEqual({ [first.KeyID]: 'inactive', [Key.KeyID]: 'active' })
  })

  test('a key deleted before its time is never activated', async () => {
    const { scheduler: client, clock } = await scheduler()
    const { Key } = await rotate(client, `?publish_time=${now + 3600e9}`)
    await requireSuccess(client.delete(`operator/keyring/key/${Key.KeyID}`))
    clock.advance(7_200_000)
    expect(Object.values(await states(client))).toEqual(['active'])
  })

  // choice/scheduler#operator-keys-rotated
  test('full encrypts variables again, so that the older key is unused', async () => {
    const { scheduler: client } = await frozenScheduler()
    await requireSuccess(client.put('var/a', { Items: { a: 'b' } }))
    const [first = { KeyID: '' }] = await keys(client)
    await rotate(client)
    const path = `operator/keyring/key/${first.KeyID}`
    expect(await failureOf(client.delete(path))).toEqual([500, 'root key in use, cannot delete'])
    const { Index } = await rotate(client, '?full=true')
    const { ModifyIndex, CreateIndex, Items } = (await client.get('var/a')).body
    expect([CreateIndex, ModifyIndex, Items]).toEqual([11, Index, { a: 'b' }])
    const deleted = await requireSuccess(client.delete(path))
    expect([deleted.body, apiHeaders(deleted)]).toEqual([
      { Index: Index + 1 },
      { 'x-sched-index': String(Index + 1) },
    ])
    expect(await states(client)).not.toHaveProperty(first.KeyID)
  })

  test.for([
    ['?publish_time=x', 'invalid publish_time: strconv.ParseInt: parsing "x": invalid syntax'],
    [
      '?full=true&publish_time=9',
      'keyring cannot be prepublished and full rotated at the same time',
    ],
  ] as const)('%s: 500', async ([query, why]) => {
    const { scheduler: client } = await frozenScheduler()
    expect(await failureOf(client.put(`operator/keyring/rotate${query}`))).toEqual([500, why])
  })
})

describe(`deleting keys (${section})`, () => {
  test('active, unknown or missing keys are 500; a bad force is 422', async () => {
    const { scheduler: client } = await frozenScheduler()
    const [active = { KeyID: '' }] = await keys(client)
    const failure = (id: string) => failureOf(client.delete(`operator/keyring/key/${id}`))
    expect(await failure(active.KeyID)).toEqual([
      500,
      'active root key cannot be deleted - call rotate first',
    ])
    expect(await failure(unknownId)).toEqual([500, 'root key not found'])
    expect(await failure('')).toEqual([500, 'root key ID is required'])
    for (const query of ['DELETE force=maybe', 'GET force=maybe', 'DELETE force']) {
      const [method = '', sent] = query.split(' ')
      const path = `operator/keyring/key/${unknownId}?${sent}`
      expect(await failureOf(client.request(method, path))).toEqual([
        422,
        'invalid force parameter',
      ])
    }
    for (const path of ['key/x', 'rotate', 'other']) {
      expect(await failureOf(client.get(`operator/keyring/${path}`))).toEqual([
        405,
        'Invalid method',
      ])
    }
  })

  test('a key that signed allocations is in use until they have ended on both sides', async () => {
    const { scheduler: client, clock } = await scheduler()
    const [first = { KeyID: '' }] = await keys(client)
    await register(client, mockJob({ t: {} }))
    clock.advance(1000)
    await rotate(client)
    const path = `operator/keyring/key/${first.KeyID}`
    const needed = [500, 'root key in use, cannot delete']
    expect(await failureOf(client.delete(`${path}?force=false`))).toEqual(needed)
    await requireSuccess(client.delete('job/example'))
    clock.advance(60_000)
    await requireSuccess(client.delete(path))
    // The active key stays; deleting the others does not affect it.
    expect(Object.values(await states(client))).toEqual(['active'])
  })

  test('force deletes a key in use', async () => {
    const { scheduler: client } = await frozenScheduler()
    await requireSuccess(client.put('var/a', { Items: { a: 'b' } }))
    const [first = { KeyID: '' }] = await keys(client)
    await rotate(client)
    await requireSuccess(client.delete(`operator/keyring/key/${first.KeyID}?force=true`))
    expect((await client.get('var/a')).body.Items).toEqual({ a: 'b' })
  })
})
