import { expect, test } from 'vitest'
import { archiveOf } from '../../../support/platform/archives.ts'
import { type PlatformSettings, platform } from '../../../support/platform/platform.ts'
import { addCallers, extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'
import { runsOn } from '../../../support/platform/platform-runs.ts'
import { localPart } from '../../../support/platform/platform-tests.ts'
import { giveRights, resource } from '../../../support/platform/platform-workspaces.ts'

const list = 'organizations/example-org/no-code-modules'
const modules = 'organizations/example-org/registry-modules'
const named = `${modules}/private/example-org/app/cloud1`

const files = {
  'main.tf': `variable "region" {
  description = "Where it runs"
  default     = "west"
}
variable "size" {
  type      = number
  sensitive = true
}
resource "null_resource" "a" {
  region = var.region
}
`,
}

/** Returns a server with a module whose versions have these numbers and the same files. */
async function withModule(settings: PlatformSettings = {}, versions = ['1.0.0']) {
  const server = await platform(settings)
  addCallers(server.world)
  const api = server.platform
  const made = await api.post(
    modules,
    resource('registry-modules', { name: 'app', provider: 'cloud1' }),
  )
  const add = async (version: string, more: Readonly<Record<string, string>> = {}) => {
    const reply = await api.post(
      `${named}/versions`,
      resource('registry-module-versions', { version }),
    )
    const address = localPart(reply.body.data.links.upload)
    await api.request('PUT', address, archiveOf({ ...files, ...more }), { token: null })
  }
  for (const version of versions) await add(version)
  return { ...server, api, module: String(made.body.data.id), add }
}

const ofModule = (id: string, options?: readonly object[]) => ({
  'registry-module': { data: { id, type: 'registry-module' } },
  ...(options && { 'variable-options': { data: options } }),
})

const option = (name: string, ...options: string[]) => ({
  type: 'variable-options',
  attributes: { 'variable-name': name, 'variable-type': 'string', options },
})

const body = (module: string, attributes = {}, options?: readonly object[]) =>
  resource('no-code-modules', attributes, ofModule(module, options))

// choice/platform#no-code-variable-options
// choice/platform#no-code-enabled
// choice/platform#no-code-one-per-module
test('behaviour/platform#no-code-modules: create, read, change and delete', async () => {
  const { api, module, as } = await withModule()
  const made = await api.post(list, body(module, {}, [option('region', 'west', 'east')]))
  expect(made.status).toBe(201)
  const { data } = made.body
  const [first] = data.relationships['variable-options'].data
  expect(data).toEqual({
    id: expect.stringMatching(/^nocode-[1-9A-HJ-NP-Za-km-z]{16}$/),
    type: 'no-code-modules',
    attributes: { enabled: true, 'version-pin': '' },
    relationships: {
      organization: {
        data: { id: 'example-org', type: 'organizations' },
        links: { related: '/api/v2/organizations/example-org' },
      },
      'registry-module': {
        data: { id: module, type: 'registry-modules' },
        links: { related: `/api/v2/registry-modules/${module}` },
      },
      'variable-options': { data: [{ id: expect.any(String), type: 'variable-options' }] },
    },
    links: { self: `/api/v2/no-code-modules/${data.id}` },
  })
  const one = `no-code-modules/${data.id}`
  expect((await api.get(one)).body).toEqual({ data })
  expect((await api.get(`${one}?include=variable_options`)).body.included).toEqual([
    {
      id: first.id,
      ...option('region', 'west', 'east'),
      relationships: {
        'no-code-allowed-module': { data: { id: data.id, type: 'no-code-allowed-modules' } },
      },
    },
  ])
  expect((await api.get(named)).body.data.attributes['no-code']).toBe(true)

  const options = [{ id: first.id, ...option('region', 'east') }, option('size', '1')]
  const changed = await api.patch(one, body(module, { 'version-pin': '1.0.0' }, options))
  expect(changed.body.data).toMatchObject({
    attributes: { enabled: true, 'version-pin': '1.0.0' },
    relationships: { 'variable-options': { data: [first, { type: 'variable-options' }] } },
  })

  const wrongPin =
    'Validation failed: Provided version pin is not equal to latest or provided string does not represent an existing version of the module.'
  const before = (await api.get(one)).body
  for (const [sent, expected] of [
    [resource('no-code-modules'), failure(422, 'registry-module is required')],
    [body('mod-unknown'), failure(404)],
    [body(module), invalid(['registry-module', 'Registry module has already been taken'])],
  ] as const) {
    expect((await api.post(list, sent)).body).toEqual(expected)
  }
  for (const [sent, expected] of [
    [body(module, { 'version-pin': '9.0.0' }), failure(422, wrongPin)],
    [body(module, { enabled: 'yes' }), invalid(['enabled', 'Enabled is invalid'])],
    [
      body(module, {}, [{ type: 'variable-options' }]),
      invalid(
        ['variable-name', "Variable name can't be blank"],
        ['variable-type', "Variable type can't be blank"],
      ),
    ],
  ] as const) {
    expect((await api.patch(one, sent)).body).toEqual(expected)
  }
  expect((await api.get(one)).body).toEqual(before)

  const member = as('member-token')
  expect((await member.get(one)).status).toBe(404)
  await giveRights(api, 'manage-workspaces')
  expect((await member.get(one)).status).toBe(200)
  expect((await member.patch(one, body(module))).status).toBe(404)
  for (const token of [extraTokens.organization, extraTokens.outsider]) {
    expect((await as(token).get(one)).status).toBe(404)
    expect((await as(token).post(list, body(module))).status).toBe(404)
  }
  expect((await api.delete(one)).status).toBe(204)
  expect((await api.get(one)).status).toBe(404)
  expect((await api.get(named)).body.data.attributes['no-code']).toBe(false)
})

test('behaviour/platform#no-code-modules: a module with the flag has a no-code module until it is deleted', async () => {
  const { api } = await withModule()
  const flagged = resource('registry-modules', { 'no-code': true })
  await api.patch(named, flagged)
  const { included } = (await api.get(`${modules}?include=no-code-modules`)).body
  const one = `no-code-modules/${included[0].id}`
  await api.patch('organizations/example-org', resource('organizations', { name: 'other-org' }))
  expect((await api.get(one)).body.data.relationships.organization.data.id).toBe('other-org')
  await api.delete('organizations/other-org/registry-modules/private/other-org/app')
  expect((await api.get(one)).status).toBe(404)
})

test.each([
  ['neutral', 'infra', 'ent-module'],
  ['vendor', 'terraform', 'tfe-module'],
] as const)(
  'behaviour/platform#no-code-workspaces: a workspace, its run and its upgrade (%s)',
  async (dialect, category, source) => {
    const { api, module, add, as, clock } = await withModule({ dialect })
    const { id } = (await api.post(list, body(module))).body.data
    const one = `no-code-modules/${id}`
    const variables = (await api.get(`${one}/variables`)).body.data
    expect(variables.map((each: { attributes: object }) => each.attributes)).toMatchObject([
      { key: 'region', value: 'west', category, hcl: false, description: 'Where it runs' },
      { key: 'size', value: null, category, hcl: true, sensitive: true, description: null },
    ])

    const variable = (value: string) => ({
      vars: { data: [{ type: 'vars', attributes: { key: 'size', value, category, hcl: true } }] },
    })
    const input = { name: 'made', 'source-name': 'shop', message: 'first' }
    const made = await api.post(
      `${one}/workspaces`,
      resource('no-code-module-workspace', input, variable('1')),
    )
    expect([made.status, made.body.data]).toMatchObject([
      200,
      {
        type: 'workspaces',
        attributes: {
          name: 'made',
          source,
          'source-name': 'shop',
          'source-module-id': 'private/example-org/app/cloud1/1.0.0',
          'no-code-upgrade-available': false,
        },
      },
    ])
    const workspace = made.body.data.id
    const runs = runsOn(api, workspace)
    const [run] = (await api.get(`workspaces/${workspace}/runs`)).body.data
    expect(run.attributes).toMatchObject({ message: 'first', status: 'pending' })
    clock.advance(60_000)
    expect((await runs.read(run.id)).attributes.status).toBe('planned')
    const plan = (await api.get(`plans/${run.relationships.plan.data.id}`)).body.data
    expect(plan.attributes['resource-additions']).toBe(1)
    await runs.act(run.id, 'apply')
    clock.advance(60_000)

    await add('1.1.0', { 'more.tf': 'resource "null_resource" "b" {\n}\n' })
    const shown = async () => (await api.get(`workspaces/${workspace}`)).body.data.attributes
    expect(await shown()).toMatchObject({ 'no-code-upgrade-available': true })
    const upgrades = `${one}/workspaces/${workspace}/upgrade`
    const started = await api.post(upgrades, resource('workspaces', {}, variable('2')))
    const upgrade = started.body.data
    expect([started.status, upgrade]).toEqual([
      200,
      {
        id: expect.stringMatching(/^run-/),
        type: 'workspace-upgrade',
        attributes: {
          status: 'pending',
          'plan-url': expect.stringContaining(`/workspaces/made/runs/${upgrade.id}`),
        },
        relationships: { workspace: { data: { id: workspace, type: 'workspaces' } } },
      },
    ])
    const confirm = () => api.post(`${upgrades}/${upgrade.id}`)
    expect((await confirm()).status).toBe(409)
    clock.advance(60_000)
    const { attributes } = (await api.get(`${upgrades}/${upgrade.id}`)).body.data
    expect(attributes.status).toBe('planned')
    expect(await shown()).toMatchObject({
      'source-module-id': 'private/example-org/app/cloud1/1.0.0',
    })
    for (const token of ['member-token', extraTokens.organization]) {
      expect((await as(token).post(`${upgrades}/${upgrade.id}`)).status).toBe(404)
    }
    expect((await confirm()).status).toBe(202)
    clock.advance(60_000)
    expect(await shown()).toMatchObject({
      'source-module-id': 'private/example-org/app/cloud1/1.1.0',
      'no-code-upgrade-available': false,
    })
    const [size] = (await api.get(`workspaces/${workspace}/vars`)).body.data
    expect(size.attributes).toMatchObject({ key: 'size', value: '2' })
    expect((await api.get(`${upgrades}/run-unknown`)).status).toBe(404)
  },
)

// choice/platform#no-code-workspace-type
test('behaviour/platform#no-code-workspaces: a refused request leaves no workspace', async () => {
  const { api, module, as, add } = await withModule({}, [])
  const { id } = (await api.post(list, body(module))).body.data
  const path = `no-code-modules/${id}/workspaces`
  const sent = resource('workspaces', { name: 'made' })
  expect((await api.post(path, sent)).body).toEqual(
    failure(422, 'the module has no published version to provision'),
  )
  await add('1.0.0')
  await api.patch(`no-code-modules/${id}`, body(module, { enabled: false }))
  expect((await api.post(path, sent)).body).toEqual(
    failure(422, 'no-code provisioning is disabled for this module'),
  )
  await api.patch(`no-code-modules/${id}`, body(module, { enabled: true }))
  for (const token of ['member-token', extraTokens.organization, extraTokens.outsider]) {
    expect((await as(token).post(path, sent)).status).toBe(404)
  }
  const wrong = { vars: { data: [{ type: 'vars', attributes: { key: '' } }] } }
  expect((await api.post(path, resource('workspaces', { name: 'made' }, wrong))).status).toBe(422)
  expect((await api.get('organizations/example-org/workspaces')).body.data).toEqual([])
  expect((await api.post(path, sent)).status).toBe(200)
})

// choice/platform#module-version-status
test('behaviour/platform#module-versions: a version is deprecated, revoked, and both are taken back', async () => {
  const { api, as } = await withModule()
  const path = `${named}/1.0.0`
  const patch = (attributes: object) => api.patch(path, resource('module-versions', attributes))
  const link = 'https://example.com'
  const notice = { reason: 'Use 2.0.0', link }
  const registry = '/api/registry/v1/modules/example-org/app/cloud1'
  const protocol = async () =>
    (await api.get(`${registry}/versions`)).body.modules[0].versions[0].deprecation
  const revoke = (status: string) => patch({ revocation: { status, message: 'No', link } })
  expect((await revoke('Revoked')).body).toEqual(
    failure(422, 'module version must be deprecated before it is revoked'),
  )
  expect(await protocol()).toBeNull()
  const deprecated = await patch({ deprecation: { 'deprecated-status': 'Deprecated', ...notice } })
  const { id } = deprecated.body.data
  expect([deprecated.status, deprecated.body.included]).toEqual([
    200,
    [{ id, type: 'deprecations', attributes: notice }],
  ])
  expect(deprecated.body.data.relationships.deprecation.data).toEqual({ id, type: 'deprecations' })
  expect(await protocol()).toEqual(notice)
  expect((await api.get(`${registry}/1.0.0`)).body.deprecation).toEqual(notice)
  const revoked = await revoke('Revoked')
  const revocation = { status: 'Revoked', message: 'No', link }
  expect(revoked.body.data.attributes.revocation).toEqual(revocation)
  expect((await api.get(named)).body.data.attributes['revoked-versions']).toEqual(['1.0.0'])
  expect((await revoke('Unrevoked')).body.data.attributes.revocation).toBeUndefined()
  expect(await protocol()).toEqual(notice)
  const plain = await patch({ deprecation: { 'deprecated-status': 'Undeprecated' } })
  expect([plain.body.included, await protocol()]).toEqual([undefined, null])

  for (const [attributes, expected] of [
    [{}, invalid(['deprecation', "Deprecation can't be blank"])],
    [
      { deprecation: { 'deprecated-status': 'old' } },
      invalid(['deprecation/deprecated-status', 'Deprecated status is not included in the list']),
    ],
    [{ revocation: {} }, invalid(['revocation/status', "Status can't be blank"])],
  ] as const) {
    expect((await patch(attributes)).body).toEqual(expected)
  }
  expect((await api.patch(`${named}/9.0.0`, resource('module-versions'))).status).toBe(422)
  const deprecation = { 'deprecated-status': 'Deprecated' }
  const body = resource('module-versions', { deprecation })
  expect((await api.patch(`${named}/9.0.0`, body)).status).toBe(404)
  for (const token of ['member-token', extraTokens.organization]) {
    expect((await as(token).patch(path, body)).status).toBe(404)
  }
})
