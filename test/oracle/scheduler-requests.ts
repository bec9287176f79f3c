import fc from 'fast-check'
import { schedulerOperations } from '../../routes/scheduler/operations.ts'
import type { Shape } from '../../state/kernel/shape/kinds.ts'
import { jobShape, taskGroupShape } from '../../state/scheduler/job/job-shape.ts'
import { taskShape } from '../../state/scheduler/job/task-shape.ts'
import type { OracleRequest } from './request.ts'
import { type RequestManner, shapedSequences } from './shaped-requests.ts'
import { objectsOf, type ValuesByName } from './shaped-values.ts'

/** Operations that sequences leave out, with the reason. */
const leftOut: readonly { readonly id: RegExp; readonly reason: string }[] = [
  { id: /^streamEvents$/, reason: 'It does not end' },
  { id: /^bootstrapJobAcls$/, reason: 'It is done once, and tells an index' },
  { id: /^(?:readAgent|listAgent|readAutopilot|readRaft|readLeader|listPeers)/, reason: 'Ports' },
  { id: /^(?:collectGarbage|reconcileSummaries)$/, reason: 'What they do takes its time' },
  { id: /SchedulerConfiguration$/, reason: 'It lasts beyond the sequence' },
  { id: /^(?:readClientStats|collectClient)$/, reason: 'There are no clients' },
  { id: /Sign\w+Keys|Keyring|Keys?$/, reason: 'Keys are drawn' },
  { id: /[sS]napshot|Debug|Pprof|Metrics/, reason: 'They tell of the process' },
  { id: /AclLogin|AuthMethods$|BindingRules$/, reason: 'Login methods are empty lists here' },
]

/** Operations on what only clients run; their refusals stand in test/routes/scheduler. */
const ofClients = /Allocation(?!s)|Client|NodePool$|^(?:list|read|delete)\w*Services?$/

const operations = schedulerOperations
  .filter(({ id }) => !leftOut.some((one) => one.id.test(id)))
  .filter(({ id }) => !ofClients.test(id))

const nothing = '01234567-89ab-cdef-0123-456789abcdef'
const jobs = ['oracle-j', 'oracle-j', 'oracle-j', 'oracle-k', 'a b', 'oracle-none']
const named = ['oracle-p', 'oracle-p', 'oracle-q', 'oracle-none', 'a b']

const rules = [
  'namespace "default" { policy = "read" }',
  'namespace "*" { policy = "write" } node { policy = "read" }',
  'namespace "default" { capabilities = ["list-jobs", "fly"] }',
  'namespace "default" { variables { path "a" { capabilities = ["read", "write"] } } }',
  'agent { policy = "read" } operator { policy = "fly" }',
  'namespace "a" {',
  '',
]

/** A text that stands for what a node has. */
const attribute = (name: string) => `\${${name}}`

const constraints = [
  { LTarget: attribute('attr.kernel.name'), RTarget: 'linux', Operand: '=' },
  { Operand: 'distinct_hosts', RTarget: 'true' },
  { LTarget: attribute('meta.a'), RTarget: '>= 1', Operand: 'version' },
  { LTarget: '', RTarget: '(', Operand: 'regexp' },
  { LTarget: 'a', RTarget: 'b', Operand: 'zz' },
  {},
]

const values: ValuesByName = {
  ID: ['oracle-j', 'oracle-k', '$role', nothing, ''],
  JobID: ['oracle-j', 'oracle-j', 'oracle-k', ''],
  Name: ['oracle-p', 'oracle-q', 'oracle-j', 'a b', ''],
  Namespace: ['default', 'oracle-p', ''],
  Namespaces: [['default'], ['*'], []],
  Region: ['global', '', 'zz'],
  NodePool: ['default', 'all', 'oracle-none', ''],
  Type: ['service', 'batch', 'system', 'sysbatch', 'client', 'management', 'zz', ''],
  Priority: [50, 0, 1, 100, 101, -1],
  Datacenters: [['dc1'], ['*'], [], ['']],
  Constraints: [...constraints.map((one) => [one]), [], null],
  Affinities: [
    [{ LTarget: attribute('meta.a'), RTarget: 'b', Operand: '=', Weight: 50 }],
    [{}],
    [],
  ],
  Spreads: [[{ Attribute: attribute('node.datacenter'), Weight: 50 }], [{ Weight: 101 }], []],
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
  Identity: [null, {}],
  Identities: [null, []],
  Rules: rules,
  Policies: [['oracle-p'], ['oracle-none'], [], null, [{ Name: 'oracle-p' }]],
  Roles: [[], null, [{ ID: '$role' }], [{ Name: 'oracle-p' }], [{ ID: nothing }]],
  AccessorID: ['$accessor', nothing, ''],
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
  Prefix: ['oracle', 'o', '', 'a'],
  Text: ['oracle', 'g', 'raw', ''],
  Context: ['jobs', 'all', 'namespaces', 'evals', 'vars', 'zz', ''],
  Items: [{ a: '1' }, { a: '1', b: '2' }, {}, { 'a b': '1' }, null],
  Path: ['a', ''],
  Lock: [null],
  Capabilities: [{ EnabledTaskDrivers: ['docker'] }, null],
  NodePoolConfiguration: [],
  SchedulerConfiguration: [],
  Quota: [''],
  JobHCL: [
    'job "oracle-j" { group "g" { task "t" { driver = "raw_exec" } } }',
    'job "oracle-j" { type = "batch" meta { a = "1" } }',
    'job "oracle-j" {',
    'job { }',
    'x = 1',
    '',
  ],
  Canonicalize: [true, false],
  Variables: ['', 'a = 1'],
  Job: [],
}

