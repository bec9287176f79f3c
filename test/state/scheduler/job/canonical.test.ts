import { Ajv } from 'ajv'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SECOND } from '../../../../state/go/duration.ts'
import { storedSchema } from '../../../../state/kernel/shape/schema.ts'
import {
  canonicalizeInput,
  storedJob,
  withoutServerFields,
} from '../../../../state/scheduler/job/canonical.ts'
import { jobShape } from '../../../../state/scheduler/job/job-shape.ts'
import {
  asInput,
  batchDefaults,
  disabledUpdate,
  serviceDefaults,
} from '../../../support/scheduler/scheduler-jobs.ts'
import {
  exampleJob,
  type Members,
  reference,
  registeredJob,
  resourceDefaults,
  sentJob,
  serverContext,
  taskIdentity,
} from './sample-job.ts'

describe('behaviour/scheduler#canonical-form, table: defaults by type of job', () => {
  const service = {
    RestartPolicy: serviceDefaults.restart,
    ReschedulePolicy: serviceDefaults.reschedule,
    Migrate: serviceDefaults.migrate,
    Update: serviceDefaults.update,
    job: { ...disabledUpdate, Stagger: 30 * SECOND, MaxParallel: 1 },
  }
  const system = {
    RestartPolicy: serviceDefaults.restart,
    ReschedulePolicy: null,
    Migrate: null,
    Update: null,
    job: disabledUpdate,
  }
  const batch = {
    ...system,
    RestartPolicy: batchDefaults.restart,
    ReschedulePolicy: batchDefaults.reschedule,
  }
  const zeroReschedule = {
    Attempts: 0,
    Interval: 0,
    Delay: 0,
    DelayFunction: '',
    MaxDelay: 0,
    Unlimited: false,
  }
  const sysbatch = {
    ...system,
    RestartPolicy: batchDefaults.restart,
    ReschedulePolicy: zeroReschedule,
  }

  const columns = Object.entries({ service, system, batch, sysbatch })
  const rows = ['RestartPolicy', 'ReschedulePolicy', 'Migrate', 'Update'] as const

  test.each(
    columns.flatMap(([type, column]) => rows.map((row) => ({ type, row, expected: column[row] }))),
  )('$row of a $type job', ({ type, row, expected }) => {
    const { TaskGroups } = registeredJob(exampleJob({ job: { Type: type } }))
    expect(TaskGroups?.[0]?.[row]).toEqual(expected)
  })

  test.each(columns.map(([type, column]) => ({ type, expected: column.job })))(
    'Job.Update stored of a $type job',
    ({ type, expected }) => {
      expect(registeredJob(exampleJob({ job: { Type: type } })).Update).toEqual(expected)
    },
  )

  test.each([
    {
      type: 'service',
      block: 'RestartPolicy',
      sent: { Attempts: 5 },
      full: serviceDefaults.restart,
    },
    {
      type: 'system',
      block: 'RestartPolicy',
      sent: { Mode: 'delay' },
      full: serviceDefaults.restart,
    },
    { type: 'batch', block: 'RestartPolicy', sent: { Delay: 1 }, full: batchDefaults.restart },
    {
      type: 'sysbatch',
      block: 'RestartPolicy',
      sent: { Interval: 7 },
      full: batchDefaults.restart,
    },
    {
      type: 'service',
      block: 'ReschedulePolicy',
      sent: { Attempts: 1 },
      full: serviceDefaults.reschedule,
    },
    {
      type: 'batch',
      block: 'ReschedulePolicy',
      sent: { Delay: 9 },
      full: batchDefaults.reschedule,
    },
    {
      type: 'service',
      block: 'Migrate',
      sent: { HealthCheck: 'task_states' },
      full: serviceDefaults.migrate,
    },
    { type: 'service', block: 'Update', sent: { Canary: 2 }, full: serviceDefaults.update },
    { type: 'system', block: 'Update', sent: { MaxParallel: 3 }, full: serviceDefaults.update },
  ] as const)('a partly given $block of a $type job is filled', ({ type, block, sent, full }) => {
    const job = registeredJob(exampleJob({ job: { Type: type }, group: { [block]: sent } }))
    expect(job.TaskGroups?.[0]?.[block]).toEqual({ ...full, ...sent })
  })

  test('a reschedule policy given to a system job is filled with zeros', () => {
    const group = { ReschedulePolicy: { Attempts: 3 } }
    const job = registeredJob(exampleJob({ job: { Type: 'system' }, group }))
    expect(job.TaskGroups?.[0]?.ReschedulePolicy).toEqual({
      Attempts: 3,
      Interval: 0,
      Delay: 0,
      DelayFunction: '',
      MaxDelay: 0,
      Unlimited: false,
    })
  })
})

