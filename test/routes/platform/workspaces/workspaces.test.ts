import { describe, expect, test } from 'vitest'
import { type PlatformClient, platform, testsOfModule } from '../../../support/platform/platform.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'
import { localPart, runsPath, upload } from '../../../support/platform/platform-tests.ts'

const section = 'behaviour/platform#beyond'
const list = 'organizations/example-org/workspaces'

function body(attributes: object, type = 'workspaces') {
  return { data: { type, attributes } }
}

async function make(api: PlatformClient, attributes: object = {}) {
  const reply = await api.post(list, body({ name: 'net', ...attributes }))
  expect(reply.status).toBe(201)
  return reply.body.data
}

const permissions = Object.fromEntries(
  [
    'update',
    'destroy',
    'queue-run',
    'queue-apply',
    'queue-destroy',
    'lock',
    'unlock',
    'force-unlock',
    'force-delete',
    'read-settings',
    'read-run',
    'read-assessment-results',
    'read-variable',
    'update-variable',
    'read-state-outputs',
    'read-state-versions',
    'create-state-versions',
    'manage-tags',
    'manage-run-tasks',
    'manage-assessments',
    'manage-ephemeral-workspaces',
  ].map((name) => [`can-${name}`, true]),
)

/** Returns the body of a 409 about a lock. */
function conflict(detail: string) {
  return { errors: [{ status: '409', title: 'conflict', detail }] }
}

