import { describe, expect, test } from 'vitest'
import { allocationsOf } from './cluster/support.ts'
import {
  aclScheduler,
  exampleJob,
  failureOf,
  frozenScheduler,
  register,
  requireSuccess,
} from './support.ts'

const denied = [403, 'Permission denied']

describe('volumes and plugins (behaviour/scheduler#volumes)', () => {
  test.for(['volumes', 'plugins'])('%s are empty lists', async (path) => {
    const { scheduler: client } = await frozenScheduler()
    const plain = await client.get(path)
    expect([plain.status, plain.body, plain.headers['x-sched-index']]).toEqual([200, [], undefined])
    const csi = await client.get(`${path}?type=csi`)
    expect([csi.body, csi.headers['x-sched-index']]).toEqual([[], '0'])
    for (const type of ['host', '']) {
      const { status, text, headers } = await client.get(`${path}?type=${type}`)
      expect([status, text, headers['content-type']]).toEqual([200, '', undefined])
    }
    const what = path.slice(0, -1)
    expect(await failureOf(client.get(`${what}/csi/x`))).toEqual([404, `${what} not found`])
    expect(await failureOf(client.get(`${what}/csi/`))).toEqual([500, `missing ${what} ID`])
    expect((await client.post('plugins', {})).status).toBe(405)
    expect(await failureOf(client.delete('volume/csi/x'))).toEqual([500, 'volume not found: x'])
  })

  test('only requests that name the type csi need a permission', async () => {
    const { scheduler: client, holder } = await aclScheduler()
    for (const path of ['volumes', 'plugins']) {
      expect((await client.get(path)).body).toEqual([])
      expect(await failureOf(client.get(`${path}?type=csi`))).toEqual(denied)
    }
    const { client: reader } = await holder(
      'plugin { policy = "read" } namespace "default" { capabilities = ["csi-read-volume"] }',
    )
    expect(await failureOf(reader.delete('volume/csi/x'))).toEqual(denied)
    for (const what of ['volume', 'plugin']) {
      expect(await failureOf(client.get(`${what}/csi/x`))).toEqual(denied)
      expect((await reader.get(`${what}/csi/x`)).status).toBe(404)
    }
  })
})

