import { describe, test } from 'vitest'
import { testMistakes } from './mistake-tests.ts'
import { expectFewWithoutRequest, type Mistake } from './mistakes.ts'

const org = '/api/v2/organizations/example-org'
const module = `${org}/tests/registry-modules/private/example-org/network/cloud1`
const workspace = `POST ${org}/workspaces {"data":{"type":"workspaces","attributes":{"name":"prod"}}}`
const admin = '#site-admin-token'

/** Returns a document with an empty state that has this serial. */
function stateWith(serial: number): string {
  const attributes = { serial, md5: '99914b932bd37a50b983c5e7c90ae93b', state: 'e30=' }
  return JSON.stringify({ data: { type: 'state-versions', attributes } })
}

const mistakes: readonly Mistake[] = [
  {
    mistake: 'no token',
    sent: 'GET /api/v2/organizations #',
    rule: 'token-missing',
    says: ['Authorization: Bearer'],
  },
  {
    mistake: "the secrets API's header",
    sent: 'GET /api/v2/organizations # @x-vault-token=owner-token',
    rule: 'token-in-wrong-header',
    says: ['x-vault-token', 'secrets', 'Authorization'],
  },
  {
    mistake: "the scheduler's header",
    sent: 'GET /api/v2/organizations # @x-nomad-token=owner-token',
    rule: 'token-in-wrong-header',
    says: ['x-nomad-token', 'scheduler'],
  },
  {
    mistake: 'a token without its scheme',
    sent: 'GET /api/v2/organizations @authorization=owner-token',
    rule: 'token-scheme-wrong',
    says: ['Bearer'],
  },
  {
    mistake: 'another scheme',
    sent: 'GET /api/v2/organizations @authorization=Token%20owner-token',
    rule: 'token-scheme-wrong',
    says: ['Bearer', 'Token'],
  },
  {
    mistake: 'a token that nobody knows',
    sent: 'GET /api/v2/organizations #nobody-token',
    rule: 'token-unknown',
    says: ['does not exist in this world'],
  },
  {
    mistake: 'a token that was deleted',
    after: [
      'data.attributes.token<-POST /api/v2/organizations/example-org/authentication-token {}',
      'DELETE /api/v2/organizations/example-org/authentication-token @content-type=application/vnd.api+json',
    ],
    sent: 'GET /api/v2/organizations/example-org #$token',
    rule: 'token-revoked',
    says: ['deleted', 'r2'],
  },
  {
    mistake: 'a token that has expired',
    after: [
      'data.attributes.token<-POST /api/v2/organizations/example-org/authentication-token {"data":{"type":"authentication-token","attributes":{"expired-at":"2026-01-01T00:01:00Z"}}}',
    ],
    given: (world) => void world.clock.advance('2m'),
    sent: 'GET /api/v2/organizations/example-org #$token',
    rule: 'token-expired',
    says: ['expired at 2026-01-01T00:01:00Z'],
  },
  {
    mistake: "an administrator's path with an owner's token",
    sent: 'GET /api/v2/admin/general-settings',
    rule: 'admin-only',
    says: ['site admins', 'owner', '404'],
  },
  {
    mistake: "the same with a member's",
    sent: 'GET /api/v2/admin/smtp-settings #member-token',
    rule: 'admin-only',
    says: ['site admins', 'member'],
  },
  {
    mistake: 'an organization with a slip of the pen',
    sent: 'GET /api/v2/organizations/exampel-org',
    rule: 'organization-unknown',
    says: ['exampel-org', 'closest name is example-org'],
  },
  {
    mistake: 'an organization that is nowhere',
    sent: 'GET /api/v2/organizations/nobodys',
    rule: 'organization-unknown',
    says: ['nobodys'],
  },
  {
    mistake: 'an organization of others',
    after: [
      `POST /api/v2/organizations ${admin} {"data":{"type":"organizations","attributes":{"name":"other","email":"a@b.example"}}}`,
    ],
    sent: 'GET /api/v2/organizations/other #member-token',
    rule: 'hidden',
    says: ['other', 'member', '404'],
  },
  {
    mistake: 'a workspace on which the caller has no right',
    after: [
      `POST ${org}/workspaces #owner-token {"data":{"type":"workspaces","attributes":{"name":"net"}}}`,
    ],
    sent: `GET ${org}/workspaces/net #member-token`,
    rule: 'workspace-right-missing',
    says: ['net', 'member', 'visible', '404'],
  },
  {
    mistake: "what only owners may, with a member's token",
    sent: `GET ${module}/test-runs #member-token`,
    rule: 'hidden',
    says: ['member', '404'],
  },
  {
    mistake: 'a module with a slip of the pen',
    sent: `GET ${org}/tests/registry-modules/private/example-org/netwrok/cloud1/test-runs`,
    rule: 'module-unknown',
    says: ['netwrok', 'closest name is network'],
  },
  {
    mistake: 'another provider',
    sent: `GET ${org}/tests/registry-modules/private/example-org/network/cloud9/test-runs`,
    rule: 'provider-unknown',
    says: ['cloud9', 'cloud1', 'network'],
  },
  {
    mistake: "a namespace that is not the organization's",
    sent: `GET ${org}/tests/registry-modules/private/another/network/cloud1/test-runs`,
    rule: 'namespace-unknown',
    says: ['another', 'example-org'],
  },
  {
    mistake: 'a test run that is not there',
    sent: `GET ${module}/test-runs/trun-1234567890123456`,
    rule: 'test-run-unknown',
    says: ['trun-1234567890123456'],
  },
  {
    mistake: 'a run by the id of a version',
    sent: `GET ${module}/test-runs/cv-1234567890123456`,
    rule: 'wrong-kind-of-id',
    says: ['trun-', 'cv-1234567890123456', 'configuration version'],
  },
  {
    mistake: 'a workspace that is not there',
    sent: 'GET /api/v2/workspaces/ws-1234567890123456',
    rule: 'workspace-unknown',
    says: ['ws-1234567890123456'],
  },
  {
    mistake: 'a workspace by its name',
    after: [workspace],
    sent: 'GET /api/v2/workspaces/prod',
    rule: 'wrong-kind-of-id',
    says: ['ws-', 'prod'],
  },
  {
    mistake: 'a workspace with a slip of the pen',
    after: [workspace],
    sent: `GET ${org}/workspaces/prdo`,
    rule: 'workspace-unknown',
    says: ['prdo', 'closest name is prod'],
  },
  {
    mistake: 'a team by its name',
    sent: 'GET /api/v2/teams/owners',
    rule: 'wrong-kind-of-id',
    says: ['team-', 'owners'],
  },
  {
    mistake: 'a user that is not there',
    sent: 'GET /api/v2/users/user-1234567890123456',
    rule: 'user-unknown',
    says: ['user-1234567890123456'],
  },
  {
    mistake: 'a project that is not there',
    sent: 'GET /api/v2/projects/prj-1234567890123456',
    rule: 'project-unknown',
    says: ['prj-1234567890123456'],
  },
  {
    mistake: 'a configuration version that is not there',
    sent: 'GET /api/v2/configuration-versions/cv-1234567890123456',
    rule: 'configuration-version-unknown',
    says: ['cv-1234567890123456'],
  },
  {
    mistake: 'a slip of the pen in a path',
    sent: 'GET /api/v2/organisations',
    rule: 'unknown-path',
    says: ['/api/v2/organisations'],
  },
  {
    mistake: 'the prefix /api/v2 left out',
    at: 'combined',
    sent: 'GET /organizations',
    rule: 'prefix-missing',
    says: ['/organizations', '/api/v2/organizations'],
  },
  {
    mistake: 'a dot at the end',
    sent: 'GET /api/v2/organizations.',
    rule: 'trailing-dot',
    says: ['dot', '/api/v2/organizations'],
  },
  {
    mistake: 'capitals',
    sent: 'GET /api/v2/Organizations',
    rule: 'letter-case',
    says: ['uppercase'],
  },
  {
    mistake: 'a verb that the path does not take',
    sent: 'DELETE /api/v2/ping',
    rule: 'method-not-allowed',
    says: ['/api/v2/ping', 'GET', 'DELETE'],
  },
  {
    mistake: 'PUT for PATCH',
    sent: `PUT /api/v2/admin/general-settings ${admin} {}`,
    rule: 'method-not-allowed',
    says: ['PATCH', 'PUT'],
  },
  {
    mistake: 'reading an action',
    after: [workspace],
    sent: `GET ${module}/test-runs/trun-1/cancel`,
    rule: 'method-not-allowed',
    says: ['POST', 'GET'],
  },
  {
    mistake: 'another content type',
    sent: `POST ${org}/workspaces @content-type=text/plain {"data":{}}`,
    rule: 'content-type-unknown',
    says: ['text/plain', 'application/vnd.api+json'],
  },
  {
    mistake: 'plain JSON where the type is demanded',
    options: { strictContentType: true },
    sent: `POST ${org}/workspaces @content-type=application/json {"data":{}}`,
    rule: 'content-type-unknown',
    says: ['application/json', 'application/vnd.api+json'],
  },
  {
    mistake: 'a body that is not JSON',
    sent: `POST ${org}/workspaces ={"data":`,
    rule: 'body-unreadable',
    says: ['not JSON'],
  },
  {
    mistake: 'no body',
    sent: `POST ${org}/workspaces`,
    rule: 'data-missing',
    says: ['no body', '"data"'],
    // The vendor checks the content type first, which a request without a body lacks.
    vendor: { rule: 'content-type-unknown', says: ['application/vnd.api+json'] },
  },
  {
    mistake: 'attributes without their data',
    sent: `POST ${org}/workspaces {"attributes":{"name":"prod"}}`,
    rule: 'data-missing',
    says: ['"attributes"', '"data"'],
  },
  {
    mistake: 'plain members without data',
    sent: `POST ${org}/workspaces {"name":"prod"}`,
    rule: 'data-missing',
    says: ['"data"'],
  },
  {
    mistake: 'a resource of another type',
    sent: `POST ${org}/workspaces {"data":{"type":"projects","attributes":{"name":"prod"}}}`,
    rule: 'type-wrong',
    says: ['"projects"', '"workspaces"'],
  },
  {
    mistake: 'attributes that are a list',
    sent: `POST ${org}/workspaces {"data":{"type":"workspaces","attributes":[]}}`,
    rule: 'attributes-wrong',
    says: ['"attributes"', 'not an object'],
  },
  {
    mistake: 'a workspace without a name',
    sent: `POST ${org}/workspaces {"data":{"type":"workspaces","attributes":{}}}`,
    rule: 'invalid-attributes',
    says: ['"name"'],
  },
  {
    mistake: 'a name that is taken',
    after: [workspace],
    sent: workspace,
    rule: 'invalid-attributes',
    says: ['"name"', 'taken', 'prod'],
  },
  {
    mistake: 'a name that cannot be one',
    sent: `POST ${org}/workspaces {"data":{"type":"workspaces","attributes":{"name":"my prod"}}}`,
    rule: 'invalid-attributes',
    says: ['"name"', 'my prod'],
  },
  {
    mistake: 'an attribute of another type',
    sent: `PATCH /api/v2/admin/general-settings ${admin} {"data":{"attributes":{"api-rate-limit":"many"}}}`,
    rule: 'invalid-attributes',
    says: ['"api-rate-limit"', 'number', 'many'],
  },
  {
    mistake: 'an organization that is there already',
    sent: `POST /api/v2/organizations ${admin} {"data":{"type":"organizations","attributes":{"name":"example-org","email":"a@b.example"}}}`,
    rule: 'invalid-attributes',
    says: ['"name"', 'taken'],
  },
  {
    mistake: 'locking what is locked',
    after: [`data.id<-${workspace}`, 'POST /api/v2/workspaces/$id/actions/lock {}'],
    sent: 'POST /api/v2/workspaces/$id/actions/lock {}',
    rule: 'already-locked',
    says: ['already locked'],
  },
  {
    mistake: 'a state for a workspace that is not locked',
    after: [`data.id<-${workspace}`],
    sent: `POST /api/v2/workspaces/$id/state-versions ${stateWith(1)}`,
    rule: 'state-needs-lock',
    says: ['not locked'],
  },
  {
    mistake: 'a state with an old serial',
    after: [
      `data.id<-${workspace}`,
      'POST /api/v2/workspaces/$id/actions/lock {}',
      `POST /api/v2/workspaces/$id/state-versions ${stateWith(2)}`,
    ],
    sent: `POST /api/v2/workspaces/$id/state-versions ${stateWith(1)}`,
    rule: 'state-serial-old',
    says: ['serial'],
  },
  {
    mistake: 'too many requests in a second',
    options: { enforceRateLimit: true },
    given: (world) =>
      void Promise.all(
        Array.from({ length: 30 }, () =>
          world.inject({
            url: '/api/v2/organizations',
            headers: { authorization: 'Bearer owner-token' },
          }),
        ),
      ),
    sent: 'GET /api/v2/organizations',
    rule: 'rate-exceeded',
    says: ['30 requests', 'api-rate-limit'],
  },
]

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/program#explanations: mistakes in requests to the platform API are named first (%s)',
  (dialect) => testMistakes('platform', dialect, mistakes),
)

test('at least 9 of 10 kinds of refusals have a request that would pass', () => {
  expectFewWithoutRequest(mistakes)
})
