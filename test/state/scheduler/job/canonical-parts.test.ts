import { describe, expect, test } from 'vitest'
import { SECOND } from '../../../../state/go/duration.ts'
import {
  canonicalizeInput,
  storedJob,
  withoutServerFields,
} from '../../../../state/scheduler/job/canonical.ts'
import type { InputJob, Job } from '../../../../state/scheduler/job/job-shape.ts'
import { asInput } from '../../../support/scheduler/scheduler-jobs.ts'
import {
  checkDefaults,
  exampleJob,
  type Members,
  registeredJob,
  resourceDefaults,
  sentJob,
  serverContext,
  serviceDefaults,
  taskIdentity,
} from './sample-job.ts'

function groupOf(group: Members, job: Members = {}) {
  return registeredJob(exampleJob({ job, group })).TaskGroups?.[0]
}

function taskOf(task: Members, job: Members = {}) {
  return registeredJob(exampleJob({ job, task })).TaskGroups?.[0]?.Tasks?.[0]
}

describe('behaviour/scheduler#canonical-form: a group', () => {
  // choice/scheduler#canonical-explicit-zeros choice/scheduler#validation-scaling
  test.each<{ title: string; group: Members; expected: Members; job?: Members }>([
    { title: 'Count 0 stays 0', group: { Count: 0 }, expected: { Count: 0 } },
    {
      title: 'Count 0 of a system job is 1 (reference)',
      group: { Count: 0 },
      job: { Type: 'system' },
      expected: { Count: 1 },
    },
    {
      title: 'Count is Scaling.Min; the policy has an ID and a target',
      group: { Scaling: { Min: 3, Max: 9, Policy: {} } },
      expected: {
        Count: 3,
        Scaling: {
          ID: 'id-1',
          Type: 'horizontal',
          Target: { Namespace: 'default', Job: 'example', Group: 'web' },
          Policy: null,
          Min: 3,
          Max: 9,
          Enabled: true,
          CreateIndex: 0,
          ModifyIndex: 0,
        },
      },
    },
    {
      title:
        'Scaling.Min is Count; a missing Max is -1, which is refused; a sent ID is not heard (reference, behaviour/scheduler#deployments)',
      group: { Count: 2, Scaling: { ID: 'own', Enabled: false } },
      expected: {
        Scaling: {
          ID: 'id-1',
          Type: 'horizontal',
          Target: { Namespace: 'default', Job: 'example', Group: 'web' },
          Policy: null,
          Min: 2,
          Max: -1,
          Enabled: false,
          CreateIndex: 0,
          ModifyIndex: 0,
        },
      },
    },
    {
      title: 'a partly given EphemeralDisk',
      group: { EphemeralDisk: { Sticky: true } },
      expected: { EphemeralDisk: { Sticky: true, SizeMB: 300, Migrate: false } },
    },
    {
      title: 'ports listen on HostNetwork default; MBits 0',
      group: { Networks: [{ DynamicPorts: [{ Label: 'http' }], ReservedPorts: [] }] },
      expected: {
        Networks: [
          {
            Device: '',
            CIDR: '',
            IP: '',
            MBits: 0,
            Mode: '',
            DNS: null,
            ReservedPorts: null,
            DynamicPorts: [
              { Label: 'http', Value: 0, To: 0, HostNetwork: 'default', IgnoreCollision: false },
            ],
            Hostname: '',
            CNI: null,
          },
        ],
      },
    },
    {
      title: 'a service without a name, and its check',
      group: { Services: [{ Checks: [{ Type: 'tcp' }] }] },
      expected: {
        Services: [
          {
            ...serviceDefaults,
            Name: 'example-web',
            Checks: [{ ...checkDefaults, Name: 'service: "example-web" check', Type: 'tcp' }],
          },
        ],
      },
    },
    {
      title: 'names are interpolated, unknown ones stay',
      group: { Services: [{ Name: `\${JOB}.\${TASKGROUP}.\${BASE}.\${OTHER}` }] },
      expected: {
        Services: [{ ...serviceDefaults, Name: `example.web.example-web-group.\${OTHER}` }],
      },
    },
    {
      title: 'weights of 0 become 1; members of checks below 0 become 0 (reference)',
      group: {
        Services: [
          {
            Name: 'a',
            Provider: 'sched',
            OnUpdate: 'ignore',
            Weights: {},
            Checks: [{ Name: 'c', SuccessBeforePassing: -1, Advertise: 'x' }],
          },
        ],
      },
      expected: {
        Services: [
          {
            ...serviceDefaults,
            Name: 'a',
            Provider: 'sched',
            OnUpdate: 'ignore',
            Weights: { Passing: 1, Warning: 1 },
            Checks: [{ ...checkDefaults, Name: 'c', OnUpdate: 'ignore' }],
          },
        ],
      },
    },
  ])('$title', ({ group, job, expected }) => {
    const { ...canonical } = groupOf(group, job)
    for (const [name, value] of Object.entries(expected)) {
      expect({ [name]: Reflect.get(canonical, name) }).toEqual({ [name]: value })
    }
  })

  test('a policy keeps the ID that the registered job has for the group', () => {
    const sent = sentJob(exampleJob({ group: { Scaling: { Max: 5 } } }))
    const first = storedJob(sent, serverContext())
    const again = storedJob(sent, {
      namespace: 'default',
      uuid: () => 'unwanted',
      current: first,
    })
    expect(again).toEqual(first)
    expect(first.TaskGroups?.[0]?.Scaling?.ID).toBe('id-1')
    expect(storedJob(asInput(first), serverContext())).toEqual(first)
  })

  test('the stored group is reused only for a group that equals it', () => {
    const job = (Env: Members) => {
      const other = { Name: 'other', Tasks: [{ Name: 'o', Driver: 'docker', Env }] }
      const { TaskGroups, ...rest } = exampleJob({ job: { Meta: Env } })
      return sentJob({ ...rest, TaskGroups: [...[TaskGroups ?? []].flat(), other] })
    }
    const first = storedJob(job({ a: '1', b: '2' }), serverContext())
    for (const env of [
      { a: '1', b: '3' },
      { b: '2', a: '1' },
    ]) {
      const next = storedJob(job(env), { ...serverContext(), current: first })
      expect(next.TaskGroups?.[0]).toBe(first.TaskGroups?.[0])
      expect(Object.entries(next.TaskGroups?.[1]?.Tasks?.[0]?.Env ?? {})).toEqual(
        Object.entries(env),
      )
    }
  })
})

