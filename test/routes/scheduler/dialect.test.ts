import { describe, expect, test } from 'vitest'
import type { DialectName } from '../../../routes/http/declare/dialect.ts'
import { schedulerDialect } from '../../../routes/scheduler/dialect.ts'
import {
  allocationStubShape,
  taskEventShape,
} from '../../../state/scheduler/cluster/model/allocation-shapes.ts'
import {
  evaluationShape,
  metricsShape,
} from '../../../state/scheduler/cluster/model/placement-shapes.ts'
import { emptyInput } from '../../../state/scheduler/decoding.ts'
import { jobDiffShape, objectDiffShape } from '../../../state/scheduler/diff/shapes.ts'
import { jobShape } from '../../../state/scheduler/job/job-shape.ts'
import { message as serviceMessage } from '../../../state/scheduler/validation/service-messages.ts'
import { message as taskMessage } from '../../../state/scheduler/validation/task-messages.ts'
import {
  aclScheduler,
  apiHeaders,
  evaluatedReply,
  exampleJob,
  failureOf,
  frozenScheduler,
  type Members,
  readExample,
  readHeaders,
  register,
  requireSuccess,
  stoppedReply,
} from './support.ts'

const section = 'behaviour/scheduler#vendor-names'
const dialects: readonly DialectName[] = ['neutral', 'vendor']
const vendor = schedulerDialect('vendor')

/** Returns a reference to an attribute in the syntax of jobs. */
const attribute = (name: string) => `\${${name}}`

/** Returns the example with a task that has these members. */
function withTask(more: Members, change: Members = {}): Members {
  const task = { Name: 'redis', Driver: 'docker', Config: { image: 'redis:7', ports: ['db'] } }
  return exampleJob({ TaskGroups: [{ Name: 'cache', Tasks: [{ ...task, ...more }] }], ...change })
}

/** Returns `readExample` in the vendor's names. */
function vendorExample(change: Members = {}): Members {
  const {
    SecretsToken,
    SecretsNamespace,
    MeshToken,
    MeshNamespace,
    SchedTokenID,
    TaskGroups,
    ...job
  } = readExample()
  const groups = TaskGroups?.map(({ Tasks, Mesh, ...group }) => ({
    ...group,
    Consul: Mesh,
    Tasks: Tasks?.map(({ Secrets, Mesh: taskMesh, Identity, ...task }) => ({
      ...task,
      Identity: { ...Identity, Audience: ['nomadproject.io'] },
      Vault: Secrets,
      Consul: taskMesh,
    })),
  }))
  return {
    ...job,
    TaskGroups: groups,
    VaultToken: SecretsToken,
    VaultNamespace: SecretsNamespace,
    ConsulToken: MeshToken,
    ConsulNamespace: MeshNamespace,
    NomadTokenID: SchedTokenID,
    ...change,
  }
}

describe(`headers (${section})`, () => {
  test.for([
    ['neutral', 'x-sched-', 'x-nomad-'],
    ['vendor', 'x-nomad-', 'x-sched-'],
  ] as const)('%s sends only %s', async ([dialect, prefix, otherPrefix]) => {
    const { scheduler: client } = await frozenScheduler({ dialect })
    const write = await client.post('jobs', { Job: exampleJob() })
    expect([apiHeaders(write, prefix), apiHeaders(write, otherPrefix)]).toEqual([
      { [`${prefix}index`]: '11' },
      {},
    ])
    await register(client, exampleJob({ ID: 'other' }))
    const read = await client.get('jobs?per_page=1')
    expect([apiHeaders(read, prefix), apiHeaders(read, otherPrefix)]).toEqual([
      { ...readHeaders(12, prefix), [`${prefix}nexttoken`]: 'default.other' },
      {},
    ])
  })

  test.for(dialects)('%s reads the token in both spellings', async (dialect) => {
    const { scheduler: client } = await aclScheduler({ dialect })
    for (const name of ['x-sched-token', 'x-nomad-token']) {
      await requireSuccess(
        client.get('jobs', { headers: { [name]: 'scheduler-management-token' } }),
      )
      const refused = client.get('jobs', { headers: { [name]: 'nonsense' } })
      expect(await failureOf(refused)).toEqual([403, 'Permission denied'])
    }
  })
})

