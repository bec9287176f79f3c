import { describe, expect, test } from 'vitest'
import { runWithId } from '../../../../state/platform/runs/runs.ts'
import type { CommitEvent } from '../../../../state/platform/vcs/commit-event.ts'
import { receiveCommits } from '../../../../state/platform/vcs/receive-commits.ts'
import type { platform } from '../../../support/platform/platform.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'
import {
  giveRights,
  resource,
  withWorkspace,
  workspaceList,
} from '../../../support/platform/platform-workspaces.ts'

const section = 'behaviour/platform#workspace-repositories'

/** Returns a server with a workspace and a token of a connection to a provider. */
async function withConnection(settings: Parameters<typeof platform>[0] = {}) {
  const server = await withWorkspace(settings)
  const client = await server.api.post(
    'organizations/example-org/oauth-clients',
    resource('oauth-clients', {
      'service-provider': 'github',
      'http-url': 'https://github.com/',
      'api-url': 'https://api.github.com',
      'oauth-token-string': 'secret',
    }),
  )
  const { relationships, id } = client.body.data
  return { ...server, client: String(id), token: String(relationships['oauth-tokens'].data[0].id) }
}

function connected(repository: object | null) {
  return resource('workspaces', { 'vcs-repo': repository })
}

describe(section, () => {
  test('a connected workspace describes its repository, changes it in parts, and is disconnected by null', async () => {
    const { api, id, token } = await withConnection()
    const path = `workspaces/${id}`
    expect((await api.get(path)).body.data.attributes['vcs-repo']).toBeNull()
    const repository = { identifier: 'acme/net', 'oauth-token-id': token }
    const reply = await api.patch(path, connected(repository))
    const stored = reply.body.data.attributes['vcs-repo']
    expect([reply.status, stored]).toEqual([
      200,
      {
        identifier: 'acme/net',
        'display-identifier': 'acme/net',
        'oauth-token-id': token,
        'github-app-installation-id': null,
        branch: '',
        'ingress-submodules': false,
        'tags-regex': null,
        tags: false,
        'repository-http-url': 'https://github.com/acme/net',
        'service-provider': 'github',
        'webhook-url': expect.stringMatching(/\/webhooks\/vcs\/[0-9a-f-]{36}$/),
        'source-directory': null,
        'tag-prefix': null,
      },
    ])
    const changes = { branch: 'main', tags_regex: '^v', ingressSubmodules: true }
    const changed = await api.patch(path, connected(changes))
    const after = { branch: 'main', 'tags-regex': '^v', 'ingress-submodules': true }
    expect(changed.body.data.attributes['vcs-repo']).toEqual({ ...stored, ...after })
    const prefixed = await api.patch(path, resource('workspaces', { 'trigger-prefixes': ['a'] }))
    expect(prefixed.status).toBe(422)
    const app = { identifier: 'acme/b', 'github-app-installation-id': 'ghain-1' }
    const moved = (await api.patch(path, connected(app))).body.data.attributes['vcs-repo']
    expect(moved).toMatchObject({
      'display-identifier': 'acme/b',
      'oauth-token-id': null,
      'github-app-installation-id': 'ghain-1',
      'service-provider': 'github_app',
    })
    const unnamed = (await api.patch(path, resource('workspaces', {}))).body.data
    expect(unnamed.attributes['vcs-repo']).toEqual(moved)
    const admin = await api.get(`admin/workspaces/${id}`, { token: 'site-admin-token' })
    expect(admin.body.data.attributes['vcs-repo']).toEqual(moved)
    const gone = await api.patch(path, connected(null))
    expect(gone.body.data.attributes['vcs-repo']).toBeNull()
  })

  test('incomplete and unknown repositories are 422 and store nothing', async () => {
    const { api, id, token } = await withConnection()
    const blank = ['vcs-repo/identifier', "Vcs repo identifier can't be blank"] as const
    const ownerless = ['vcs-repo/identifier', 'Vcs repo identifier is invalid'] as const
    const regex = ['vcs-repo/tags-regex', 'Vcs repo tags regex is invalid'] as const
    const repository = { identifier: 'acme/net', 'oauth-token-id': token }
    const unknown = failure(422, 'OAuth token does not exist')
    for (const [input, error] of [
      [{ 'oauth-token-id': token }, invalid(blank)],
      [{ ...repository, identifier: 'net' }, invalid(ownerless)],
      [{ ...repository, 'tags-regex': '(' }, invalid(regex)],
      [{ ...repository, 'oauth-token-id': 'ot-1' }, unknown],
      [{ identifier: 'acme/net' }, unknown],
      [
        { ...repository, 'github-app-installation-id': 'ghain-1' },
        failure(422, 'only one of oauth-token-id and github-app-installation-id may be set'),
      ],
      ['acme/net', invalid(['vcs-repo', 'Vcs repo is invalid'])],
    ] as const) {
      const attributes = { 'vcs-repo': input }
      for (const reply of [
        await api.patch(`workspaces/${id}`, resource('workspaces', attributes)),
        await api.post(workspaceList, resource('workspaces', { name: 'other', ...attributes })),
      ]) {
        expect([reply.status, reply.body]).toEqual([422, error])
      }
    }
    expect((await api.get(`workspaces/${id}`)).body.data.attributes['vcs-repo']).toBeNull()
    expect((await api.get(`${workspaceList}/other`)).status).toBe(404)
  })
})

