import type { ValuesByName } from './shaped-values.ts'

/** Valid id that no object has. */
export const unknownId = '01234567-89ab-cdef-0123-456789abcdef'

/** Datacenter without nodes, so that no job is ever placed, even on a server with nodes. */
export const unknownDatacenters = ['understudy-none']

export const jobIds = [
  'understudy-j',
  'understudy-j',
  'understudy-j',
  'understudy-k',
  'understudy j',
  'understudy-none',
]

/** Names of namespaces, policies and other named objects. */
export const resourceNames = [
  'understudy-p',
  'understudy-p',
  'understudy-q',
  'understudy-none',
  'a b',
]

const rules = [
  'namespace "default" { policy = "read" }',
  'namespace "*" { policy = "write" } node { policy = "read" }',
  'namespace "default" { capabilities = ["list-jobs", "fly"] }',
  'namespace "default" { variables { path "a" { capabilities = ["read", "write"] } } }',
  'agent { policy = "read" } operator { policy = "fly" }',
  'namespace "a" {',
  '',
]

/** Returns a reference to an attribute of the node. */
const interpolation = (name: string) => `\${${name}}`

const constraints = [
  { LTarget: interpolation('attr.kernel.name'), RTarget: 'linux', Operand: '=' },
  { Operand: 'distinct_hosts', RTarget: 'true' },
  { LTarget: interpolation('meta.a'), RTarget: '>= 1', Operand: 'version' },
  { LTarget: '', RTarget: '(', Operand: 'regexp' },
  { LTarget: 'a', RTarget: 'b', Operand: 'zz' },
  {},
]

/** Values to try for members of bodies, by name. */
export const schedulerValues: ValuesByName = {
  ID: ['understudy-j', 'understudy-k', '$role', unknownId, ''],
  JobID: ['understudy-j', 'understudy-j', 'understudy-k', ''],
  Name: ['understudy-p', 'understudy-q', 'understudy-j', 'a b', ''],
  Namespace: ['default', 'understudy-p', ''],
  Namespaces: [['default'], ['*'], []],
  Region: ['global', '', 'zz'],
  NodePool: ['default', 'all', 'understudy-none', ''],
  Type: ['service', 'batch', 'system', 'sysbatch', 'client', 'management', 'zz', ''],
  Priority: [50, 0, 1, 100, 101, -1],
  Datacenters: [unknownDatacenters, ['understudy-*']],
  Constraints: [...constraints.map((one) => [one]), [], null],
  Affinities: [
    [{ LTarget: interpolation('meta.a'), RTarget: 'b', Operand: '=', Weight: 50 }],
    [{}],
    [],
  ],
  Spreads: [[{ Attribute: interpolation('node.datacenter'), Weight: 50 }], [{ Weight: 101 }], []],
  Multiregion: [null],
  Periodic: [
    { Enabled: true, Spec: '0 0 1 1 *', SpecType: 'cron' },
    { Enabled: false, Specs: ['@hourly'], SpecType: 'cron', ProhibitOverlap: true },
    { Enabled: true, Spec: 'x', SpecType: 'cron', TimeZone: 'Nowhere' },
    null,
  ],
  ParameterizedJob: [{}, { Payload: 'required', MetaRequired: ['a'] }, { Payload: 'zz' }, null],
  Payload: ['YQ==', ''],
  Meta: [{ a: '1' }, { a: '1', b: '2' }, {}, null, { c: 'x' }],
  Version: [0, 7],
  JobVersion: [0, 1, 9],
  EnforcePriorVersion: [0, 1, null],
  JobModifyIndex: ['$index', 0, 1],
  EnforceIndex: [true, false],
  Status: ['running', 'dead', ''],
  Count: [1, 0, 3, -1],
  Target: [{ Group: 'g' }, { Group: 'zz' }, {}],
  Tasks: [[], [{ Name: 't', Driver: 'raw_exec', Config: { command: 'x' } }]],
  Networks: [
    [{ Mode: 'host', DynamicPorts: [{ Label: 'web' }] }],
    [{ ReservedPorts: [{ Label: 'web', Value: 8080 }] }],
    [
      {
        ReservedPorts: [
          { Label: 'a', Value: 80 },
          { Label: 'a', Value: 80 },
        ],
      },
    ],
    [{ Mode: 'zz' }],
    [],
  ],
  Driver: ['raw_exec', 'docker', 'mock_driver', '', 'zz'],
  Config: [{ command: 'x' }, {}, null],
  Resources: [{ CPU: 100, MemoryMB: 64 }, { CPU: 0, MemoryMB: 5 }, { Cores: 1 }, {}, null],
  Lifecycle: [{ Hook: 'prestart', Sidecar: false }, { Hook: 'zz' }, null],
  KillTimeout: [5_000_000_000, 0, -1],
  KillSignal: ['SIGINT', '', 'zz'],
  LogConfig: [{ MaxFiles: 2, MaxFileSizeMB: 3 }, { MaxFiles: 0 }, null],
  Secrets: [],
  Vault: [null],
  VaultConfiguration: [],
  ConsulConfiguration: [],
  Consul: [null],
  ConsulToken: [''],
  VaultToken: [''],
  Volumes: [null, {}],
  CSIPluginConfig: [null],
  Identity: [null],
  Schedule: [],
  Cluster: [],
  Connect: [],
  JobACL: [],
  Identities: [null, []],
  Rules: rules,
  Policies: [['understudy-p'], ['understudy-none'], [], null, [{ Name: 'understudy-p' }]],
  Roles: [[], null, [{ ID: '$role' }], [{ Name: 'understudy-p' }], [{ ID: unknownId }]],
  AccessorID: ['$accessor', unknownId, ''],
  SecretID: ['', '$token'],
  Global: [false, true],
  Hash: [null],
  CreateTime: [null],
  CreateIndex: [],
  ModifyIndex: [],
  VaultNamespace: [],
  ConsulNamespace: [],
  Actions: [],
  Disconnect: [],
  Reschedule: [],
  UI: [],
  ExpirationTTL: ['', '1h', 'x'],
  ExpirationTime: [null],
  Prefix: ['understudy', 'u', '', 'a'],
  Text: ['understudy', 'g', 'raw', ''],
  Context: ['jobs', 'all', 'namespaces', 'evals', 'vars', 'zz', ''],
  Items: [{ a: '1' }, { a: '1', b: '2' }, {}, { 'a b': '1' }, null],
  Path: ['understudy/a', ''],
  Lock: [null],
  Capabilities: [{ EnabledTaskDrivers: ['docker'] }, null],
  NodePoolConfiguration: [],
  SchedulerConfiguration: [],
  Quota: [''],
  JobHCL: [
    'job "understudy-j" { group "g" { task "t" { driver = "raw_exec" } } }',
    'job "understudy-j" { type = "batch" meta { a = "1" } }',
    'job "understudy-j" {',
    'job { }',
    'x = 1',
    '',
  ],
  Canonicalize: [true, false],
  Variables: ['', 'a = 1'],
  Job: [],
}

/**
 * Values to try for members of jobs. Members with an empty list are left out of requests, because
 * they have no effect alone or belong to other servers.
 */
export const jobValues: ValuesByName = {
  ...schedulerValues,
  ID: ['understudy-j'],
  Name: ['understudy-j', 'other', ''],
  Namespace: ['default', ''],
  Type: ['service', 'batch', 'system', 'sysbatch', 'zz'],
}
