import { describe, expect, test } from 'vitest'
import type { StateDocument } from '../../../state/kernel/worlds/document.ts'
import { exportWorld } from '../../../state/kernel/worlds/document.ts'
import { allNodePools } from '../../../state/scheduler/cluster/nodes/node-pools.ts'
import { allNodes } from '../../../state/scheduler/cluster/nodes/nodes.ts'
import { allNamespaces } from '../../../state/scheduler/namespaces.ts'
import type { SchedulerOptions } from '../../../state/scheduler/options.ts'
import { findJob } from '../../../state/scheduler/records/store.ts'
import { schedulerService } from '../../../state/scheduler/service.ts'
import { start, testWorlds } from '../../support/kernel.ts'
import { scheduler } from '../../support/scheduler/scheduler.ts'

/** Returns a world that starts from a document. */
function loaded(document: object, options: Partial<SchedulerOptions> = {}) {
  return testWorlds({
    services: [schedulerService],
    options: { scheduler: options },
    document: { scheduler: document },
  }).default
}

const group = { Name: 'g', Tasks: [{ Name: 't', Driver: 'mock' }] }
const file = `
job "web" {
  type = "batch"
  group "g" {
    count = 2
    task "t" {
      driver = "mock"
      config { run_for = "5s" }
    }
  }
}
`

describe('short forms of the scheduler (behaviour/program#fixtures)', () => {
  test('namespaces are added to the default one, or change it', () => {
    const world = loaded({
      namespaces: [
        { name: 'team', description: 'd', meta: { a: 'b' } },
        { name: 'bare' },
        { name: 'default', description: 'ours' },
      ],
    })
    const rest = { Quota: '', Capabilities: null, CreateIndex: 10, ModifyIndex: 10 }
    expect(allNamespaces(world)).toEqual([
      { Name: 'bare', Description: '', Meta: null, ...rest },
      { Name: 'default', Description: 'ours', Meta: null, ...rest, CreateIndex: 1 },
      { Name: 'team', Description: 'd', Meta: { a: 'b' }, ...rest },
    ])
  })

  test('fixtures add node pools, and replace the default nodes', () => {
    const world = loaded({
      nodePools: [{ name: 'gpu', description: 'fast' }],
      nodes: [
        { name: 'a' },
        { name: 'b', pool: 'made', status: 'down', eligibility: 'ineligible' },
      ],
    })
    expect(allNodePools(world).map(({ Name, Description }) => [Name, Description])).toEqual([
      ['all', 'Node pool with all nodes in the cluster.'],
      ['default', 'Default node pool.'],
      ['gpu', 'fast'],
      ['made', ''],
    ])
    const nodes = allNodes(world).map(({ Name, NodePool, Status, SchedulingEligibility }) => [
      Name,
      NodePool,
      Status,
      SchedulingEligibility,
    ])
    expect(nodes.sort()).toEqual([
      ['a', 'default', 'ready', 'eligible'],
      ['b', 'made', 'down', 'ineligible'],
    ])
  })

  test('an empty list of nodes means no nodes; a missing list means the default ones', () => {
    expect(allNodes(loaded({ nodes: [] }))).toEqual([])
    expect(allNodes(loaded({}))).toHaveLength(3)
  })

  test('a job as a file is what parsing and registering it makes', async () => {
    const { scheduler: client } = await scheduler()
    const parsed = await client.post('jobs/parse', { JobHCL: file })
    await client.post('jobs', { Job: parsed.body })
    const expected = (await client.get('job/web')).body
    const world = loaded({ jobs: [file] })
    // The job belongs to the world's first commit.
    expect(findJob(world, 'default', 'web')).toEqual({
      ...expected,
      CreateIndex: 10,
      ModifyIndex: 10,
      JobModifyIndex: 10,
    })
    world.advance(500)
    expect(findJob(world, 'default', 'web')?.Status).toBe('running')
  })

  test.each([
    ['as JSON', { ID: 'web', TaskGroups: [group] }],
    ['as the body of a registration', { Job: { ID: 'web', TaskGroups: [group] } }],
    ["with the vendor's names", { id: 'web', taskgroups: [group], VaultToken: 'x' }],
  ])('a job %s', (_how, job) => {
    const stored = findJob(loaded({ jobs: [job] }), 'default', 'web')
    expect(stored).toMatchObject({
      ID: 'web',
      Version: 0,
      Type: 'service',
      SecretsToken: '',
      SubmitTime: start * 1e6,
    })
  })

  test('jobs find the namespaces and pools of the same document, and one another', () => {
    const world = loaded({
      namespaces: [{ name: 'team' }],
      nodePools: [{ name: 'gpu' }],
      jobs: [
        { ID: 'a', Namespace: 'team', NodePool: 'gpu', TaskGroups: [group] },
        { ID: 'b', TaskGroups: [group] },
        { ID: 'b', Priority: 60, TaskGroups: [group] },
      ],
    })
    expect(findJob(world, 'team', 'a')?.NodePool).toBe('gpu')
    expect(findJob(world, 'default', 'b')).toMatchObject({ Version: 1, Priority: 60 })
  })

  test('outcomes count from the start', () => {
    const world = loaded({
      outcomes: [{ job: 'web', exit_code: 1 }, { exit_code: 2 }],
      jobs: [
        {
          ID: 'web',
          Type: 'batch',
          TaskGroups: [
            {
              ...group,
              RestartPolicy: { Attempts: 0 },
              ReschedulePolicy: { Attempts: 0, Unlimited: false },
            },
          ],
        },
      ],
    })
    world.advance(60_000)
    expect(findJob(world, 'default', 'web')?.Status).toBe('dead')
    const { scheduler: part } = exportWorld(world)
    expect(JSON.stringify(part)).toContain('Exit Code: 1')
  })

  // choice/scheduler#job-acl-fixtures-while-off
  test('ACL objects are stored while ACLs are off, and count once ACLs are on', async () => {
    const rules = 'namespace "default" { policy = "read" }'
    const { as, world } = await scheduler({
      document: {
        scheduler: {
          policies: [{ name: 'reader', rules }],
          tokens: [{ secret: 'reader-token', policies: ['reader'] }],
        },
      },
    })
    const holder = as('reader-token')
    expect((await holder.delete('job/x')).status).toBe(200)
    expect((await holder.get('acl/policies')).status).toBe(400)
    world.changeOptions({ scheduler: { aclEnabled: true } })
    expect((await holder.get('jobs')).status).toBe(200)
    expect((await holder.delete('job/x')).status).toBe(403)
    const policies = [{ name: 'a', rules: 'namespace "default" { policy = "none" }' }]
    await expect(scheduler({ document: { scheduler: { policies } } })).rejects.toThrow(
      '/policies/0',
    )
  })

  test('policies and tokens let callers in', async () => {
    const document: StateDocument = {
      scheduler: {
        policies: [
          { name: 'reader', description: 'd', rules: 'namespace "default" { policy = "read" }' },
        ],
        tokens: [
          {
            secret: 'reader-token',
            accessor: '11111111-2222-4333-8444-555555555555',
            name: 'n',
            policies: ['reader'],
          },
          { secret: 'boss', type: 'management' },
        ],
      },
    }
    const { as } = await scheduler({ options: { aclEnabled: true }, document })
    expect((await as('reader-token').get('acl/token/self')).body).toEqual({
      AccessorID: '11111111-2222-4333-8444-555555555555',
      SecretID: 'reader-token',
      Name: 'n',
      Type: 'client',
      Policies: ['reader'],
      Roles: null,
      Hash: expect.any(String),
      ExpirationTime: null,
      ExpirationTTL: '',
      Global: false,
      CreateTime: '2026-01-01T00:00:00Z',
      CreateIndex: 10,
      ModifyIndex: 10,
    })
    expect((await as('reader-token').get('jobs')).status).toBe(200)
    expect((await as('reader-token').delete('job/x')).status).toBe(403)
    expect((await as('boss').get('acl/token/self')).body).toMatchObject({
      Type: 'management',
      Policies: null,
      Global: true,
    })
    expect((await as('boss').get('acl/policy/reader')).body).toMatchObject({ Description: 'd' })
    expect((await as('scheduler-management-token').get('acl/tokens')).body).toHaveLength(3)
  })
})