describe('behaviour/platform#workspace-pushes', () => {
  test('connecting makes a version from the repository, and a run if all runs are queued', async () => {
    const { api, id, token, clock } = await withConnection({ options: { fetchTime: '1s' } })
    const repository = { identifier: 'acme/net', 'oauth-token-id': token, branch: 'dev' }
    await api.patch(`workspaces/${id}`, connected(repository))
    const versions = async () =>
      (await api.get(`workspaces/${id}/configuration-versions`)).body.data
    const [version] = await versions()
    expect(version.attributes).toMatchObject({ source: 'github', status: 'fetching' })
    const runs = async () => (await api.get(`workspaces/${id}/runs`)).body.data
    expect(await runs()).toEqual([])
    clock.advance(1_000)
    const path = `configuration-versions/${version.id}`
    const read = await api.get(path, { query: { include: 'ingress_attributes' } })
    expect(read.body.data.attributes.status).toBe('uploaded')
    const commit = (await api.get(`${path}/ingress-attributes`)).body.data
    expect(read.body.included).toEqual([commit])
    const list = `workspaces/${id}/configuration-versions?include=ingress_attributes`
    expect((await api.get(list)).body.included).toEqual([commit])
    expect(read.body.data.relationships['ingress-attributes'].data).toEqual({
      id: commit.id,
      type: 'ingress-attributes',
    })
    expect(commit.attributes).toMatchObject({
      branch: 'dev',
      identifier: 'acme/net',
      'commit-sha': expect.stringMatching(/^[0-9a-f]{40}$/),
      'sender-username': 'owner',
      'is-pull-request': false,
      'on-default-branch': false,
    })
    const other = { ...repository, identifier: 'acme/other' }
    const attributes = { 'vcs-repo': other, 'queue-all-runs': true }
    await api.patch(`workspaces/${id}`, resource('workspaces', attributes))
    expect((await runs())[0].attributes).toMatchObject({
      source: 'ent-configuration-version',
      'trigger-reason': 'vcs_push',
    })
    expect(await versions()).toHaveLength(2)
    await api.patch(`workspaces/${id}`, connected({ branch: 'main' }))
    expect(await versions()).toHaveLength(2)
  })

  test('behaviour/platform#run-lists: runs are found by the commit and by the user who pushed it', async () => {
    const { api, id, token, world } = await withConnection()
    await api.patch(
      `workspaces/${id}`,
      connected({ identifier: 'acme/net', 'oauth-token-id': token }),
    )
    const receive = (event: Partial<CommitEvent>) =>
      receiveCommits(world, { repository: 'acme/net', ...event }).runs
    const ada = receive({ commit: 'abc123', sender: 'Ada', message: 'Fix' })
    const bob = receive({ commit: 'def456', sender: 'bob', message: 'Undo abc123' })
    const found = async (query: Readonly<Record<string, string>>) => {
      const { body } = await api.get(`workspaces/${id}/runs`, { query })
      return body.data.map((run: { id: string }) => run.id)
    }
    expect(await found({ 'search[user]': 'ad' })).toEqual(ada)
    expect(await found({ 'search[user]': 'nobody' })).toEqual([])
    expect(await found({ 'search[commit]': 'ABC' })).toEqual(ada)
    expect(await found({ 'search[commit]': 'abc', 'search[user]': 'bob' })).toEqual([])
    expect(await found({ 'search[basic]': 'abc123' })).toEqual([...bob, ...ada])
    expect(await found({ 'search[basic]': 'BOB' })).toEqual(bob)
  })

  test('a push starts runs of the workspaces that it concerns', async () => {
    const { api, id, token, clock, world } = await withConnection()
    const repository = { identifier: 'acme/net', 'oauth-token-id': token }
    const settings: Readonly<Record<string, object>> = {
      net: {},
      dev: { 'auto-apply': true, 'vcs-repo': { branch: 'dev' } },
      tagged: { 'vcs-repo': { 'tags-regex': '^v\\d+$' } },
      folder: { 'working-directory': '/infra/', 'trigger-prefixes': ['/modules'] },
      pattern: { 'trigger-patterns': ['/infra/**/*.tf'], 'speculative-enabled': false },
      always: { 'working-directory': 'infra', 'file-triggers-enabled': false },
    }
    const names = new Map<string, string>()
    for (const [name, attributes] of Object.entries(settings)) {
      const merged = {
        ...attributes,
        'vcs-repo': { ...repository, ...Object(attributes)['vcs-repo'] },
      }
      const { data } =
        name === 'net'
          ? (await api.patch(`workspaces/${id}`, resource('workspaces', merged))).body
          : (await api.post(workspaceList, resource('workspaces', { name, ...merged }))).body
      names.set(data.id, name)
    }
    const receive = (more: Partial<CommitEvent>) => {
      const { configurationVersions, runs } = receiveCommits(world, {
        repository: 'Acme/net',
        ...more,
      })
      expect(configurationVersions).toHaveLength(runs.length)
      const started = runs.map((run) => names.get(runWithId(world, run)?.workspace ?? ''))
      return { started: started.sort(), run: runs[0] ?? '' }
    }
    const all = ['always', 'folder', 'net', 'pattern']
    expect(receive({}).started).toEqual(all)
    expect(receive({ branch: 'dev' }).started).toEqual(['dev'])
    expect(receive({ tag: 'v12' }).started).toEqual(['tagged'])
    expect(receive({ tag: 'w' }).started).toEqual([])
    expect(receive({ repository: 'acme/unknown' }).started).toEqual([])
    const of = (path: string) => receive({ files: { [path]: '' } }).started
    expect(of('README.md')).toEqual(['always', 'net'])
    expect(of('infra/main.tf')).toEqual(all)
    expect(of('infra/a/b/main.tf')).toEqual(all)
    expect(of('infra/main.json')).toEqual(['always', 'folder', 'net'])
    expect(of('modules/x.tf')).toEqual(['always', 'folder', 'net'])
    expect(of('modules2/x.tf')).toEqual(['always', 'net'])

    const pullRequest = { number: 7, title: 'Change' }
    const files = { 'main.tf': 'resource "null_resource" "a" {\n}\n' }
    expect(receive({ pullRequest }).started).toEqual(['always', 'folder', 'net'])
    const { run } = receive({ branch: 'dev', message: 'Fix', commit: 'abc', files })
    clock.advance(60_000)
    const include = { query: { include: 'configuration_version.ingress_attributes' } }
    const { data, included } = (await api.get(`runs/${run}`, include)).body
    expect(data.attributes).toMatchObject({
      message: 'Fix',
      'has-changes': true,
      status: 'applied',
    })
    expect(included.at(-1)).toMatchObject({ attributes: { 'commit-sha': 'abc', branch: 'dev' } })
    await api.patch(`workspaces/${id}`, resource('workspaces', { 'execution-mode': 'local' }))
    const rest = receiveCommits(world, { repository: 'acme/net', files: { x: '' } })
    expect([rest.configurationVersions.length, rest.runs.length]).toEqual([2, 1])
  })

  test('runs of a push belong to the user who connected the repository', async () => {
    const { api, id, token, world } = await withConnection()
    const admin = { token: 'site-admin-token' }
    const connect = (identifier: string, options: object) =>
      api.patch(`workspaces/${id}`, connected({ identifier, 'oauth-token-id': token }), options)
    await connect('acme/net', {})
    await connect('acme/lan', admin)
    const { runs } = receiveCommits(world, { repository: 'acme/lan' })
    const creator = (await api.get('account/details', admin)).body.data.id
    expect((await api.get(`runs/${runs[0]}`)).body.data.relationships['created-by'].data).toEqual({
      id: creator,
      type: 'users',
    })
  })
})

