import { describe, expect, test } from 'vitest'
import { type PlatformClient, platform } from '../../../support/platform/platform.ts'
import { addCallers, extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure } from '../../../support/platform/platform-errors.ts'

const section = 'behaviour/platform#include'
const organization = 'organizations/example-org'

async function includedBy(api: PlatformClient, path: string, include: string) {
  const reply = await api.get(path, { query: { include } })
  expect(reply.status).toBe(200)
  return reply.body.included?.map(({ id, type }: { id: string; type: string }) => `${type} ${id}`)
}

async function withWorkspace() {
  const mock = await platform()
  addCallers(mock.world)
  const api = mock.platform
  const made = await api.post(`${organization}/workspaces`, {
    data: {
      type: 'workspaces',
      attributes: { name: 'web' },
      relationships: {
        'tag-bindings': {
          data: [{ type: 'tag-bindings', attributes: { key: 'a', value: 'b' } }],
        },
      },
    },
  })
  const { id, relationships } = made.body.data
  return { ...mock, api, id, project: relationships.project.data.id }
}

describe(`${section}: workspaces`, () => {
  test.each([
    ['organization', (_: Ids) => ['organizations example-org']],
    ['project', ({ project }: Ids) => [`projects ${project}`]],
    [
      'project,organization,project',
      ({ project }: Ids) => [`projects ${project}`, 'organizations example-org'],
    ],
    ['effective_tag_bindings', () => ['effective-tag-bindings effective-a']],
    ['locked-by', ({ user }: Ids) => [`users ${user}`]],
    ['current_run.configuration_version.ingress_attributes', () => []],
    ['current-configuration-version.ingress-attributes', () => []],
    ['current_run,current_run.plan,current_state_version,readme,outputs', () => []],
  ])('include=%s', async (include, expected) => {
    const { api, id, project } = await withWorkspace()
    await api.post(`workspaces/${id}/actions/lock`)
    const user = (await api.get('account/details')).body.data.id
    const paths = [`${organization}/workspaces`, `${organization}/workspaces/web`]
    for (const path of [...paths, `workspaces/${id}`]) {
      expect(await includedBy(api, path, include)).toEqual(expected({ project, user }))
    }
  })

  test('a list includes each resource once, in full', async () => {
    const { api, project } = await withWorkspace()
    const attributes = { name: 'other' }
    await api.post(`${organization}/workspaces`, { data: { type: 'workspaces', attributes } })
    const query = { include: 'project' }
    const { included } = (await api.get(`${organization}/workspaces`, { query })).body
    expect(included).toEqual([(await api.get(`projects/${project}`)).body.data])
  })

  test('a relationship that has only a link gets data', async () => {
    const { api, id } = await withWorkspace()
    const include = 'effective-tag-bindings'
    const plain = (await api.get(`workspaces/${id}`)).body.data.relationships[include]
    const reply = await api.get(`workspaces/${id}`, { query: { include } })
    expect(reply.body.data.relationships[include]).toEqual({
      data: [{ id: 'effective-a', type: include }],
      ...plain,
    })
  })

  test('a secret team that holds the lock is left out for callers who may not see it', async () => {
    const { api, as, id } = await withWorkspace()
    const teams = (await api.get(`${organization}/teams`)).body.data
    const idOf = (name: string) =>
      teams.find((team: { attributes: { name: string } }) => team.attributes.name === name).id
    const holder = await api.post(`${organization}/teams`, {
      data: { attributes: { name: 'x', 'organization-access': { 'manage-workspaces': true } } },
    })
    const team = `teams ${holder.body.data.id}`
    const made = await api.post(`teams/${holder.body.data.id}/authentication-token`)
    const { token } = made.body.data.attributes
    expect((await as(token).post(`workspaces/${id}/actions/lock`)).status).toBe(200)
    await api.patch(`teams/${idOf('developers')}`, {
      data: { attributes: { 'organization-access': { 'read-workspaces': true } } },
    })
    const lockHolders = (caller: string) => includedBy(as(caller), `workspaces/${id}`, 'locked_by')
    expect([
      await lockHolders(token),
      await lockHolders(extraTokens.organization),
      await lockHolders('member-token'),
    ]).toEqual([[team], [team], []])
  })
})

interface Ids {
  readonly project: string
  readonly user: string
}

describe(`${section}: other resources`, () => {
  test('organizations include their default project and entitlements', async () => {
    const { api, project } = await withWorkspace()
    const id = (await api.get(`${organization}/entitlement-set`)).body.data.id
    for (const path of [organization, 'organizations']) {
      expect(await includedBy(api, path, 'entitlement_set,default_project')).toEqual([
        `entitlement-sets ${id}`,
        `projects ${project}`,
      ])
    }
  })

  test('projects include their tags', async () => {
    const { api, project } = await withWorkspace()
    const tag = { type: 'tag-bindings', attributes: { key: 'team', value: 'a' } }
    await api.patch(`projects/${project}/tag-bindings`, { data: [tag] })
    for (const path of [`projects/${project}`, `${organization}/projects`]) {
      expect(await includedBy(api, path, 'effective_tag_bindings')).toEqual([
        'effective-tag-bindings effective-team',
      ])
    }
  })

  test('connections include their token and their projects', async () => {
    const { api, project } = await withWorkspace()
    const attributes = {
      'service-provider': 'github',
      'http-url': 'https://github.example',
      'api-url': 'https://api.github.example',
      'oauth-token-string': 's',
    }
    const made = await api.post(`${organization}/oauth-clients`, {
      data: { type: 'oauth-clients', attributes },
    })
    const { id, relationships } = made.body.data
    const [token] = relationships['oauth-tokens'].data
    await api.post(`oauth-clients/${id}/relationships/projects`, {
      data: [{ type: 'projects', id: project }],
    })
    for (const path of [`oauth-clients/${id}`, `${organization}/oauth-clients`]) {
      expect(await includedBy(api, path, 'oauth_tokens,projects')).toEqual([
        `oauth-tokens ${token.id}`,
        `projects ${project}`,
      ])
    }
  })

  test.each([
    `${organization}/workspaces`,
    `${organization}/workspaces/web`,
    `${organization}/projects`,
    `${organization}/oauth-clients`,
    'organizations',
    organization,
  ])('GET %s: an unknown name is 400', async (path) => {
    const { api } = await withWorkspace()
    for (const include of ['zz', 'zz,project', 'Project', 'project.zz', 'organization.project']) {
      const reply = await api.get(path, { query: { include } })
      expect([reply.status, reply.body]).toEqual([400, failure(400, 'Invalid include parameter')])
    }
    const reply = await api.get(path, { query: { include: '' } })
    expect([reply.status, reply.body.included]).toEqual([200, undefined])
  })
})
