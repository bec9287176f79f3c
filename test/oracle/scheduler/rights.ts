import type { ComparedRequest } from '../../../src/cli/compare/request.ts'

const capabilities = [
  ...['list-jobs', 'read-job', 'parse-job', 'submit-job', 'dispatch-job', 'scale-job'],
  ...['read-job-scaling', 'list-scaling-policies', 'read-scaling-policy', 'read-logs', 'read-fs'],
  ...['alloc-lifecycle', 'csi-list-volume', 'csi-read-volume', 'csi-mount-volume'],
  ...['csi-write-volume', 'csi-register-plugin', 'sentinel-override', 'submit-recommendation'],
]

const namespaceRule = (text: string, name = 'default') => `namespace "${name}" { ${text} }`

/** Rules of the callers: each capability and each short word alone, and combinations of them. */
const rules: readonly string[] = [
  ...capabilities.map((each) => namespaceRule(`capabilities = ["${each}"]`)),
  ...['read', 'write', 'scale', 'deny'].map((word) => namespaceRule(`policy = "${word}"`)),
  namespaceRule('policy = "write"', 'other'),
  namespaceRule('policy = "write"', '*'),
  `${namespaceRule('policy = "write"', '*')} ${namespaceRule('policy = "deny"')}`,
  namespaceRule('policy = "read" capabilities = ["submit-job"]'),
  ...['node', 'agent', 'operator', 'quota', 'plugin'].flatMap((kind) =>
    (kind === 'plugin' ? ['read', 'list'] : ['read', 'write', 'deny']).map(
      (word) => `${kind} { policy = "${word}" }`,
    ),
  ),
  'node_pool "default" { policy = "read" }',
  'node_pool "*" { policy = "write" }',
  'node_pool "*" { capabilities = ["delete"] }',
  'host_volume "*" { policy = "write" }',
  namespaceRule('variables { path "*" { capabilities = ["read"] } }'),
  namespaceRule('variables { path "*" { capabilities = ["list"] } }'),
  namespaceRule('variables { path "a" { capabilities = ["write", "destroy"] } }'),
]

const id = '00000000-0000-4000-8000-000000000000'
const jobId = 'understudy-rights'

const task = { Name: 't', Driver: 'docker', Config: { image: 'a' } }
const job = {
  ID: jobId,
  Type: 'service',
  Datacenters: ['nowhere'],
  TaskGroups: [{ Name: 'g', Count: 1, Scaling: { Max: 5 }, Tasks: [task] }],
}

type Call = readonly [method: string, path: string, body?: object]

