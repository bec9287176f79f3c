import { expect, test } from 'vitest'
import { extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'
import { localPart } from '../../../support/platform/platform-tests.ts'
import {
  giveRights,
  makeProject,
  resource,
  withWorkspace,
} from '../../../support/platform/platform-workspaces.ts'

const policies = 'organizations/example-org/policies'
const sets = 'organizations/example-org/policy-sets'
const policy = (attributes: object) => resource('policies', attributes)
const policySet = (attributes: object, relationships: object = {}) =>
  resource('policy-sets', attributes, relationships)
const items = (type: string, ...ids: readonly string[]) => ({
  data: ids.map((id) => ({ id, type })),
})

test('behaviour/platform#policies, behaviour/platform#policy-sets: policies, sets, versions and parameters', async () => {
  const { api, as, id: workspace } = await withWorkspace({ dialect: 'vendor' })
  const old = { name: 'tags', enforce: [{ path: 'tags.sentinel', mode: 'soft-mandatory' }] }
  const { data } = (await api.post(policies, policy(old))).body
  const one = `policies/${data.id}`
  expect(data).toEqual({
    id: expect.stringMatching(/^pol-/),
    type: 'policies',
    attributes: {
      name: 'tags',
      description: null,
      kind: 'sentinel',
      query: null,
      'enforcement-level': 'soft-mandatory',
      enforce: [],
      'policy-set-count': 0,
      'updated-at': null,
    },
    relationships: {
      organization: { data: { id: 'example-org', type: 'organizations' } },
      'policy-sets': { data: [] },
    },
    links: { self: `/api/v2/${one}`, upload: `/api/v2/${one}/upload` },
  })
  for (const [attributes, expected] of [
    [{}, [['name', "Name can't be blank"]]],
    [{ name: 'a b' }, [['name', 'Name is invalid']]],
    [{ name: 'tags' }, [['name', 'Name has already been taken']]],
    [{ name: 'a', kind: 'x' }, [['kind', 'Kind is not included in the list']]],
    [{ name: 'a', kind: 'opa' }, [['query', "Query can't be blank"]]],
    [
      { name: 'a', kind: 'opa', query: 'q', 'enforcement-level': 'soft-mandatory' },
      [['enforcement-level', 'Enforcement level is not included in the list']],
    ],
  ] as const) {
    expect((await api.post(policies, policy(attributes))).body).toEqual(invalid(...expected))
  }
  expect((await api.get(`${one}/download`)).status).toBe(404)
  const bytes = { headers: { 'content-type': 'application/octet-stream' } }
  expect((await api.request('PUT', `${one}/upload`, 'main = true', bytes)).status).toBe(200)
  const download = await api.get(`${one}/download`)
  expect([download.text, download.headers['content-type']]).toEqual([
    'main = true',
    'text/plain; charset=utf-8',
  ])
  const large = 'x'.repeat(10 * 1024 * 1024 + 1)
  expect((await api.request('PUT', `${one}/upload`, large, bytes)).status).toBe(413)
  const changed = await api.patch(one, policy({ 'enforcement-level': 'hard-mandatory' }))
  expect(changed.body.data).toMatchObject({
    attributes: {
      'enforcement-level': 'hard-mandatory',
      enforce: [{ path: 'tags.sentinel', mode: 'hard-mandatory' }],
      'updated-at': expect.any(String),
    },
    links: { download: `/api/v2/${one}/download` },
  })

  const project = await makeProject(api, 'inner')
  const made = await api.post(
    sets,
    policySet({ name: 'base' }, { policies: items('policies', data.id) }),
  )
  expect(made.status).toBe(201)
  expect(made.body.data).toMatchObject({
    attributes: {
      name: 'base',
      kind: 'sentinel',
      global: false,
      overridable: null,
      'agent-enabled': false,
      'policy-tool-version': null,
      'vcs-repo': null,
      versioned: false,
      'policy-count': 1,
      'workspace-count': 0,
    },
    relationships: { policies: items('policies', data.id), workspaces: { data: [] } },
  })
  const set = `policy-sets/${made.body.data.id}`
  for (const [name, type, id] of [
    ['workspaces', 'workspaces', workspace],
    ['projects', 'projects', project],
    ['workspace-exclusions', 'workspaces', workspace],
    ['project-exclusions', 'projects', project],
    ['policies', 'policies', data.id],
  ] as const) {
    const path = `${set}/relationships/${name}`
    expect((await api.delete(path, items(type, id))).status).toBe(204)
    expect((await api.post(path, items(type, id))).status).toBe(204)
    expect((await api.post(path, items(type, 'unknown'))).body).toEqual(
      failure(422, 'unknown was not found'),
    )
  }
  const included = await api.get(`${set}?include=policies,workspaces,project_exclusions`)
  expect(included.body.included.map((each: { id: string }) => each.id)).toEqual([
    data.id,
    workspace,
    project,
  ])
  expect((await api.get(`${policies}?include=policy_sets&search[name]=TA`)).body).toMatchObject({
    data: [{ id: data.id, attributes: { 'policy-set-count': 1 } }],
    included: [{ id: made.body.data.id }],
  })
  const withRepository = policySet({ 'vcs-repo': { identifier: 'a/b', 'oauth-token-id': 'ot-x' } })
  expect((await api.patch(set, withRepository)).body).toEqual(
    failure(422, 'OAuth token does not exist'),
  )
  const provider = { 'service-provider': 'github', 'http-url': 'https://a', 'api-url': 'https://b' }
  const clients = 'organizations/example-org/oauth-clients'
  const client = (await api.post(clients, resource('oauth-clients', provider))).body.data
  const [{ id: token }] = client.relationships['oauth-tokens'].data
  const repository = { identifier: 'a/b', 'oauth-token-id': token }
  expect((await api.patch(set, policySet({ 'vcs-repo': repository }))).body).toEqual(
    failure(422, 'policies and vcs-repo cannot be set together'),
  )
  const versioned = await api.post(sets, policySet({ name: 'files', 'vcs-repo': repository }))
  expect(versioned.body.data.attributes).toMatchObject({
    versioned: true,
    'vcs-repo': {
      ...repository,
      branch: '',
      'display-identifier': 'a/b',
      'repository-http-url': 'https://a/a/b',
      'service-provider': 'github',
      'webhook-url': expect.stringMatching(/\/webhooks\/vcs\/[0-9a-f-]{36}$/),
    },
  })

  const added = (await api.post(`${set}/versions`)).body.data
  expect(added).toMatchObject({
    id: expect.stringMatching(/^polsetver-/),
    attributes: { status: 'pending', source: 'tfe-api', error: null },
  })
  const upload = localPart(added.links.upload)
  expect((await api.request('PUT', upload, 'files', { token: null })).status).toBe(200)
  const ready = (await api.get(`policy-set-versions/${added.id}`)).body.data
  expect([ready.attributes.status, Object.keys(ready.links)]).toEqual(['ready', ['self']])
  expect((await api.get(set)).body.data.relationships['current-version'].data.id).toBe(added.id)
  expect((await api.get(`${sets}?filter[versioned]=false`)).body.data).toEqual([])

  const parameters = `${set}/parameters`
  const parameter = { key: 'limit', value: '3', category: 'policy-set', sensitive: true }
  const secret = (await api.post(parameters, resource('vars', parameter))).body.data
  expect(secret.attributes).toMatchObject({ key: 'limit', value: null, category: 'policy-set' })
  expect(
    (await api.post(parameters, resource('vars', { key: 'a', category: 'env' }))).body,
  ).toEqual(invalid(['category', 'Category is not included in the list']))
  const path = `${parameters}/${secret.id}`
  expect((await api.patch(path, resource('vars', { description: 'd' }))).status).toBe(200)
  expect((await api.get(parameters)).body.data).toHaveLength(1)
  expect((await api.get(path)).body.data.attributes.description).toBe('d')
  expect((await api.delete(path)).status).toBe(204)

  const global = (await api.patch(set, policySet({ global: true }))).body.data
  expect(Object.keys(global.relationships)).not.toContain('workspaces')
  expect(
    (await api.post(`${set}/relationships/workspaces`, items('workspaces', workspace))).body,
  ).toEqual(failure(422, 'Global policy sets cannot be attached to workspaces'))

  const member = as('member-token')
  for (const hidden of [one, set, policies, sets])
    expect((await member.get(hidden)).status).toBe(404)
  await giveRights(api, 'read-workspaces')
  for (const read of [one, set, policies, sets]) expect((await member.get(read)).status).toBe(200)
  expect((await member.delete(set)).status).toBe(404)
  const organization = as(extraTokens.organization)
  expect((await organization.delete(one)).status).toBe(204)
  expect((await api.get(set)).body.data.attributes['policy-count']).toBe(0)
  expect((await organization.delete(set)).status).toBe(204)
  expect((await api.get(`policy-set-versions/${added.id}`)).status).toBe(404)
})
