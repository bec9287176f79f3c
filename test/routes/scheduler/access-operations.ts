import { enterpriseOperations } from '../../../routes/scheduler/operator/enterprise.ts'
import type { SchedulerClient } from '../../support/scheduler/scheduler.ts'
import { capabilities } from '../../support/scheduler/scheduler-acl.ts'
import { exampleJob, type Members, parameterizedJob, periodicJob } from './support.ts'

/** IDs of the objects that the operations work on. */
export interface TargetIds {
  readonly allocation: string
  /** An allocation that has ended. */
  readonly ended: string
  readonly evaluation: string
  readonly deployment: string
  readonly node: string
  readonly accessor: string
  readonly scalingPolicy: string
  readonly role: string
  readonly service: string
  /** An inactive key. */
  readonly rootKey: string
}

/** A request as the arguments of `SchedulerClient.request`. */
type Call = readonly [method: string, path: string, body?: Members]

/** An operation and the rules that it requires while ACLs are enabled. */
export interface Guarded {
  /** Operation ID. */
  readonly id: string
  readonly call: (targets: TargetIds) => Call
  /** Rules that each suffice on their own, for the namespace `default`. */
  readonly sufficientRules: readonly string[]
  /** Rules that grant everything except the required right. */
  readonly others: string
  /** Returns the reply to a caller without the right, if it is not a 403. */
  readonly refusal?: (targets: TargetIds) => readonly [number, string]
}

/** Capabilities that operations check (behaviour/scheduler#conventions and the reference). */
const checkedCapabilities: readonly string[] = capabilities.filter(
  (name) => !/^csi-|-exec$/.test(name),
)

/** Returns rules that grant capabilities in a namespace. */
export function granting(names: readonly string[], namespace = 'default'): string {
  return `namespace "${namespace}" { capabilities = ${JSON.stringify(names)} }`
}

/** Rules that grant everything outside of namespaces. */
const unlabelled =
  'node { policy = "write" } agent { policy = "write" } operator { policy = "write" } node_pool "*" { policy = "write" }'

function byCapability(
  id: string,
  call: Guarded['call'],
  ...capabilitySets: readonly [string, ...string[]]
): Guarded {
  const named = capabilitySets.flatMap((each) => each.split('+'))
  const others = checkedCapabilities.filter((capability) => !named.includes(capability))
  return {
    id,
    call,
    sufficientRules: capabilitySets.map((each) => granting(each.split('+'))),
    others: `${granting(others)} ${unlabelled}`,
  }
}

const [plainGroup] = exampleJob().TaskGroups as readonly Members[]
const job = exampleJob({
  TaskGroups: [{ ...plainGroup, Services: [{ Name: 'own', Provider: 'sched' }] }],
})

/** A file in every allocation of the example. */
const logFile = 'alloc/logs/redis.stdout.0'