test('behaviour/platform#vcs-events: connections and pushes write events, which end after 10 days', async () => {
  const { api, as, id, client, token, clock, world } = await withConnection()
  const path = 'organizations/example-org/vcs-events'
  await api.patch(`workspaces/${id}`, connected({ identifier: 'a/b', 'oauth-token-id': token }))
  clock.advance(60_000)
  receiveCommits(world, { repository: 'a/b' })
  const { body } = await api.get(path, { query: { include: 'oauth_client' } })
  expect(body.data.map((one: { attributes: object }) => one.attributes)).toMatchObject([
    { level: 'info', message: 'Received a push for net', 'created-at': '2026-01-01T00:01:00.000Z' },
    { message: 'Connected net to a/b', 'organization-id': expect.stringMatching(/^org-/) },
  ])
  expect(body.data[0].relationships).toEqual({
    'oauth-client': { data: { id: client, type: 'oauth-clients' } },
    'oauth-token': { data: { id: token, type: 'oauth-tokens' } },
  })
  expect(body.included).toEqual([(await api.get(`oauth-clients/${client}`)).body.data])
  const count = async (query: Readonly<Record<string, string>>) =>
    (await api.get(path, { query })).body.data.length
  expect(await count({ 'filter[from]': '2026-01-01T00:00:30Z' })).toBe(1)
  expect(await count({ 'filter[to]': '2026-01-01T00:00:30Z', 'filter[levels]': 'info' })).toBe(1)
  expect(await count({ 'filter[levels]': 'error' })).toBe(0)
  expect(await count({ 'filter[oauth_client_external_ids]': `oc-1,${client}` })).toBe(2)
  expect((await as('member-token').get(path)).status).toBe(404)
  await giveRights(api, 'manage-vcs-settings')
  expect((await as('member-token').get(path)).status).toBe(200)
  await api.patch('organizations/example-org', resource('organizations', { name: 'renamed' }))
  const renamed = 'organizations/renamed/vcs-events'
  expect((await api.get(renamed)).body.data).toHaveLength(2)
  clock.advance(10 * 24 * 3_600_000 - 30_000)
  expect((await api.get(renamed)).body.data).toHaveLength(1)
  receiveCommits(world, { repository: 'a/b' })
  expect((await api.get(renamed)).body.data).toHaveLength(2)
})