/** Members of jobs that alone make no difference, or are of other servers. */
const jobValues: ValuesByName = {
  ...values,
  ID: ['oracle-j'],
  Name: ['oracle-j', 'other', ''],
  Namespace: ['default', ''],
  Type: ['service', 'batch', 'system', 'sysbatch', 'zz'],
}

/** A job that is mostly valid: a least one, with a few members more on each level. */
const job = fc
  .record({
    id: fc.constantFrom('oracle-j', 'oracle-j', 'oracle-k'),
    type: fc.constantFrom('service', 'batch', 'system'),
    ofJob: some(jobShape),
    ofGroup: some(taskGroupShape),
    ofTask: some(taskShape),
    groups: fc.constantFrom(1, 1, 1, 2),
  })
  .map(({ id, type, ofJob, ofGroup, ofTask, groups }) => ({
    ID: id,
    Name: id,
    Type: type,
    Datacenters: ['dc1'],
    ...ofJob,
    TaskGroups: Array.from({ length: groups }, (_, at) => ({
      Name: at === 0 ? 'g' : 'h',
      Count: 1,
      Tasks: [
        {
          Name: 't',
          Driver: 'raw_exec',
          Config: { command: 'x' },
          Resources: { CPU: 100, MemoryMB: 64 },
          ...(at === 0 ? ofTask : {}),
        },
      ],
      ...(at === 0 ? ofGroup : {}),
    })),
  }))

function some(shape: Shape): fc.Arbitrary<object> {
  if (shape.kind !== 'struct') throw new Error('only objects have members')
  const names = Object.fromEntries(['ID', 'TaskGroups', 'Namespace'].map((name) => [name, []]))
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: objectsOf(shape, { ...jobValues, ...names }) },
  )
}

/** Bodies that hold a job. */
function holding(more: Readonly<Record<string, readonly unknown[]>>): fc.Arbitrary<string> {
  const others = Object.entries(more).map(([name, each]) => [name, fc.constantFrom(...each)])
  return fc
    .tuple(job, fc.record(Object.fromEntries(others), { requiredKeys: [] }))
    .map(([Job, rest]) => JSON.stringify({ Job, ...rest }))
}

const registering = holding({
  EnforceIndex: [true, false],
  JobModifyIndex: [0, '$index', 1],
  EvalPriority: [0, 80],
  PreserveCounts: [true],
})

const manner: RequestManner = {
  names: {
    '/job/:id/versions/:tag/tag': ['oracle-j', 'oracle-v'],
    '/namespace/:name': named,
    '/acl/policy/:name': named,
    '/acl/role/name/:name': named,
    '/acl/role/:id': ['$role', '$role', nothing, 'x'],
    '/evaluation/:id': ['$eval', '$eval', nothing, 'x'],
    '/evaluation/:id/allocations': ['$eval', nothing],
    '/node/pool/:name': ['default', 'all', 'oracle-none'],
    '/node/:id': [nothing, 'x'],
    '/node/:id/allocations': [nothing],
    '/scaling/policy/:id': [nothing, 'x'],
    '/var/:path': ['a', 'b', 'a/b', 'nomad/jobs/oracle-j', 'nomad/x', 'a b'],
    ':accessor': ['$accessor', '$accessor', nothing],
    ...Object.fromEntries(
      ['/deployment/', '/allocation/', '/client/'].flatMap((prefix) =>
        operations
          .filter(({ path }) => path.startsWith(prefix))
          .map(({ path }) => [path, ['$deployment', nothing, nothing, 'x']]),
      ),
    ),
    ':id': jobs,
    ':name': ['oracle-p', 'oracle-none'],
  },
  values,
  parameters: {
    cas: ['0', '$index', '1', 'x'],
    version: ['0', '1', 'x'],
    diffs: ['true', 'x'],
    diff_version: ['0', '9'],
    prefix: ['oracle', 'a', ''],
    filter: ['Name == "oracle-p"', 'ID matches "oracle"', 'x ==', 'Zed == 1'],
    per_page: ['1', '0', 'x'],
    reverse: ['true'],
    purge: ['true', 'false', 'x'],
  },
  anywhere: {
    namespace: ['default', '*', 'oracle-p', 'oracle-none'],
    region: ['global'],
    pretty: [''],
  },
  bodies: {
    registerJob: registering,
    updateJob: registering,
    planJob: holding({ Diff: [true, false] }),
    validateJob: holding({}),
  },
  weights: {
    ...{ registerJob: 8, updateJob: 5, planJob: 4, validateJob: 4, readJob: 2, parseJob: 3 },
    ...{ writeVariable: 4, readVariable: 2, createJobAclToken: 3, createJobAclRole: 3 },
    ...{ putJobAclPolicy: 4, createJobNamespace: 3, scaleJob: 2, dispatchJob: 2 },
  },
  tokens: ['$token'],
}

/**
 * Sequences of requests to the jobs API.
 *
 * @param longest requests at most
 * @param only ids of the operations that are asked
 */
export function schedulerSequences(
  longest: number,
  only = /./,
): fc.Arbitrary<readonly OracleRequest[]> {
  return shapedSequences(
    operations.filter(({ id }) => only.test(id)),
    manner,
    longest,
  )
}