describe("behaviour/scheduler#canonical-form: a service's CheckRestart", () => {
  const checks = [
    { Name: 'a' },
    { Name: 'b', CheckRestart: { Limit: 5 } },
    { Name: 'c', CheckRestart: { Grace: 7, IgnoreWarnings: true } },
  ]
  const merged = [
    { Limit: 3, Grace: SECOND, IgnoreWarnings: false },
    { Limit: 5, Grace: SECOND, IgnoreWarnings: false },
    { Limit: 3, Grace: 7, IgnoreWarnings: true },
  ]
  const group = { Services: [{ Name: 's', CheckRestart: { Limit: 3 }, Checks: checks }] }

  test('is merged into each of its checks, which win; the stored service has none', () => {
    const [service] = groupOf(group)?.Services ?? []
    expect(service).not.toHaveProperty('CheckRestart')
    expect(service?.Checks?.map(({ CheckRestart }) => CheckRestart)).toEqual(merged)
  })

  test('stays as it was sent where parse canonicalizes', () => {
    const parsed = canonicalizeInput(sentJob(exampleJob({ group })))
    const [service] = parsed.TaskGroups?.[0]?.Services ?? []
    expect(service?.CheckRestart).toEqual({ Limit: 3, Grace: null, IgnoreWarnings: false })
    expect(service?.Checks?.map(({ CheckRestart }) => CheckRestart)).toEqual(merged)
  })

  // choice/scheduler#canonical-odds
  test('a restart of a check gets a default Grace; a check without a restart stays without one', () => {
    const Services = [{ Checks: [{ CheckRestart: { Limit: 2 } }, {}] }]
    const [service] = groupOf({ Services })?.Services ?? []
    const [first, second] = service?.Checks ?? []
    expect(first?.CheckRestart).toEqual({ Limit: 2, Grace: SECOND, IgnoreWarnings: false })
    expect(second?.CheckRestart).toBeNull()
  })
})