describe('behaviour/scheduler#canonical-form: blocks of the job under those of its groups', () => {
  test('Update is merged; the job keeps Stagger and MaxParallel', () => {
    const job = registeredJob(
      exampleJob({
        job: { Update: { MaxParallel: 4, Stagger: 60 * SECOND, Canary: 1 } },
        group: { Update: { Canary: 2, HealthCheck: 'manual' } },
      }),
    )
    expect(job.TaskGroups?.[0]?.Update).toEqual({
      ...serviceDefaults.update,
      MaxParallel: 4,
      Stagger: 60 * SECOND,
      Canary: 2,
      HealthCheck: 'manual',
    })
    expect(job.Update).toEqual({ ...disabledUpdate, Stagger: 60 * SECOND, MaxParallel: 4 })
  })

  test('with MaxParallel 0 the job keeps nothing', () => {
    const job = registeredJob(exampleJob({ job: { Update: { MaxParallel: 0 } } }))
    expect(job.Update).toEqual(disabledUpdate)
    expect(job.TaskGroups?.[0]?.Update).toEqual({ ...serviceDefaults.update, MaxParallel: 0 })
  })

  test('an Update of nothing but zeros is not inherited', () => {
    const job = registeredJob(exampleJob({ job: { Type: 'system', Update: disabledUpdate } }))
    expect(job.TaskGroups?.[0]?.Update).toBeNull()
  })

  test('Reschedule and Migrate are merged and not stored on the job', () => {
    const members = exampleJob({
      job: { Reschedule: { Delay: 60 * SECOND, Attempts: 4 }, Migrate: { MaxParallel: 2 } },
      group: { ReschedulePolicy: { Attempts: 5 } },
    })
    const job = registeredJob(members)
    expect(job.TaskGroups?.[0]?.ReschedulePolicy).toEqual({
      ...serviceDefaults.reschedule,
      Delay: 60 * SECOND,
      Attempts: 5,
    })
    expect(job.TaskGroups?.[0]?.Migrate).toEqual({ ...serviceDefaults.migrate, MaxParallel: 2 })
    expect(job).not.toHaveProperty('Reschedule')
    expect(job).not.toHaveProperty('Migrate')

    const parsed = canonicalizeInput(sentJob(members))
    expect(parsed.Migrate).toEqual({ ...sentJob(members).Migrate, MaxParallel: 2 })
    expect(parsed.TaskGroups?.[0]?.Migrate).toEqual({ ...serviceDefaults.migrate, MaxParallel: 2 })
  })

  test("a task's restarts are the group's, overlaid by its own", () => {
    const group = { RestartPolicy: { Attempts: 7 } }
    const own = registeredJob(exampleJob({ group, task: { RestartPolicy: { Mode: 'delay' } } }))
    expect(own.TaskGroups?.[0]?.Tasks?.[0]?.RestartPolicy).toEqual({
      ...serviceDefaults.restart,
      Attempts: 7,
      Mode: 'delay',
    })
    const none = registeredJob(exampleJob({ group }))
    expect(none.TaskGroups?.[0]?.Tasks?.[0]?.RestartPolicy).toEqual({
      ...serviceDefaults.restart,
      Attempts: 7,
    })
  })
})