/** Operations that require a capability in a namespace. */
export const byNamespace: readonly Guarded[] = [
  byCapability('listJobs', () => ['GET', 'jobs'], 'list-jobs'),
  byCapability('listJobStatuses', () => ['GET', 'jobs/statuses'], 'read-job'),
  byCapability(
    'listNamedJobStatuses',
    () => ['POST', 'jobs/statuses', { Jobs: [{ ID: 'example', Namespace: 'default' }] }],
    'read-job',
  ),
  byCapability('registerJob', () => ['POST', 'jobs', { Job: job }], 'submit-job'),
  byCapability('updateJob', () => ['POST', 'job/example', { Job: job }], 'submit-job'),
  byCapability('stopJob', () => ['DELETE', 'job/example'], 'submit-job'),
  byCapability(
    'parseJob',
    () => ['POST', 'jobs/parse', { JobHCL: 'job "x" {}' }],
    'parse-job',
    'submit-job',
  ),
  byCapability('planJob', () => ['POST', 'job/example/plan', { Job: job }], 'submit-job'),
  byCapability('validateJob', () => ['POST', 'validate/job', { Job: job }], 'read-job'),
  byCapability('readJob', () => ['GET', 'job/example'], 'read-job'),
  byCapability('listJobActions', () => ['GET', 'job/example/actions'], 'read-job'),
  byCapability('countEvaluations', () => ['GET', 'evaluations/count'], 'read-job'),
  byCapability(
    'listVolumes',
    () => ['GET', 'volumes?type=csi'],
    'csi-list-volume',
    'csi-read-volume',
    'csi-mount-volume',
    'list-jobs',
  ),
  byCapability('readJobSummary', () => ['GET', 'job/example/summary'], 'read-job'),
  byCapability('readJobSubmission', () => ['GET', 'job/example/submission?version=0'], 'read-job'),
  byCapability('readJobVersions', () => ['GET', 'job/example/versions'], 'read-job'),
  byCapability('listJobAllocations', () => ['GET', 'job/example/allocations'], 'read-job'),
  byCapability('listJobEvaluations', () => ['GET', 'job/example/evaluations'], 'read-job'),
  byCapability('listJobDeployments', () => ['GET', 'job/example/deployments'], 'read-job'),
  byCapability('readJobDeployment', () => ['GET', 'job/example/deployment'], 'read-job'),
  byCapability(
    'evaluateJob',
    () => ['POST', 'job/example/evaluate', { JobID: 'example' }],
    'submit-job',
  ),
  byCapability(
    'dispatchJob',
    () => ['POST', 'job/param/dispatch', { Payload: '' }],
    'dispatch-job',
  ),
  byCapability(
    'forcePeriodicJob',
    () => ['POST', 'job/cron/periodic/force'],
    'dispatch-job',
    'submit-job',
  ),
  byCapability(
    'markJobStable',
    () => ['POST', 'job/example/stable', { JobID: 'example', JobVersion: 0, Stable: true }],
    'submit-job',
  ),
  byCapability(
    'revertJob',
    () => ['POST', 'job/example/revert', { JobID: 'example', JobVersion: 0 }],
    'submit-job',
  ),
  byCapability(
    'scaleJob',
    () => ['POST', 'job/nightly/scale', { Count: 2, Target: { Group: 'cache' } }],
    'scale-job',
    'submit-job',
  ),
  byCapability('readJobScale', () => ['GET', 'job/example/scale'], 'read-job', 'read-job-scaling'),
  byCapability(
    'listScalingPolicies',
    () => ['GET', 'scaling/policies'],
    'list-scaling-policies',
    'list-jobs+read-job',
  ),
  byCapability(
    'readScalingPolicy',
    ({ scalingPolicy }) => ['GET', `scaling/policy/${scalingPolicy}`],
    'read-scaling-policy',
    'list-jobs+read-job',
  ),
  byCapability('listServices', () => ['GET', 'services'], 'read-job'),
  byCapability('readService', () => ['GET', 'service/none'], 'read-job'),
  byCapability(
    'deleteService',
    ({ service }) => ['DELETE', `service/own/${service}`],
    'submit-job',
  ),
  byCapability('listJobServices', () => ['GET', 'job/example/services'], 'read-job'),
  byCapability(
    'listAllocationServices',
    ({ allocation }) => ['GET', `allocation/${allocation}/services`],
    'read-job',
  ),
  byCapability('listAllocations', () => ['GET', 'allocations'], 'read-job'),
  {
    ...byCapability(
      'readAllocation',
      ({ allocation }) => ['GET', `allocation/${allocation}`],
      'read-job',
    ),
    refusal: ({ allocation }) => [500, `Unknown allocation "${allocation}"`],
  },
  byCapability(
    'stopAllocation',
    ({ allocation }) => ['POST', `allocation/${allocation}/stop`],
    'alloc-lifecycle',
  ),
  byCapability(
    'restartAllocation',
    ({ allocation }) => ['POST', `client/allocation/${allocation}/restart`],
    'alloc-lifecycle',
  ),
  byCapability(
    'signalAllocation',
    ({ allocation }) => ['POST', `client/allocation/${allocation}/signal`, { Signal: 'SIGHUP' }],
    'alloc-lifecycle',
  ),
  byCapability(
    'readAllocationStats',
    ({ allocation }) => ['GET', `client/allocation/${allocation}/stats`],
    'read-job',
  ),
  byCapability(
    'readAllocationChecks',
    ({ allocation }) => ['GET', `client/allocation/${allocation}/checks`],
    'read-job',
  ),
  byCapability(
    'collectAllocation',
    ({ ended }) => ['POST', `client/allocation/${ended}/gc`],
    'submit-job',
  ),
  {
    ...byCapability(
      'readAllocationLogs',
      ({ allocation }) => ['GET', `client/fs/logs/${allocation}?task=redis&type=stdout&plain=true`],
      'read-logs',
      'read-fs',
    ),
    refusal: () => [500, 'Permission denied'],
  },
  byCapability(
    'listAllocationFiles',
    ({ allocation }) => ['GET', `client/fs/ls/${allocation}`],
    'read-fs',
  ),
  byCapability(
    'statAllocationFile',
    ({ allocation }) => ['GET', `client/fs/stat/${allocation}?path=alloc`],
    'read-fs',
  ),
  {
    ...byCapability(
      'catAllocationFile',
      ({ allocation }) => ['GET', `client/fs/cat/${allocation}?path=${logFile}`],
      'read-fs',
    ),
    refusal: () => [200, 'Permission denied'],
  },
  {
    ...byCapability(
      'readAllocationFileAt',
      ({ allocation }) => ['GET', `client/fs/readat/${allocation}?path=${logFile}&offset=0`],
      'read-fs',
    ),
    refusal: () => [200, 'Permission denied'],
  },
  byCapability(
    'streamAllocationFile',
    ({ allocation }) => ['GET', `client/fs/stream/${allocation}?path=${logFile}&follow=false`],
    'read-fs',
  ),
  byCapability('listEvaluations', () => ['GET', 'evaluations'], 'read-job'),
  byCapability(
    'readEvaluation',
    ({ evaluation }) => ['GET', `evaluation/${evaluation}`],
    'read-job',
  ),
  byCapability(
    'listEvaluationAllocations',
    ({ evaluation }) => ['GET', `evaluation/${evaluation}/allocations`],
    'read-job',
  ),
  byCapability('listDeployments', () => ['GET', 'deployments'], 'read-job'),
  byCapability(
    'readDeployment',
    ({ deployment }) => ['GET', `deployment/${deployment}`],
    'read-job',
  ),
  byCapability(
    'listDeploymentAllocations',
    ({ deployment }) => ['GET', `deployment/allocations/${deployment}`],
    'read-job',
  ),
  byCapability(
    'promoteDeployment',
    ({ deployment }) => [
      'POST',
      `deployment/promote/${deployment}`,
      { DeploymentID: deployment, All: true },
    ],
    'submit-job',
  ),
  byCapability(
    'failDeployment',
    ({ deployment }) => ['POST', `deployment/fail/${deployment}`],
    'submit-job',
  ),
  byCapability(
    'tagJobVersion',
    () => ['POST', 'job/example/versions/t/tag', { Version: 0 }],
    'submit-job',
  ),
  byCapability('untagJobVersion', () => ['DELETE', 'job/example/versions/kept/tag'], 'submit-job'),
  byCapability(
    'pauseDeployment',
    ({ deployment }) => [
      'POST',
      `deployment/pause/${deployment}`,
      { DeploymentID: deployment, Pause: true },
    ],
    'submit-job',
  ),
  byCapability(
    'unblockDeployment',
    ({ deployment }) => ['POST', `deployment/unblock/${deployment}`, { DeploymentID: deployment }],
    'submit-job',
  ),
  byCapability(
    'setDeploymentHealth',
    ({ deployment, allocation }) => [
      'POST',
      `deployment/allocation-health/${deployment}`,
      { DeploymentID: deployment, HealthyAllocationIDs: [allocation] },
    ],
    'submit-job',
  ),
  {
    ...byCapability(
      'readJobNamespace',
      () => ['GET', 'namespace/default'],
      'read-job',
      'list-jobs',
    ),
    others: unlabelled,
  },
]

