import { expect, test } from 'vitest'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'
import { withConfiguration } from '../../../support/platform/platform-runs.ts'
import {
  resource,
  withWorkspace,
  workspaceList,
} from '../../../support/platform/platform-workspaces.ts'

const path = 'admin/organizations/example-org'
const ids = (...all: readonly string[]) => ({
  data: all.map((id) => ({ id, type: 'organizations' })),
})
const namesOf = (data: readonly { id: string }[]) => data.map(({ id }) => id)

test('behaviour/platform#admin-organizations, behaviour/platform#module-sharing: limits, switches and sharing', async () => {
  const { api, admin } = await withWorkspace()
  const { data } = (await admin.get(path)).body
  expect(data).toMatchObject({
    id: 'example-org',
    type: 'organizations',
    attributes: {
      name: 'example-org',
      'access-beta-tools': false,
      'is-disabled': false,
      'global-module-sharing': false,
      'workspace-limit': null,
      'infra-worker-sudo-enabled': false,
      'sso-enabled': false,
    },
    relationships: { owners: { data: [{ type: 'users' }] }, 'feature-set': { data: null } },
  })
  for (const hidden of [path, 'admin/organizations', 'admin/users', 'admin/runs']) {
    expect((await api.get(hidden)).status).toBe(404)
  }
  const email = { name: 'other-org', email: 'a@example.com' }
  await admin.post('organizations', resource('organizations', email))

  const change = async (attributes: object) =>
    await admin.patch(path, resource('organizations', attributes))
  expect((await change({ 'workspace-limit': 1 })).body.data.attributes['workspace-limit']).toBe(1)
  const other = resource('workspaces', { name: 'other' })
  expect((await api.post(workspaceList, other)).body).toEqual(
    failure(422, 'Organization has reached its workspace limit'),
  )
  expect((await change({ 'workspace-limit': 'x' })).body).toEqual(
    invalid(['workspace-limit', 'Workspace limit is invalid']),
  )
  expect((await change({ 'infra-build-worker-plan-timeout': '3h' })).body.data).toMatchObject({
    attributes: { 'plan-timeout': '3h', 'infra-build-worker-plan-timeout': '3h' },
  })
  expect((await change({ 'workspace-limit': null })).status).toBe(200)
  expect((await api.post(workspaceList, other)).status).toBe(201)

  const consumers = `${path}/relationships/module-consumers`
  expect((await admin.patch(consumers, ids('nobody'))).body).toEqual(
    failure(422, 'organization nobody was not found'),
  )
  expect((await admin.patch(consumers, ids('other-org'))).status).toBe(204)
  expect(namesOf((await admin.get(consumers)).body.data)).toEqual(['other-org'])
  const producers = 'organizations/other-org/relationships/module-producers'
  expect(namesOf((await admin.get(producers)).body.data)).toEqual(['example-org'])
  const shared = await admin.get('admin/organizations?filter[module_producer]=true&include=owners')
  expect(shared.body).toMatchObject({
    data: [{ id: 'example-org' }],
    meta: { 'status-counts': { total: 2, active: 2, disabled: 0 } },
    included: [{ type: 'users', attributes: { username: 'owner', 'is-admin': false } }],
  })
  expect((await change({ 'global-module-sharing': true })).status).toBe(200)
  expect((await admin.get(consumers)).body.data).toEqual([])
  const partners = (sent: unknown) =>
    admin.patch(
      `${path}/module-consumers`,
      resource('module-partnerships', { 'module-consuming-organization-ids': sent }),
    )
  const { attributes } = (await admin.get('admin/organizations/other-org')).body.data
  const [partner] = (await partners([attributes['external-id']])).body.data
  expect(partner).toMatchObject({
    id: expect.stringMatching(/^mp-/),
    attributes: {
      'consuming-organization-name': 'other-org',
      'producing-organization-id': data.attributes['external-id'],
    },
  })
  for (const sent of [undefined, 'x', ['org-unknown']]) {
    expect((await partners(sent)).status).toBe(422)
  }
  expect(namesOf((await admin.get(consumers)).body.data)).toEqual(['other-org'])

  await change({ 'is-disabled': true })
  for (const client of [api, admin]) {
    expect((await client.get('organizations/example-org')).status).toBe(404)
    expect((await client.get(workspaceList)).status).toBe(404)
  }
  const found = await admin.get('admin/organizations?q=EXAMPLE-o')
  expect(found.body).toMatchObject({
    data: [{ id: 'example-org' }],
    meta: { 'status-counts': { disabled: 1 } },
  })
  expect((await admin.delete(path)).status).toBe(204)
  expect((await admin.get(path)).status).toBe(404)
})