describe(`members of jobs (${section})`, () => {
  test('have the names of the vendor', async () => {
    const { scheduler: client } = await frozenScheduler({ dialect: 'vendor' })
    await register(client, exampleJob())
    expect((await client.get('job/example')).body).toEqual(vendorExample())
    const { body } = await client.get('job/example/versions')
    expect(body.Versions).toEqual([vendorExample()])
  })

  const secrets = {
    Policies: ['p'],
    Role: 'r',
    Namespace: 'n',
    Env: true,
    ChangeMode: 'restart',
    ChangeSignal: '',
    Cluster: 'default',
    DisableFile: false,
    AllowTokenExpiration: false,
  }

  test.for([
    ['neutral', 'Secrets', 'SecretsNamespace', 'Mesh'],
    ['vendor', 'Vault', 'VaultNamespace', 'Consul'],
  ] as const)(
    '%s reads both spellings, in any letter case, and writes its own',
    async ([dialect, task, namespace, mesh]) => {
      for (const [sentTask, sentNamespace, sentMesh] of [
        ['Secrets', 'SecretsNamespace', 'MeshNamespace'],
        ['Vault', 'VaultNamespace', 'ConsulNamespace'],
        ['vault', 'vaultnamespace', 'CONSULNAMESPACE'],
      ] as const) {
        const { scheduler: client } = await frozenScheduler({ dialect })
        const change = { [sentNamespace]: 'team', [sentMesh]: 'west' }
        await register(client, withTask({ [sentTask]: secrets }, change))
        const { body } = await client.get('job/example')
        expect(body.TaskGroups[0].Tasks[0][task]).toEqual(secrets)
        // Groups take over the namespace in the mesh; the job does not keep it.
        const [group] = body.TaskGroups
        expect([body[namespace], group[mesh].Namespace]).toEqual(['team', 'west'])
      }
    },
  )

  test('tokens are accepted and dropped', async () => {
    const { scheduler: client } = await frozenScheduler({ dialect: 'vendor' })
    await register(client, exampleJob({ VaultToken: 'v', ConsulToken: 'c', NomadTokenID: 'n' }))
    expect((await client.get('job/example')).body).toEqual(vendorExample())
  })

  test("the caller's accessor is in NomadTokenID", async () => {
    const { holder } = await aclScheduler({ dialect: 'vendor' })
    const { client, accessor } = await holder('namespace "default" { policy = "write" }')
    await register(client, exampleJob())
    const { body } = await client.get('job/example')
    expect([body.NomadTokenID, 'SchedTokenID' in body]).toEqual([accessor, false])
  })

  test('are written by parse as well; the block may have either name', async () => {
    const { scheduler: client } = await frozenScheduler({ dialect: 'vendor' })
    for (const block of ['secrets', 'vault']) {
      const JobHCL = `job "a" {
  group "g" {
    task "t" {
      ${block} {
        policies = ["p"]
      }
    }
  }
}`
      const { body } = await requireSuccess(client.post('jobs/parse', { JobHCL }))
      const [task] = body.TaskGroups[0].Tasks
      expect([task.Vault.Policies, 'Secrets' in task, body.VaultToken]).toEqual([
        ['p'],
        false,
        null,
      ])
    }
  })

  test('filters accept both names', async () => {
    const { scheduler: client } = await frozenScheduler({ dialect: 'vendor' })
    await register(client, exampleJob({ VaultNamespace: 'team' }))
    for (const name of ['VaultNamespace', 'SecretsNamespace']) {
      const query = { filter: `${name} == team` }
      expect((await client.get('jobs', { query })).body).toHaveLength(1)
    }
  })
})

