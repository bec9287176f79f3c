import { describe, test } from 'vitest'
import { testMistakes } from './mistake-tests.ts'
import { expectFewWithoutRequest, type Mistake } from './mistakes.ts'

const org = '/api/v2/organizations/example-org'
const api = '/api/v2'
const member = '#member-token'

const stateText = '{"version":4,"serial":3,"lineage":"l","outputs":{},"resources":[]}'
const files = { 'main.tf': 'resource "null_resource" "a" {\n}\n' }

const fixtures = {
  platform: {
    organizations: [
      {
        name: 'example-org',
        token: 'organization-token',
        teams: [{ name: 'developers', members: ['member'] }],
        projects: [{ name: 'core' }],
        agentPools: [{ name: 'inside' }],
        workspaces: [
          {
            name: 'net',
            teamAccess: { developers: 'read' },
            variables: [{ key: 'region', value: 'eu', sensitive: true }],
            globalRemoteState: true,
            configuration: files,
            runs: [{ status: 'applied' as const }],
          },
          { name: 'empty', project: 'core' },
          { name: 'local', executionMode: 'local' as const, configuration: files },
          { name: 'kept', allowDestroyPlan: false, configuration: files },
          { name: 'agents', executionMode: 'agent' as const, agentPool: 'inside' },
          { name: 'mine', state: stateText, locked: true },
          { name: 'theirs', state: stateText, locked: 'site-admin' },
        ],
        variableSets: [
          { name: 'all', global: true, variables: [{ key: 'k', value: '1' }] },
          { name: 'some', workspaces: ['net'] },
        ],
      },
    ],
  },
}

const workspace = (name: string) => `data.id<-GET ${org}/workspaces/${name}`
const body = (type: string, attributes: object = {}, relationships: object = {}) =>
  JSON.stringify({ data: { type, attributes, relationships } })
const runIn = (attributes: object = {}, relationships: object = {}) =>
  `POST ${api}/runs ${body('runs', attributes, {
    workspace: { data: { type: 'workspaces', id: '$id' } },
    ...relationships,
  })}`
const state = (attributes: object = {}) => {
  const sent = { serial: 4, md5: '99914b932bd37a50b983c5e7c90ae93b', state: 'e30=', ...attributes }
  return `POST ${api}/workspaces/$id/state-versions ${body('state-versions', sent)}`
}
/** Steps that save the id of the applied run of the workspace `net`. */
const appliedRun = [workspace('net'), `data.0.id<-GET ${api}/workspaces/$id/runs`]
const set = (name: string) => `data.0.id<-GET ${org}/varsets?q=${name}`
const one = (type: string, id: string) => ({ data: { type, id } })