/** Requests of each caller. None changes what a later caller sees. */
const calls: readonly Call[] = [
  ...[
    ...['jobs', 'jobs?namespace=*', 'jobs?namespace=other', 'jobs/statuses', `job/${jobId}`],
    ...['summary', 'versions', 'submission?version=0', 'allocations', 'evaluations', 'deployments']
      .concat('deployment', 'scale', 'services', 'actions')
      .map((what) => `job/${jobId}/${what}`),
    ...['nodes', `node/${id}`, `node/${id}/allocations`, 'node/pools', 'node/pool/default'],
    ...['node/pool/default/jobs', 'node/pool/default/nodes', 'node/pool/none'],
    ...['allocations', 'allocations?namespace=*', `allocation/${id}`, `allocation/${id}/services`],
    ...['evaluations', 'evaluations/count', `evaluation/${id}`, `evaluation/${id}/allocations`],
    ...['deployments', `deployment/${id}`, `deployment/allocations/${id}`],
    ...['volumes?type=csi', 'volume/csi/x', 'plugins?type=csi', 'plugin/csi/x'],
    ...['acl/policies', 'acl/policy/none', 'acl/tokens', `acl/token/${id}`, 'acl/roles'],
    ...[`acl/role/${id}`, 'acl/role/name/none', 'acl/auth-methods', 'acl/binding-rules'],
    ...['agent/members', 'agent/servers', 'agent/health', 'status/leader', 'status/peers'],
    ...['regions', 'scaling/policies', `scaling/policy/${id}`, 'services', 'service/none'],
    ...['namespaces', 'namespace/default', 'namespace/other', 'vars', 'var/a', 'var/nomad/jobs'],
    ...['operator/scheduler/configuration', 'operator/autopilot/configuration'],
    ...['operator/autopilot/health', 'operator/raft/configuration', 'operator/keyring/keys'],
    ...['operator/license', 'quotas'],
  ].map((path): Call => ['GET', path]),
  ['POST', 'jobs', { Job: { ...job, ID: '' } }],
  ['POST', `job/${jobId}/plan`, { Job: job }],
  ['POST', 'validate/job', { Job: job }],
  ['POST', 'jobs/parse', { JobHCL: 'job "a" { group "g" { task "t" { driver = "docker" } } }' }],
  ['POST', 'jobs/statuses', { Jobs: [{ ID: jobId, Namespace: 'default' }] }],
  ['POST', 'job/none/dispatch', { Payload: '' }],
  ['POST', 'job/none/periodic/force'],
  ['POST', 'job/none/evaluate', { JobID: 'none' }],
  ['POST', 'job/none/revert', { JobID: 'none', JobVersion: 1 }],
  ['POST', 'job/none/stable', { JobID: 'none', JobVersion: 1 }],
  ['POST', 'job/none/scale', { Count: 1, Target: { Group: 'g' } }],
  ['POST', 'job/none/versions/t/tag', { Version: 1 }],
  ['DELETE', 'job/none'],
  ['POST', `allocation/${id}/stop`],
  ['POST', `deployment/pause/${id}`, { DeploymentID: id, Pause: true }],
  ['POST', `deployment/promote/${id}`, { DeploymentID: id, All: true }],
  ['POST', `deployment/fail/${id}`],
  ['POST', `node/${id}/eligibility`, { Eligibility: 'eligible' }],
  ['POST', `node/${id}/drain`, { DrainSpec: {} }],
  ['POST', `node/${id}/evaluate`],
  ['POST', `node/${id}/purge`],
  ['POST', 'node/pools', { Name: 'bad name' }],
  ['DELETE', 'node/pool/none'],
  ['POST', 'namespace', { Name: 'bad name' }],
  ['DELETE', 'namespace/none'],
  ['POST', 'search', { Prefix: 'understudy', Context: 'jobs' }],
  ['POST', 'search', { Prefix: '', Context: 'all' }],
  ['POST', 'search/fuzzy', { Text: 'understudy', Context: 'all' }],
  ['POST', 'acl/policy/none', { Name: 'other' }],
  ['DELETE', `acl/token/${id}`],
  ['DELETE', `acl/role/${id}`],
  ['DELETE', 'evaluations', { EvalIDs: [id] }],
  ['DELETE', 'var/none'],
  ['DELETE', 'service/none/none'],
  ['PUT', 'var/b', {}],
]

function request(call: Call, token: string, caller: string): ComparedRequest {
  const [method, path, body] = call
  const payload = body === undefined ? {} : { body: JSON.stringify(body) }
  return { operation: `${method} ${path} as ${caller}`, method, path, token, ...payload }
}

const setUp: readonly ComparedRequest[] = [
  request(['POST', 'namespace', { Name: 'other' }], 'root', 'root'),
  request(['POST', 'jobs', { Job: job }], 'root', 'root'),
]

/** Returns the sequences of the matrix: one for each caller, which makes every request. */
export function rightsSequences(): readonly (readonly ComparedRequest[])[] {
  const holders = rules.map((Rules, at) => {
    const name = `understudy-rights-${at}`
    const token = { Type: 'client', Name: name, Policies: [name] }
    return [
      request(['PUT', `acl/policy/${name}`, { Name: name, Rules }], 'root', 'root'),
      { ...request(['POST', 'acl/token', token], 'root', 'root'), operation: 'createToken' },
      ...calls.map((call) => request(call, '$secret', Rules)),
    ]
  })
  const others = ['none', 'x', id].map((token) => calls.map((each) => request(each, token, token)))
  return [setUp, ...holders, ...others]
}
