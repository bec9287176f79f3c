import { second } from '../../../support/scheduler/scheduler-jobs.ts'
import { proveTaskEdits } from './edits.ts'
import { added, deleted, edited, none, object } from './expected.ts'

proveTaskEdits('scalars of a task', [
  {
    title: 'another text is an edit',
    next: { Driver: 'exec' },
    fields: [edited('Driver', 'docker', 'exec')],
  },
  {
    title: 'a text where none was is added',
    next: { User: 'bob' },
    fields: [added('User', 'bob')],
  },
  {
    title: 'a text that is empty now is deleted',
    old: { User: 'bob' },
    next: {},
    fields: [deleted('User', 'bob')],
  },
  {
    title: 'durations are nanoseconds, truth values words, zero a number',
    next: { KillTimeout: 10 * second, ShutdownDelay: second, Leader: true },
    fields: [
      edited('KillTimeout', '5000000000', '10000000000'),
      edited('Leader', 'false', 'true'),
      edited('ShutdownDelay', '0', '1000000000'),
    ],
  },
  {
    title: 'a variable is added (the example of behaviour/scheduler#diff)',
    next: { Env: { foo: 'bar' } },
    fields: [added('Env[foo]', 'bar')],
  },
  {
    title: 'variables in byte order; one that is empty now is deleted',
    old: { Env: { a: '1', b: '2', gone: 'x', Zed: 'z' } },
    next: { Env: { a: '1', b: '', Zed: 'y', née: 'n' } },
    fields: [
      edited('Env[Zed]', 'z', 'y'),
      deleted('Env[b]', '2'),
      deleted('Env[gone]', 'x'),
      added('Env[née]', 'n'),
    ],
  },
  {
    title: 'any key of a map is data',
    next: { Meta: JSON.parse('{"__proto__":"a","constructor":"b"}') },
    fields: [added('Meta[__proto__]', 'a'), added('Meta[constructor]', 'b')],
  },
  // choice/scheduler#diff-of-unlisted-members
  {
    title: 'identities edit a task without a trace',
    next: { Identity: { Env: true }, Identities: [{ Name: 'x' }] },
  },
  {
    title: 'lifecycle, restart policy, plugin and scaling of a task are listed nowhere',
    next: {
      Lifecycle: { Hook: 'prestart', Sidecar: true },
      RestartPolicy: { Attempts: 9 },
      CSIPluginConfig: { ID: 'p', Type: 'node', MountDir: '/csi' },
    },
  },
])

proveTaskEdits('plain objects of a task', [
  {
    title: 'resources',
    next: { Resources: { CPU: 500 } },
    objects: [object('Edited', 'Resources', [edited('CPU', '100', '500')])],
    inContext: [
      object('Edited', 'Resources', [
        edited('CPU', '100', '500'),
        none('Cores', '0'),
        none('DiskMB', '0'),
        none('IOPS', '0'),
        none('MemoryMB', '300'),
        none('MemoryMaxMB', '0'),
        none('SecretsMB', '0'),
      ]),
    ],
  },
  {
    title: 'a member that was not sent before has its zero value',
    next: { Resources: { Cores: 2 } },
    objects: [object('Edited', 'Resources', [edited('Cores', '0', '2')])],
    inContext: [
      object('Edited', 'Resources', [
        none('CPU', '100'),
        edited('Cores', '0', '2'),
        none('DiskMB', '0'),
        none('IOPS', '0'),
        none('MemoryMB', '300'),
        none('MemoryMaxMB', '0'),
        none('SecretsMB', '0'),
      ]),
    ],
  },
  {
    title: 'devices by name, networks of a task by content',
    old: {
      Resources: {
        Devices: [
          { Name: 'gpu', Count: 1, Constraints: null, Affinities: null },
          { Name: 'tpu', Count: 1, Constraints: null, Affinities: null },
        ],
      },
    },
    next: {
      Resources: {
        Devices: [
          { Name: 'fpga', Count: 1, Constraints: null, Affinities: null },
          { Name: 'gpu', Count: 2, Constraints: null, Affinities: null },
        ],
        Networks: [
          {
            Device: '',
            CIDR: '',
            IP: '',
            MBits: 10,
            Mode: 'host',
            DNS: null,
            ReservedPorts: null,
            DynamicPorts: null,
          },
        ],
      },
    },
    objects: [
      object(
        'Edited',
        'Resources',
        [],
        [
          object('Added', 'Network', [added('Mode', 'host')]),
          object('Edited', 'Device', [edited('Count', '1', '2')]),
          object('Added', 'Device', [added('Count', '1'), added('Name', 'fpga')]),
          object('Deleted', 'Device', [deleted('Count', '1'), deleted('Name', 'tpu')]),
        ],
      ),
    ],
    inContext: [
      object(
        'Edited',
        'Resources',
        [
          none('CPU', '100'),
          none('Cores', '0'),
          none('DiskMB', '0'),
          none('IOPS', '0'),
          none('MemoryMB', '300'),
          none('MemoryMaxMB', '0'),
          none('SecretsMB', '0'),
        ],
        [
          object('Added', 'Network', [added('Mode', 'host')]),
          object('Edited', 'Device', [edited('Count', '1', '2'), none('Name', 'gpu')]),
          object('Added', 'Device', [added('Count', '1'), added('Name', 'fpga')]),
          object('Deleted', 'Device', [deleted('Count', '1'), deleted('Name', 'tpu')]),
        ],
      ),
    ],
  },
  {
    title: 'what is kept of logs',
    next: { LogConfig: { MaxFiles: 3 } },
    objects: [object('Edited', 'LogConfig', [edited('MaxFiles', '10', '3')])],
    inContext: [
      object('Edited', 'LogConfig', [
        none('Disabled', 'false'),
        none('MaxFileSizeMB', '10'),
        edited('MaxFiles', '10', '3'),
      ]),
    ],
  },
  {
    title: 'a payload file is added',
    next: { DispatchPayload: { File: 'config.json' } },
    objects: [object('Added', 'DispatchPayload', [added('File', 'config.json')])],
  },
  {
    title: 'a plain object of which the only field is empty is left out',
    next: { DispatchPayload: { File: '' } },
  },
  {
    title: 'a plain object that both sides have is typed by its fields',
    old: { DispatchPayload: { File: 'config.json' } },
    next: { DispatchPayload: { File: '' } },
    objects: [object('Deleted', 'DispatchPayload', [deleted('File', 'config.json')])],
  },
])

