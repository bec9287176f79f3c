import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { exportWorld } from '../../../state/kernel/worlds/document.ts'
import type { PlatformFixtures } from '../../../state/platform/fixtures.ts'
import { readDocument } from '../../support/files.ts'
import { platform } from '../../support/platform/platform.ts'

const section = 'behaviour/platform#seeds'

const longPath = `modules/${'long/'.repeat(25)}main.tf`

const acme: PlatformFixtures = {
  organizations: [
    {
      name: 'example-org',
      teams: [{ name: 'developers', members: ['member'] }],
      projects: [
        { name: 'core', tags: { cost: 'a1' }, teamAccess: { developers: 'read' } },
        { name: 'Default Project', description: 'for the rest' },
      ],
      agentPools: [
        { name: 'inside', organizationScoped: false, allowedWorkspaces: ['agents'] },
        { name: 'open', excludedWorkspaces: ['net'] },
      ],
      sshKeys: [{ name: 'deploy', value: 'private key' }],
      workspaces: [
        {
          name: 'net',
          project: 'core',
          description: 'network',
          autoApply: true,
          infraVersion: '1.9.5',
          workingDirectory: 'live',
          globalRemoteState: false,
          remoteStateConsumers: ['agents'],
          sshKey: 'deploy',
          tags: ['prod', 'eu'],
          variables: [
            { key: 'region', value: 'eu' },
            { key: 'TOKEN', value: 'hunter2', category: 'env', sensitive: true },
          ],
          teamAccess: { developers: 'write' },
          state: {
            outputs: { vpc: { value: 'vpc-1' } },
            resources: [
              {
                mode: 'managed',
                type: 'null_resource',
                name: 'old',
                provider: 'provider["registry.infra.example/hashicorp/null"]',
                instances: [{ schema_version: 0, attributes: { id: '7' } }],
              },
            ],
          },
          configuration: {
            'live/main.tf':
              'resource "null_resource" "a" {\n}\nvariable "region" {}\noutput "region" {\n  value = var.region\n}\n',
            [longPath]: '',
          },
          runs: [
            { status: 'applied', message: 'first' },
            {
              status: 'planned',
              message: 'second',
              autoApply: false,
              replaceAddrs: ['null_resource.a'],
            },
            { message: 'third', planOnly: true, outcome: { plan: 'errored' } },
          ],
        },
        {
          name: 'agents',
          executionMode: 'agent',
          agentPool: 'inside',
          tags: { team: 'net' },
          locked: 'owner',
          state:
            '{"version":4,"serial":9,"lineage":"l","outputs":{"n":{"value":1,"type":"number"}}}',
        },
      ],
      variableSets: [
        { name: 'all', global: true, variables: [{ key: 'shared', value: '1' }] },
        {
          name: 'core',
          project: 'core',
          priority: true,
          workspaces: ['net'],
          variables: [{ key: 'region', value: 'us', category: 'terraform' }],
        },
        { name: 'projects', projects: ['core'] },
      ],
    },
  ],
  outcomes: [{ match: { workspace: 'ag*' }, plan: 'errored' }],
}

const organization = 'organizations/example-org'