test.each(['neutral', 'vendor'] as const)(
  'behaviour/platform#admin-workspaces: lists include organizations, owners and runs, and are sorted (%s)',
  async (dialect) => {
    const { api, admin, id, runs } = await withConfiguration({ dialect })
    const run = await runs.create()
    await api.post(workspaceList, resource('workspaces', { name: 'idle' }))
    const orderOf = async (sort: string) =>
      (await admin.get(`admin/workspaces?sort=${sort}`)).body.data.map(
        ({ attributes }: { attributes: { name: string } }) => attributes.name,
      )
    expect(await orderOf('-name')).toEqual(['net', 'idle'])
    expect(await orderOf('current-run.created-at')).toEqual(['net', 'idle'])
    const includedIn = async (list: string, include: string) =>
      (await admin.get(`admin/${list}?include=${include}`)).body.included.map(
        ({ type, id }: { type: string; id: string }) => `${type}/${id}`,
      )
    const [owner] = await includedIn('organizations', 'owners')
    expect(await includedIn('workspaces', 'current_run,organization.owners')).toEqual([
      'organizations/example-org',
      owner,
      `runs/${run}`,
    ])
    expect(await includedIn('runs', 'workspace.organization.owners')).toEqual([
      `workspaces/${id}`,
      'organizations/example-org',
      owner,
    ])
    for (const list of ['runs', 'workspaces']) {
      expect((await admin.get(`admin/${list}?include=nothing`)).body).toEqual(
        failure(400, 'Invalid include parameter'),
      )
    }
  },
)