const everyNamespace = 'namespace "*" { policy = "write" capabilities = ["policy-override"] }'

/** Returns a read that requires a block without a label. */
function byBlock(
  what: 'agent' | 'node' | 'operator',
  paths: Readonly<Record<string, string>>,
): readonly Guarded[] {
  const others = ['agent', 'node', 'operator'].filter((each) => each !== what)
  const rules = others.map((each) => `${each} { policy = "write" }`).join(' ')
  return Object.entries(paths).map(([id, path]) => ({
    id,
    call: () => ['GET', path],
    sufficientRules: [`${what} { policy = "read" }`, `${what} { policy = "write" }`],
    others: `${everyNamespace} ${rules} node_pool "*" { policy = "write" }`,
  }))
}

/** Returns a request that changes a node. */
function nodeCall(id: string, what: string, sent?: Members): Call {
  const path = `node/${id}/${what}`
  return sent === undefined ? ['POST', path] : ['POST', path, sent]
}

/** Operations that require something other than a capability. */
export const byOtherRules: readonly Guarded[] = [
  ...byBlock('node', { readClientStats: 'client/stats', listAgentMembers: 'agent/members' }),
  {
    id: 'collectClient',
    call: () => ['POST', 'client/gc'],
    sufficientRules: ['node { policy = "write" }'],
    others: `${everyNamespace} node { policy = "read" } agent { policy = "write" } operator { policy = "write" }`,
  },
  ...(
    [
      ['listNodes', () => ['GET', 'nodes']],
      ['readNode', ({ node }) => ['GET', `node/${node}`]],
      ['listNodeAllocations', ({ node }) => ['GET', `node/${node}/allocations`]],
    ] satisfies readonly (readonly [string, Guarded['call']])[]
  ).map(([id, call]) => ({
    id,
    call,
    sufficientRules: ['node { policy = "read" }', 'node { policy = "write" }'],
    others: `${everyNamespace} agent { policy = "write" } node_pool "*" { policy = "write" }`,
  })),
  ...byBlock('agent', {
    readAgentSelf: 'agent/self',
    listAgentServers: 'agent/servers',
  }),
  ...byBlock('operator', {
    readAutopilotHealth: 'operator/autopilot/health',
    readAutopilotConfiguration: 'operator/autopilot/configuration',
    readSchedulerConfiguration: 'operator/scheduler/configuration',
  }),
  {
    id: 'writeSchedulerConfiguration',
    call: () => ['POST', 'operator/scheduler/configuration', {}],
    sufficientRules: ['operator { policy = "write" }'],
    others: `${everyNamespace} node { policy = "write" } agent { policy = "write" } operator { policy = "read" }`,
  },
  {
    id: 'listPlugins',
    call: () => ['GET', 'plugins?type=csi'],
    sufficientRules: ['plugin { policy = "list" }', 'plugin { policy = "read" }'],
    others: `${everyNamespace} ${unlabelled}`,
  },
  {
    id: 'readNodeMetadata',
    call: () => ['GET', 'client/metadata'],
    sufficientRules: ['node { policy = "read" }', 'node { policy = "write" }'],
    others: everyNamespace,
  },
  {
    id: 'applyNodeMetadata',
    call: () => ['POST', 'client/metadata', { Meta: { a: 'b' } }],
    sufficientRules: ['node { policy = "write" }'],
    others: `${everyNamespace} node { policy = "read" }`,
  },
  {
    id: 'searchByPrefix',
    call: () => ['POST', 'search', { Prefix: 'x', Context: 'jobs' }],
    sufficientRules: [granting(['read-job'])],
    others: unlabelled,
  },
  {
    id: 'searchFuzzily',
    call: () => ['POST', 'search/fuzzy', { Text: 'xx', Context: 'nodes' }],
    sufficientRules: ['node { policy = "read" }'],
    others: everyNamespace,
  },
  ...(
    [
      [
        'setNodeEligibility',
        ({ node: id }) => nodeCall(id, 'eligibility', { Eligibility: 'ineligible' }),
      ],
      ['drainNode', ({ node: id }) => nodeCall(id, 'drain', { DrainSpec: {} })],
      ['evaluateNode', ({ node: id }) => nodeCall(id, 'evaluate')],
      ['purgeNode', ({ node: id }) => nodeCall(id, 'purge')],
    ] satisfies readonly (readonly [string, Guarded['call']])[]
  ).map(([id, call]) => ({
    id,
    call,
    sufficientRules: ['node { policy = "write" }'],
    others: `${everyNamespace} node { policy = "read" } agent { policy = "write" } operator { policy = "write" } node_pool "*" { policy = "write" }`,
  })),
  ...(
    [
      ['createNodePool', 'write', () => ['POST', 'node/pools', { Name: 'gpu', Description: 'x' }]],
      ['putNodePool', 'write', () => ['POST', 'node/pool/gpu', { Name: 'gpu', Meta: { a: 'b' } }]],
      ['deleteNodePool', 'delete', () => ['DELETE', 'node/pool/gpu']],
      ['listJobsOfNodePool', 'read', () => ['GET', 'node/pool/gpu/jobs']],
    ] satisfies readonly (readonly [string, string, Guarded['call']])[]
  ).map(([id, capability, call]) => ({
    id,
    call,
    sufficientRules: [
      `node_pool "gpu" { capabilities = ["${capability}"] }`,
      'node_pool "*" { policy = "write" }',
    ],
    others: `${everyNamespace} node { policy = "write" } node_pool "gp" { policy = "write" } node_pool "gpu" { capabilities = ${JSON.stringify(['read', 'write', 'delete'].filter((other) => other !== capability))} }`,
  })),
  {
    id: 'listNodesOfNodePool',
    call: () => ['GET', 'node/pool/gpu/nodes'],
    sufficientRules: ['node { policy = "read" } node_pool "gpu" { policy = "read" }'],
    others: `${everyNamespace} node { policy = "write" }`,
  },
  {
    id: 'readNodePool',
    call: () => ['GET', 'node/pool/default'],
    sufficientRules: [
      'node_pool "default" { policy = "read" }',
      'node_pool "*" { policy = "write" }',
    ],
    others: `${everyNamespace} node { policy = "write" } node_pool "def" { policy = "write" }`,
  },
  {
    id: 'readJobAclPolicy',
    call: () => ['GET', 'acl/policy/enough'],
    // Callers may read the policies that they hold. The tests call the policy with this first rule
    // by that name.
    sufficientRules: [granting(['list-jobs'])],
    others: `${everyNamespace} ${unlabelled}`,
  },
]