describe(`${section}: workspaces without runs`, () => {
  test('POST returns 201 with all attributes; read by name and by id', async () => {
    const { platform: api } = await platform()
    const data = await make(api)
    const project = (await api.get('organizations/example-org')).body.data.relationships
    const linkTo = (path: string) => ({
      links: { related: `/api/v2/workspaces/${data.id}/${path}` },
    })
    expect(data).toEqual({
      id: expect.stringMatching(/^ws-[1-9A-HJ-NP-Za-km-z]{16}$/),
      type: 'workspaces',
      attributes: {
        name: 'net',
        description: null,
        'execution-mode': 'remote',
        operations: true,
        'auto-apply': false,
        'auto-apply-run-trigger': false,
        'allow-destroy-plan': true,
        'assessments-enabled': false,
        'file-triggers-enabled': true,
        'global-remote-state': true,
        'queue-all-runs': false,
        'speculative-enabled': true,
        'structured-run-output-enabled': true,
        'infra-version': '1.9.8',
        'trigger-prefixes': [],
        'trigger-patterns': [],
        'working-directory': null,
        'vcs-repo': null,
        source: 'ent-api',
        'source-name': null,
        'source-url': null,
        'tag-names': [],
        'setting-overwrites': { 'execution-mode': false, 'agent-pool': false },
        environment: 'default',
        locked: false,
        'created-at': '2026-01-01T00:00:00.000Z',
        'updated-at': '2026-01-01T00:00:00.000Z',
        'locked-reason': '',
        'latest-change-at': '2026-01-01T00:00:00.000Z',
        'resource-count': 0,
        'apply-duration-average': null,
        'plan-duration-average': null,
        'policy-check-failures': null,
        'run-failures': null,
        'workspace-kpis-runs-count': null,
        'auto-destroy-at': null,
        'auto-destroy-activity-duration': null,
        'inherits-project-auto-destroy': true,
        'project-remote-state': false,
        'migration-environment': '',
        'hyok-enabled': false,
        'can-queue-destroy-plan': true,
        'last-assessment-result-at': null,
        'unarchived-workspace-change-requests-count': 0,
        actions: { 'is-destroyable': true },
        permissions,
      },
      relationships: {
        organization: { data: { id: 'example-org', type: 'organizations' } },
        project: project['default-project'],
        'tag-bindings': linkTo('tag-bindings'),
        'effective-tag-bindings': linkTo('effective-tag-bindings'),
        'agent-pool': { data: null },
        'current-run': { data: null },
        'latest-run': { data: null },
        'ssh-key': { data: null },
        readme: { data: null, ...linkTo('readme') },
        outputs: { data: [] },
        'remote-state-consumers': linkTo('relationships/remote-state-consumers'),
        vars: { data: [], ...linkTo('vars') },
        tags: { data: [] },
        'current-assessment-result': { data: null, ...linkTo('current-assessment-result') },
        'data-retention-policy': { data: null },
        'current-state-version': { data: null },
        'current-configuration-version': { data: null },
        'locked-by': { data: null },
      },
      links: {
        self: '/api/v2/organizations/example-org/workspaces/net',
        'self-html': '/app/example-org/workspaces/net',
      },
    })
    expect((await api.get(`${list}/net`)).body).toEqual({ data })
    expect((await api.get(`workspaces/${data.id}`)).body).toEqual({ data })
  })

  test('behaviour/platform#vendor-names: the vendor has terraform-version and tfe-api', async () => {
    const { platform: api } = await platform({ dialect: 'vendor' })
    const { attributes } = await make(api, { 'terraform-version': '~> 1.5' })
    expect(attributes).toMatchObject({ 'terraform-version': '~> 1.5', source: 'tfe-api' })
    expect(attributes).not.toHaveProperty('infra-version')
  })

  test('PATCH changes the given attributes, even the name, by name or id', async () => {
    const { platform: api } = await platform()
    const { id, attributes } = await make(api)
    const project = (
      await api.post('organizations/example-org/projects', {
        data: { attributes: { name: 'Other' } },
      })
    ).body.data.id
    const reply = await api.patch(`${list}/net`, {
      data: {
        attributes: {
          name: 'renamed',
          'execution-mode': 'local',
          'infra-version': '1.15.0',
          'trigger-prefixes': ['a'],
          'setting-overwrites': { AgentPool: true },
        },
        relationships: { project: { data: { id: project, type: 'projects' } } },
      },
    })
    expect([reply.status, reply.body.data.attributes]).toEqual([
      200,
      {
        ...attributes,
        name: 'renamed',
        'execution-mode': 'local',
        operations: false,
        'infra-version': '1.15.0',
        'trigger-prefixes': ['a'],
        'setting-overwrites': { 'execution-mode': true, 'agent-pool': true },
      },
    ])
    expect(reply.body.data.relationships.project.data.id).toBe(project)
    expect((await api.get(`${list}/net`)).status).toBe(404)
    expect((await api.patch(`workspaces/${id}`, body({}))).body).toEqual(reply.body)
  })

  test('behaviour/platform#workspace-settings: a project that cannot be used is 422; null is the default one', async () => {
    const { platform: api, admin } = await platform()
    const { id } = await make(api)
    await admin.post('organizations', {
      data: { attributes: { name: 'acme', email: 'a@b.example' } },
    })
    const [elsewhere] = (await admin.get('organizations/acme/projects')).body.data
    const refused = failure(422, 'Project not found, or you are not authorized to use it.')
    for (const data of [
      { id: 'prj-x' },
      { id: '', type: 'projects' },
      { type: 'projects' },
      { id: elsewhere.id },
      [],
    ]) {
      const relationships = { project: { data } }
      const attributes = { name: 'other' }
      const made = await api.post(list, { data: { attributes, relationships } })
      expect([made.status, made.body]).toEqual([422, refused])
      const changed = await api.patch(`workspaces/${id}`, { data: { attributes, relationships } })
      expect([changed.status, changed.body]).toEqual([422, refused])
    }
    const relationships = { project: { data: null } }
    const made = await api.post(list, { data: { attributes: { name: 'other' }, relationships } })
    const organization = (await api.get('organizations/example-org')).body.data
    expect(made.body.data.relationships.project).toEqual(
      organization.relationships['default-project'],
    )
    expect((await api.get(`workspaces/${id}`)).body.data.attributes.name).toBe('net')
  })

  test('behaviour/platform#workspace-settings: global-remote-state of a new workspace is as the admin setting says', async () => {
    const { platform: api, admin } = await platform()
    const before = await make(api, { name: 'before' })
    expect(before.attributes['global-remote-state']).toBe(true)
    await admin.patch('admin/general-settings', {
      data: { attributes: { 'default-remote-state-access': false } },
    })
    expect((await make(api)).attributes['global-remote-state']).toBe(false)
    const kept = await api.patch(`workspaces/${before.id}`, body({}))
    expect(kept.body.data.attributes['global-remote-state']).toBe(true)
    const explicit = await make(api, { name: 'explicit', 'global-remote-state': true })
    expect(explicit.attributes['global-remote-state']).toBe(true)
  })

  // choice/platform#workspace-agent-pools
  test('behaviour/platform#workspace-settings: an agent pool belongs to the mode agent, and is dropped with it', async () => {
    const { platform: api } = await platform()
    const pools = 'organizations/example-org/agent-pools'
    const pool = (await api.post(pools, { data: { attributes: { name: 'builders' } } })).body.data
      .id
    const agent = { 'execution-mode': 'agent', 'agent-pool-id': pool }
    const { id, relationships } = await make(api, agent)
    expect(relationships['agent-pool']).toEqual({
      data: { id: pool, type: 'agent-pools' },
    })
    const kept = await api.patch(`workspaces/${id}`, body({ description: 'd' }))
    expect(kept.body.data.relationships['agent-pool'].data.id).toBe(pool)
    const remote = await api.patch(`workspaces/${id}`, body({ 'execution-mode': 'remote' }))
    expect(remote.body.data.relationships['agent-pool']).toEqual({ data: null })
    const blank = await api.patch(`workspaces/${id}`, body({ 'agent-pool-id': '' }))
    expect(blank.status).toBe(200)
  })

  test.each([
    [
      { 'trigger-prefixes': ['a'], 'trigger-patterns': ['b'] },
      ['trigger-patterns', 'Trigger patterns cannot be set together with trigger prefixes'],
    ],
    [
      { 'trigger-prefixes': ['a'], 'vcs-repo': { identifier: 'o/r', 'tags-regex': 'v.*' } },
      [
        'vcs-repo/tags-regex',
        'Vcs repo tags regex cannot be set together with trigger prefixes or patterns',
      ],
    ],
    [{ 'execution-mode': 'agent' }, ['agent-pool', "Agent pool can't be blank"]],
    [{ 'agent-pool-id': 'apool-1' }, ['agent-pool', 'Agent pool must be blank']],
    [
      { 'execution-mode': 'agent', 'agent-pool-id': 'apool-1' },
      ['agent-pool', 'Agent pool is invalid'],
    ],
    [
      { operations: true, 'execution-mode': 'remote' },
      ['operations', 'Operations cannot be set together with execution mode'],
    ],
  ] as const)(
    'behaviour/platform#workspace-settings: settings that contradict each other are 422: %j',
    async (attributes, fault) => {
      const { platform: api } = await platform()
      const { id } = await make(api)
      for (const reply of [
        await api.post(list, body({ name: 'other', ...attributes })),
        await api.patch(`workspaces/${id}`, body(attributes)),
      ]) {
        expect([reply.status, reply.body]).toEqual([422, invalid(fault)])
      }
    },
  )

  test('behaviour/platform#workspace-settings: a list of triggers replaces the other one when that is emptied', async () => {
    const { platform: api } = await platform()
    const { id } = await make(api, { 'trigger-prefixes': ['a'] })
    const patterns = { 'trigger-patterns': ['b'] }
    expect((await api.patch(`workspaces/${id}`, body(patterns))).status).toBe(422)
    const replaced = await api.patch(
      `workspaces/${id}`,
      body({ ...patterns, 'trigger-prefixes': [] }),
    )
    expect(replaced.status).toBe(200)
  })

  test.each([
    [{ name: '' }, ['name', "Name can't be blank"]],
    [{ name: 'a b' }, ['name', 'Name is invalid']],
    [{ name: 'x'.repeat(91) }, ['name', 'Name is invalid']],
    [{ name: 'net' }, ['name', 'Name has already been taken']],
    [
      { name: 'a', 'execution-mode': 'cloud' },
      ['execution-mode', 'Execution mode is not included in the list'],
    ],
    [{ name: 'a', 'auto-apply': 1 }, ['auto-apply', 'Auto apply must be true or false']],
    [
      { name: 'a', 'setting-overwrites': 5 },
      ['setting-overwrites', 'Setting overwrites is invalid'],
    ],
  ] as const)('POST is 422 for %j', async (attributes, fault) => {
    const { platform: api } = await platform()
    await make(api)
    const reply = await api.post(list, body(attributes))
    expect([reply.status, reply.body]).toEqual([422, invalid(fault)])
  })

  test('the list: searches, tags, project, order', async () => {
    const { platform: api } = await platform()
    await make(api, { name: 'net-a', 'tag-names': ['one', 'two'] })
    await make(api, { name: 'net-b', 'tag-names': ['one'] })
    const { relationships } = await make(api, { name: 'data' })
    const names = async (query: Record<string, string>) =>
      (await api.get(list, { query })).body.data.map(
        (one: { attributes: { name: string } }) => one.attributes.name,
      )
    expect(await names({})).toEqual(['data', 'net-a', 'net-b'])
    expect(await names({ sort: '-name' })).toEqual(['net-b', 'net-a', 'data'])
    expect(await names({ 'search[name]': 'NET' })).toEqual(['net-a', 'net-b'])
    expect(await names({ 'search[wildcard-name]': '*-a' })).toEqual(['net-a'])
    expect(await names({ 'search[wildcard-name]': 'n*t*b' })).toEqual(['net-b'])
    expect(await names({ 'search[wildcard-name]': 'data' })).toEqual(['data'])
    expect(await names({ 'search[wildcard-name]': '*da*ta*a' })).toEqual([])
    expect(await names({ 'search[wildcard-name]': '*x*' })).toEqual([])
    expect(await names({ 'search[tags]': 'one,two' })).toEqual(['net-a'])
    expect(await names({ 'search[exclude-tags]': 'two' })).toEqual(['data', 'net-b'])
    const project = relationships.project.data.id
    expect(await names({ 'filter[project][id]': project })).toHaveLength(3)
    expect(await names({ 'filter[project][id]': 'prj-x' })).toEqual([])
  })

  test('matching a wildcard takes linear time in the length of the name, however many stars it has', async () => {
    const { platform: api } = await platform()
    await make(api, { name: 'a'.repeat(90) })
    const wildcard = `${'*a'.repeat(40)}*b`
    const { body } = await api.get(list, { query: { 'search[wildcard-name]': wildcard } })
    expect(body.data).toEqual([])
  })

  test('behaviour/platform#workspace-locks: lock, unlock and force-unlock are 200, and 409 if the workspace is already in that state', async () => {
    const { platform: api } = await platform()
    const { id } = await make(api)
    const act = (action: string) => api.post(`workspaces/${id}/actions/${action}`)
    for (const [action, locked] of [
      ['lock', true],
      ['unlock', false],
      ['lock', true],
      ['force-unlock', false],
    ] as const) {
      const reply = await act(action)
      expect([reply.status, reply.body.data.attributes.locked]).toEqual([200, locked])
      const { data: user } = (await api.get('account/details')).body
      const related = `/api/v2/users/${user.id}`
      expect(reply.body.data.relationships['locked-by']).toEqual(
        locked ? { data: { id: user.id, type: 'users' }, links: { related } } : { data: null },
      )
      const repeated = await act(action)
      const verb = locked ? 'lock' : 'unlock'
      expect([repeated.status, repeated.body]).toEqual([
        409,
        conflict(`Unable to ${verb} workspace. The workspace is already ${verb}ed.`),
      ])
    }
  })

  test('a workspace that another user locked is 409 to unlock and to delete safely, in the form that the Go client reads', async () => {
    const { platform: api, as } = await platform()
    const { id } = await make(api)
    await as('site-admin-token').post(`workspaces/${id}/actions/lock`)
    const unlocked = await api.post(`workspaces/${id}/actions/unlock`)
    const { id: admin } = (await as('site-admin-token').get('account/details')).body.data
    expect([unlocked.status, unlocked.body]).toEqual([
      409,
      conflict(
        `Unable to unlock workspace. The workspace is locked by User ${admin} and may not be unlocked except by them.`,
      ),
    ])
    const deleted = await api.post(`workspaces/${id}/actions/safe-delete`)
    expect([deleted.status, deleted.body]).toEqual([
      409,
      conflict(
        'Workspace is currently locked. Workspace must be unlocked before it can be safely deleted.',
      ),
    ])
    expect((await api.post(`workspaces/${id}/actions/force-unlock`)).status).toBe(200)
    expect((await api.post(`workspaces/${id}/actions/safe-delete`)).status).toBe(204)
  })

  test('DELETE and safe-delete: 204, by name and by id', async () => {
    const { platform: api } = await platform()
    for (const remove of [
      () => api.delete(`${list}/net`),
      () => api.post(`${list}/net/actions/safe-delete`),
      async () => api.delete(`workspaces/${(await api.get(`${list}/net`)).body.data.id}`),
      async () =>
        api.post(`workspaces/${(await api.get(`${list}/net`)).body.data.id}/actions/safe-delete`),
    ]) {
      await make(api)
      expect((await remove()).status).toBe(204)
      expect((await api.get(`${list}/net`)).status).toBe(404)
    }
  })

  // choice/platform#workspace-rules
  test('new workspaces have the version in the options; without their project they are in the default one', async () => {
    const { platform: api } = await platform({ options: { toolVersion: '1.15.0' } })
    const projects = 'organizations/example-org/projects'
    const other = await api.post(projects, { data: { attributes: { name: 'Other' } } })
    const project = { data: { id: other.body.data.id, type: 'projects' } }
    const made = await api.post(list, {
      data: {
        attributes: { name: 'net', 'execution-mode': 'remote', 'vcs-repo': null },
        relationships: { project },
      },
    })
    const { id, attributes, relationships } = made.body.data
    expect([relationships.project, attributes]).toMatchObject([
      project,
      {
        'infra-version': '1.15.0',
        'vcs-repo': null,
        'setting-overwrites': { 'execution-mode': true, 'agent-pool': false },
      },
    ])
    const { data } = (await api.get('organizations/example-org')).body
    const usual = await api.post(list, body({ name: 'usual' }))
    expect(usual.body.data.relationships.project).toEqual(data.relationships['default-project'])
    expect((await api.get(`workspaces/${id}`)).body.data.relationships.project).toEqual(project)
  })

  test('a workspace without state has no current state version', async () => {
    const { platform: api } = await platform()
    const { id } = await make(api)
    const reply = await api.get(`workspaces/${id}/current-state-version`)
    expect([reply.status, reply.body]).toEqual([404, failure(404)])
  })

  test('workspaces move with the new name of their organization, and are deleted with it', async () => {
    const { platform: api, admin } = await platform()
    const { id } = await make(api)
    await api.patch('organizations/example-org', { data: { attributes: { name: 'renamed' } } })
    const moved = await api.get('organizations/renamed/workspaces/net')
    expect(moved.body.data.id).toBe(id)
    await admin.delete('organizations/renamed')
    expect((await admin.get(`workspaces/${id}`)).status).toBe(404)
  })
})