const kernel = `\${attr.kernel.name}`

proveTaskEdits('the order of objects in a task', [
  {
    title: 'as the table says',
    old: { Constraints: [{ LTarget: kernel, RTarget: 'linux', Operand: '=' }] },
    next: {
      Affinities: [{ LTarget: kernel, RTarget: 'linux', Operand: '=', Weight: 50 }],
      Config: null,
      Resources: null,
      LogConfig: null,
      DispatchPayload: { File: 'f' },
      Artifacts: [{ GetterSource: 'a', GetterOptions: null, RelativeDest: 'local/' }],
      Services: [{ Name: 's', PortLabel: 'db', Tags: null, Checks: null }],
      Secrets: {
        Policies: null,
        Role: 'r',
        Namespace: 'n',
        Env: true,
        ChangeMode: 'signal',
        ChangeSignal: 'SIGHUP',
      },
      Templates: [
        {
          SourcePath: 's',
          DestPath: 'd',
          EmbeddedTmpl: 't',
          ChangeMode: 'signal',
          ChangeSignal: 'SIGHUP',
          Splay: 0,
          Perms: '0644',
        },
      ],
      VolumeMounts: [
        { Volume: 'a', Destination: '/a', ReadOnly: true, PropagationMode: 'private' },
      ],
    },
    objects: [
      object('Deleted', 'Constraint', [
        deleted('LTarget', kernel),
        deleted('Operand', '='),
        deleted('RTarget', 'linux'),
      ]),
      object('Added', 'Affinity', [
        added('LTarget', kernel),
        added('Operand', '='),
        added('RTarget', 'linux'),
        added('Weight', '50'),
      ]),
      object('Deleted', 'Config', [deleted('image', 'redis:7'), deleted('ports[0]', 'db')]),
      object('Deleted', 'Resources', [
        deleted('CPU', '100'),
        deleted('Cores', '0'),
        deleted('DiskMB', '0'),
        deleted('IOPS', '0'),
        deleted('MemoryMB', '300'),
        deleted('MemoryMaxMB', '0'),
        deleted('SecretsMB', '0'),
      ]),
      object('Deleted', 'LogConfig', [
        deleted('Disabled', 'false'),
        deleted('MaxFileSizeMB', '10'),
        deleted('MaxFiles', '10'),
      ]),
      object('Added', 'DispatchPayload', [added('File', 'f')]),
      object('Added', 'Artifact', [added('GetterSource', 'a'), added('RelativeDest', 'local/')]),
      object('Added', 'Service', [added('Name', 's'), added('PortLabel', 'db')]),
      object('Added', 'Secrets', [
        added('ChangeMode', 'signal'),
        added('ChangeSignal', 'SIGHUP'),
        added('Env', 'true'),
        added('Namespace', 'n'),
        added('Role', 'r'),
      ]),
      object('Added', 'Template', [
        added('ChangeMode', 'signal'),
        added('ChangeSignal', 'SIGHUP'),
        added('DestPath', 'd'),
        added('EmbeddedTmpl', 't'),
        added('Perms', '0644'),
        added('SourcePath', 's'),
        added('Splay', '0'),
      ]),
      object('Added', 'VolumeMount', [
        added('Destination', '/a'),
        added('PropagationMode', 'private'),
        added('ReadOnly', 'true'),
        added('Volume', 'a'),
      ]),
    ],
  },
])