describe('a refusal names the place in the fixtures (behaviour/program#fixtures)', () => {
  test.each([
    [
      { namespaces: [{ name: 'a' }, { name: 'a b' }] },
      '/scheduler/namespaces/1: Invalid namespace "a b"',
    ],
    [
      { policies: [{ name: 'p', rules: 'namespace "x" { policy = "owner" }' }] },
      '/scheduler/policies/0: Invalid namespace policy',
    ],
    [{ policies: [{ name: 'p', rules: 'nonsense = 1' }] }, '/scheduler/policies/0: Invalid'],
    [
      { tokens: [{ secret: 'x' }, { secret: 'x' }] },
      '/scheduler/tokens/1: a token with the secret "x" exists already',
    ],
    [
      { tokens: [{ secret: 'scheduler-management-token' }] },
      '/scheduler/tokens/0: a token with the secret "scheduler-management-token" exists already',
    ],
    [{ jobs: [file, 'job {'] }, '/scheduler/jobs/1: Failed to parse job: '],
    [
      { jobs: [{ ID: 'a b', TaskGroups: [group] }] },
      '/scheduler/jobs/0: 1 error occurred:\n\t* Job ID contains a space',
    ],
    [{ jobs: [{}] }, "/scheduler/jobs/0: Job ID hasn't been provided"],
    [{ jobs: [{ Job: 7 }] }, '/scheduler/jobs/0: json: cannot unmarshal number'],
    [{ jobs: [{ ID: 'a', Priority: 'x' }] }, '/scheduler/jobs/0: json: cannot unmarshal string'],
    [
      { jobs: [{ ID: 'a', Namespace: 'x', TaskGroups: [group] }] },
      '/scheduler/jobs/0: 1 error occurred:\n\t* job "a" is in nonexistent namespace "x"',
    ],
  ])('%o', (document, message) => {
    expect(() => loaded(document)).toThrow(message)
  })
})

describe('imported rows (behaviour/program#control-plane, state)', () => {
  test('an index continues after the highest index of the rows', () => {
    const first = loaded({ jobs: [file] })
    first.advance(10_000)
    const tables = exportWorld(first)['scheduler']
    const index = first.store.index('scheduler')
    expect(index).toBeGreaterThan(15)
    const second = testWorlds({
      services: [schedulerService],
      document: { scheduler: tables },
    }).default
    expect(second.store.index('scheduler')).toBeGreaterThanOrEqual(index)
    expect(findJob(second, 'default', 'web')).toEqual(findJob(first, 'default', 'web'))
  })
})