describe(`${section}: workspaces in fixtures`, () => {
  // choice/platform#fixtures-variable-category
  test('have settings, variables, access, state, configuration, runs and locks', async () => {
    const { platform: api, as } = await platform({ document: { platform: acme } })
    const net = (await api.get(`${organization}/workspaces/net`)).body.data
    expect(net).toMatchObject({
      attributes: {
        description: 'network',
        'auto-apply': true,
        'infra-version': '1.9.5',
        'tag-names': ['prod', 'eu'],
        locked: true,
        'resource-count': 1,
      },
      relationships: { 'ssh-key': { data: { type: 'ssh-keys' } } },
    })
    const inProject = { query: { include: 'project,effective_tag_bindings' } }
    const included = (await api.get(`workspaces/${net.id}`, inProject)).body.included
    expect(included).toMatchObject([
      { attributes: { name: 'core' } },
      ...['prod', 'eu', 'cost'].map((key) => ({ attributes: { key } })),
    ])
    expect((await api.get(`workspaces/${net.id}/vars`)).body.data).toMatchObject([
      { attributes: { key: 'region', value: 'eu', category: 'infra' } },
      { attributes: { key: 'TOKEN', value: null, category: 'env', sensitive: true } },
    ])
    const consumers = await api.get(`workspaces/${net.id}/relationships/remote-state-consumers`)
    expect(consumers.body.data).toMatchObject([{ attributes: { name: 'agents' } }])
    const access = await as('member-token').get(`workspaces/${net.id}`)
    expect(access.body.data.attributes.permissions).toMatchObject({
      'can-queue-apply': true,
      'can-update': false,
    })

    const agents = (await api.get(`${organization}/workspaces/agents`)).body.data
    expect(agents.attributes).toMatchObject({ 'execution-mode': 'agent', locked: true })
    expect((await api.get(`workspaces/${agents.id}/tag-bindings`)).body.data).toMatchObject([
      { attributes: { key: 'team', value: 'net' } },
    ])
    const outputs = await api.get(`workspaces/${agents.id}/current-state-version-outputs`)
    expect(outputs.body.data).toMatchObject([{ attributes: { name: 'n', value: 1 } }])
    const pools = (await api.get(`${organization}/agent-pools`)).body.data
    expect(pools.map((each: { attributes: object }) => each.attributes)).toMatchObject([
      { name: 'open', 'organization-scoped': true },
      { name: 'inside', 'organization-scoped': false },
    ])
    expect((await api.post(`workspaces/${agents.id}/actions/unlock`)).status).toBe(200)
  })

  test('runs have reached their status, and their states follow the one that is given', async () => {
    const { platform: api } = await platform({ document: { platform: acme } })
    const { id } = (await api.get(`${organization}/workspaces/net`)).body.data
    const statuses = { query: { 'filter[operation]': 'plan_only,plan_and_apply' } }
    const runs = (await api.get(`workspaces/${id}/runs`, statuses)).body.data
    expect(runs.map((each: { attributes: object }) => each.attributes)).toMatchObject([
      { message: 'third', status: 'pending', 'plan-only': true },
      { message: 'second', status: 'planned', 'has-changes': true },
      { message: 'first', status: 'applied' },
    ])
    const filters = {
      query: {
        'filter[organization][name]': 'example-org',
        'filter[workspace][name]': 'net',
      },
    }
    const states = (await api.get('state-versions', filters)).body.data
    expect(states.map((each: { attributes: object }) => each.attributes)).toMatchObject([
      { serial: 2, resources: [{ name: 'a' }] },
      { serial: 1, resources: [{ name: 'old' }], 'infra-version': '1.9.8' },
    ])
    const { lineage } = states[0].attributes
    expect([lineage, states[1].attributes.lineage]).toEqual([expect.any(String), lineage])
    // The set of the project has priority over the variable of the workspace.
    const outputs = await api.get(`workspaces/${id}/current-state-version-outputs`)
    expect(outputs.body.data).toMatchObject([{ attributes: { name: 'region', value: 'us' } }])
    const sets = (await api.get(`workspaces/${id}/varsets`)).body.data
    expect(sets.map((each: { attributes: object }) => each.attributes)).toMatchObject([
      { name: 'all', global: true, 'var-count': 1 },
      { name: 'core', priority: true, 'workspace-count': 1 },
      { name: 'projects', 'project-count': 1 },
    ])
  })

  test('export, import and export again give the same bytes, and a second loading changes members', async () => {
    const { world, platform: api } = await platform({ document: { platform: acme } })
    const document = JSON.parse(JSON.stringify(exportWorld(world)))
    const repeated = await platform({ document })
    expect(JSON.stringify(exportWorld(repeated.world))).toBe(JSON.stringify(document))
    const again = {
      organizations: [
        {
          name: 'example-org',
          projects: [{ name: 'core', teamAccess: { developers: 'admin' } }],
          sshKeys: [{ name: 'deploy', value: 'other' }],
          workspaces: [{ name: 'net', variables: [{ key: 'region', value: 'asia' }] }],
          variableSets: [{ name: 'core', variables: [{ key: 'region', value: 'af' }] }],
        },
      ],
    }
    const { platform: changed } = await platform({
      document: { ...document, platform: { ...document.platform, ...again } },
    })
    const workspace = `${organization}/workspaces/net`
    const [before, after] = [await api.get(workspace), await changed.get(workspace)]
    expect(after.body.data.attributes.description).toBe('network')
    expect(after.body.data).toMatchObject({ id: before.body.data.id })
    const variables = await changed.get(`workspaces/${after.body.data.id}/vars`)
    expect(variables.body.data[0].attributes).toMatchObject({ key: 'region', value: 'asia' })
  })

  test('the example of the guide loads', async () => {
    const guide = readDocument('docs/guide/fixtures.md')
    const [, example = ''] = /```yaml\n(platform:[\s\S]*?)```/.exec(guide) ?? []
    const { platform: api } = await platform({ document: parse(example) })
    const list = (await api.get(`${organization}/workspaces`)).body.data
    expect(list).toMatchObject([
      { attributes: { name: 'app', locked: true } },
      { attributes: { name: 'network', 'resource-count': 1, 'tag-names': ['prod'] } },
    ])
  })

  test.each([
    [{ projects: [{ name: 'x' }] }, 'projects/0: name is too short (minimum is 3 characters)'],
    [
      { workspaces: [{ name: 'a' }, { name: 'b', project: 'x' }] },
      'workspaces/1: project x was not found',
    ],
    [{ workspaces: [{ name: 'a', agentPool: 'x' }] }, 'workspaces/0: agent pool x was not found'],
    [{ workspaces: [{ name: 'a', sshKey: 'x' }] }, 'workspaces/0: SSH key x was not found'],
    [{ workspaces: [{ name: 'a', locked: 'x' }] }, 'workspaces/0: user x was not found'],
    [
      { workspaces: [{ name: 'a', teamAccess: { x: 'read' } }] },
      'workspaces/0: team x was not found',
    ],
    [
      { workspaces: [{ name: 'a', teamAccess: { owners: 'fly' } }] },
      'workspaces/0: access is not included in the list',
    ],
    [{ workspaces: [{ name: 'a', state: '[]' }] }, 'workspaces/0: State is invalid'],
    [{ workspaces: [{ name: 'a', runs: [{}] }] }, 'workspaces/0: Configuration version is missing'],
    [
      {
        workspaces: [
          { name: 'a', configuration: {}, runs: [{ planOnly: true, status: 'applied' }] },
        ],
      } as const,
      'workspaces/0: a run that is pending cannot become applied',
    ],
    [
      { agentPools: [{ name: 'p', allowedWorkspaces: ['x'] }] },
      'agentPools/0: workspace x was not found',
    ],
    [
      {
        variableSets: [
          { name: 'a', global: true, variables: [{ key: 'k' }] },
          { name: 'b', global: true, variables: [{ key: 'k' }] },
        ],
      },
      'variableSets/1: k is already defined in global variable set a',
    ],
  ])('a mistake names its place: %j', async (members, message) => {
    const document = { platform: { organizations: [{ name: 'example-org', ...members }] } }
    const place = `/platform/organizations/0/${message}`
    await expect(platform({ document })).rejects.toThrow(place)
  })
})