describe(`${section}, 3: configuration versions of workspaces`, () => {
  test('201 with the given attributes, uploaded without a run, returned as the current one', async () => {
    const { platform: api } = await platform()
    const { id } = await make(api)
    const path = `workspaces/${id}/configuration-versions`
    const made = await api.post(path, body({ 'auto-queue-runs': false }, 'configuration-versions'))
    const { data } = made.body
    expect([made.status, data.attributes]).toMatchObject([
      201,
      { status: 'pending', 'auto-queue-runs': false, speculative: false, provisional: false },
    ])
    expect((await upload(api, data.attributes['upload-url'], 'files')).status).toBe(200)
    const read = await api.get(`configuration-versions/${data.id}`)
    expect(read.body.data.attributes).toMatchObject({ status: 'uploaded', speculative: false })
    expect((await api.get(runsPath)).body.data).toEqual([])
    const workspace = await api.get(`workspaces/${id}`)
    expect(workspace.body.data.relationships['current-configuration-version']).toEqual({
      data: { id: data.id, type: 'configuration-versions' },
    })
    expect((await api.get(path)).body.data).toEqual([read.body.data])
    const found = await api.get(`configuration-versions/${data.id}/download`)
    const content = await api.get(localPart(String(found.headers['location'])), { token: null })
    expect(content.text).toBe('files')
    expect((await api.delete(`workspaces/${id}`)).status).toBe(204)
    expect((await api.get(`configuration-versions/${data.id}`)).status).toBe(404)
  })

  test('behaviour/platform#configuration-versions: the current one cannot be archived, an earlier one can', async () => {
    const { platform: api } = await platform()
    const { id } = await make(api)
    const versions: string[] = []
    for (let count = 0; count < 2; count += 1) {
      const held = body({ 'auto-queue-runs': false }, 'configuration-versions')
      const { data } = (await api.post(`workspaces/${id}/configuration-versions`, held)).body
      await upload(api, data.attributes['upload-url'], 'files')
      versions.push(data.id)
    }
    const archive = (version = '') => api.post(`configuration-versions/${version}/actions/archive`)
    const current = await archive(versions[1])
    expect([current.status, current.body]).toEqual([
      409,
      {
        errors: [
          {
            status: '409',
            title: 'transition not allowed',
            detail: 'configuration could not be archived because it is current',
          },
        ],
      },
    ])
    expect((await archive(versions[0])).status).toBe(202)
  })

  test('a version of a workspace can be tested like any other of the organization', async () => {
    const { platform: api } = await platform()
    const { id } = await make(api)
    const { data } = (await api.post(`workspaces/${id}/configuration-versions`)).body
    await upload(api, data.attributes['upload-url'], 'files')
    const relationships = { 'configuration-version': { data: { id: data.id } } }
    const run = await api.post(`${testsOfModule}/test-runs`, { data: { relationships } })
    expect(run.status).toBe(201)
  })
})