const policy = { Name: 'p', Rules: granting(['read-job']) }

/** A role that exists while the operations are called. */
export const role = { Name: 'r', Policies: [{ Name: 'nothing' }] }

/** Operations that require a management token. */
export const byManagement: readonly { readonly id: string; readonly call: Guarded['call'] }[] = [
  { id: 'createJobNamespace', call: () => ['POST', 'namespace', { Name: 'x' }] },
  { id: 'putJobNamespace', call: () => ['POST', 'namespace/x', { Name: 'x' }] },
  { id: 'deleteJobNamespace', call: () => ['DELETE', 'namespace/other'] },
  { id: 'putJobAclPolicy', call: () => ['POST', 'acl/policy/p', policy] },
  { id: 'deleteJobAclPolicy', call: () => ['DELETE', 'acl/policy/p'] },
  { id: 'collectGarbage', call: () => ['PUT', 'system/gc'] },
  { id: 'reconcileSummaries', call: () => ['PUT', 'system/reconcile/summaries'] },
  { id: 'readRaftConfiguration', call: () => ['GET', 'operator/raft/configuration'] },
  { id: 'listRootKeys', call: () => ['GET', 'operator/keyring/keys'] },
  { id: 'rotateRootKeys', call: () => ['POST', 'operator/keyring/rotate'] },
  {
    id: 'deleteRootKey',
    call: ({ rootKey }) => ['DELETE', `operator/keyring/key/${rootKey}?force=true`],
  },
  { id: 'listJobAclTokens', call: () => ['GET', 'acl/tokens'] },
  { id: 'createJobAclToken', call: () => ['POST', 'acl/token', { Type: 'management' }] },
  { id: 'readJobAclToken', call: ({ accessor }) => ['GET', `acl/token/${accessor}`] },
  {
    id: 'updateJobAclToken',
    call: ({ accessor }) => [
      'POST',
      `acl/token/${accessor}`,
      { AccessorID: accessor, Type: 'client', Policies: ['p'] },
    ],
  },
  { id: 'createJobAclRole', call: () => ['POST', 'acl/role', { ...role, Name: 'other' }] },
  { id: 'readJobAclRole', call: ({ role: id }) => ['GET', `acl/role/${id}`] },
  { id: 'readNamedJobAclRole', call: () => ['GET', 'acl/role/name/r'] },
  {
    id: 'updateJobAclRole',
    call: ({ role: ID }) => ['POST', `acl/role/${ID}`, { ...role, ID, Description: 'new' }],
  },
  { id: 'deleteJobAclRole', call: ({ role: id }) => ['DELETE', `acl/role/${id}`] },
  { id: 'listJobAclBindingRules', call: () => ['GET', 'acl/binding-rules'] },
  { id: 'deleteJobAclToken', call: ({ accessor }) => ['DELETE', `acl/token/${accessor}`] },
]

