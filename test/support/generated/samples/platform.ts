import type { Samples } from './sample.ts'

const tests =
  '/api/v2/organizations/:organization_name/tests/registry-modules/private/:namespace/:name/:provider'
const modules = '/api/v2/organizations/:organization_name/registry-modules'
const oneModule = `${modules}/:registry_name/:namespace/:name/:provider`
const old = '/api/v2/registry-modules'

const document = (type: string, attributes: object, relationships?: object) => ({
  data: { type, attributes, ...(relationships === undefined ? {} : { relationships }) },
})
const settings = (attributes: object) => [{ data: { attributes } }]
const vcs = {
  identifier: 'example/terraform-cloud1-net',
  display_identifier: 'example/net',
}

export const platformSamples: Samples = {
  tokenHeader: 'authorization',
  tokens: [
    'Bearer owner-token',
    'Bearer site-admin-token',
    'Bearer member-token',
    'Bearer wrong',
    '',
  ],
  contentType: 'application/vnd.api+json',
  values: {
    organization_name: ['example-org', 'other-org'],
    namespace: ['example-org', 'other-org'],
    name: ['network', 'extra'],
    provider: ['cloud1', 'cloud2'],
    registry_name: ['private'],
    version: ['1.0.0'],
    variable_id: /^var-/,
    test_run_id: /^trun-/,
    id: /^cv-/,
    user_id: /^user-/,
    token_id: /^at-/,
    team_id: /^team-/,
    project_id: /^prj-/,
    workspace_id: /^ws-/,
    variable_set_id: /^varset-/,
    run_trigger_id: /^rt-/,
    agent_pool_id: /^apool-/,
    organization_membership_id: /^ou-/,
    notification_configuration_id: /^nc-/,
    agent_id: /^agent-/,
    task_stage_id: /^ts-/,
    task_result_id: /^taskrs-/,
    task_id: /^task-/,
    workspace_task_id: /^wstask-/,
    team_workspace_id: /^tws-/,
    team_project_id: /^tprj-/,
    state_version_id: /^sv-/,
    output_id: /^wsout-/,
    oauth_client_id: /^oc-/,
    oauth_token_id: /^ot-/,
    module_id: /^mod-/,
    no_code_module_id: /^nocode-/,
    upgrade_id: /^run-/,
    secret: /^[A-Za-z0-9_-]{100,}$/,
  },
  bodies: {
    'POST /api/v2/organizations': [
      document('organizations', { name: 'other-org', email: 'a@example.com' }),
    ],
    'PATCH /api/v2/organizations/:organization_name': [
      document('organizations', { email: 'b@example.com' }),
    ],
    'POST /api/v2/organizations/:organization_name/teams': [
      document('teams', { name: 'builders' }),
    ],
    'POST /api/v2/organizations/:organization_name/workspaces': [
      document('workspaces', { name: 'network' }),
    ],
    'PATCH /api/v2/workspaces/:workspace_id': [document('workspaces', { description: 'd' })],
    'POST /api/v2/workspaces/:workspace_id/state-versions': [
      document('state-versions', {
        serial: 1,
        md5: 'c39c63e1933863ae877d5538bb0decda',
        state:
          'eyJ2ZXJzaW9uIjo0LCJvdXRwdXRzIjp7IngiOnsidmFsdWUiOiJ2IiwidHlwZSI6InN0cmluZyJ9fSwicmVzb3VyY2VzIjpbXX0=',
      }),
      document('state-versions', { serial: 2, md5: 'c39c63e1933863ae877d5538bb0decda' }),
    ],
    'POST /api/v2/workspaces/:workspace_id/relationships/tags': [
      { data: [{ type: 'tags', attributes: { name: 'one' } }] },
    ],
    'POST /api/v2/organizations/:organization_name/projects': [
      document('projects', { name: 'builders' }),
    ],
    'PATCH /api/v2/oauth-clients/:oauth_client_id': [document('oauth-clients', { name: 'n' })],
    'PATCH /api/v2/oauth-tokens/:oauth_token_id': [document('oauth-tokens', { 'ssh-key': 'k' })],
    'PATCH /api/v2/projects/:project_id': [document('projects', { description: 'd' })],
    'POST /api/v2/teams/:team_id/authentication-tokens': [
      document('authentication-tokens', { description: 'ci' }),
    ],
    'PATCH /api/v2/teams/:team_id': [document('teams', { visibility: 'organization' })],
    'POST /api/v2/teams/:team_id/relationships/users': [
      { data: [{ type: 'users', id: 'member' }] },
    ],
    'DELETE /api/v2/teams/:team_id/relationships/users': [
      { data: [{ type: 'users', id: 'member' }] },
    ],
    'POST /api/v2/teams/:team_id/authentication-token': [undefined, document('tokens', {})],
    'POST /api/v2/organizations/:organization_name/authentication-token': [undefined],
    'POST /api/v2/users/:user_id/authentication-tokens': [
      document('authentication-tokens', { description: 'x' }),
    ],
    'POST /api/v2/organizations/:organization_name/oauth-clients': [
      document('oauth-clients', {
        'service-provider': 'github',
        'http-url': 'https://example.com',
        'api-url': 'https://example.com',
        'oauth-token-string': 'x',
      }),
    ],
    [`POST ${modules}`]: [
      document('registry-modules', {
        name: 'extra',
        provider: 'cloud1',
        'registry-name': 'private',
      }),
    ],
    'POST /api/v2/organizations/:organization_name/no-code-modules': [
      document(
        'no-code-modules',
        { enabled: true },
        { 'registry-module': { data: { type: 'registry-modules', id: ':module_id' } } },
      ),
    ],
    'POST /api/v2/no-code-modules/:no_code_module_id/workspaces': [
      document('workspaces', { name: 'made' }),
    ],
    [`PATCH ${oneModule}/:version`]: [
      document('module-versions', { deprecation: { 'deprecated-status': 'Deprecated' } }),
    ],
    [`POST ${modules}/vcs`]: [document('registry-modules', { 'vcs-repo': vcs })],
    [`POST ${old}`]: [document('registry-modules', { 'vcs-repo': vcs })],
    [`PATCH ${oneModule}`]: [
      document('registry-modules', { 'test-config': { 'tests-enabled': true } }),
    ],
    [`POST ${oneModule}/versions`]: [document('registry-module-versions', { version: '1.0.0' })],
    [`POST ${old}/:organization_name/:name/:provider/versions`]: [
      document('registry-module-versions', { version: '2.0.0' }),
    ],
    [`POST ${tests}/vars`]: [
      document('vars', { key: 'A', value: 'x', category: 'env' }),
      document('vars', { key: 'B', value: 'x', category: 'env', sensitive: true }),
    ],
    [`PATCH ${tests}/vars/:variable_id`]: [document('vars', { value: 'y' })],
    [`POST ${tests}/test-runs/configuration-versions`]: [
      document('configuration-versions', {}),
      undefined,
    ],
    [`POST ${tests}/test-runs`]: [
      document(
        'test-runs',
        {},
        {
          'configuration-version': { data: { type: 'configuration-versions', id: ':id' } },
        },
      ),
      document('test-runs', { verbose: true, filters: ['a.tftest.hcl'] }),
    ],
    'PATCH /api/v2/admin/general-settings': settings({
      'support-email-address': 'help@example.com',
    }),
    'PATCH /api/v2/admin/cost-estimation-settings': settings({ enabled: true }),
    'PATCH /api/v2/admin/saml-settings': settings({ enabled: false, debug: true }),
    'PATCH /api/v2/admin/smtp-settings': settings({ enabled: true, host: 'mail', port: 25 }),
    'PATCH /api/v2/admin/sms-settings': settings({ enabled: true, 'account-sid': 'x' }),
    'PATCH /api/v2/admin/twilio-settings': settings({ enabled: true }),
    'PATCH /api/v2/admin/customization-settings': settings({ footer: 'x' }),
    'POST /api/v2/admin/sms-settings/verify': settings({ 'test-number': '+15550100' }),
    'PUT /v1/object/:secret': ['not an archive'],
  },
}