describe('behaviour/scheduler#canonical-form: values that the product does not store', () => {
  test('are dropped; members of reads stay with their zero value', () => {
    const network = { Device: 'eth1', Mode: 'host' }
    const members = exampleJob({
      job: { DispatchIdempotencyToken: 't', MeshNamespace: 'west', Version: 7, Nonsense: 1 },
      group: {
        Networks: [network],
        Scaling: { Max: 3, Namespace: 'x', CreateIndex: 5, ModifyIndex: 6 },
        Services: [{ Name: 's', Namespace: 'x', Checks: [{ Type: 'tcp', Advertise: 'x' }] }],
      },
      task: { Resources: { Networks: [network] }, LogConfig: { Enabled: true } },
    })
    const stored = storedJob(withoutServerFields(sentJob(members)), serverContext())
    expect(stored).toMatchObject({ DispatchIdempotencyToken: '', MeshNamespace: '', Version: 0 })
    expect(stored).not.toHaveProperty('Nonsense')
    const [group] = stored.TaskGroups ?? []
    expect(group?.Mesh?.Namespace).toBe('west')
    expect(group?.Networks?.[0]).toMatchObject({ Device: '', Mode: 'host' })
    expect(group?.Tasks?.[0]?.Resources?.Networks?.[0]).toMatchObject({ Device: '' })
    expect(group?.Scaling).toMatchObject({ CreateIndex: 0, ModifyIndex: 0 })
    expect(group?.Scaling).not.toHaveProperty('Namespace')
    expect(group?.Services?.[0]?.Namespace).toBe('default')
    expect(group?.Services?.[0]?.Checks?.[0]).not.toHaveProperty('Advertise')
    expect(group?.Tasks?.[0]?.LogConfig).not.toHaveProperty('Enabled')
  })

  test('services of the own catalogue are in the namespace of the job, those of the mesh are not', () => {
    const Services = [
      { Name: 'a' },
      { Name: 'b', Provider: 'sched' },
      { Name: 'c', Provider: 'nomad' },
    ]
    const stored = storedJob(sentJob(exampleJob({ group: { Services } })), serverContext('team'))
    const namespaces = stored.TaskGroups?.[0]?.Services?.map(({ Namespace }) => Namespace)
    expect(namespaces).toEqual(['default', 'team', 'team'])
  })
})

describe('behaviour/scheduler#canonical-form: identities', () => {
  const identity = (members: Members) => ({ ...taskIdentity, ...members })

  test.each<{ what: string; task: Members; expected: Members }>([
    { what: 'none', task: {}, expected: { Identity: taskIdentity, Identities: null } },
    {
      what: 'one without a name is the default one, whatever its audience',
      task: {
        Identities: [
          { Env: true, Audience: ['x'] },
          { Name: 'aws', Audience: ['s3'] },
        ],
      },
      expected: {
        Identity: identity({ Env: true }),
        Identities: [identity({ Name: 'aws', Audience: ['s3'] })],
      },
    },
    {
      what: 'signals are in capitals',
      task: { Identity: { ChangeMode: 'signal', ChangeSignal: 'sighup' } },
      expected: {
        Identity: identity({ ChangeMode: 'signal', ChangeSignal: 'SIGHUP' }),
        Identities: null,
      },
    },
  ])('of a task: $what', ({ task, expected }) => {
    expect(taskOf(task)).toMatchObject(expected)
  })

  test('of a service in the mesh are named after it', () => {
    const service = { Name: 's', PortLabel: 'http', Identity: { Audience: ['a'] } }
    const group = groupOf({ Services: [service, { ...service, Provider: 'sched' }] })
    const names = group?.Services?.map(({ Identity }) => [Identity?.Name, Identity?.ServiceName])
    expect(names).toEqual([
      ['mesh-service_s-http', 's'],
      ['', ''],
    ])
  })
})

describe('behaviour/scheduler#canonical-form: a block for disconnected nodes', () => {
  test('has its defaults, and takes over the older members', () => {
    expect(groupOf({ Disconnect: {} })?.Disconnect).toEqual({
      LostAfter: 0,
      StopOnClientAfter: null,
      Replace: true,
      Reconcile: 'best_score',
    })
    const older = { MaxClientDisconnect: 5, StopAfterClientDisconnect: 7 }
    expect(groupOf({ Disconnect: {}, ...older })?.Disconnect).toMatchObject({
      LostAfter: 5,
      StopOnClientAfter: 7,
    })
  })
})

