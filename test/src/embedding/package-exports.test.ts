import { describe, expect, expectTypeOf, onTestFinished, test } from 'vitest'
import * as api from '../../../src/embedding/index.ts'
import { presetNames } from '../../../src/preset-names.ts'
import { meshService } from '../../../state/mesh/service.ts'
import { platformService } from '../../../state/platform/service.ts'
import { schedulerService } from '../../../state/scheduler/service.ts'
import { secretsService } from '../../../state/secrets/service.ts'

type World = api.EmbeddedWorld

describe('behaviour/program#embedding: the public interface', () => {
  test('exports that programs can call', () => {
    expect(Object.keys(api).sort()).toEqual([
      'DocumentError',
      'InputError',
      'Refusal',
      'createUnderstudy',
    ])
    expectTypeOf(api.createUnderstudy).toEqualTypeOf<
      (options?: api.UnderstudyOptions) => Promise<api.Understudy>
    >()
  })

  test('the control of a world has the exported types', () => {
    expectTypeOf<World['info']>().returns.toEqualTypeOf<api.UnderstudyInfo>()
    expectTypeOf<World['snapshot']>().returns.toEqualTypeOf<api.SnapshotView>()
    expectTypeOf<World['diff']>().returns.toEqualTypeOf<api.SnapshotDiff>()
    expectTypeOf<World['fork']>().returns.toEqualTypeOf<World>()
    expectTypeOf<World['state']>().returns.toEqualTypeOf<api.WorldState>()
    expectTypeOf<World['importState']>().parameter(0).toEqualTypeOf<api.Fixtures>()
    expectTypeOf<World['options']>().returns.toEqualTypeOf<api.AllWorldOptions>()
    expectTypeOf<World['changeOptions']>().parameter(0).toEqualTypeOf<api.WorldOptions>()
    expectTypeOf<World['cloudLogin']>().parameter(0).toEqualTypeOf<api.CloudLoginRequest>()
    expectTypeOf<World['cloudLogin']>().returns.toEqualTypeOf<api.CloudLoginBody>()
    expectTypeOf<World['cloud']['view']>().returns.toEqualTypeOf<api.CloudView>()
    expectTypeOf<World['cloud']['add']>().parameter(0).toEqualTypeOf<api.CloudIdentities>()
    expectTypeOf<World['url']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<World['clock']['advance']>().parameter(0).toEqualTypeOf<string | number>()
    expectTypeOf<World['clock']['set']>().parameter(0).toEqualTypeOf<api.ClockOption>()
    expectTypeOf<World['transitions']['list']>().returns.toEqualTypeOf<
      readonly api.TransitionView[]
    >()
    expectTypeOf<api.UnderstudyInfo['services']['secrets']['token']>().toEqualTypeOf<string>()
  })

  test('names of the presets', async () => {
    const understudy = await api.createUnderstudy()
    onTestFinished(() => understudy.close())
    const { faults } = understudy.world()
    expect(faults.presets().map(({ name }) => name)).toEqual(presetNames)
    expectTypeOf<api.PresetName>().toEqualTypeOf<(typeof presetNames)[number]>()
    expectTypeOf<'secrets-sealed'>().toExtend<Parameters<typeof faults.preset>[0]>()
    expectTypeOf<string>().toExtend<Parameters<typeof faults.preset>[0]>()
  })

  test('the tables of the secrets service have the exported resource types', () => {
    expectTypeOf<keyof api.WorldState['secrets']>().toEqualTypeOf<'tables'>()
    type Tables = api.SecretsTables
    type RowOf<Name extends keyof Tables> = Tables[Name][string]
    expectTypeOf<RowOf<'mounts'>>().toEqualTypeOf<api.Mount>()
    expectTypeOf<RowOf<'tokens'>>().toEqualTypeOf<api.Token>()
    expectTypeOf<RowOf<'token-roles'>>().toEqualTypeOf<api.TokenRole>()
    expectTypeOf<RowOf<'policies'>>().toEqualTypeOf<api.Policy>()
    expectTypeOf<RowOf<'password-policies'>>().toEqualTypeOf<api.PasswordPolicy>()
    expectTypeOf<RowOf<'rekey'>>().toEqualTypeOf<api.RekeyAttempt>()
    expectTypeOf<RowOf<'rekey-backup'>>().toEqualTypeOf<api.RekeyBackup>()
    expectTypeOf<RowOf<'operation-token-attempt'>>().toEqualTypeOf<api.OperationTokenAttempt>()
    expectTypeOf<RowOf<'leases'>>().toEqualTypeOf<api.Lease>()
    expectTypeOf<RowOf<'namespaces'>>().toEqualTypeOf<api.Namespace>()
    expectTypeOf<RowOf<'cubbyholes'>>().toEqualTypeOf<api.CubbyholeEntry>()
    expectTypeOf<RowOf<'kv1-secrets'>>().toEqualTypeOf<api.PlainSecret>()
    expectTypeOf<RowOf<'kv2-configs'>>().toEqualTypeOf<api.EngineConfig>()
    expectTypeOf<RowOf<'kv2-keys'>>().toEqualTypeOf<api.VersionedKey>()
    expectTypeOf<RowOf<'kv2-data'>>().toEqualTypeOf<api.VersionData>()
    expectTypeOf<RowOf<'cloud-roles'>>().toEqualTypeOf<api.CloudRole>()
    expectTypeOf<RowOf<'cloud-tenancies'>>().toEqualTypeOf<api.CloudTenancy>()
    expectTypeOf<RowOf<'cloud-users'>>().toEqualTypeOf<api.CloudUser>()
    expectTypeOf<RowOf<'cloud-instances'>>().toEqualTypeOf<api.CloudInstance>()
    expectTypeOf<RowOf<'orch-configs'>>().toEqualTypeOf<api.OrchConfig>()
    expectTypeOf<RowOf<'orch-roles'>>().toEqualTypeOf<api.OrchRole>()
    expectTypeOf<RowOf<'orch-objects'>>().toEqualTypeOf<api.OrchObject>()
    expectTypeOf<RowOf<'transit-keys'>>().toEqualTypeOf<api.TransitKey>()
    expectTypeOf<RowOf<'pki-certificates'>>().toEqualTypeOf<api.PkiCertificate>()
    expectTypeOf<RowOf<'pki-issuers'>>().toEqualTypeOf<api.PkiIssuer>()
    expectTypeOf<RowOf<'pki-keys'>>().toEqualTypeOf<api.PkiKey>()
    expectTypeOf<RowOf<'pki-roles'>>().toEqualTypeOf<api.PkiRole>()
    expectTypeOf<RowOf<'pki-crls'>>().toEqualTypeOf<api.PkiCrl>()
    expectTypeOf<RowOf<'pki-crl-configs'>>().toEqualTypeOf<api.PkiCrlConfig>()
  })

  test('every table has a type', async () => {
    await using understudy = await api.createUnderstudy()
    const typed = {
      node: 0,
      seal: 0,
      unseal: 0,
      rekey: 0,
      'rekey-backup': 0,
      keyring: 0,
      replication: 0,
      'replication-pause': 0,
      'replication-keys': 0,
      'replication-secondaries': 0,
      'replication-links': 0,
      'replication-agenda': 0,
      'replication-arrivals': 0,
      namespaces: 0,
      mounts: 0,
      migrations: 0,
      policies: 0,
      'password-policies': 0,
      tokens: 0,
      'token-roles': 0,
      'operation-tokens': 0,
      'operation-token-attempt': 0,
      leases: 0,
      cubbyholes: 0,
      'wrapping-key': 0,
      cors: 0,
      'audit-devices': 0,
      'audit-headers': 0,
      'quota-configs': 0,
      'rate-limit-quotas': 0,
      'lease-count-quotas': 0,
      'logger-levels': 0,
      'ui-headers': 0,
      'kv1-secrets': 0,
      'kv2-configs': 0,
      'kv2-keys': 0,
      'kv2-data': 0,
      'orch-configs': 0,
      'orch-roles': 0,
      'orch-credentials': 0,
      'orch-objects': 0,
      'orch-signing-key': 0,
      'database-configs': 0,
      'database-roles': 0,
      'database-static-roles': 0,
      'database-credentials': 0,
      'database-users': 0,
      'database-statements': 0,
      'simulated-databases': 0,
      'totp-keys': 0,
      'transit-keys': 0,
      'pki-certificates': 0,
      'pki-crl-configs': 0,
      'pki-crls': 0,
      'pki-defaults': 0,
      'pki-issuers': 0,
      'pki-keys': 0,
      'pki-roles': 0,
      'pki-urls': 0,
      'pki-clusters': 0,
      'pki-acme': 0,
      'pki-auto-tidy': 0,
      'pki-tidy-status': 0,
      'transit-configs': 0,
      'cloud-configs': 0,
      'cloud-roles': 0,
      'cloud-tenancies': 0,
      'cloud-users': 0,
      'cloud-instances': 0,
      'cloud-private-keys': 0,
      'approle-roles': 0,
      'approle-secret-ids': 0,
      'userpass-users': 0,
      'login-failures': 0,
      'ldap-configs': 0,
      'ldap-groups': 0,
      'ldap-users': 0,
      'jwt-configs': 0,
      'jwt-roles': 0,
      'orch-login-configs': 0,
      'orch-login-roles': 0,
      'identity-entities': 0,
      'identity-aliases': 0,
      'identity-groups': 0,
      'cert-configs': 0,
      'cert-crls': 0,
      'cert-entries': 0,
      'github-configs': 0,
      'github-teams': 0,
      'github-users': 0,
      'okta-configs': 0,
      'okta-groups': 0,
      'okta-users': 0,
      'ssh-ca': 0,
      'ssh-passwords': 0,
      'ssh-roles': 0,
      'ssh-zero-address': 0,
      'oidc-assignments': 0,
      'oidc-clients': 0,
      'oidc-codes': 0,
      'oidc-config': 0,
      'oidc-keys': 0,
      'oidc-logins': 0,
      'oidc-providers': 0,
      'oidc-roles': 0,
      'oidc-scopes': 0,
      'oidc-issuer-grants': 0,
      'oidc-issuer-keys': 0,
      plugins: 0,
      'mfa-methods': 0,
      'mfa-enforcements': 0,
      'mfa-secrets': 0,
      'mfa-used-codes': 0,
      'mfa-requests': 0,
    } satisfies Record<keyof api.SecretsTables, 0>
    const names = secretsService.tables.map(({ name }) => name).sort()
    expect(Object.keys(typed).sort()).toEqual(names)
    expect(Object.keys(understudy.world().state().secrets.tables).sort()).toEqual(names)
  })

  test('the tables of the platform have the exported resource types', async () => {
    type Tables = api.PlatformTables
    type RowOf<Name extends keyof Tables> = Tables[Name][string]
    expectTypeOf<RowOf<'users'>>().toEqualTypeOf<api.User>()
    expectTypeOf<RowOf<'organizations'>>().toEqualTypeOf<api.Organization>()
    expectTypeOf<RowOf<'teams'>>().toEqualTypeOf<api.Team>()
    expectTypeOf<RowOf<'tokens'>>().toEqualTypeOf<api.ApiToken>()
    expectTypeOf<RowOf<'modules'>>().toEqualTypeOf<api.Module>()
    expectTypeOf<RowOf<'variables'>>().toEqualTypeOf<api.Variable>()
    expectTypeOf<RowOf<'test-runs'>>().toEqualTypeOf<api.TestRun>()
    expectTypeOf<RowOf<'configuration-versions'>>().toEqualTypeOf<api.ConfigurationVersion>()
    expectTypeOf<RowOf<'outbox'>>().toEqualTypeOf<api.OutboxMessage>()
    await using understudy = await api.createUnderstudy()
    const typed = {
      'configuration-versions': 0,
      'module-uploads': 0,
      'no-code-modules': 0,
      modules: 0,
      projects: 0,
      workspaces: 0,
      'oauth-clients': 0,
      objects: 0,
      contents: 0,
      'state-versions': 0,
      'state-contents': 0,
      'state-outputs': 0,
      'managed-resources': 0,
      organizations: 0,
      'organization-memberships': 0,
      outbox: 0,
      'outbox-number': 0,
      'rate-limit': 0,
      'admin-settings': 0,
      teams: 0,
      'team-access': 0,
      'agent-pools': 0,
      agents: 0,
      'run-tasks': 0,
      'workspace-tasks': 0,
      'task-stages': 0,
      'task-results': 0,
      'sent-requests': 0,
      'vcs-events': 0,
      'notification-configurations': 0,
      'test-runs': 0,
      runs: 0,
      'current-runs': 0,
      'run-events': 0,
      'run-comments': 0,
      'run-plans': 0,
      'run-triggers': 0,
      'gpg-keys': 0,
      'registry-providers': 0,
      'tool-versions': 0,
      policies: 0,
      'policy-sets': 0,
      'policy-set-versions': 0,
      'policy-checks': 0,
      assessments: 0,
      'workspace-readmes': 0,
      'policy-evaluations': 0,
      'cost-estimates': 0,
      'run-outcomes': 0,
      'applied-blocks': 0,
      tokens: 0,
      users: 0,
      'ssh-keys': 0,
      tags: 0,
      variables: 0,
      'variable-sets': 0,
    } satisfies Record<keyof Tables, 0>
    const names = platformService.tables.map(({ name }) => name).sort()
    expect(Object.keys(typed).sort()).toEqual(names)
    expect(Object.keys(understudy.world().state().platform.tables).sort()).toEqual(names)
    expect(understudy.world().info().services.platform).toEqual({
      url: 'http://localhost',
      organization: 'example-org',
      module: { namespace: 'example-org', name: 'network', provider: 'cloud1' },
      tokens: {
        siteAdmin: 'site-admin-token',
        owner: 'owner-token',
        member: 'member-token',
      },
    })
  })

  test('the tables of the service mesh have the exported resource types', async () => {
    await using understudy = await api.createUnderstudy()
    const typed = {
      'acl-policies': 0,
      'acl-roles': 0,
      'acl-tokens': 0,
      'acl-facts': 0,
      'agent-checks': 0,
      'agent-services': 0,
      'agent-tokens': 0,
      'cached-queries': 0,
      'check-calls': 0,
      'file-definitions': 0,
      'flapping-services': 0,
      'virtual-addresses': 0,
      checks: 0,
      nodes: 0,
      services: 0,
      indexes: 0,
      keys: 0,
      'key-deletions': 0,
      events: 0,
      'event-clock': 0,
      autopilot: 0,
      coordinates: 0,
      'config-entries': 0,
      'auth-methods': 0,
      'binding-rules': 0,
      queries: 0,
      sessions: 0,
      server: 0,
      namespaces: 0,
    } satisfies Record<keyof api.MeshTables, 0>
    const names = meshService.tables.map(({ name }) => name).sort()
    expect(Object.keys(typed).sort()).toEqual(names)
    expect(Object.keys(understudy.world().state().mesh.tables).sort()).toEqual(names)
    expect(understudy.world().info().services.mesh).toEqual({
      url: 'http://localhost',
      token: 'mesh-management-token',
    })
  })

  test('the tables of the job scheduler have the exported resource types', async () => {
    await using understudy = await api.createUnderstudy()
    const typed = {
      'acl-bootstrap': 0,
      'acl-policies': 0,
      'acl-roles': 0,
      'acl-tokens': 0,
      allocations: 0,
      configuration: 0,
      deployments: 0,
      evaluations: 0,
      'held-steps': 0,
      indexes: 0,
      'job-submissions': 0,
      'job-summaries': 0,
      'job-versions': 0,
      jobs: 0,
      namespaces: 0,
      'node-metadata': 0,
      'node-pools': 0,
      nodes: 0,
      'outcome-rules': 0,
      'one-time-tokens': 0,
      'root-keys': 0,
      'scaling-events': 0,
      'scaling-policies': 0,
      server: 0,
      services: 0,
      'task-lives': 0,
      'task-logs': 0,
      variables: 0,
    } satisfies Record<keyof api.SchedulerTables, 0>
    const names = schedulerService.tables.map(({ name }) => name).sort()
    expect(Object.keys(typed).sort()).toEqual(names)
    expect(Object.keys(understudy.world().state().scheduler.tables).sort()).toEqual(names)
    expect(understudy.world().info().services.scheduler).toEqual({
      url: 'http://localhost',
      token: 'scheduler-management-token',
    })
    expectTypeOf<api.SchedulerTables['jobs'][string]>().toEqualTypeOf<api.Job>()
    expectTypeOf<api.SchedulerTables['allocations'][string]>().toEqualTypeOf<api.Allocation>()
    expectTypeOf<api.SchedulerTables['nodes'][string]>().toEqualTypeOf<api.Node>()
  })

  test('fixtures: short forms, exact rows and exports', () => {
    expectTypeOf<api.WorldState>().toExtend<api.Fixtures>()
    expectTypeOf({
      options: { secrets: { kvVersion: 1 as const } },
      secrets: {
        mounts: { 'team/': { type: 'kv', options: { version: '2' } } },
        policies: { reader: 'path "secret/*" { capabilities = ["read"] }' },
        tokens: [{ id: 'ada', policies: ['reader'], ttl: '1h' }],
        kv: { 'secret/': { 'app/db': { user: 'ada', port: 5432 } } },
        cloud: {
          users: [{ id: 'ada', groups: ['g'], keys: ['-----BEGIN PUBLIC KEY-----…'] }],
          instances: [{ id: 'box', dynamic_groups: ['d'] }],
        },
      },
    }).toExtend<api.Fixtures>()
    expectTypeOf<{ secrets: { polices: object } }>().not.toExtend<api.Fixtures>()
    expectTypeOf<{ options: { secrets: { kvVersion: 3 } } }>().not.toExtend<api.Fixtures>()
  })

  test('refusals have their kind, input errors every problem', () => {
    expectTypeOf<api.Refusal['kind']>().toEqualTypeOf<api.RefusalKind>()
    expectTypeOf<api.InputError>().toExtend<api.Refusal>()
    expectTypeOf<api.DocumentError['problems']>().toEqualTypeOf<readonly string[]>()
  })
})
