import { describe, expect, test } from 'vitest'
import type { platform } from '../../../support/platform/platform.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'
import {
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