describe('writes of volumes (behaviour/scheduler#volumes)', () => {
  const volume = {
    ID: 'v',
    PluginID: 'p',
    RequestedCapabilities: [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }],
  }
  const unknownPlugin = [500, 'no CSI plugin named: p could be found']
  const writes = [
    ['POST', 'volumes'],
    ['PUT', 'volumes'],
    ['PUT', 'volume/csi/v'],
    ['PUT', 'volume/csi/v/create'],
  ] as const

  test('volumes are validated, then refused because no plugin exists', async () => {
    const { scheduler: client } = await frozenScheduler()
    for (const [method, path] of writes) {
      const send = (Volumes: unknown) => failureOf(client.request(method, path, { Volumes }))
      expect(await send([volume])).toEqual(unknownPlugin)
      expect(await send([])).toEqual([500, 'missing volume definition'])
      expect(await send([{}])).toEqual([
        500,
        'validation: missing volume id, missing plugin id, must include at least one capability block',
      ])
      const RequestedTopologies = {
        Required: [{}, null, { Segments: { a: 'b' } }],
        Preferred: [{}],
      }
      const sources = { SnapshotID: 's', CloneID: 'c' }
      expect(await send([{ ...volume, ...sources, RequestedTopologies }])).toEqual([
        500,
        'validation: only one of snapshot_id and clone_id is allowed, required topology is missing segments field, preferred topology is missing segments field',
      ])
      expect((await send({}))[0]).toBe(400)
    }
    for (const path of ['volume/csi/v', 'volume/csi/v/create']) {
      expect((await client.request('POST', path, {})).status).toBe(405)
    }
  })

  test('nothing can be deleted, detached or listed, and snapshots have no volume', async () => {
    const { scheduler: client } = await frozenScheduler()
    const remove = (path: string) => failureOf(client.delete(path))
    expect(await remove('volume/csi/v/delete')).toEqual([500, 'volume not found: v'])
    expect(await remove('volume/csi/v/detach')).toEqual([400, 'detach requires node ID'])
    expect(await remove('volume/csi/v/detach?node=n')).toEqual([500, 'no such volume'])
    expect(await remove('volume/csi/v?force=maybe')).toEqual([400, 'invalid force value'])
    expect(await remove('volume/csi/v?force=true')).toEqual([500, 'volume not found: v'])
    for (const path of ['volumes/external?plugin_id=p', 'volumes/snapshot']) {
      expect(await failureOf(client.get(path))).toEqual([500, 'no such plugin'])
    }
    expect(await remove('volumes/snapshot?plugin_id=p&snapshot_id=s')).toEqual([
      500,
      '1 error occurred:\n\t* no such plugin\n\n',
    ])
    const take = (Snapshots: unknown) => failureOf(client.post('volumes/snapshot', { Snapshots }))
    expect(await take([{ SourceVolumeID: 'v' }, {}])).toEqual([
      500,
      '2 errors occurred:\n\t* no such volume "v"\n\t* no such volume ""\n\n',
    ])
    expect(await take([null])).toEqual([500, 'snapshot cannot be nil'])
    const none = await client.post('volumes/snapshot', {})
    expect([none.status, none.body]).toEqual([
      200,
      { Snapshots: null, Index: 0, KnownLeader: false, LastContact: 0 },
    ])
  })

  test('writing needs csi-write-volume, detaching csi-mount-volume, and both plugins', async () => {
    const { holder } = await aclScheduler()
    const statusesFor = async (capability: string, plugin: string) => {
      const { client } = await holder(
        `plugin { policy = "${plugin}" } namespace "default" { capabilities = ["${capability}"] }`,
      )
      const statusOf = async (method: string, path: string, body?: object) =>
        (await client.request(method, path, body)).status
      const stored: number[] = []
      for (const [method, path] of writes) {
        stored.push(await statusOf(method, path, { Volumes: [volume] }))
      }
      return {
        stored,
        elsewhere: await statusOf('PUT', 'volumes', {
          Volumes: [{ ...volume, Namespace: 'other' }],
        }),
        deleted: [
          await statusOf('DELETE', 'volume/csi/v/delete'),
          await statusOf('DELETE', 'volumes/snapshot'),
        ],
        taken: await statusOf('PUT', 'volumes/snapshot', {}),
        deregistered: await statusOf('DELETE', 'volume/csi/v'),
        detached: await statusOf('DELETE', 'volume/csi/v/detach?node=n'),
        listed: [
          await statusOf('GET', 'volumes/external'),
          await statusOf('GET', 'volumes/snapshot'),
        ],
      }
    }
    const nothing = {
      stored: [403, 403, 403, 403],
      elsewhere: 403,
      deleted: [403, 403],
      taken: 403,
      deregistered: 403,
      detached: 403,
      listed: [403, 403],
    }
    expect(await statusesFor('csi-write-volume', 'read')).toEqual({
      ...nothing,
      stored: [500, 500, 500, 500],
      deleted: [500, 500],
      taken: 200,
      deregistered: 500,
    })
    expect(await statusesFor('csi-mount-volume', 'read')).toEqual({
      ...nothing,
      detached: 500,
      listed: [500, 500],
    })
    expect(await statusesFor('csi-write-volume', 'list')).toEqual({ ...nothing, deregistered: 500 })
  })
})

describe('counting and deleting evaluations (behaviour/scheduler#evaluation-writes)', () => {
  test('evaluations are counted by filter and namespace', async () => {
    const { scheduler: client } = await frozenScheduler()
    for (const ID of ['a', 'b']) await register(client, exampleJob({ ID }))
    const count = async (query: string) =>
      (await client.get(`evaluations/count${query}`)).body.Count
    expect(await count('')).toBe(2)
    expect(await count(`?filter=${encodeURIComponent('JobID == "a"')}`)).toBe(1)
    expect(await count('?namespace=other')).toBe(0)
    expect((await client.get('evaluations/count?filter=x')).status).toBe(500)
  })

  test('evaluations are deleted while the broker is paused and nothing needs them', async () => {
    const { scheduler: client, clock } = await frozenScheduler({
      options: { schedulerMode: 'auto' },
    })
    const { EvalID } = await register(client, exampleJob())
    clock.advance(10_000)
    expect((await allocationsOf(client))[0]?.ClientStatus).toBe('running')
    const remove = (body: object) => failureOf(client.request('DELETE', 'evaluations', body))
    expect(await remove({})).toEqual([400, 'evals must be deleted by either ID or filter'])
    expect(await remove({ EvalIDs: [EvalID], Filter: 'ID' })).toEqual([
      400,
      'evals cannot be deleted by both ID and filter',
    ])
    const paused = 'eval broker is enabled; eval broker must be paused to delete evals'
    expect(await remove({ EvalIDs: [EvalID] })).toEqual([500, paused])
    await requireSuccess(client.post('operator/scheduler/configuration', { PauseEvalBroker: true }))
    expect(await remove({ EvalIDs: [EvalID] })).toEqual([
      500,
      `eval ${EvalID} is not safe to delete`,
    ])
    expect(await remove({ EvalIDs: ['00000000-0000-4000-8000-000000000000'] })).toEqual([
      500,
      'eval not found',
    ])
    const byFilter = { Filter: 'JobID == "example"' }
    expect((await client.request('DELETE', 'evaluations', byFilter)).body).toEqual({
      Count: 0,
      Index: 0,
    })
    await requireSuccess(client.delete('job/example'))
    const { body } = await client.request('DELETE', 'evaluations', byFilter)
    expect(body.Count).toBeGreaterThan(0)
    expect((await client.get('evaluations')).body).toEqual([])
  })

  test('deleting evaluations needs a management token', async () => {
    const { holder } = await aclScheduler()
    const { client } = await holder(
      'namespace "*" { policy = "write" } operator { policy = "write" }',
    )
    expect(await failureOf(client.request('DELETE', 'evaluations', { Filter: 'ID' }))).toEqual(
      denied,
    )
  })
})