describe(`drivers, providers and attributes (${section})`, () => {
  // choice/scheduler#scheduler-vendor-values choice/scheduler#validation-providers
  test.for([
    ['neutral', 'mock', ['mesh', 'sched', 'consul', 'nomad'], attribute('attr.sched.version')],
    [
      'vendor',
      'mock_driver',
      ['consul', 'nomad', 'consul', 'nomad'],
      attribute('attr.nomad.version'),
    ],
  ] as const)('%s writes its own names', async ([dialect, driver, providers, LTarget]) => {
    const { scheduler: client } = await frozenScheduler({ dialect })
    const service = (Provider: string) => ({ Name: 's', Provider })
    const operand = { RTarget: '1', Operand: '!=' }
    const written: unknown[] = []
    for (const [at, provider] of ['mesh', 'sched', 'consul', 'nomad'].entries()) {
      const Constraints = [{ LTarget: attribute('attr.sched.version'), ...operand }]
      const task = { Driver: 'mock', Config: {}, Services: [service(provider)], Constraints }
      await register(client, withTask(task, { ID: `j${at}` }))
      const { body } = await client.get(`job/j${at}`)
      const [stored] = body.TaskGroups[0].Tasks
      written.push(stored.Services[0].Provider)
      expect([stored.Driver, stored.Constraints[0]]).toEqual([driver, { LTarget, ...operand }])
    }
    expect(written).toEqual(providers)
  })

  test.for(dialects)('%s reads both names', async (dialect) => {
    const { scheduler: client } = await frozenScheduler({ dialect })
    for (const name of ['sched', 'nomad']) {
      for (const Driver of ['mock', 'mock_driver']) {
        const Constraints = [
          { LTarget: attribute(`attr.${name}.version`), RTarget: '', Operand: 'is_set' },
        ]
        const Job = withTask({ Driver, Config: {}, Constraints })
        const { body } = await requireSuccess(client.post('job/example/plan', { Job }))
        expect([name, Driver, body.FailedTGAllocs]).toEqual([name, Driver, null])
      }
    }
  })

  // Section 2: an unchanged specification creates no new version.
  test('a job stored in neutral names and sent back as read is unchanged', async () => {
    const { scheduler: client } = await frozenScheduler({ dialect: 'vendor' })
    const Constraints = [
      { LTarget: attribute('attr.sched.version'), RTarget: '', Operand: 'is_set' },
    ]
    const task = { Driver: 'mock', Config: {}, Services: [{ Name: 'web', Provider: 'sched' }] }
    await register(client, withTask({ ...task, Constraints }))
    const { body: read } = await client.get('job/example')
    await register(client, read)
    expect((await client.get('job/example')).body.Version).toBe(0)
    await register(client, { ...read, Priority: 51 })
    expect((await client.get('job/example')).body.Version).toBe(1)
  })

  // choice/scheduler#scheduler-vendor-values
  test('nodes and reasons of failed placements use the names', async () => {
    const { scheduler: client } = await frozenScheduler({ dialect: 'vendor' })
    const [stub] = (await client.get('nodes')).body
    const { body: node } = await client.get(`node/${stub.ID}`)
    expect([Object.keys(stub.Drivers).includes('mock'), 'mock_driver' in stub.Drivers]).toEqual([
      false,
      true,
    ])
    expect(Object.keys(node.Attributes).filter((key) => /sched|nomad|mock/.test(key))).toEqual([
      'nomad.version',
      'nomad.service_discovery',
      'driver.mock_driver',
    ])
    const Constraints = [{ LTarget: attribute('attr.nomad.version'), RTarget: 'x', Operand: '=' }]
    const { body } = await requireSuccess(
      client.post('job/example/plan', { Job: withTask({ Constraints }) }),
    )
    expect(body.FailedTGAllocs.cache.ConstraintFiltered).toEqual({
      [`${attribute('attr.nomad.version')} = x`]: 3,
    })
    const metrics = {
      ConstraintFiltered: { [`${attribute('attr.sched.version')} = x`]: 3, 'missing drivers': 1 },
    }
    expect(vendor.renameMembers(metricsShape, metrics)).toEqual({
      ConstraintFiltered: { [`${attribute('attr.nomad.version')} = x`]: 3, 'missing drivers': 1 },
    })
  })
})