/** Lists that are filtered by the caller's rights. */
export const cutLists: readonly { readonly id: string; readonly path: string }[] = [
  { id: 'listJobNamespaces', path: 'namespaces' },
  { id: 'listNodePools', path: 'node/pools' },
  { id: 'listJobAclPolicies', path: 'acl/policies' },
  { id: 'listJobAclRoles', path: 'acl/roles' },
  { id: 'listVariables', path: 'vars' },
]

/** Operations with rights by path, which the tests of variables cover. */
export const byPath = ['readVariable', 'writeVariable', 'deleteVariable'] as const

/** Operations that never answer with 200 here, which further-paths.test.ts covers. */
export const refused = [
  'readVolume',
  'registerVolumes',
  'registerVolume',
  'createVolume',
  'deregisterVolume',
  'deleteVolume',
  'detachVolume',
  'listExternalVolumes',
  'listSnapshots',
  'createSnapshots',
  'deleteSnapshot',
  'readPlugin',
  'deleteEvaluations',
  'createJobOneTimeToken',
  'exchangeJobOneTimeToken',
  'readLicense',
  'putLicense',
  ...enterpriseOperations.flatMap(({ id }) => (id.startsWith('refuse') ? [id] : [])),
]

/** Operations that accept any token or none. */
export const open: readonly { readonly id: string; readonly path: string }[] = [
  { id: 'readLeader', path: 'status/leader' },
  { id: 'listPeers', path: 'status/peers' },
  { id: 'listRegions', path: 'regions' },
  { id: 'listJobAclAuthMethods', path: 'acl/auth-methods' },
  { id: 'readAgentHealth', path: 'agent/health' },
  { id: 'readMetrics', path: 'metrics' },
]

/**
 * Registers the objects that the operations work on. Some of them appear only when the clock
 * advances.
 */
export async function registerThings(client: SchedulerClient): Promise<void> {
  const TaskGroups = [{ ...plainGroup, Scaling: { Max: 5 } }]
  const nightly = exampleJob({ ID: 'nightly', Type: 'batch', TaskGroups })
  const jobs = [exampleJob({ Priority: 40 }), job, nightly, parameterizedJob(), periodicJob()]
  for (const each of jobs) {
    const Submission = { Source: 'job "example" {}', Format: 'hcl2' }
    const { status, text } = await client.post('jobs', { Job: each, Submission })
    if (status !== 200) throw new Error(text)
  }
  const more: readonly (readonly [string, Members])[] = [
    ['job/example/versions/kept/tag', { Version: 1 }],
    ['node/pools', { Name: 'gpu' }],
  ]
  for (const [path, body] of more) {
    const { status, text } = await client.post(path, body)
    if (status !== 200) throw new Error(text)
  }
}
