import { type Scenario, sometimes } from './scenarios.ts'
import { unknownDatacenters } from './scheduler-values.ts'

/**
 * Returns the body that registers a job with one group and one task. `members` of the job and
 * `groupMembers` of the group replace the defaults.
 */
function jobBody(members: object = {}, groupMembers: object = {}): string {
  const task = {
    ...{ Name: 't', Driver: 'raw_exec', Config: { command: 'x' } },
    Resources: { CPU: 100, MemoryMB: 64 },
  }
  const group = { Name: 'g', Count: 1, Tasks: [task], ...groupMembers }
  const job = {
    ...{ ID: 'understudy-j', Name: 'understudy-j', Type: 'service' },
    ...{ Datacenters: unknownDatacenters, TaskGroups: [group], ...members },
  }
  return JSON.stringify({ Job: job })
}

const scaling = { Scaling: { Enabled: true, Min: 0, Max: 5, Type: 'horizontal' } }
const submission = { Source: 'job "understudy-j" {}', Format: 'hcl2' }
const variable = 'var/understudy/{key}'
const policy = '{"Name":"understudy-p","Rules":"namespace \\"default\\" { policy = \\"read\\" }"}'

const jobScenarios: readonly Scenario[] = [
  {
    weight: 20,
    choices: { count: ['0', '2', '9'], meta: ['1', '2'] },
    steps: [
      `POST jobs ${JSON.stringify({ ...JSON.parse(jobBody({}, scaling)), Submission: submission })}`,
      sometimes(80, 'GET job/understudy-j'),
      sometimes(50, 'GET job/understudy-j/summary'),
      sometimes(50, 'GET job/understudy-j/actions'),
      sometimes(50, 'GET job/understudy-j/submission?version=0'),
      sometimes(50, 'GET job/understudy-j/scale'),
      sometimes(20, 'POST job/understudy-j/scale {"Count":{count},"Target":{"Group":"g"}}'),
      sometimes(
        60,
        `POST job/understudy-j/plan ${JSON.stringify({ ...JSON.parse(jobBody({ Priority: 60 })), Diff: true })}`,
      ),
      sometimes(70, `POST job/understudy-j ${jobBody({ Meta: { a: '{meta}' } })}`),
      sometimes(60, 'GET job/understudy-j/versions?diffs=true'),
      sometimes(60, 'GET evaluation/$eval'),
      sometimes(50, 'GET evaluation/$eval/allocations'),
      sometimes(50, 'GET job/understudy-j/evaluations'),
      sometimes(50, 'GET job/understudy-j/allocations'),
      sometimes(60, 'DELETE job/understudy-j'),
      sometimes(50, 'GET job/understudy-j'),
    ],
  },
  {
    weight: 8,
    choices: { version: ['0', '0', '1', '7'] },
    steps: [
      `POST jobs ${jobBody({ Meta: { a: '1' } })}`,
      `POST jobs ${jobBody({ Meta: { a: '2' } })}`,
      sometimes(
        80,
        'POST job/understudy-j/revert {"JobID":"understudy-j","JobVersion":0,"EnforcePriorVersion":null}',
      ),
      sometimes(
        80,
        'POST job/understudy-j/stable {"JobID":"understudy-j","JobVersion":{version},"Stable":true}',
      ),
      sometimes(
        80,
        'POST job/understudy-j/versions/understudy-v/tag {"Version":0,"Description":"a"}',
      ),
      sometimes(60, 'GET job/understudy-j/versions'),
      sometimes(80, 'DELETE job/understudy-j/versions/understudy-v/tag'),
      sometimes(80, 'POST job/understudy-j/evaluate {"JobID":"understudy-j"}'),
      sometimes(50, 'GET jobs?prefix=understudy'),
      sometimes(60, 'POST jobs/statuses {"jobs":[{"id":"understudy-j","namespace":"default"}]}'),
      sometimes(60, 'GET jobs/statuses'),
      sometimes(40, 'DELETE job/understudy-j?purge=true'),
    ],
  },
  {
    weight: 6,
    choices: { count: ['0', '2', '2', '9'] },
    steps: [
      `POST jobs ${jobBody({ Type: 'batch' }, scaling)}`,
      'GET scaling/policies?job=understudy-j',
      sometimes(90, 'GET scaling/policy/$policy'),
      sometimes(90, 'POST job/understudy-j/scale {"Count":{count},"Target":{"Group":"g"}}'),
      sometimes(80, 'GET job/understudy-j/scale'),
      sometimes(50, 'GET job/understudy-j'),
    ],
  },
  {
    weight: 6,
    choices: { payload: ['optional', 'required', 'forbidden'] },
    steps: [
      `POST jobs ${jobBody({ Type: 'batch', ParameterizedJob: { Payload: '{payload}', MetaOptional: ['a'] } })}`,
      sometimes(90, 'POST job/understudy-j/dispatch {"Payload":"YQ==","Meta":{"a":"1"}}'),
      sometimes(90, 'POST job/understudy-j/dispatch {"Meta":{"a":"1"}}'),
    ],
  },
  {
    weight: 6,
    steps: [
      `POST jobs ${jobBody({ Type: 'batch', Periodic: { Enabled: true, Spec: '0 0 1 1 *', SpecType: 'cron' } })}`,
      sometimes(90, 'POST job/understudy-j/periodic/force'),
      sometimes(60, 'GET job/understudy-j'),
    ],
  },
  {
    weight: 6,
    choices: { canonical: ['true', 'false'] },
    steps: [
      'POST jobs/parse {"JobHCL":"job \\"understudy-j\\" {\\n  group \\"g\\" {\\n    count = 2\\n  }\\n}","Canonicalize":{canonical}}',
      `POST validate/job ${jobBody()}`,
      sometimes(80, `POST validate/job ${jobBody({ Priority: 101 })}`),
      sometimes(80, 'GET regions'),
      sometimes(80, 'GET nodes'),
      sometimes(80, 'GET node/pools'),
      sometimes(80, 'GET allocations'),
      sometimes(80, 'GET evaluations'),
      sometimes(80, 'GET deployments'),
    ],
  },
  {
    weight: 6,
    steps: [
      `POST jobs ${jobBody()}`,
      sometimes(80, 'GET job/understudy-j/deployments'),
      sometimes(80, 'GET job/understudy-j/deployment'),
      sometimes(80, 'GET deployment/$deployment'),
      sometimes(80, 'GET deployment/allocations/$deployment'),
      sometimes(
        80,
        'POST deployment/pause/$deployment {"DeploymentID":"$deployment","Pause":true}',
      ),
      sometimes(
        70,
        'POST deployment/promote/$deployment {"DeploymentID":"$deployment","All":true}',
      ),
      sometimes(80, 'POST deployment/fail/$deployment'),
      sometimes(80, 'POST search {"Prefix":"understudy","Context":"jobs"}'),
      sometimes(80, 'POST search/fuzzy {"Text":"understudy","Context":"jobs"}'),
    ],
  },
]