describe(`texts (${section})`, () => {
  test.for([
    ['vendor', { VaultToken: 5 }, 'number', 'Job.Job.VaultToken of type string'],
    ['vendor', { SecretsToken: 5 }, 'number', 'Job.Job.VaultToken of type string'],
    ['neutral', { VaultToken: 5 }, 'number', 'Job.Job.SecretsToken of type string'],
    [
      'vendor',
      { TaskGroups: [{ Tasks: [{ Vault: 'a' }] }] },
      'string',
      'Task.Job.TaskGroups.Tasks.Vault of type api.Vault',
    ],
    [
      'vendor',
      { TaskGroups: [{ Tasks: [{ Secrets: { Role: 5 } }] }] },
      'number',
      'Vault.Job.TaskGroups.Tasks.Vault.Role of type string',
    ],
    [
      'neutral',
      { TaskGroups: [{ Tasks: [{ Vault: { Role: 5 } }] }] },
      'number',
      'Secrets.Job.TaskGroups.Tasks.Secrets.Role of type string',
    ],
    [
      'neutral',
      { TaskGroups: [{ Disconnect: { LostAfter: 'x' } }] },
      'string',
      'DisconnectStrategy.Job.TaskGroups.Disconnect.LostAfter of type time.Duration',
    ],
    [
      'vendor',
      { TaskGroups: [{ Tasks: [{ Actions: [{ Name: 1 }] }] }] },
      'number',
      'Action.Job.TaskGroups.Tasks.Actions.Name of type string',
    ],
    [
      'vendor',
      { TaskGroups: [{ Tasks: [{ Schedule: 'a' }] }] },
      'string',
      'Task.Job.TaskGroups.Tasks.Schedule of type api.TaskSchedule',
    ],
    [
      'vendor',
      { TaskGroups: [{ Services: [{ Weights: { Passing: 'x' } }] }] },
      'string',
      'ServiceWeights.Job.TaskGroups.Services.Weights.Passing of type int',
    ],
    [
      'vendor',
      { TaskGroups: [{ Services: [{ Connect: { SidecarService: { Port: 1 } } }] }] },
      'number',
      'ConsulSidecarService.Job.TaskGroups.Services.Connect.SidecarService.Port of type string',
    ],
    [
      'neutral',
      { TaskGroups: [{ Services: [{ Connect: 'a' }] }] },
      'string',
      'Service.Job.TaskGroups.Services.Connect of type api.MeshConnect',
    ],
  ] as const)(
    '%s: errors of the decoder use the names of the dialect: %j',
    async ([dialect, sent, kind, field]) => {
      const { scheduler: client } = await frozenScheduler({ dialect })
      expect(await failureOf(client.post('jobs', { Job: sent }))).toEqual([
        400,
        `json: cannot unmarshal ${kind} into Go struct field ${field}`,
      ])
    },
  )

  const restart = {
    RestartPolicy: { Attempts: 5, Interval: 10e9, Delay: 15e9, Mode: 'fail' },
  }

  test.for([
    ['neutral', 'Sched'],
    ['vendor', 'Nomad'],
  ] as const)('%s uses %s in failures, warnings and validation', async ([dialect, name]) => {
    const { scheduler: client } = await frozenScheduler({ dialect })
    const [group] = exampleJob()['TaskGroups'] as readonly Members[]
    const invalid = exampleJob({ TaskGroups: [{ ...group, ...restart }] })
    const text = `${name} can't restart the TaskGroup 5 times in an interval of 10s with a delay of 15s`
    const refused = await client.post('jobs', { Job: invalid })
    expect([refused.status, refused.text.includes(text)]).toEqual([500, true])
    const { body } = await requireSuccess(client.post('validate/job', { Job: invalid }))
    expect([body.Error.includes(text), body.ValidationErrors.join().includes(text)]).toEqual([
      true,
      true,
    ])
    const Job = exampleJob({ TaskGroups: [{ ...group, Networks: [{ MBits: 1 }] }] })
    const warning = `mbits has been deprecated as of ${name} 0.12.0. Please remove mbits from the network block`
    for (const path of ['jobs', 'validate/job', 'job/example/plan']) {
      const reply = await requireSuccess(client.post(path, { Job }))
      expect([path, reply.body.Warnings.includes(warning)]).toEqual([path, true])
    }
  })

  test.for([
    ['neutral', '"mesh", or "sched"'],
    ['vendor', '"consul", or "nomad"'],
  ] as const)('%s names its providers', async ([dialect, names]) => {
    const { scheduler: client } = await frozenScheduler({ dialect })
    const Job = withTask({ Services: [{ Name: 's', Provider: 'x' }] })
    const { status, text } = await client.post('jobs', { Job })
    expect([status, text.includes(`Service provider must be ${names}; not "x"`)]).toEqual([
      500,
      true,
    ])
  })
})