// choice/scheduler#canonical-parse
test('behaviour/scheduler#canonical-form: parse leaves members empty that only registration sets', () => {
  const members = exampleJob({
    job: { Type: 'batch', ParameterizedJob: {} },
    group: {
      Networks: [{ DynamicPorts: [{ Label: 'http' }] }],
      Scaling: { Max: 3 },
      Services: [{ Name: 's', Checks: [{ Type: 'tcp' }] }],
    },
    task: { ScalingPolicies: [{ Type: 'vertical_cpu', Max: 500 }] },
  })
  const emptiesOf = ({
    Datacenters,
    NodePool,
    ParameterizedJob,
    TaskGroups,
  }: Pick<Job | InputJob, 'Datacenters' | 'NodePool' | 'ParameterizedJob' | 'TaskGroups'>) => {
    const [group] = TaskGroups ?? []
    const [service] = group?.Services ?? []
    const [policy] = group?.Tasks?.[0]?.ScalingPolicies ?? []
    return {
      Datacenters,
      NodePool,
      payload: ParameterizedJob?.Payload,
      network: group?.Networks?.[0]?.DynamicPorts?.[0]?.HostNetwork,
      scaling: [group?.Scaling?.ID, group?.Scaling?.Target],
      vertical: [policy?.ID, policy?.Target],
      check: service?.Checks?.[0]?.Name,
      namespace: service?.Namespace,
    }
  }
  expect(emptiesOf(canonicalizeInput(sentJob(members)))).toEqual({
    Datacenters: null,
    NodePool: '',
    payload: '',
    network: '',
    scaling: ['', null],
    vertical: ['', null],
    check: '',
    namespace: undefined,
  })
  const Target = { Namespace: 'default', Job: 'example', Group: 'web' }
  expect(emptiesOf(registeredJob(members))).toEqual({
    Datacenters: ['*'],
    NodePool: 'default',
    payload: 'optional',
    network: 'default',
    scaling: ['id-1', Target],
    vertical: ['', { ...Target, Task: 't' }],
    check: 'service: "s" check',
    namespace: 'default',
  })
})

