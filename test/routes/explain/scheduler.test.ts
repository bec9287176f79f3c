import { afterAll, beforeAll, describe, test } from 'vitest'
import {
  expectFewWithoutRequest,
  expectNamed,
  type Mistake,
  mistakesIn,
  Trial,
} from './mistakes.ts'

const body = (id: string, more: object = {}) => ({
  ID: id,
  Name: id,
  Type: 'service',
  Datacenters: ['dc1'],
  TaskGroups: [
    {
      Name: 'web',
      Count: 1,
      Tasks: [{ Name: 'web', Driver: 'docker', Config: { image: 'nginx' } }],
    },
  ],
  ...more,
})
const job = (id: string, more: object = {}) => JSON.stringify({ Job: body(id, more) })
const web = `POST /v1/jobs ${job('web')}`
const acl = { aclEnabled: true }
const management = '#scheduler-management-token'
const reader = [
  `POST /v1/acl/policy/reader ${management} {"Name":"reader","Rules":"namespace \\"default\\" { policy = \\"read\\" }"}`,
  `SecretID<-POST /v1/acl/token ${management} {"Name":"ada","Type":"client","Policies":["reader"]}`,
]

const mistakes: readonly Mistake[] = [
  {
    mistake: 'no token',
    options: acl,
    sent: 'GET /v1/jobs',
    rule: 'token-missing',
    says: ['X-Sched-Token'],
  },
  {
    mistake: 'credentials of another scheme',
    options: acl,
    sent: 'GET /v1/jobs @authorization=Basic%20cm9vdDp4',
    rule: 'token-scheme-wrong',
    says: ['Bearer <token>', 'scheme is Basic'],
  },
  {
    mistake: "the secrets API's header",
    options: acl,
    sent: 'GET /v1/jobs @x-vault-token=scheduler-management-token',
    rule: 'token-in-wrong-header',
    says: ['x-vault-token', 'secrets', 'X-Sched-Token'],
  },
  {
    mistake: "the mesh's header",
    options: acl,
    sent: 'GET /v1/jobs @x-consul-token=scheduler-management-token',
    rule: 'token-in-wrong-header',
    says: ['x-consul-token', 'mesh'],
  },
  {
    mistake: 'a token that nobody knows',
    options: acl,
    sent: 'GET /v1/jobs #00000000-1111-2222-3333-444444444444',
    rule: 'token-unknown',
    says: ['not known'],
  },
  {
    mistake: 'an AccessorID instead of a SecretID',
    options: acl,
    after: [
      `AccessorID<-POST /v1/acl/token ${management} {"Name":"ada","Type":"client","Policies":["reader"]}`,
    ],
    sent: 'GET /v1/jobs #$AccessorID',
    rule: 'token-is-accessor',
    says: ['AccessorID', 'SecretID'],
  },
  {
    mistake: 'a token that was deleted',
    options: acl,
    after: [
      ...reader,
      `AccessorID<-GET /v1/acl/token/self #$SecretID`,
      `DELETE /v1/acl/token/$AccessorID ${management}`,
    ],
    sent: 'GET /v1/jobs #$SecretID',
    rule: 'token-revoked',
    says: ['ada', 'r4'],
  },
  {
    mistake: 'a token that has expired',
    options: acl,
    after: [
      `SecretID<-POST /v1/acl/token ${management} {"Name":"ada","Type":"client","Policies":["reader"],"ExpirationTTL":"1m"}`,
    ],
    given: (world) => void world.clock.advance('2m'),
    sent: 'GET /v1/jobs #$SecretID',
    rule: 'token-expired',
    says: ['ada', 'expired at 2026-01-01T00:01:00'],
  },
  {
    mistake: 'a capability that the policy does not grant',
    options: acl,
    after: reader,
    sent: `POST /v1/jobs #$SecretID ${job('web')}`,
    rule: 'permission-denied',
    says: ['ada', 'submit-job', 'default', 'reader'],
  },
  {
    mistake: 'a namespace that the policy does not name',
    options: acl,
    after: reader,
    sent: 'GET /v1/job/web?namespace=team #$SecretID',
    rule: 'permission-denied',
    says: ['read-job', 'team', 'reader'],
  },
  {
    mistake: 'what takes a management token',
    options: acl,
    after: reader,
    sent: 'GET /v1/acl/tokens #$SecretID',
    rule: 'permission-denied',
    says: ['management', 'ada'],
  },
  {
    mistake: 'nodes without node:read',
    options: acl,
    after: reader,
    sent: 'GET /v1/nodes #$SecretID',
    rule: 'permission-denied',
    says: ['node:read'],
  },
  {
    mistake: 'a token of policies that are not there',
    options: acl,
    after: [
      `SecretID<-POST /v1/acl/token ${management} {"Name":"ada","Type":"client","Policies":["none"]}`,
    ],
    sent: 'GET /v1/job/web #$SecretID',
    rule: 'permission-denied',
    says: ['read-job', 'none'],
  },
  {
    mistake: 'ACL paths while ACLs are off',
    sent: 'GET /v1/acl/tokens',
    rule: 'acls-disabled',
    says: ['off'],
  },
  {
    mistake: 'bootstrapping twice',
    options: acl,
    sent: 'POST /v1/acl/bootstrap',
    rule: 'bootstrap-done',
    says: ['bootstrapped already'],
  },
  {
    mistake: 'a slip of the pen in a path',
    sent: 'GET /v1/allocatons',
    rule: 'unknown-path',
    says: ['/v1/allocatons'],
  },
  {
    mistake: 'a slash at the end',
    sent: 'GET /v1/jobs/',
    rule: 'trailing-slash',
    says: ['/v1/jobs/', '/v1/jobs'],
  },
  {
    mistake: 'a dot at the end',
    sent: 'GET /v1/allocations.',
    rule: 'trailing-dot',
    says: ['dot', '/v1/allocations'],
  },
  {
    mistake: 'the prefix /v1 left out',
    sent: 'GET /jobs',
    rule: 'prefix-missing',
    says: ['/jobs', '/v1/jobs'],
  },
  {
    mistake: 'capitals',
    sent: 'GET /v1/Jobs',
    rule: 'letter-case',
    says: ['capitals', '/v1/jobs'],
  },
  {
    mistake: "a path of the secrets API's",
    sent: 'GET /v1/secret/data/app',
    rule: 'wrong-api',
    says: ['/v1/secret/data/app', 'secrets'],
  },
  {
    mistake: "a path of the mesh's",
    sent: 'GET /v1/catalog/nodes',
    rule: 'wrong-api',
    says: ['mesh'],
  },
  {
    mistake: "a path of the platform's",
    sent: 'GET /api/v2/organizations',
    rule: 'wrong-api',
    says: ['platform'],
  },
  {
    mistake: 'a verb that the path does not take',
    sent: 'GET /v1/job/web/plan',
    rule: 'method-not-allowed',
    says: ['/v1/job/web/plan', 'POST', 'GET'],
  },
  {
    mistake: 'deleting a list',
    sent: 'DELETE /v1/jobs',
    rule: 'method-not-allowed',
    says: ['/v1/jobs', 'DELETE'],
  },
  {
    mistake: 'writing to a read',
    sent: 'POST /v1/allocations {}',
    rule: 'method-not-allowed',
    says: ['/v1/allocations', 'GET'],
  },
  {
    mistake: 'PATCH, which nothing takes',
    sent: 'PATCH /v1/job/web {}',
    rule: 'method-not-allowed',
    says: ['PATCH', '/v1/job/web'],
  },
  {
    mistake: 'a job with a slip of the pen',
    after: [web],
    sent: 'GET /v1/job/wbe',
    rule: 'job-not-found',
    says: ['wbe', 'there is web'],
  },
  {
    mistake: 'a job that is nowhere',
    sent: 'GET /v1/job/database/versions',
    rule: 'job-versions-not-found',
    says: ['database', 'default'],
  },
  {
    mistake: 'a job of another namespace',
    after: [
      'POST /v1/namespace {"Name":"team"}',
      `POST /v1/jobs?namespace=team ${job('web', { Namespace: 'team' })}`,
    ],
    sent: 'GET /v1/job/web',
    rule: 'job-in-other-namespace',
    says: ['web', 'team', 'default'],
  },
  {
    mistake: 'a part of a job with a slip of the pen',
    after: [web],
    sent: 'GET /v1/job/web/versons',
    rule: 'unknown-path',
    says: ['versons', 'versions'],
  },
  {
    mistake: 'a namespace that is not there',
    sent: 'GET /v1/namespace/defualt',
    rule: 'namespace-not-found',
    says: ['defualt', 'default'],
  },
  {
    mistake: 'deleting the default namespace',
    sent: 'DELETE /v1/namespace/default',
    rule: 'namespace-default',
    says: ['default namespace'],
  },
  {
    mistake: 'deleting a namespace with jobs',
    after: [
      'POST /v1/namespace {"Name":"team"}',
      `POST /v1/jobs?namespace=team ${job('web', { Namespace: 'team' })}`,
    ],
    sent: 'DELETE /v1/namespace/team',
    rule: 'namespace-in-use',
    says: ['team', 'non-terminal jobs'],
  },
  {
    mistake: 'a name that no namespace can have',
    sent: 'POST /v1/namespace {"Name":"a b"}',
    rule: 'namespace-invalid',
    says: ['a b', 'regex'],
  },
  {
    mistake: 'an allocation that is not there',
    sent: 'GET /v1/allocation/11111111-2222-3333-4444-555555555555',
    rule: 'alloc-not-found',
    passes: true,
    says: ['allocation', '11111111-2222'],
  },
  {
    mistake: 'an evaluation that is not there',
    sent: 'GET /v1/evaluation/11111111-2222-3333-4444-555555555555',
    rule: 'eval-not-found',
    passes: true,
    says: ['evaluation', '11111111-2222'],
  },
  {
    mistake: 'a deployment that is not there',
    sent: 'GET /v1/deployment/11111111-2222-3333-4444-555555555555',
    rule: 'deployment-not-found',
    passes: true,
    says: ['deployment', '11111111-2222'],
  },
  {
    mistake: 'a node that is not there',
    sent: 'GET /v1/node/11111111-2222-3333-4444-555555555555',
    rule: 'node-not-found',
    passes: true,
    says: ['node', '11111111-2222'],
  },
  {
    mistake: 'a node pool with a slip of the pen',
    sent: 'GET /v1/node/pool/defalt',
    rule: 'node-pool-not-found',
    says: ['defalt', 'default'],
  },
  {
    mistake: 'an enforced index of the past',
    after: [web],
    sent: `POST /v1/jobs ${JSON.stringify({ Job: body('web'), EnforceIndex: true, JobModifyIndex: 3 })}`,
    rule: 'index-conflict',
    says: ['JobModifyIndex 3'],
  },
  {
    mistake: 'an enforced index of a job that is not there',
    sent: `POST /v1/jobs ${JSON.stringify({ Job: body('web'), EnforceIndex: true, JobModifyIndex: 3 })}`,
    rule: 'index-job-absent',
    says: ['JobModifyIndex 3', 'no such job'],
  },
  {
    mistake: 'a new job that is there already',
    after: [web],
    sent: `POST /v1/jobs ${JSON.stringify({ Job: body('web'), EnforceIndex: true, JobModifyIndex: 0 })}`,
    rule: 'index-job-exists',
    says: ['there already'],
  },
  {
    mistake: 'a job without its member',
    sent: `POST /v1/jobs ${JSON.stringify(body('web'))}`,
    rule: 'job-missing',
    says: ['top of the body', '"Job"'],
  },
  {
    mistake: 'a body without a job',
    sent: 'POST /v1/jobs {}',
    rule: 'job-missing',
    says: ['"Job"'],
  },
  {
    mistake: 'a job of another name than the path',
    after: [web],
    sent: `POST /v1/job/web ${job('db')}`,
    rule: 'job-id-not-name',
    says: ['web', 'db'],
  },
  {
    mistake: 'a body that is no JSON',
    sent: 'POST /v1/jobs =job "web" {}',
    rule: 'body-unreadable',
    says: ['no JSON'],
  },
  {
    mistake: 'no body',
    sent: 'POST /v1/jobs',
    rule: 'body-empty',
    says: ['no body'],
  },
  {
    mistake: 'a priority that is a text',
    sent: `POST /v1/jobs ${job('web', { Priority: 'high' })}`,
    rule: 'body-mistyped',
    says: ['Priority', 'string', 'int'],
  },
  {
    mistake: 'a count that is a text',
    sent: `POST /v1/jobs ${job('web', { TaskGroups: [{ Name: 'web', Count: 'one' }] })}`,
    rule: 'body-mistyped',
    says: ['Count', 'int'],
  },
  {
    mistake: 'a job without groups',
    sent: `POST /v1/jobs ${job('web', { TaskGroups: [] })}`,
    rule: 'job-invalid',
    says: ['task groups'],
  },
  {
    mistake: 'a job without datacenters and an unknown type',
    sent: `POST /v1/jobs ${job('web', { Type: 'daemon' })}`,
    rule: 'job-invalid',
    says: ['daemon'],
  },
  {
    mistake: 'a job whose id has a blank',
    sent: `POST /v1/jobs ${job('my web')}`,
    rule: 'job-invalid',
    says: ['space'],
  },
  {
    mistake: 'scaling a group that is not there',
    after: [web],
    sent: 'POST /v1/job/web/scale {"Count":2,"Target":{"Group":"api"}}',
    rule: 'scale-group-unknown',
    says: ['api'],
  },
  {
    mistake: 'a negative count',
    after: [web],
    sent: 'POST /v1/job/web/scale {"Count":-1,"Target":{"Group":"web"}}',
    rule: 'scale-count-negative',
    says: ['negative'],
  },
  {
    mistake: 'dispatching what is not parameterized',
    after: [web],
    sent: 'POST /v1/job/web/dispatch {}',
    rule: 'dispatch-not-parameterized',
    says: ['web', 'parameterized'],
  },
  {
    mistake: 'reverting to the version that is current',
    after: [web],
    sent: 'POST /v1/job/web/revert {"JobID":"web","JobVersion":0}',
    rule: 'revert-to-current',
    says: ['current version'],
  },
  {
    mistake: 'forcing a job that is not periodic',
    after: [web],
    sent: 'POST /v1/job/web/periodic/force',
    rule: 'launch-not-periodic',
    says: ['periodic'],
  },
  {
    mistake: 'a wait that is no duration',
    sent: 'GET /v1/jobs?index=1&wait=soon',
    rule: 'wait-unreadable',
    says: ['?wait', '"soon"', 'no duration'],
  },
  {
    mistake: 'an index that is no number',
    sent: 'GET /v1/jobs?index=latest',
    rule: 'index-unreadable',
    says: ['?index', '"latest"', 'no whole number'],
  },
  {
    mistake: 'a region that there is not',
    sent: 'GET /v1/jobs?region=europe',
    rule: 'region-unknown',
    says: ['europe', 'global'],
  },
  {
    mistake: 'a read without a leader',
    options: { noLeader: true },
    sent: 'GET /v1/jobs',
    rule: 'no-leader',
    says: ['no leader'],
  },
  {
    mistake: 'a write without a leader',
    options: { noLeader: true },
    sent: web,
    rule: 'no-leader',
    says: ['no leader'],
  },
  {
    mistake: 'stale with a value that is none',
    sent: 'GET /v1/jobs?stale=perhaps',
    rule: 'stale-no-bool',
    passes: true,
    says: ['stale'],
  },
  {
    mistake: 'a page size that is no number',
    sent: 'GET /v1/jobs?per_page=many',
    rule: 'per-page-no-number',
    passes: true,
    says: ['per_page'],
  },
  {
    mistake: 'a variable with a slip of the pen',
    after: ['PUT /v1/var/app/db {"Path":"app/db","Items":{"user":"ada"}}'],
    sent: 'GET /v1/var/app/bd',
    rule: 'variable-not-found',
    says: ['app/bd', 'app/db'],
  },
  {
    mistake: 'a variable without items',
    sent: 'PUT /v1/var/app/db {"Path":"app/db"}',
    rule: 'variable-items-missing',
    says: ['Items'],
  },
]

const words = { 'X-Sched-': 'X-Nomad-', 'x-sched-': 'x-nomad-' }

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/program#explanations: mistakes in requests to the jobs API are named first (%s)',
  (dialect) => {
    let trial: Trial
    beforeAll(async () => {
      trial = await Trial.begin(
        'scheduler',
        { token: dialect === 'vendor' ? 'x-nomad-token' : 'x-sched-token' },
        { dialect },
      )
    })
    afterAll(() => trial.understudy.close())

    test.each(mistakesIn(dialect, mistakes, words))('$mistake: $rule', async (mistake) => {
      expectNamed(mistake, await trial.make(mistake))
    })
  },
)

test('at least 9 of 10 kinds of refusals have a request that would pass', () => {
  expectFewWithoutRequest(mistakes)
})