describe(`sources (${section}, and behaviour/scheduler#versions)`, () => {
  const Source = `job "example" { constraint { attribute = "${attribute('attr.sched.x')}" } } # Sched`
  const path = 'job/example/submission'

  // choice/scheduler#scheduler-vendor-sources
  test.for([
    ['neutral', 'JobIndex'],
    ['vendor', 'JobModifyIndex'],
  ] as const)('%s names the index %s and leaves the source alone', async ([dialect, index]) => {
    const { scheduler: client } = await frozenScheduler({ dialect })
    const Submission = { Source, Format: 'hcl2', VariableFlags: { 'attr.sched.a': 'attr.sched.b' } }
    await register(client, exampleJob(), { Submission })
    expect((await client.get(`${path}?version=0`)).body).toEqual({
      ...Submission,
      Variables: '',
      [index]: 11,
      JobID: 'example',
      Namespace: 'default',
      Version: 0,
    })
  })

  test('in vendor a registration without a source copies that of the version in the sent job', async () => {
    const { scheduler: client } = await frozenScheduler({ dialect: 'vendor' })
    await register(client, exampleJob(), { Submission: { Source: 'zero', Format: 'hcl2' } })
    await register(client, exampleJob({ Priority: 1 }), { Submission: { Source: 'one' } })
    await register(client, exampleJob({ Priority: 2 }))
    await register(client, exampleJob({ Priority: 3, Version: 1 }))
    await register(client, exampleJob({ Priority: 4, Version: 9 }))
    const sources: unknown[] = []
    for (const version of [2, 3, 9]) {
      const { status, body } = await client.get(`${path}?version=${version}`)
      sources.push(status === 200 ? body.Source : status)
    }
    expect(sources).toEqual(['zero', 'one', 404])
  })
})

describe(`bodies (${section})`, () => {
  test('NextToken appears in vendor, and not in neutral', async () => {
    for (const [dialect, token] of [
      ['neutral', {}],
      ['vendor', { NextToken: '' }],
    ] as const) {
      const { scheduler: client } = await frozenScheduler({ dialect })
      expect(await register(client, exampleJob())).toEqual(
        evaluatedReply(11, { Warnings: '', ...token }),
      )
      const versions = (await client.get('job/example/versions')).body
      expect({ ...versions, Versions: [] }).toEqual({
        Diffs: null,
        Versions: [],
        Index: 11,
        LastContact: 0,
        KnownLeader: true,
        ...token,
      })
      expect((await client.delete('job/example')).body).toEqual(stoppedReply(12, token))
    }
  })

  test('vendor omits empty members of evaluations', async () => {
    const { scheduler: client } = await frozenScheduler({ dialect: 'vendor' })
    const { EvalID } = await register(client, exampleJob())
    const evaluation = {
      ID: EvalID,
      Namespace: 'default',
      Priority: 50,
      Type: 'service',
      TriggeredBy: 'job-register',
      JobID: 'example',
      JobModifyIndex: 11,
      Status: 'pending',
      CreateIndex: 11,
      ModifyIndex: 11,
      CreateTime: expect.any(Number),
      ModifyTime: expect.any(Number),
    }
    expect((await client.get('job/example/evaluations')).body).toEqual([evaluation])
    const empty = { ClassEligibility: {}, QueuedAllocations: { a: 0 }, Wait: 0 }
    expect(vendor.renameMembers(evaluationShape, empty)).toEqual({ QueuedAllocations: { a: 0 } })
  })

  test('vendor omits empty members of networks and ports, and no others', async () => {
    const { scheduler: client } = await frozenScheduler({ dialect: 'vendor' })
    const [group] = exampleJob()['TaskGroups'] as readonly Members[]
    const Networks = [{ Mode: 'host', DynamicPorts: [{ Label: 'db' }, { Label: 'x', To: 80 }] }]
    await register(client, exampleJob({ TaskGroups: [{ ...group, Networks }] }))
    const { body } = await client.get('job/example')
    const HostNetwork = 'default'
    expect(body.TaskGroups[0].Networks).toEqual([
      {
        Mode: 'host',
        DynamicPorts: [
          { Label: 'db', HostNetwork },
          { Label: 'x', To: 80, HostNetwork },
        ],
      },
    ])
    expect(body.TaskGroups[0].Services).toBeNull()
  })

  test('vendor omits an empty Meta of stubs', async () => {
    const { scheduler: client } = await frozenScheduler({ dialect: 'vendor' })
    await register(client, exampleJob({ ID: 'a' }))
    await register(client, exampleJob({ ID: 'b', Meta: { c: 'd' } }))
    const { body } = await client.get('jobs?meta=true')
    expect(body.map((stub: Members) => ['Meta' in stub, stub['Meta']])).toEqual([
      [false, undefined],
      [true, { c: 'd' }],
    ])
  })

  test('a job without a next launch has a launch of null', async () => {
    const { scheduler: client } = await frozenScheduler({ dialect: 'vendor' })
    const { body } = await requireSuccess(client.post('job/example/plan', { Job: exampleJob() }))
    expect(body.NextPeriodicLaunch).toBeNull()
    expect(vendor.renameMembers(allocationStubShape, { TaskStates: null })).toEqual({
      TaskStates: null,
    })
  })

  // choice/scheduler#scheduler-vendor-times
  test('unset times have the year 1, as in neutral', async () => {
    for (const dialect of dialects) {
      const { scheduler: client, clock } = await frozenScheduler({
        dialect,
        options: { schedulerMode: 'auto' },
      })
      await register(client, exampleJob())
      clock.advance(5000)
      const [allocation] = (await client.get('allocations')).body
      expect(allocation.TaskStates.redis.FinishedAt).toBeNull()
    }
  })

  test('the event member SecretsError is VaultError', () => {
    expect(
      vendor.renameMembers(taskEventShape, { SecretsError: 'x', Type: 'Setup Failure' }),
    ).toEqual({
      VaultError: 'x',
      Type: 'Setup Failure',
    })
  })
})