/** Scenarios of variables, namespaces and ACLs. */
const recordScenarios: readonly Scenario[] = [
  {
    weight: 10,
    choices: { key: ['a', 'a', 'b'], cas: ['0', '1', '$index', '$index'], value: ['1', '2'] },
    steps: [
      `PUT ${variable} {"Items":{"a":"1"}}`,
      sometimes(80, `GET ${variable}`),
      sometimes(80, `PUT ${variable}?cas={cas} {"Items":{"a":"{value}","b":"2"}}`),
      sometimes(80, `GET ${variable}`),
      sometimes(80, 'GET vars?prefix=understudy'),
      sometimes(60, `DELETE ${variable}`),
      sometimes(60, `GET ${variable}`),
    ],
  },
  {
    weight: 6,
    choices: { text: ['a', 'b'] },
    steps: [
      'POST namespace {"Name":"understudy-p","Description":"{text}"}',
      sometimes(80, 'GET namespace/understudy-p'),
      sometimes(80, 'GET namespaces'),
      sometimes(80, 'POST namespace/understudy-p {"Name":"understudy-p","Meta":{"a":"1"}}'),
      sometimes(80, 'GET namespace/understudy-p'),
      sometimes(80, 'DELETE namespace/understudy-p'),
    ],
  },
  {
    weight: 8,
    choices: { type: ['client', 'client', 'management'], ttl: ['', '1h'] },
    steps: [
      `POST acl/policy/understudy-p ${policy}`,
      sometimes(80, 'GET acl/policy/understudy-p'),
      sometimes(60, 'GET acl/policies'),
      'POST acl/token {"Name":"understudy-p","Type":"client","Policies":["understudy-p"],"ExpirationTTL":"{ttl}"}',
      sometimes(80, 'GET acl/token/$accessor'),
      { chance: 80, request: 'GET acl/token/self', token: '$token' },
      { chance: 60, request: 'GET jobs', token: '$token' },
      { chance: 60, request: 'GET nodes', token: '$token' },
      sometimes(
        80,
        'POST acl/token/$accessor {"AccessorID":"$accessor","Name":"understudy-q","Type":"client","Policies":["understudy-p"]}',
      ),
      sometimes(60, 'GET acl/tokens'),
      sometimes(80, 'DELETE acl/token/$accessor'),
      sometimes(80, 'DELETE acl/policy/understudy-p'),
    ],
  },
  {
    weight: 6,
    steps: [
      `POST acl/policy/understudy-p ${policy}`,
      'POST acl/role {"Name":"understudy-p","Policies":[{"Name":"understudy-p"}]}',
      sometimes(80, 'GET acl/role/$role'),
      sometimes(80, 'GET acl/role/name/understudy-p'),
      sometimes(
        80,
        'POST acl/role/$role {"ID":"$role","Name":"understudy-q","Policies":[{"Name":"understudy-p"}]}',
      ),
      sometimes(60, 'GET acl/roles'),
      sometimes(80, 'DELETE acl/role/$role'),
    ],
  },
]

export const schedulerScenarios: readonly Scenario[] = [...jobScenarios, ...recordScenarios]