const mistakes: readonly Mistake[] = [
  {
    mistake: 'a run of a workspace without a configuration',
    after: [workspace('empty')],
    sent: runIn(),
    rule: 'configuration-missing',
    says: ['Configuration version is missing', 'empty'],
  },
  {
    mistake: 'a run in a workspace that runs locally',
    after: [workspace('local')],
    sent: runIn(),
    rule: 'workspace-local',
    says: ['local', 'execution-mode'],
  },
  {
    mistake: 'a run without a workspace',
    sent: `POST ${api}/runs ${body('runs')}`,
    rule: 'workspace-required',
    says: ['workspace', 'relationships'],
  },
  {
    mistake: 'a run that destroys and only refreshes',
    after: [workspace('net')],
    sent: runIn({ 'is-destroy': true, 'refresh-only': true }),
    rule: 'run-parameters-wrong',
    says: ['is-destroy', 'refresh-only'],
  },
  {
    mistake: 'a run that saves a plan and only plans',
    after: [workspace('net')],
    sent: runIn({ 'save-plan': true, 'plan-only': true }),
    rule: 'run-parameters-wrong',
    says: ['save-plan', 'plan-only'],
  },
  {
    mistake: 'a destroy run in a workspace that forbids it',
    after: [workspace('kept')],
    sent: runIn({ 'is-destroy': true }),
    rule: 'destroy-forbidden',
    says: ['allow-destroy-plan', 'kept', '404'],
  },
  {
    mistake: 'a version of the tool for a run that applies',
    after: [workspace('net')],
    sent: runIn({ 'infra-version': '1.5.0' }),
    rule: 'invalid-attributes',
    says: ['plan-only'],
    vendor: { sent: runIn({ 'terraform-version': '1.5.0' }) },
  },
  {
    mistake: 'a run of a workspace that does not exist',
    sent: runIn().replace('$id', 'ws-1234567890123456'),
    rule: 'workspace-unknown',
    says: ['ws-1234567890123456'],
  },
  {
    mistake: 'a run of a configuration version that does not exist',
    after: [workspace('net')],
    sent: runIn(
      {},
      { 'configuration-version': one('configuration-versions', 'cv-1234567890123456') },
    ),
    rule: 'configuration-version-unknown',
    says: ['cv-1234567890123456'],
  },
  {
    mistake: 'a name in place of the id of a workspace',
    sent: runIn().replace('$id', 'net'),
    rule: 'wrong-kind-of-id',
    says: ['ws-', 'net'],
  },
  {
    mistake: 'a run by a member who may only read',
    after: [workspace('net')],
    sent: `${runIn()} `.replace(`${api}/runs `, `${api}/runs ${member} `),
    rule: 'workspace-right-missing',
    says: ['net', 'member', 'plan'],
  },
  {
    mistake: "a run with the organization's own token",
    after: [workspace('net')],
    sent: runIn().replace(`${api}/runs `, `${api}/runs #organization-token `),
    rule: 'workspace-right-missing',
    says: ['net', 'plan'],
  },
  ...(['apply', 'discard', 'cancel', 'force-cancel'] as const).map(
    (action): Mistake => ({
      mistake: `${action} of a run that is applied`,
      after: appliedRun,
      sent: `POST ${api}/runs/$id/actions/${action} {}`,
      rule: 'conflict',
      says: ['applied', action],
    }),
  ),
  {
    mistake: 'force-execute of a run that does not wait',
    after: appliedRun,
    sent: `POST ${api}/runs/$id/actions/force-execute {}`,
    rule: 'force-execute-denied',
    says: ['applied', 'pending'],
  },
  {
    mistake: 'apply by a member who may only read',
    after: appliedRun,
    sent: `POST ${api}/runs/$id/actions/apply ${member} {}`,
    rule: 'workspace-right-missing',
    says: ['member', 'apply'],
  },
  {
    mistake: 'a run that is not there',
    sent: `GET ${api}/runs/run-1234567890123456`,
    rule: 'run-unknown',
    says: ['run-1234567890123456'],
  },
  {
    mistake: 'the id of a workspace in place of a run',
    after: [workspace('net')],
    sent: `GET ${api}/runs/$id`,
    rule: 'wrong-kind-of-id',
    says: ['run-', 'workspace'],
  },
  {
    mistake: 'a plan that is not there',
    sent: `GET ${api}/plans/plan-1234567890123456`,
    rule: 'plan-unknown',
    says: ['plan-1234567890123456'],
  },
  {
    mistake: 'an apply that is not there',
    sent: `GET ${api}/applies/apply-1234567890123456`,
    rule: 'apply-unknown',
    says: ['apply-1234567890123456'],
  },
  {
    mistake: 'the whole plan as JSON by a member who does not administer the workspace',
    after: appliedRun,
    sent: `GET ${api}/runs/$id/plan/json-output ${member}`,
    rule: 'workspace-right-missing',
    says: ['member', 'admin'],
  },
  {
    mistake: 'an unknown name to include',
    after: appliedRun,
    sent: `GET ${api}/runs/$id?include=plans`,
    rule: 'include-unknown',
    says: ['plans', 'plan'],
  },
  {
    mistake: 'a state without a lock',
    after: [workspace('net')],
    sent: state(),
    rule: 'state-needs-lock',
    says: ['not locked'],
  },
  {
    mistake: 'a state under the lock of another user',
    after: [workspace('theirs')],
    sent: state(),
    rule: 'state-lock-of-other',
    says: ['another user'],
  },
  {
    mistake: 'a state of another lineage',
    after: [workspace('mine')],
    sent: state({ lineage: 'other' }),
    rule: 'state-lineage-differs',
    says: ['lineage'],
  },
  {
    mistake: 'a state with an old serial',
    after: [workspace('mine')],
    sent: state({ serial: 1 }),
    rule: 'state-serial-old',
    says: ['serial'],
  },
  {
    mistake: 'another state with the same serial',
    after: [workspace('mine')],
    sent: state({ serial: 3 }),
    rule: 'state-md5-differs',
    says: ['MD5'],
  },
  {
    mistake: 'a state without a serial',
    after: [workspace('mine')],
    sent: state({ serial: undefined }),
    rule: 'invalid-attributes',
    says: ['serial', 'blank'],
  },
  {
    mistake: 'a state that is not base64',
    after: [workspace('mine')],
    sent: state({ state: '{}' }),
    rule: 'invalid-attributes',
    says: ['state', 'invalid'],
  },
  {
    mistake: 'the state of a workspace that has none',
    after: [workspace('empty')],
    sent: `GET ${api}/workspaces/$id/current-state-version`,
    rule: 'state-missing',
    says: ['empty', 'no state'],
  },
  {
    mistake: 'the outputs of a workspace without a state',
    after: [workspace('empty')],
    sent: `GET ${api}/workspaces/$id/current-state-version-outputs`,
    rule: 'state-missing',
    says: ['empty', 'no state'],
  },
  {
    mistake: 'a list of states without a filter',
    sent: `GET ${api}/state-versions?filter[organization][name]=example-org`,
    rule: 'filter-required',
    says: ['filter[workspace][name]'],
  },
  {
    mistake: 'a state version that is not there',
    sent: `GET ${api}/state-versions/sv-1234567890123456`,
    rule: 'state-version-unknown',
    says: ['sv-1234567890123456'],
  },
  {
    mistake: 'a lock of a workspace that is locked',
    after: [workspace('mine')],
    sent: `POST ${api}/workspaces/$id/actions/lock {}`,
    rule: 'already-locked',
    says: ['already locked'],
  },
  {
    mistake: 'an unlock of what another user locked',
    after: [workspace('theirs')],
    sent: `POST ${api}/workspaces/$id/actions/unlock {}`,
    rule: 'workspace-locked-by',
    says: ['User', 'locked'],
  },
  {
    mistake: 'a safe deletion of a workspace with resources',
    after: [workspace('net')],
    sent: `POST ${api}/workspaces/$id/actions/safe-delete {}`,
    rule: 'workspace-managing',
    says: ['resources'],
  },
  {
    mistake: 'a safe deletion of a locked workspace',
    after: [workspace('mine')],
    sent: `POST ${api}/workspaces/$id/actions/safe-delete {}`,
    rule: 'workspace-locked',
    says: ['locked'],
  },
  {
    mistake: 'a variable of a global set that another one has',
    after: [`data.id<-POST ${org}/varsets ${body('varsets', { name: 'new', global: true })}`],
    sent: `POST ${api}/varsets/$id/relationships/vars ${body('vars', { key: 'k', category: 'infra' })}`,
    rule: 'variable-in-other-set',
    says: ['k', 'all'],
    vendor: {
      sent: `POST ${api}/varsets/$id/relationships/vars ${body('vars', { key: 'k', category: 'terraform' })}`,
    },
  },
  {
    mistake: 'a workspace for a global set',
    after: [set('all')],
    sent: `POST ${api}/varsets/$id/relationships/workspaces {"data":[]}`,
    rule: 'variable-set-global',
    says: ['all workspaces'],
  },
  {
    mistake: 'a variable set of a name that is taken',
    sent: `POST ${org}/varsets ${body('varsets', { name: 'some' })}`,
    rule: 'invalid-attributes',
    says: ['name', 'taken'],
  },
  {
    mistake: 'a variable set that is not there',
    sent: `GET ${api}/varsets/varset-1234567890123456`,
    rule: 'variable-set-unknown',
    says: ['varset-1234567890123456'],
  },
  {
    mistake: 'a sensitive variable that is to be plain',
    after: [workspace('net'), `data.0.id<-GET ${api}/workspaces/$id/vars`],
    sent: `PATCH ${api}/vars/$id ${body('vars', { sensitive: false })}`,
    rule: 'invalid-attributes',
    says: ['sensitive'],
  },
  {
    mistake: 'a level of access that does not exist',
    after: [workspace('net'), `data.0.id<-GET ${api}/team-workspaces?filter[workspace][id]=$id`],
    sent: `PATCH ${api}/team-workspaces/$id ${body('team-workspaces', { access: 'fly' })}`,
    rule: 'invalid-attributes',
    says: ['access', 'list'],
  },
  {
    mistake: 'access that is not there',
    sent: `GET ${api}/team-workspaces/tws-1234567890123456`,
    rule: 'team-access-unknown',
    says: ['tws-1234567890123456'],
  },
  {
    mistake: 'the deletion of an agent pool that a workspace uses',
    after: [`data.0.id<-GET ${org}/agent-pools`],
    sent: `DELETE ${api}/agent-pools/$id @content-type=application/vnd.api+json`,
    rule: 'agent-pool-in-use',
    says: ['in use'],
  },
  {
    mistake: 'an agent pool that is not there',
    sent: `GET ${api}/agent-pools/apool-1234567890123456`,
    rule: 'agent-pool-unknown',
    says: ['apool-1234567890123456'],
  },
  {
    mistake: 'the mode agent without a pool',
    after: [workspace('net')],
    sent: `PATCH ${api}/workspaces/$id ${body('workspaces', { 'execution-mode': 'agent' })}`,
    rule: 'invalid-attributes',
    says: ['agent-pool', 'blank'],
  },
  {
    mistake: 'the archiving of the current configuration version',
    after: [workspace('net'), `data.0.id<-GET ${api}/workspaces/$id/configuration-versions`],
    sent: `POST ${api}/configuration-versions/$id/actions/archive {}`,
    rule: 'version-current',
    says: ['current'],
  },
  {
    mistake: 'the deletion of a project with a workspace',
    after: [`data.0.id<-GET ${org}/projects?filter[names]=core`],
    sent: `DELETE ${api}/projects/$id @content-type=application/vnd.api+json`,
    rule: 'project-in-use',
    says: ['contains workspaces'],
  },
]

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/program#explanations: mistakes around workspaces and runs are named first (%s)',
  (dialect) => testMistakes('platform', dialect, mistakes, { fixtures }),
)

test('at least 9 of 10 kinds of refusals around workspaces have a request that would pass', () => {
  expectFewWithoutRequest(mistakes)
})