describe(`diffs (${section})`, () => {
  test.for([
    ['neutral', 'Secrets', 'SecretsNamespace'],
    ['vendor', 'Vault', 'VaultNamespace'],
  ] as const)('%s names the object %s', async ([dialect, object, field]) => {
    const { scheduler: client } = await frozenScheduler({ dialect })
    await register(client, withTask({ Config: { image: 'i', Secrets: 'a' } }))
    await register(
      client,
      withTask(
        { Config: { image: 'i', Secrets: 'b' }, Secrets: { Policies: ['p'] } },
        { SecretsNamespace: 'n' },
      ),
    )
    const { body } = await requireSuccess(client.get('job/example/versions?diffs=true'))
    const [diff] = body.Diffs
    expect(diff.Fields.map(({ Name }: Members) => Name)).toEqual([field])
    const { Objects } = diff.TaskGroups[0].Tasks[0]
    expect(Objects.map(({ Name }: Members) => Name).sort()).toEqual(['Config', object].sort())
    const config = Objects.find(({ Name }: Members) => Name === 'Config')
    expect(config.Fields.map(({ Name }: Members) => Name)).toEqual(['Secrets', 'image'])
  })

  test.for([
    ['MeshConnect', 'ConsulConnect'],
    ['MeshProxy', 'ConsulProxy'],
    ['MeshUpstreams', 'ConsulUpstreams'],
    ['MeshIngressService', 'ConsulIngressService'],
    ['Secrets', 'Vault'],
    ['MeshGateway', 'MeshGateway'],
    ['constructor', 'constructor'],
  ] as const)('the object %s is %s in vendor, at any depth', ([Name, expected]) => {
    const object = { Type: 'Added', Name, Fields: null, Objects: null }
    const outer = { ...object, Name: 'Service', Objects: [object] }
    expect(vendor.renameMembers(objectDiffShape, outer)).toEqual({
      ...outer,
      Objects: [{ ...object, Name: expected }],
    })
  })
})

describe(`capabilities (${section})`, () => {
  test.for(['policy-override', 'sentinel-override'])('%s overrides in both', async (name) => {
    for (const dialect of dialects) {
      const { holder } = await aclScheduler({ dialect })
      const rules = `namespace "default" { capabilities = ["submit-job", "${name}"] }`
      const { client } = await holder(rules)
      await register(client, exampleJob(), { PolicyOverride: true })
    }
  })
})

