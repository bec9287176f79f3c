import type { Samples } from './sample.ts'

const task = { Name: 't', Driver: 'docker', Config: { image: 'x' } }
const group = { Name: 'g', Count: 2, Tasks: [task], Scaling: { Min: 1, Max: 5, Enabled: true } }
const job = { ID: 'web', Name: 'web', Type: 'service', Datacenters: ['*'], TaskGroups: [group] }
const canary = { ...job, ID: 'canary', Update: { MaxParallel: 1, Canary: 1 } }
const batch = { ...job, ID: 'batch', Type: 'batch', TaskGroups: [{ Name: 'g', Tasks: [task] }] }
const parameterized = { ...batch, ID: 'param', ParameterizedJob: { MetaRequired: ['input'] } }
const periodic = { ...batch, ID: 'cron', Periodic: { Enabled: true, Spec: '0 0 * * *' } }
const rules = 'namespace "default" { policy = "read" }'

export const schedulerSamples: Samples = {
  tokenHeader: 'x-sched-token',
  tokens: ['scheduler-management-token', 'anonymous', ''],
  contentType: 'application/json',
  values: {
    id: /^[0-9a-f-]{36}$/,
    'job/:id': ['web', 'canary', 'batch', 'param', 'cron', 'none'],
    name: ['team-a', 'default', 'reads'],
    'pool/:name': ['gpu', 'default', 'none'],
    tag: ['kept', 'none'],
    path: ['app/config', 'sched/jobs/web'],
    'policy/:name': ['reads', 'other'],
    accessor: /^[0-9a-f-]{36}$/,
  },
  bodies: {
    'POST /v1/namespace': [{ Name: 'team-a', Description: 'x', Meta: { a: 'b' } }],
    'POST /v1/namespace/:name': [{ Name: 'team-a', Description: 'y' }],
    'POST /v1/jobs': [
      { Job: job },
      { Job: { ...job, Namespace: 'team-a' } },
      { Job: canary },
      { Job: batch },
      { Job: parameterized },
      { Job: periodic },
      { Job: { ...job, Meta: { a: 'b' } }, EnforceIndex: true, JobModifyIndex: 1 },
    ],
    'POST /v1/job/:id': [{ Job: { ...job, ID: ':id' } }, { Job: batch }],
    'POST /v1/jobs/statuses': [{ jobs: [{ id: 'web', namespace: 'default' }] }],
    'POST /v1/jobs/parse': [
      { JobHCL: 'job "a" {\n group "g" {\n task "t" {\n driver = "docker"\n }\n }\n}' },
      { JobHCL: 'job "a" {}', Canonicalize: true },
    ],
    'POST /v1/job/:id/plan': [{ Job: { ...job, ID: ':id' }, Diff: true }],
    'POST /v1/validate/job': [{ Job: job }],
    'POST /v1/job/:id/evaluate': [{ JobID: ':id', EvalOptions: { ForceReschedule: true } }],
    'POST /v1/job/:id/dispatch': [{ Payload: '', Meta: { input: 'x' } }],
    'POST /v1/job/:id/periodic/force': [undefined, {}],
    'POST /v1/job/:id/stable': [{ JobID: ':id', JobVersion: 0, Stable: true }],
    'POST /v1/job/:id/revert': [{ JobID: ':id', JobVersion: 0 }],
    'POST /v1/job/:id/scale': [{ Target: { Group: 'g' }, Count: 3, Message: 'x' }],
    'POST /v1/allocation/:id/stop': [undefined, {}],
    'POST /v1/deployment/promote/:id': [{ DeploymentID: '', All: true }, { Groups: ['g'] }],
    'POST /v1/deployment/fail/:id': [undefined, {}],
    'POST /v1/acl/policy/:name': [{ Name: ':name', Description: 'x', Rules: rules }],
    'POST /v1/acl/token': [
      { Name: 'x', Type: 'client', Policies: ['reads'] },
      { Name: 'y', Type: 'management' },
    ],
    'POST /v1/acl/token/:accessor': [
      { AccessorID: ':accessor', Name: 'z', Type: 'client', Policies: ['reads'] },
    ],
    'POST /v1/acl/bootstrap': [undefined, {}],
    'POST /v1/operator/scheduler/configuration': [
      { SchedulerAlgorithm: 'spread', PreemptionConfig: { SystemSchedulerEnabled: true } },
    ],
    'POST /v1/operator/keyring/rotate': [undefined],
    'PUT /v1/system/gc': [undefined],
    'PUT /v1/system/reconcile/summaries': [undefined],
    'POST /v1/node/pools': [{ Name: 'gpu', Description: 'x', Meta: { a: 'b' } }],
    'POST /v1/node/pool/:name': [{ Name: ':name', Description: 'y' }],
    'POST /v1/node/:id/eligibility': [{ Eligibility: 'ineligible' }, { Eligibility: 'eligible' }],
    'POST /v1/node/:id/drain': [
      { DrainSpec: { Deadline: 3600e9, IgnoreSystemJobs: true }, Meta: { a: 'b' } },
      { DrainSpec: { Deadline: -1 } },
      { DrainSpec: null, MarkEligible: true },
    ],
    'POST /v1/node/:id/evaluate': [undefined, {}],
    'POST /v1/node/:id/purge': [undefined, {}],
    'POST /v1/deployment/pause/:id': [{ DeploymentID: ':id', Pause: true }],
    'POST /v1/deployment/unblock/:id': [{ DeploymentID: ':id' }],
    'POST /v1/deployment/allocation-health/:id': [
      { DeploymentID: ':id', HealthyAllocationIDs: [], UnhealthyAllocationIDs: [] },
    ],
    'POST /v1/job/:id/versions/:tag/tag': [{ Version: 0, Description: 'x' }],
    'POST /v1/var/:path': [{ Items: { a: 'b' } }, { Items: { a: 'c' }, Namespace: 'team-a' }],
    'POST /v1/client/allocation/:id/restart': [undefined, { TaskName: 't', AllTasks: false }],
    'POST /v1/client/allocation/:id/signal': [{ Task: 't', Signal: 'SIGHUP' }],
    'POST /v1/acl/role': [{ Name: 'operators', Description: 'x', Policies: [{ Name: 'reads' }] }],
    'POST /v1/acl/role/:id': [{ ID: ':id', Name: 'readers', Policies: [{ Name: 'reads' }] }],
    'POST /v1/search/fuzzy': [{ Text: 'we', Context: 'all' }],
    'POST /v1/search': [{ Prefix: 'w', Context: 'jobs' }],
  },
}
