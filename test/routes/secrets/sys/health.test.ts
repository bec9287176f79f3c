import { type AddressInfo, connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { seedNamespaceMounts } from '../../../../state/secrets/mounts/start-mounts.ts'
import { namespaces } from '../../../../state/secrets/namespaces/namespaces.ts'
import { type Reply, servedSecrets, testTime } from '../../../support/secrets/secrets.ts'

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const license = { state: 'autoloaded', expiry_time: '2099-12-31T23:59:59Z', terminated: false }

const closed = {
  sealed: true,
  standby: true,
  performance_standby: false,
  replication_performance_mode: 'unknown',
  replication_dr_mode: 'unknown',
  server_time_utc: testTime / 1000,
  version: '1.14.0+ent',
  license,
}
const open = {
  initialized: true,
  sealed: false,
  replication_performance_mode: 'disabled',
  replication_dr_mode: 'disabled',
  server_time_utc: testTime / 1000,
  version: '1.14.0+ent',
  cluster_name: 'understudy-cluster',
  cluster_id: uuid,
  license,
}

/** Each condition of a node with its status and the parameter that changes the status. */
const conditions = [
  {
    to: 'uninitialized',
    status: 501,
    parameter: 'uninitcode',
    body: { initialized: false, ...closed },
  },
  { to: 'sealed', status: 503, parameter: 'sealedcode', body: { initialized: true, ...closed } },
  {
    to: 'performance-standby',
    status: 473,
    parameter: 'performancestandbycode',
    body: { ...open, standby: true, performance_standby: true },
  },
  {
    to: 'standby',
    status: 429,
    parameter: 'standbycode',
    body: { ...open, standby: true, performance_standby: false },
  },
  {
    to: 'active',
    status: 200,
    parameter: 'activecode',
    body: { ...open, standby: false, performance_standby: false, last_wal: expect.any(Number) },
  },
] as const

const codes = [
  'uninitcode',
  'sealedcode',
  'standbycode',
  'activecode',
  'drsecondarycode',
  'performancestandbycode',
]

/**
 * Starts a server, forces its node into a condition, and returns a caller of health without a
 * token.
 */
async function node(to: string, secrets: Parameters<typeof servedSecrets>[0] = {}) {
  const { world, secrets: client } = await servedSecrets(secrets)
  world.transitions.get('secrets.node')?.force(world, 'self', to, {})
  const health = (query: Record<string, string> = {}, method = 'GET'): Promise<Reply> =>
    client.request({ method, path: 'sys/health', token: null, query })
  return { world, client, health }
}

describe.each(conditions)('behaviour/secrets#health: $to', ({ to, status, parameter, body }) => {
  // choice/secrets#license
  test('the status and the body show the condition of the node', async () => {
    const { health } = await node(to)
    const reply = await health()
    expect(reply.status).toBe(status)
    expect(reply.body).toEqual(body)
  })

  test('HEAD has the same status', async () => {
    const { health } = await node(to)
    expect((await health({}, 'HEAD')).status).toBe(status)
  })

  test.each(codes)('%s=510', async (name) => {
    const { health } = await node(to)
    const reply = await health({ [name]: '510' })
    expect(reply.status).toBe(name === parameter ? 510 : status)
    expect(reply.body).toEqual(body)
  })

  test.each(codes)('%s that is not a number', async (name) => {
    const { health } = await node(to)
    for (const bad of ['', 'ok', '2OO', '200.0', ' 200', '0x1ff']) {
      const reply = await health({ [name]: bad })
      expect([bad, reply.status, reply.body]).toEqual([bad, 400, { errors: [] }])
    }
  })

  test.each(['standbyok', 'perfstandbyok'])('%s', async (name) => {
    const { health } = await node(to)
    const isConcerned = to === (name === 'standbyok' ? 'standby' : 'performance-standby')
    for (const trueText of ['true', 'True', 'TRUE', 't', 'T', '1']) {
      const reply = await health({ [name]: trueText })
      expect([trueText, reply.status, reply.body]).toEqual([
        trueText,
        isConcerned ? 200 : status,
        body,
      ])
    }
    for (const no of ['', 'false', 'False', 'FALSE', 'f', 'F', '0']) {
      expect([no, (await health({ [name]: no })).status]).toEqual([no, status])
    }
    for (const bad of ['yes', 'tRUE', '2']) {
      const reply = await health({ [name]: bad })
      expect([bad, reply.status, reply.body]).toEqual([bad, 400, { errors: [] }])
    }
  })
})

describe('behaviour/secrets#health: parameters together', () => {
  test.each([
    ['standby', { standbyok: 'true', activecode: '501', standbycode: '503' }, 501],
    ['performance-standby', { perfstandbyok: '1', activecode: '501' }, 501],
    ['performance-standby', { standbyok: 'true' }, 473],
    ['standby', { perfstandbyok: 'true' }, 429],
    ['sealed', { standbyok: 'true', perfstandbyok: 'true', activecode: '501' }, 503],
    ['sealed', { sealedcode: '200', uninitcode: '429' }, 200],
    ['uninitialized', { uninitcode: '200', sealedcode: '429' }, 200],
    ['active', { activecode: '+503' }, 503],
    ['active', { sealedcode: '0', standbycode: '-1' }, 200],
  ])('%s %j', async (to, query, status) => {
    const { health } = await node(to)
    expect((await health(query)).status).toBe(status)
  })

  // choice/secrets#health-codes
  test('an invalid or informational status is refused', async () => {
    const { health } = await node('active')
    for (const bad of ['0', '-1', '100', '199', '1000', '99999999999999999999']) {
      const reply = await health({ activecode: bad })
      expect([bad, reply.status, reply.body]).toEqual([bad, 400, { errors: [] }])
    }
  })
})

describe('behaviour/secrets#health: the rest', () => {
  test('a switch without a value is off', async () => {
    const { client } = await node('standby')
    for (const query of ['standbyok', 'standbyok=', 'perfstandbyok&standbyok']) {
      const reply = await client.get(`sys/health?${query}`)
      expect([query, reply.status]).toEqual([query, 429])
    }
  })

  test('the first value of a parameter counts when it is sent twice', async () => {
    const { client } = await node('active')
    const reply = await client.request({
      method: 'GET',
      path: 'sys/health?activecode=299&activecode=202',
    })
    expect([reply.status, reply.body.initialized]).toEqual([299, true])
    const refused = await client.request({
      method: 'GET',
      path: 'sys/health?activecode=x&activecode=202',
    })
    expect([refused.status, refused.body]).toEqual([400, { errors: [] }])
  })

  test.each(['POST', 'PUT', 'DELETE', 'PATCH'])('%s is not offered', async (method) => {
    const { client } = await node('active')
    const headers = { 'content-type': 'application/merge-patch+json' }
    const reply = await client.request({ method, path: 'sys/health', headers })
    expect([reply.status, reply.body]).toEqual([405, { errors: [] }])
  })

  test('HEAD has no body on the wire', async () => {
    const { app } = await servedSecrets({ secrets: { sealed: true } })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1')
    socket.end('HEAD /v1/sys/health HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n')
    const reply = (await socket.toArray()).join('')
    expect(reply).toMatch(/^HTTP\/1\.1 503 /)
    expect(reply.slice(reply.indexOf('\r\n\r\n'))).toBe('\r\n\r\n')
  })

  test('a bad token does not matter, sealed or not', async () => {
    const { client } = await node('active')
    expect((await client.get('sys/health', { token: 'nobody' })).status).toBe(200)
  })

  test('fields in the order of the reference', async () => {
    const { health } = await node('active')
    expect(Object.keys((await health()).body)).toEqual([
      'initialized',
      'sealed',
      'standby',
      'performance_standby',
      'replication_performance_mode',
      'replication_dr_mode',
      'server_time_utc',
      'version',
      'cluster_name',
      'cluster_id',
      'last_wal',
      'license',
    ])
  })

  // choice/secrets#last-wal
  test('last_wal rises with writes, not with reads', async () => {
    const { health, client } = await node('active')
    const before = (await health()).body.last_wal
    await client.get('sys/mounts')
    expect((await health()).body.last_wal).toBe(before)
    await client.post('sys/mounts/x', { type: 'kv' })
    expect((await health()).body.last_wal).toBe(before + 1)
  })

  test('the community edition has neither license nor write-ahead positions', async () => {
    const { health } = await node('active', {
      secrets: { edition: 'community', version: '1.14.0', clusterName: 'blue' },
    })
    const { license: _license, ...rest } = open
    expect((await health()).body).toEqual({
      ...rest,
      version: '1.14.0',
      cluster_name: 'blue',
      standby: false,
      performance_standby: false,
    })
  })

  test("times are those of the world's clock", async () => {
    const { health, world } = await node('active')
    world.advance(1_999)
    expect((await health()).body.server_time_utc).toBe(testTime / 1000 + 1)
  })
})

describe('behaviour/secrets#namespace-header: the cluster belongs to the root namespace', () => {
  test.each([
    ['GET', 'sys/health'],
    ['GET', 'sys/init'],
    ['POST', 'sys/init'],
    ['POST', 'sys/unseal'],
    ['POST', 'sys/seal'],
  ])('%s %s', async (method, path) => {
    const { secrets, world } = await servedSecrets()
    const team = { id: 'abcde', path: 'team/', custom_metadata: {} }
    world.write(() => {
      world.table(namespaces).put(team.path, team)
      seedNamespaceMounts(world, team)
    })
    const headers = { 'x-secrets-namespace': 'team' }
    const reply = await secrets.request({ method, path, headers })
    expect([reply.status, reply.body]).toEqual([
      400,
      { errors: ['operation unavailable in namespaces'] },
    ])
  })
})