test('the neutral dialect changes nothing (behaviour/program#http)', () => {
  const neutral = schedulerDialect('neutral')
  const job = emptyInput(jobShape)
  expect(neutral.renameMembers(jobShape, job)).toBe(job)
  const said = (text: string) => ({ rule: 'mbits-deprecated', template: text, params: {} })
  expect(neutral.renderMessage(said(`Sched ${attribute('attr.sched.x')}`))).toBe(
    `Sched ${attribute('attr.sched.x')}`,
  )
})

test.each([
  [taskMessage('secrets-invalid', { errors: 'x' }), 'Vault validation failed: x'],
  [
    serviceMessage('check-mesh-only', { what: 'expose' }),
    'expose may only be set for Consul service checks',
  ],
  [
    serviceMessage('service-provider-unknown', { provider: '"x"' }),
    'Service provider must be "consul", or "nomad"; not "x"',
  ],
])(`%o, in texts of the vendor (${section})`, (said, expected) => {
  expect(vendor.renderMessage(said)).toBe(expected)
})

describe(`names from callers are returned unchanged (${section})`, () => {
  // choice/scheduler#scheduler-vendor-texts-of-users
  test.for(dialects)('%s: in failures and warnings', async (dialect) => {
    const { scheduler: client } = await frozenScheduler({ dialect })
    const [group] = exampleJob()['TaskGroups'] as readonly Members[]
    const Job = exampleJob({
      TaskGroups: [{ ...group, Name: 'Sched', RestartPolicy: { Mode: 'attr.sched.x' } }],
    })
    const { text } = await client.post('jobs', { Job })
    expect(text).toContain('Task group Sched validation failed: ')
    expect(text).toContain('Unsupported restart mode: "attr.sched.x"')
    const named = exampleJob({
      TaskGroups: [{ ...group, Name: 'Sched', Networks: [{ MBits: 1 }] }],
    })
    expect((await register(client, named))['Warnings']).toContain('Group "Sched" has warnings: ')
  })

  // choice/scheduler#scheduler-vendor-texts-of-users
  test.for(dialects)('%s: in members that do not refer to attributes', async (dialect) => {
    const { scheduler: client } = await frozenScheduler({ dialect })
    const written = attribute('attr.sched.version')
    const Meta = { sched: `Sched ${written}` }
    const task = { Env: { VERSION: written }, Meta, Config: { image: written } }
    await register(client, withTask(task, { Meta, Name: 'attr.sched.x' }))
    const { body } = await client.get('job/example')
    const [stored] = body.TaskGroups[0].Tasks
    expect([stored.Env, stored.Meta, stored.Config]).toEqual([task.Env, Meta, task.Config])
    expect([body.Meta, body.Name]).toEqual([Meta, 'attr.sched.x'])
  })

  test('references to attributes use the names in diffs as well', async () => {
    const { scheduler: client } = await frozenScheduler({ dialect: 'vendor' })
    const sched = attribute('attr.sched.version')
    const Constraints = [{ LTarget: sched, RTarget: sched, Operand: '!=' }]
    await register(client, withTask({ Env: { V: sched } }))
    await register(client, withTask({ Env: { V: 'x' }, Constraints }))
    const { body } = await requireSuccess(client.get('job/example/versions?diffs=true'))
    const [diff] = body.Diffs[0].TaskGroups[0].Tasks
    const env = diff.Fields.find(({ Name }: Members) => Name === 'Env[V]')
    const [constraint] = diff.Objects.filter(({ Name }: Members) => Name === 'Constraint')
    const nomad = attribute('attr.nomad.version')
    expect([env.Old, env.New]).toEqual([sched, 'x'])
    expect(constraint.Fields.map(({ New }: Members) => New)).toEqual([nomad, '!=', nomad])
  })
})

test(`fields of diffs are in the order of the vendor's names (${section})`, () => {
  const field = (Name: string) => ({ Type: 'Added', Name, Old: '', New: 'x', Annotations: null })
  const diff = (...names: readonly string[]) => ({
    Type: 'Edited',
    ID: 'a',
    Fields: names.map(field),
    Objects: null,
    TaskGroups: null,
  })
  expect(
    schedulerDialect('vendor').renameMembers(
      jobDiffShape,
      diff('Region', 'SecretsNamespace', 'Type'),
    ),
  ).toEqual(diff('Region', 'Type', 'VaultNamespace'))
})