describe('behaviour/scheduler#canonical-form: the job', () => {
  test('a canonical job has all members', () => {
    expect(registeredJob(exampleJob({}))).toEqual({
      Region: 'global',
      Namespace: 'default',
      ID: 'example',
      ParentID: '',
      Name: 'example',
      Type: 'service',
      Priority: 50,
      AllAtOnce: false,
      Datacenters: ['*'],
      NodePool: 'default',
      Constraints: null,
      Affinities: null,
      Spreads: null,
      TaskGroups: [
        {
          Name: 'web',
          Count: 1,
          Constraints: null,
          Affinities: null,
          Spreads: null,
          Meta: null,
          RestartPolicy: serviceDefaults.restart,
          ReschedulePolicy: serviceDefaults.reschedule,
          Migrate: serviceDefaults.migrate,
          Update: serviceDefaults.update,
          EphemeralDisk: { Sticky: false, SizeMB: 300, Migrate: false },
          Networks: null,
          Services: null,
          Tasks: [
            {
              Name: 't',
              Driver: 'docker',
              User: '',
              Config: null,
              Env: null,
              Services: null,
              Secrets: null,
              Templates: null,
              Constraints: null,
              Affinities: null,
              Resources: resourceDefaults,
              RestartPolicy: serviceDefaults.restart,
              DispatchPayload: null,
              Lifecycle: null,
              Meta: null,
              KillTimeout: 5 * SECOND,
              KillSignal: '',
              Kind: '',
              Leader: false,
              LogConfig: { Disabled: false, MaxFiles: 10, MaxFileSizeMB: 10 },
              Artifacts: null,
              CSIPluginConfig: null,
              ScalingPolicies: null,
              ShutdownDelay: 0,
              VolumeMounts: null,
              Identity: taskIdentity,
              Identities: null,
              Actions: null,
              Schedule: null,
              Mesh: null,
            },
          ],
          Volumes: null,
          Scaling: null,
          MaxClientDisconnect: null,
          StopAfterClientDisconnect: null,
          ShutdownDelay: null,
          PreventRescheduleOnLost: false,
          Disconnect: null,
          Mesh: { Namespace: '', Cluster: 'default', Partition: '' },
        },
      ],
      Update: { ...disabledUpdate, Stagger: 30 * SECOND, MaxParallel: 1 },
      Periodic: null,
      ParameterizedJob: null,
      Payload: null,
      Meta: null,
      Multiregion: null,
      Dispatched: false,
      Stable: false,
      Stop: false,
      Status: '',
      StatusDescription: '',
      SecretsToken: '',
      SecretsNamespace: '',
      MeshToken: '',
      SchedTokenID: '',
      SubmitTime: 0,
      Version: 0,
      CreateIndex: 0,
      ModifyIndex: 0,
      JobModifyIndex: 0,
      MeshNamespace: '',
      DispatchIdempotencyToken: '',
      UI: null,
      VersionTag: null,
    })
  })

  test('the server passes over volumes of unknown types (reference)', () => {
    const volume = (Type: string) => ({ Name: 'v', Type, Source: 's' })
    const Volumes = { known: volume('host'), other: volume('tape') }
    const names = (group: Members) =>
      registeredJob(exampleJob({ group })).TaskGroups?.map((each) =>
        each.Volumes === null ? null : Object.keys(each.Volumes),
      )
    expect([names({ Volumes }), names({ Volumes: { other: volume('') } })]).toEqual([
      [['known']],
      [null],
    ])
  })

  test('only the server sets Datacenters and NodePool', () => {
    const parsed = canonicalizeInput(sentJob(exampleJob({})))
    expect([parsed.Datacenters, parsed.NodePool]).toEqual([null, ''])
    expect([parsed.Name, parsed.Namespace, parsed.Priority]).toEqual(['example', 'default', 50])
    expect(parsed.TaskGroups?.[0]?.Update).toEqual(serviceDefaults.update)
  })

  // choice/scheduler#canonical-explicit-zeros
  test.each<{ title: string; job: Members; expected: Members }>([
    {
      title: 'Priority 0 is not an answer (reference)',
      job: { Priority: 0 },
      expected: { Priority: 50 },
    },
    { title: 'an empty Type stays, and is refused', job: { Type: '' }, expected: { Type: '' } },
    { title: 'an empty Name stays, and is refused', job: { Name: '' }, expected: { Name: '' } },
    {
      title: 'an empty list becomes null',
      job: { Constraints: [] },
      expected: { Constraints: null },
    },
    { title: 'an empty map becomes null', job: { Meta: {} }, expected: { Meta: null } },
    { title: 'no datacenters', job: { Datacenters: [] }, expected: { Datacenters: ['*'] } },
    {
      title: 'SecretsToken and MeshToken are dropped (behaviour/scheduler#differences)',
      job: { SecretsToken: 's', MeshToken: 'm' },
      expected: { SecretsToken: '', MeshToken: '' },
    },
    {
      title: 'the block UI has all its members',
      job: { UI: { Links: [] } },
      expected: { UI: { Description: '', Links: null } },
    },
    {
      title: 'Namespace is the one of the request',
      job: { Namespace: 'other' },
      expected: { Namespace: 'default' },
    },
    {
      title: 'Periodic',
      job: { Periodic: { Spec: '@daily' } },
      expected: {
        Periodic: {
          Enabled: true,
          Spec: '@daily',
          SpecType: 'cron',
          ProhibitOverlap: false,
          TimeZone: 'UTC',
          Specs: [],
        },
      },
    },
    {
      title: 'ParameterizedJob',
      job: { ParameterizedJob: { MetaRequired: ['a'], MetaOptional: [] } },
      expected: {
        ParameterizedJob: { Payload: 'optional', MetaRequired: ['a'], MetaOptional: null },
      },
    },
    {
      title: 'Affinity and Spread weigh 50',
      job: {
        Affinities: [{ LTarget: reference('attr.a'), RTarget: '1', Operand: '=' }],
        Spreads: [{ Attribute: reference('node.datacenter'), SpreadTarget: [{ Value: 'dc1' }] }],
      },
      expected: {
        Affinities: [{ LTarget: reference('attr.a'), RTarget: '1', Operand: '=', Weight: 50 }],
        Spreads: [
          {
            Attribute: reference('node.datacenter'),
            Weight: 50,
            SpreadTarget: [{ Value: 'dc1', Percent: 0 }],
          },
        ],
      },
    },
    {
      title: 'Multiregion',
      job: { Multiregion: { Regions: [{ Name: 'west' }] } },
      expected: {
        Multiregion: {
          Strategy: { MaxParallel: 0, OnFailure: '' },
          Regions: [{ Name: 'west', Count: 1, Datacenters: null, NodePool: '', Meta: null }],
        },
      },
    },
  ])('$title', ({ job, expected }) => {
    expect(registeredJob(exampleJob({ job }))).toMatchObject(expected)
  })

  test('asSubmitted omits members that only the server sets; Stop is kept', () => {
    const sent = sentJob({
      ID: 'a',
      ParentID: 'p',
      Dispatched: true,
      Status: 'dead',
      StatusDescription: 'x',
      Stable: true,
      SubmitTime: 5,
      SchedTokenID: 'id',
      CreateIndex: 1,
      ModifyIndex: 2,
      JobModifyIndex: 3,
      Stop: true,
      Version: 4,
      DispatchIdempotencyToken: 't',
    })
    expect(withoutServerFields(sent)).toEqual(sentJob({ ID: 'a', Stop: true }))
  })
})

