import { describe, test } from 'vitest'
import { testMistakes } from './mistake-tests.ts'
import { expectFewWithoutRequest, type Mistake } from './mistakes.ts'

const org = '/api/v2/organizations/example-org'
const api = '/api/v2'
const member = '#member-token'

const fixtures = {
  platform: {
    organizations: [
      {
        name: 'example-org',
        token: 'organization-token',
        teams: [{ name: 'developers', members: ['member'] }],
        modules: [
          { name: 'app', provider: 'cloud1', noCode: true },
          { name: 'empty', provider: 'cloud1', versions: [] },
        ],
        workspaces: [
          {
            name: 'net',
            configuration: { 'main.tf': 'resource "null_resource" "a" {\n}\n' },
            tasks: [{ name: 'scan' }],
            runs: [{ status: 'applied' as const }],
          },
          { name: 'app' },
        ],
        tasks: [{ name: 'scan', url: 'https://scan.example' }],
        policies: [{ name: 'cost' }],
        policySets: [{ name: 'all', global: true }, { name: 'some' }],
        providers: [{ name: 'null', namespace: 'others', registryName: 'public' as const }],
      },
    ],
  },
}

const workspace = (name: string) => `data.id<-GET ${org}/workspaces/${name}`
const set = (name: string) => `data.0.id<-GET ${org}/policy-sets?search[name]=${name}`
const noCode = `included.0.id<-GET ${org}/registry-modules?include=no-code-modules`
const body = (type: string, attributes: object = {}, relationships: object = {}) =>
  JSON.stringify({ data: { type, attributes, relationships } })
const one = (type: string, id: string) => ({ data: { type, id } })

const mistakes: readonly Mistake[] = [
  {
    mistake: 'a list of run tasks without the right to manage them',
    sent: `GET ${org}/tasks ${member}`,
    rule: 'organization-right-missing',
    says: ['member', 'manage-run-tasks'],
  },
  {
    mistake: 'a module made with the token of the organization',
    sent: `POST ${org}/registry-modules #organization-token ${body('registry-modules')}`,
    rule: 'organization-right-missing',
    says: ['token of the organization', 'manage-modules'],
  },
  {
    mistake: 'an invitation without the right to manage memberships',
    sent: `POST ${org}/organization-memberships ${member} ${body('organization-memberships')}`,
    rule: 'organization-right-missing',
    says: ['manage-membership'],
  },
  {
    mistake: 'a policy made without the right to manage policies',
    sent: `POST ${org}/policies ${member} ${body('policies')}`,
    rule: 'organization-right-missing',
    says: ['manage-policies'],
  },
  {
    mistake: 'a provider made without the right to manage providers',
    sent: `POST ${org}/registry-providers ${member} ${body('registry-providers')}`,
    rule: 'organization-right-missing',
    says: ['manage-providers'],
  },
  {
    mistake: 'a task that is attached without its id',
    after: [workspace('net')],
    sent: `POST ${api}/workspaces/$id/tasks ${body('workspace-tasks', { 'enforcement-level': 'advisory' })}`,
    rule: 'task-required',
    says: ['relationships', 'task'],
  },
  {
    mistake: 'a task that is attached by an unknown id',
    after: [workspace('net')],
    sent: `POST ${api}/workspaces/$id/tasks ${body(
      'workspace-tasks',
      { 'enforcement-level': 'advisory' },
      { task: one('tasks', 'task-1234567890123456') },
    )}`,
    rule: 'related-unknown',
    says: ['task-1234567890123456'],
  },
  {
    mistake: 'a run trigger whose source is unknown',
    after: [workspace('net')],
    sent: `POST ${api}/workspaces/$id/run-triggers ${body(
      'run-triggers',
      {},
      { sourceable: one('workspaces', 'ws-1234567890123456') },
    )}`,
    rule: 'related-unknown',
    says: ['ws-1234567890123456'],
  },
  {
    mistake: 'a list of run triggers without a direction',
    after: [workspace('net')],
    sent: `GET ${api}/workspaces/$id/run-triggers`,
    rule: 'trigger-type-wrong',
    says: ['filter[run-trigger][type]'],
  },
  {
    mistake: 'a global policy set that is attached to a workspace',
    after: [set('all')],
    sent: `POST ${api}/policy-sets/$id/relationships/workspaces {"data":[]}`,
    rule: 'policy-set-global',
    says: ['all', 'global'],
  },
  {
    mistake: 'an unknown policy that is added to a policy set',
    after: [set('some')],
    sent: `POST ${api}/policy-sets/$id/relationships/policies {"data":[{"type":"policies","id":"pol-1"}]}`,
    rule: 'policy-set-member-unknown',
    says: ['pol-1'],
  },
  {
    mistake: 'a list of the versions of a public provider',
    sent: `GET ${org}/registry-providers/public/others/null/versions`,
    rule: 'public-provider-versions',
    says: ['provider in the path is public'],
  },
  {
    mistake: 'an owner who ends the own membership',
    after: [`data.0.id<-GET ${org}/organization-memberships?q=owner`],
    sent: `DELETE ${api}/organization-memberships/$id @content-type=application/vnd.api+json`,
    rule: 'owner-stays-member',
    says: ['owner'],
  },
  {
    mistake: 'a no-code module without a module',
    sent: `POST ${org}/no-code-modules ${body('no-code-modules')}`,
    rule: 'registry-module-required',
    says: ['relationships'],
  },
  {
    mistake: 'a pin of a version that the module does not have',
    after: [noCode],
    sent: `PATCH ${api}/no-code-modules/$id ${body('no-code-modules', { 'version-pin': '9.0.0' })}`,
    rule: 'version-pin-unknown',
    says: ['app', '1.0.0'],
  },
  {
    mistake: 'a no-code module that is not there',
    sent: `GET ${api}/no-code-modules/nocode-1234567890123456`,
    rule: 'no-code-module-unknown',
    says: ['nocode-1234567890123456'],
  },
  {
    mistake: 'a version that is revoked before it is deprecated',
    sent: `PATCH ${org}/registry-modules/private/example-org/app/cloud1/1.0.0 ${body(
      'module-versions',
      { revocation: { status: 'Revoked' } },
    )}`,
    rule: 'revocation-needs-deprecation',
    says: ['deprecated'],
  },
]

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/program#explanations: mistakes around tasks, triggers, policies, providers and no-code are named first (%s)',
  (dialect) => testMistakes('platform', dialect, mistakes, { fixtures }),
)

test('at least 9 of 10 kinds of refusals around integrations have a request that would pass', () => {
  expectFewWithoutRequest(mistakes)
})