describe('actions of jobs (behaviour/scheduler#job-actions)', () => {
  test('the commands of all tasks are listed', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob())
    const empty = await client.get('job/example/actions')
    expect(empty.body).toEqual([])
    expect(empty.headers).toMatchObject({
      'x-sched-index': '0',
      'x-sched-knownleader': 'false',
      'x-sched-lastcontact': '0',
    })
    const Actions = [{ Name: 'greet', Command: 'echo', Args: ['hi'] }]
    const Tasks = [{ Name: 't', Driver: 'docker', Config: { image: 'a' }, Actions }]
    await register(client, exampleJob({ TaskGroups: [{ Name: 'g', Tasks }] }))
    expect((await client.get('job/example/actions')).body).toEqual([
      { ...Actions[0], TaskName: 't', TaskGroupName: 'g' },
    ])
    expect(await failureOf(client.get('job/none/actions'))).toEqual([500, 'Unknown job "none"'])
    expect((await client.post('job/example/actions')).status).toBe(405)
  })
})

describe('metadata of nodes (behaviour/scheduler#node-metadata)', () => {
  test('changes are stored separately from the configuration', async () => {
    const { scheduler: client } = await frozenScheduler()
    const [node] = (await client.get('nodes')).body
    const before = (await client.get('client/metadata')).body
    expect(before).toEqual({ Meta: before.Static, Dynamic: {}, Static: before.Static })
    const apply = async (Meta: object) =>
      (await requireSuccess(client.post('client/metadata', { NodeID: node.ID, Meta }))).body
    expect(await apply({ 'rack.row': '1', gone: null })).toEqual({
      Meta: { ...before.Static, 'rack.row': '1' },
      Dynamic: { 'rack.row': '1' },
      Static: before.Static,
    })
    expect((await client.get(`node/${node.ID}`)).body.Meta).toEqual({
      ...before.Static,
      'rack.row': '1',
    })
    expect((await apply({ 'rack.row': null })).Dynamic).toEqual({})
    expect((await client.get('client/metadata')).body).toEqual(before)
  })

  test.for([
    [{}, 'missing required Meta object'],
    [{ Meta: { '': 'x' } }, 'metadata keys must not be empty'],
    [
      { Meta: { 'a b': 'x' } },
      '"a b" is invalid; metadata keys must be valid dotted hcl identifiers',
    ],
    [
      { Meta: { 'a..b': 'x' } },
      '"a..b" is invalid; metadata keys must be valid dotted hcl identifiers',
    ],
  ] as const)('%j is 400', async ([body, text]) => {
    const { scheduler: client } = await frozenScheduler()
    expect(await failureOf(client.post('client/metadata', body))).toEqual([400, text])
    expect((await client.put('client/metadata', { Meta: { a: 'b' } })).status).toBe(405)
  })

  test('a configuration change places allocations that waited for it', async () => {
    const { scheduler: client, clock } = await frozenScheduler({
      options: { schedulerMode: 'auto' },
    })
    const LTarget = `$\{meta.rack}`
    await register(client, exampleJob({ Constraints: [{ LTarget, Operand: '=', RTarget: 'r1' }] }))
    clock.advance(5000)
    expect(await allocationsOf(client)).toEqual([])
    await requireSuccess(client.post('client/metadata', { Meta: { rack: 'r1' } }))
    clock.advance(5000)
    expect(await allocationsOf(client)).toHaveLength(1)
  })
})

