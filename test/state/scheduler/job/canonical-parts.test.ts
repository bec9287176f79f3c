import { describe, expect, test } from 'vitest'
import { SECOND } from '../../../../state/go/duration.ts'
import { storedJob } from '../../../../state/scheduler/job/canonical.ts'
import { asSent } from '../../../support/scheduler-jobs.ts'
import { exampleJob, type Members, registeredJob, sentJob, serverContext } from './sample-job.ts'

function groupOf(group: Members, job: Members = {}) {
  return registeredJob(exampleJob({ job, group })).TaskGroups?.[0]
}

function taskOf(task: Members, job: Members = {}) {
  return registeredJob(exampleJob({ job, task })).TaskGroups?.[0]?.Tasks?.[0]
}

describe('3b-scheduler-decisions.md section 4: a group', () => {
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
        },
      },
    },
    {
      title: 'Scaling.Min is Count; a missing Max is -1, which is refused (reference)',
      group: { Count: 2, Scaling: { ID: 'own', Enabled: false } },
      expected: {
        Scaling: {
          ID: 'own',
          Type: 'horizontal',
          Target: { Namespace: 'default', Job: 'example', Group: 'web' },
          Policy: null,
          Min: 2,
          Max: -1,
          Enabled: false,
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
            DynamicPorts: [{ Label: 'http', Value: 0, To: 0, HostNetwork: 'default' }],
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
            Name: 'example-web',
            PortLabel: '',
            Tags: null,
            Checks: [
              {
                Name: 'service: "example-web" check',
                Type: 'tcp',
                Command: '',
                Args: null,
                Path: '',
                Protocol: '',
                PortLabel: '',
                Interval: 0,
                Timeout: 0,
                InitialStatus: '',
              },
            ],
          },
        ],
      },
    },
    {
      title: 'names are interpolated, unknown ones stay',
      group: { Services: [{ Name: `\${JOB}.\${TASKGROUP}.\${BASE}.\${OTHER}` }] },
      expected: {
        Services: [
          {
            Name: `example.web.example-web-group.\${OTHER}`,
            PortLabel: '',
            Tags: null,
            Checks: null,
          },
        ],
      },
    },
    {
      title: 'echoed members of a service stay, a partly given CheckRestart is filled',
      group: { Services: [{ Name: 'a', Provider: 'sched', CheckRestart: { Limit: 3 } }] },
      expected: {
        Services: [
          {
            Name: 'a',
            PortLabel: '',
            Tags: null,
            Checks: null,
            Provider: 'sched',
            CheckRestart: { Limit: 3, Grace: SECOND, IgnoreWarnings: false },
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
    expect(storedJob(asSent(first), serverContext())).toEqual(first)
  })
})

describe('3b-scheduler-decisions.md section 4: a task', () => {
  const template = {
    SourcePath: '',
    DestPath: 'local/a',
    EmbeddedTmpl: 'x',
    ChangeMode: 'restart',
    ChangeSignal: '',
    Splay: 5 * SECOND,
    Perms: '0644',
  }

  test.each<{ title: string; task: Members; expected: Members; job?: Members }>([
    {
      title: 'KillTimeout 0 is no answer (reference)',
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
        Resources: { CPU: 0, MemoryMB: 64, DiskMB: 0, IOPS: 0, Devices: null, Networks: null },
      },
    },
    {
      title: 'who speaks of cores at all asks for no CPU (reference)',
      task: { Resources: { Cores: 0 } },
      expected: {
        Resources: {
          CPU: 0,
          MemoryMB: 300,
          DiskMB: 0,
          IOPS: 0,
          Devices: null,
          Networks: null,
          Cores: 0,
        },
      },
    },
    {
      title: 'a plugin has its directory (reference)',
      task: { CSIPluginConfig: { ID: 'p', Type: 'node', MountDir: '' } },
      expected: { CSIPluginConfig: { ID: 'p', Type: 'node', MountDir: '/csi' } },
    },
    {
      title: 'who asks for cores asks for no CPU (reference); a device is one',
      task: { Resources: { Cores: 2, Devices: [{ Name: 'gpu' }] } },
      expected: {
        Resources: {
          CPU: 0,
          MemoryMB: 300,
          DiskMB: 0,
          IOPS: 0,
          Devices: [{ Name: 'gpu', Count: 1, Constraints: null, Affinities: null }],
          Networks: null,
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
          { GetterSource: 'https://x/a.zip', GetterOptions: null, RelativeDest: 'local/' },
          {
            GetterSource: 'https://x/a.zip',
            GetterOptions: null,
            RelativeDest: 'local/a.zip',
            GetterMode: 'file',
          },
          { GetterSource: 'https://x/a.zip', GetterOptions: null, RelativeDest: '' },
        ],
      },
    },
    {
      title: 'volume mounts',
      task: { VolumeMounts: [{ Volume: 'data', Destination: '/data' }] },
      expected: {
        VolumeMounts: [
          { Volume: 'data', Destination: '/data', ReadOnly: false, PropagationMode: 'private' },
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
        },
      },
    },
    {
      title: 'a lifecycle without a hook stays, to be refused (reference)',
      task: { Lifecycle: { Sidecar: true } },
      expected: { Lifecycle: { Hook: '', Sidecar: true } },
    },
    {
      title: 'a service of a task',
      task: { Services: [{}, { Name: `\${TASK}-\${BASE}` }] },
      expected: {
        Services: [
          { Name: 'example-web-t', PortLabel: '', Tags: null, Checks: null },
          { Name: 't-example-web-t', PortLabel: '', Tags: null, Checks: null },
        ],
      },
    },
    {
      title: 'scaling policies',
      task: { ScalingPolicies: [{ Type: 'vertical_cpu', Max: 500 }] },
      expected: {
        ScalingPolicies: [
          {
            ID: 'id-1',
            Type: 'vertical_cpu',
            Target: { Namespace: 'default', Job: 'example', Group: 'web', Task: 't' },
            Policy: null,
            Min: 0,
            Max: 500,
            Enabled: true,
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