describe('behaviour/scheduler#canonical-form: a task', () => {
  const ofService = { ...serviceDefaults, TaskName: 't' }

  test('DiskMB is dropped without an error', () => {
    expect(taskOf({ Resources: { DiskMB: 500 } })?.Resources?.DiskMB).toBe(0)
  })

  test('a change script has its defaults, also where parse canonicalizes', () => {
    const task = { Templates: [{ ChangeMode: 'script', ChangeScript: { Command: '/bin/reload' } }] }
    const full = { Command: '/bin/reload', Args: [], Timeout: 5 * SECOND, FailOnError: false }
    expect(taskOf(task)?.Templates?.[0]?.ChangeScript).toEqual(full)
    const parsed = canonicalizeInput(sentJob(exampleJob({ task })))
    expect(parsed.TaskGroups?.[0]?.Tasks?.[0]?.Templates?.[0]?.ChangeScript).toEqual(full)
  })

  const template = {
    SourcePath: '',
    DestPath: 'local/a',
    EmbeddedTmpl: 'x',
    ChangeMode: 'restart',
    ChangeSignal: '',
    Splay: 5 * SECOND,
    Perms: '0644',
    ChangeScript: null,
    Uid: null,
    Gid: null,
    LeftDelim: '{{',
    RightDelim: '}}',
    Envvars: false,
    SecretsGrace: 0,
    Wait: null,
    ErrMissingKey: false,
  }

  const artifact = {
    GetterSource: 'https://x/a.zip',
    GetterOptions: null,
    GetterHeaders: null,
    GetterMode: 'any',
    GetterInsecure: false,
    Chown: false,
  }

  // choice/scheduler#canonical-explicit-zeros choice/scheduler#canonical-odds
  test.each<{ title: string; task: Members; expected: Members; job?: Members }>([
    {
      title: 'KillTimeout 0 is not an answer (reference)',
      task: { KillTimeout: 0 },
      expected: { KillTimeout: 5 * SECOND },
    },
    {
      title: 'a partly given LogConfig',
      task: { LogConfig: { MaxFiles: 2 } },
      expected: { LogConfig: { Disabled: false, MaxFiles: 2, MaxFileSizeMB: 10 } },
    },
    {
      title: 'Resources with zeros stay zero',
      task: { Resources: { CPU: 0, MemoryMB: 64 } },
      expected: {
        Resources: { ...resourceDefaults, CPU: 0, MemoryMB: 64 },
      },
    },
    {
      title: 'who speaks of cores at all asks for no CPU (reference)',
      task: { Resources: { Cores: 0 } },
      expected: { Resources: { ...resourceDefaults, CPU: 0 } },
    },
    {
      title: 'a plugin has its directory (reference)',
      task: { CSIPluginConfig: { ID: 'p', Type: 'node', MountDir: '' } },
      expected: {
        CSIPluginConfig: {
          ID: 'p',
          Type: 'node',
          MountDir: '/csi',
          StagePublishBaseDir: '/local/csi',
          HealthTimeout: 30 * SECOND,
        },
      },
    },
    {
      title: 'who asks for cores asks for no CPU (reference); a device is one',
      task: { Resources: { Cores: 2, Devices: [{ Name: 'gpu' }] } },
      expected: {
        Resources: {
          ...resourceDefaults,
          CPU: 0,
          Devices: [{ Name: 'gpu', Count: 1, Constraints: null, Affinities: null }],
          Cores: 2,
        },
      },
    },
    {
      title: 'templates',
      task: {
        Templates: [
          { DestPath: 'local/a', EmbeddedTmpl: 'x' },
          { DestPath: 'local/a', EmbeddedTmpl: 'x', ChangeMode: 'signal' },
          { DestPath: 'local/a', EmbeddedTmpl: 'x', ChangeSignal: 'sigusr1', Perms: '' },
        ],
      },
      expected: {
        Templates: [
          template,
          { ...template, ChangeMode: 'signal', ChangeSignal: 'SIGHUP' },
          { ...template, ChangeSignal: 'SIGUSR1', Perms: '' },
        ],
      },
    },
    {
      title: 'artifacts',
      task: {
        Artifacts: [
          { GetterSource: 'https://x/a.zip' },
          { GetterSource: 'https://x/a.zip', GetterMode: 'file' },
          { GetterSource: 'https://x/a.zip', RelativeDest: '', GetterOptions: {} },
        ],
      },
      expected: {
        Artifacts: [
          { ...artifact, RelativeDest: 'local/' },
          { ...artifact, RelativeDest: 'local/a.zip', GetterMode: 'file' },
          { ...artifact, RelativeDest: '' },
        ],
      },
    },
    {
      title: 'volume mounts; one that names no volume is none (reference)',
      task: { VolumeMounts: [{ Volume: 'data', Destination: '/data' }, { Destination: '/a' }] },
      expected: {
        VolumeMounts: [
          {
            Volume: 'data',
            Destination: '/data',
            ReadOnly: false,
            PropagationMode: 'private',
            SELinuxLabel: '',
          },
        ],
      },
    },
    {
      title: 'the secrets integration takes the namespace of the job',
      task: { Secrets: { Policies: ['a'], ChangeSignal: 'sigint' } },
      job: { SecretsNamespace: 'team' },
      expected: {
        Secrets: {
          Policies: ['a'],
          Role: '',
          Namespace: 'team',
          Env: true,
          ChangeMode: 'restart',
          ChangeSignal: 'SIGINT',
          Cluster: 'default',
          DisableFile: false,
          AllowTokenExpiration: false,
        },
      },
    },
    {
      title: 'a lifecycle without a hook is dropped (reference)',
      task: { Lifecycle: { Sidecar: true } },
      expected: { Lifecycle: null },
    },
    {
      title: 'a service of a task',
      task: { Services: [{}, { Name: `\${TASK}-\${BASE}` }] },
      expected: {
        Services: [
          { Name: 'example-web-t', ...ofService },
          { Name: 't-example-web-t', ...ofService },
        ],
      },
    },
    {
      title: 'scaling policies',
      task: { ScalingPolicies: [{ Type: 'vertical_cpu', Max: 500 }] },
      expected: {
        ScalingPolicies: [
          {
            ID: '',
            Type: 'vertical_cpu',
            Target: { Namespace: 'default', Job: 'example', Group: 'web', Task: 't' },
            Policy: null,
            Min: 0,
            Max: 500,
            Enabled: true,
            CreateIndex: 0,
            ModifyIndex: 0,
          },
        ],
      },
    },
    {
      title: 'names such as __proto__ are data',
      task: { Env: JSON.parse('{"__proto__":"a","constructor":"b"}'), Config: {} },
      expected: { Env: JSON.parse('{"__proto__":"a","constructor":"b"}'), Config: null },
    },
  ])('$title', ({ task, job, expected }) => {
    const { ...canonical } = taskOf(task, job)
    for (const [name, value] of Object.entries(expected)) {
      expect({ [name]: Reflect.get(canonical, name) }).toEqual({ [name]: value })
    }
  })
})