describe('one-time tokens (behaviour/scheduler#one-time-tokens)', () => {
  test('a secret can be exchanged once, within ten minutes', async () => {
    const { manager, scheduler: anonymous, clock } = await aclScheduler()
    const own = (await manager.get('acl/token/self')).body
    const create = async () =>
      (await requireSuccess(manager.post('acl/token/onetime'))).body.OneTimeToken
    const exchange = (OneTimeSecretID: string) =>
      anonymous.post('acl/token/onetime/exchange', { OneTimeSecretID })
    const first = await create()
    expect(first.AccessorID).toBe(own.AccessorID)
    const second = await create()
    expect(await failureOf(exchange(first.OneTimeSecretID))).toEqual(denied)
    expect((await requireSuccess(exchange(second.OneTimeSecretID))).body.Token).toEqual(own)
    expect(await failureOf(exchange(second.OneTimeSecretID))).toEqual(denied)
    const late = await create()
    clock.advance(600_001)
    expect(await failureOf(exchange(late.OneTimeSecretID))).toEqual(denied)
  })

  test('refusals', async () => {
    const { scheduler: anonymous, as } = await aclScheduler()
    const create = (client: typeof anonymous) => failureOf(client.post('acl/token/onetime'))
    expect(await create(anonymous)).toEqual([500, 'acl token lookup failed: missing secret id'])
    const malformed = 'index error: UUID must be 36 characters'
    expect(await create(as('x'))).toEqual([500, `acl token lookup failed: ${malformed}`])
    expect(await create(as('00000000-0000-4000-8000-000000000000'))).toEqual(denied)
    const exchange = (OneTimeSecretID: string) =>
      failureOf(anonymous.post('acl/token/onetime/exchange', { OneTimeSecretID }))
    expect(await exchange('')).toEqual([500, 'one-time token lookup failed: missing secret'])
    expect(await exchange('x')).toEqual([500, `one-time token lookup failed: ${malformed}`])
    const { scheduler: off } = await frozenScheduler()
    expect(await create(off)).toEqual([400, 'ACL support disabled'])
    expect((await off.get('acl/token/onetime')).status).toBe(405)
  })
})

describe('the other edition (behaviour/scheduler#enterprise)', () => {
  test('the paths of the other edition are 501 for any method; reading the license is 204', async () => {
    const { scheduler: client } = await frozenScheduler({ dialect: 'vendor' })
    const refusal = [501, 'Nomad Enterprise only endpoint']
    for (const path of ['quotas', 'quota/x', 'sentinel/policies', 'recommendations/apply']) {
      for (const reply of [client.get(path), client.put(path, {}), client.delete(path)]) {
        expect(await failureOf(reply)).toEqual(refusal)
      }
    }
    expect(await failureOf(client.get('operator/license'))).toEqual([204, ''])
    expect(await failureOf(client.put('operator/license', {}))).toEqual(refusal)
    expect((await client.post('operator/license', {})).status).toBe(405)
  })
})

describe('paths and methods (behaviour/scheduler#conventions)', () => {
  test.for([
    ['PUT', 'job/none/summary', 404, 'job not found'],
    ['DELETE', 'job/none/versions', 404, 'job versions not found'],
    ['POST', 'client/fs/stat/x', 400, 'must provide a file name'],
    ['PUT', 'client/fs/logs/x', 400, 'must provide task name'],
  ] as const)('%s %s reads: %i %s', async ([method, path, status, text]) => {
    const { scheduler: client } = await frozenScheduler()
    expect(await failureOf(client.request(method, path))).toEqual([status, text])
  })

  test.for([
    ['PUT', 'allocation/x/nosuch', 404, 'resource not found'],
    ['POST', 'allocation/a/b/stop', 404, 'resource not found'],
    ['GET', 'client/allocation/a/b/signal', 404, 'resource not found'],
    ['DELETE', 'job/a/b/versions/t/tag', 404, 'invalid job tag endpoint'],
    ['PATCH', 'var/a', 400, 'Invalid method'],
    ['DELETE', 'operator/autopilot/health', 404, 'Invalid method'],
    ['DELETE', 'operator/autopilot/configuration', 404, 'Invalid method'],
    ['DELETE', 'operator/raft/configuration', 405, ''],
  ] as const)('%s %s is refused: %i %s', async ([method, path, status, text]) => {
    const { scheduler: client } = await frozenScheduler()
    expect(await failureOf(client.request(method, path))).toEqual([status, text])
  })

  test.for(['job', 'node/pool', 'client/fs', 'operator/raft'])(
    'the path %s leads to the tree below it',
    async (path) => {
      const { scheduler: client } = await frozenScheduler()
      const { status, headers } = await client.get(`${path}?a=b`)
      expect([status, headers['location']]).toEqual([301, `/v1/${path}/?a=b`])
    },
  )
})