test('behaviour/platform#admin-users, behaviour/platform#admin-workspaces, behaviour/platform#tool-versions: the vendor dialect', async () => {
  const { api, admin, as, id, runs } = await withConfiguration({ dialect: 'vendor' })
  const run = await runs.create()
  const listed = await admin.get('admin/workspaces?filter[current_run][status]=pending&q=NET')
  expect(listed.body.data).toMatchObject([
    { id, attributes: { name: 'net' }, relationships: { 'current-run': { data: { id: run } } } },
  ])
  expect((await admin.get(`admin/runs?q=${run}&filter[status]=pending`)).body.data).toMatchObject([
    { id: run, attributes: { status: 'pending' }, relationships: { workspace: { data: { id } } } },
  ])
  expect((await admin.get('admin/runs?filter[to]=2000-01-01T00:00:00Z')).body.data).toEqual([])
  const cancel = `admin/runs/${run}/actions/force-cancel`
  expect((await admin.post(cancel)).status).toBe(202)
  expect((await admin.post(cancel)).status).toBe(409)
  expect((await runs.read(run)).attributes['status-timestamps']).toMatchObject({
    'canceled-at': expect.any(String),
    'force-canceled-at': expect.any(String),
  })
  expect((await admin.delete(`admin/workspaces/${id}`)).status).toBe(204)
  expect((await admin.get(`admin/workspaces/${id}`)).status).toBe(404)

  const member = as('member-token')
  const [user] = (await admin.get('admin/users?q=member')).body.data
  expect(user).toMatchObject({
    attributes: { username: 'member', 'is-suspended': false, 'is-admin': false },
    relationships: { organizations: { data: [{ id: 'example-org' }] } },
  })
  const act = async (action: string) =>
    (await admin.post(`admin/users/${user.id}/actions/${action}`)).body.data.attributes
  expect((await act('suspend'))['is-suspended']).toBe(true)
  expect((await admin.get('admin/users?filter[suspended]=true')).body.data).toHaveLength(1)
  expect((await member.get('account/details')).status).toBe(401)
  await act('unsuspend')
  expect((await member.get('admin/users')).status).toBe(404)
  expect((await act('grant_admin'))['is-admin']).toBe(true)
  expect((await member.get('admin/users?filter[admin]=true')).body.data).toHaveLength(3)
  expect((await act('revoke_admin'))['is-admin']).toBe(false)
  expect((await act('disable_two_factor'))['two-factor'].enabled).toBe(false)
  expect((await admin.delete(`admin/users/${user.id}`)).status).toBe(204)
  expect((await member.get('account/details')).status).toBe(401)
  const memberships = await api.get('organizations/example-org/organization-memberships')
  expect(memberships.status).toBe(200)
  const left = memberships.body.data.map(
    ({ relationships }: { relationships: { user: { data: { id: string } } } }) =>
      relationships.user.data.id,
  )
  expect(left).not.toContain(user.id)

  const owner = (await api.get('account/details')).body.data.id
  expect((await admin.delete(`admin/users/${owner}`)).body).toEqual(
    failure(422, 'user is the last owner of organization example-org'),
  )

  const versions = 'admin/terraform-versions'
  const blank = await admin.post(versions, resource('terraform-versions', { version: '1.9.0' }))
  expect(blank.body).toEqual(invalid(['url', "Url can't be blank"], ['sha', "Sha can't be blank"]))
  const attributes = { version: '1.9.0', url: 'https://example.com/a.zip', sha: 'abc' }
  const made = (await admin.post(versions, resource('terraform-versions', attributes))).body.data
  expect(made).toMatchObject({
    id: expect.stringMatching(/^tool-/),
    type: 'terraform-versions',
    attributes: {
      ...attributes,
      official: false,
      enabled: true,
      'deprecated-reason': null,
      archs: [{ url: attributes.url, sha: 'abc', os: 'linux', arch: 'amd64' }],
      usage: 0,
    },
  })
  expect((await admin.post(versions, resource('terraform-versions', attributes))).body).toEqual(
    invalid(['version', 'Version has already been taken']),
  )
  const one = `${versions}/${made.id}`
  const edit = async (input: object) =>
    (await admin.patch(one, resource('terraform-versions', input))).body.data.attributes
  expect((await edit({ sha: 'def', 'deprecated-reason': '' })).archs[0].sha).toBe('def')
  const arm = { url: 'https://example.com/b.zip', sha: 'fed', os: 'linux', arch: 'arm64' }
  expect(await edit({ archs: [arm] })).toMatchObject({ url: '', sha: '', archs: [arm] })
  await edit(attributes)
  expect((await admin.get(`${versions}?search[version]=1.9`)).body.data).toHaveLength(1)
  expect((await admin.get(`${versions}?search[version]=2.`)).body.data).toEqual([])
  const changed = resource('terraform-versions', { official: true, beta: true })
  expect((await admin.patch(one, changed)).body.data.attributes.beta).toBe(true)
  expect((await admin.get(`${versions}?filter[version]=1.9.0`)).body.data).toHaveLength(1)
  expect((await admin.get(`admin/opa-versions/${made.id}`)).status).toBe(404)
  expect((await admin.delete(one)).body).toEqual(
    failure(422, 'official versions cannot be deleted'),
  )
  await admin.patch(one, resource('terraform-versions', { official: false }))
  const workspace = resource('workspaces', { name: 'user', 'terraform-version': '1.9.0' })
  await api.post('organizations/example-org/workspaces', workspace)
  expect((await admin.delete(one)).body).toEqual(
    failure(422, 'versions that workspaces use cannot be deleted'),
  )
  expect((await api.delete('organizations/example-org/workspaces/user')).status).toBe(204)
  expect((await admin.delete(one)).status).toBe(204)

  // behaviour/platform#feature-sets
  const sets = (await api.get('organizations/example-org/feature-sets')).body
  expect(Object.keys(sets)).toEqual(['data'])
  const current = sets.data.map((each: { attributes: Record<string, unknown> }) => [
    each.attributes['name'],
    each.attributes['run-tasks'],
    each.attributes['is-current'],
  ])
  expect(current).toEqual([
    ['Free', false, false],
    ['Team', false, false],
    ['Team & Governance', true, false],
    ['Business', true, false],
    ['Enterprise', true, true],
  ])
  const page = (await api.get('feature-sets?page[size]=2')).body
  expect([page.data.length, page.meta.pagination['total-count']]).toEqual([2, 5])
  const business = (await admin.get('admin/feature-sets?q=business')).body.data
  expect(business).toMatchObject([{ attributes: { name: 'Business' } }])
  const subscription = resource('subscription', { 'runs-ceiling': 10 })
  const subscriptionPath = 'admin/organizations/example-org/subscription'
  expect((await admin.post(subscriptionPath, subscription)).status).toBe(204)
  expect((await api.post(subscriptionPath, subscription)).status).toBe(404)

  // behaviour/platform#surroundings: PUT of a connection changes it as PATCH does
  const client = { 'service-provider': 'github', 'http-url': 'https://a', 'api-url': 'https://b' }
  const clients = 'organizations/example-org/oauth-clients'
  const { id: connection } = (await api.post(clients, resource('oauth-clients', client))).body.data
  const input = resource('oauth-clients', { 'rsa-public-key': 'key', secret: 'x' })
  const put = await api.request('PUT', `oauth-clients/${connection}`, input)
  expect(put.body.data.attributes).toMatchObject({
    'rsa-public-key': 'key',
    'http-url': 'https://a',
  })
})