describe('behaviour/scheduler#canonical-form: the canonical form is a fixed point', () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/)
  const small = fc.integer({ min: 0, max: 5 })
  const blocks = fc.record(
    {
      Count: small,
      Meta: fc.dictionary(word, word, { maxKeys: 2 }),
      Update: fc.record({ MaxParallel: small, Canary: small }, { requiredKeys: [] }),
      ReschedulePolicy: fc.record({ Attempts: small }, { requiredKeys: [] }),
      RestartPolicy: fc.record({ Attempts: small }, { requiredKeys: [] }),
      Migrate: fc.record({ MaxParallel: small }, { requiredKeys: [] }),
      EphemeralDisk: fc.record({ SizeMB: small }, { requiredKeys: [] }),
      Scaling: fc.record({ Max: small, Min: small }, { requiredKeys: ['Max'] }),
      Networks: fc.array(fc.record({ DynamicPorts: fc.array(fc.record({ Label: word })) })),
      Services: fc.array(
        fc.record({
          Name: fc.constantFrom('', `\${JOB}-x`, reference('BASE')),
          Checks: fc.array(fc.record({})),
        }),
      ),
    },
    { requiredKeys: [] },
  )
  const jobs = fc.record(
    {
      ID: word,
      Type: fc.constantFrom('service', 'system', 'batch', 'sysbatch', 'x', ''),
      Priority: small,
      Datacenters: fc.array(word, { maxLength: 2 }),
      Update: fc.record({ MaxParallel: small, Stagger: small }, { requiredKeys: [] }),
      Migrate: fc.record({ MaxParallel: small }, { requiredKeys: [] }),
      Reschedule: fc.record({ Attempts: small }, { requiredKeys: [] }),
      Periodic: fc.record({ TimeZone: fc.constantFrom('', 'UTC') }, { requiredKeys: [] }),
      SecretsNamespace: word,
      TaskGroups: fc.array(
        fc
          .tuple(word, blocks, fc.array(fc.record({ Name: word, KillTimeout: small })))
          .map(([Name, group, Tasks]) => ({ Name, ...group, Tasks })),
        { maxLength: 2 },
      ),
    },
    { requiredKeys: ['ID'] },
  )

  const isRow = new Ajv({ allowUnionTypes: true }).compile(storedSchema(jobShape))

  test('rows of older releases are valid, with mesh blocks as they were sent', () => {
    const job = registeredJob(exampleJob({ group: { Services: [{ Name: 's' }] } }))
    const [group] = job.TaskGroups ?? []
    const [task] = group?.Tasks ?? []
    const { Identity: _, Identities: _others, Actions, ...olderTask } = task ?? {}
    const Connect = { SidecarService: { Proxy: { Upstreams: [{ DestinationName: 'db' }] } } }
    const { AddressMode, Provider, Weights, ...service } = group?.Services?.[0] ?? {}
    const { Mesh, Disconnect, ...olderGroup } = group ?? {}
    const older = {
      ...job,
      UI: { Links: [], Color: 'red' },
      TaskGroups: [{ ...olderGroup, Services: [{ ...service, Connect }], Tasks: [olderTask] }],
    }
    expect(isRow(JSON.parse(JSON.stringify(older))) || isRow.errors).toBe(true)
  })

  test('storing a stored job changes nothing', () => {
    fc.assert(
      fc.property(jobs, (members) => {
        const stored = storedJob(sentJob(JSON.parse(JSON.stringify(members))), serverContext())
        expect(isRow(stored) || isRow.errors).toBe(true)
        expect(storedJob(asInput(stored), serverContext())).toEqual(stored)
      }),
      { numRuns: 60 },
    )
  })
})
