import { describe, expect, test } from 'vitest'
import { invalid } from '../../../support/platform/platform-errors.ts'
import {
  inProject,
  makeProject,
  makeWorkspace,
  resource,
  withWorkspace,
} from '../../../support/platform/platform-workspaces.ts'

const section = 'behaviour/platform#workspace-settings'

function changed(attributes: object) {
  return resource('workspaces', attributes)
}

describe(`${section}: execution mode`, () => {
  test('a workspace without its own mode follows its project and its organization', async () => {
    const { api, id } = await withWorkspace()
    const modeOf = async (workspace: string) =>
      (await api.get(`workspaces/${workspace}`)).body.data.attributes['execution-mode']
    await api.patch(
      'organizations/example-org',
      resource('organizations', { 'default-execution-mode': 'local' }),
    )
    expect(await modeOf(id)).toBe('local')
    const pools = 'organizations/example-org/agent-pools'
    const { id: pool } = (await api.post(pools, resource('agent-pools', { name: 'pool' }))).body
      .data
    const withPool = (mode: string) =>
      api.patch(
        'organizations/example-org',
        resource(
          'organizations',
          { 'default-execution-mode': mode },
          { 'default-agent-pool': { data: { id: pool, type: 'agent-pools' } } },
        ),
      )
    expect((await withPool('remote')).body).toEqual(
      invalid([
        'default-agent-pool',
        "Default agent pool must not be specified unless using 'agent' execution mode",
      ]),
    )
    expect((await withPool('agent')).status).toBe(200)
    const { relationships } = (await api.get(`workspaces/${id}`)).body.data
    expect([await modeOf(id), relationships['agent-pool'].data.id]).toEqual(['agent', pool])
    const project = await makeProject(api, 'agents', {
      'default-execution-mode': 'agent',
      'default-agent-pool-id': pool,
    })
    const inherited = await makeWorkspace(api, 'inherits', {}, inProject(project))
    expect(inherited.attributes['execution-mode']).toBe('agent')
    expect(inherited.relationships['agent-pool'].data.id).toBe(pool)
    const withoutPool = await makeProject(api, 'no-pool', { 'default-execution-mode': 'agent' })
    const { relationships: inheritedFrom } = await makeWorkspace(
      api,
      'organizations-pool',
      {},
      inProject(withoutPool),
    )
    expect(inheritedFrom['agent-pool'].data.id).toBe(pool)
    const own = { 'execution-mode': 'remote' }
    const overwritten = await makeWorkspace(api, 'own', own, inProject(project))
    expect(overwritten.attributes['setting-overwrites']['execution-mode']).toBe(true)
    expect(await modeOf(overwritten.id)).toBe('remote')
    const back = changed({ 'setting-overwrites': { 'execution-mode': false } })
    const { attributes } = (await api.patch(`workspaces/${overwritten.id}`, back)).body.data
    expect([attributes['execution-mode'], attributes.operations]).toEqual(['agent', true])
  })

  test('an overwrite without a mode is 422', async () => {
    const { api, id } = await withWorkspace()
    const overwrite = { 'setting-overwrites': { 'execution-mode': true } }
    const refused = await api.patch(`workspaces/${id}`, changed(overwrite))
    expect([refused.status, refused.body]).toEqual([
      422,
      invalid([
        'setting-overwrites/execution-mode',
        'Setting overwrites execution mode requires execution mode',
      ]),
    ])
    const both = changed({ ...overwrite, 'execution-mode': 'local' })
    expect((await api.patch(`workspaces/${id}`, both)).status).toBe(200)
  })

  test('operations chooses between local and remote', async () => {
    const { api, id } = await withWorkspace()
    for (const [operations, mode] of [
      [false, 'local'],
      [true, 'remote'],
    ] as const) {
      const { attributes } = (await api.patch(`workspaces/${id}`, changed({ operations }))).body
        .data
      expect([attributes['execution-mode'], attributes.operations]).toEqual([mode, operations])
    }
  })
})

describe(`${section}: version of the tool`, () => {
  test.each([
    ['neutral', 'infra-version', 'Infra version is invalid'],
    ['vendor', 'terraform-version', 'Terraform version is invalid'],
  ] as const)(
    '%s: versions, latest and constraints are stored; others are 422',
    async (dialect, name, detail) => {
      const { api, id } = await withWorkspace({ dialect })
      for (const version of ['1.9.8', '1.10.0-beta1', 'latest', '~> 1.9', '>= 1.5, < 2.0']) {
        const reply = await api.patch(`workspaces/${id}`, changed({ [name]: version }))
        expect([reply.status, reply.body.data.attributes[name]]).toEqual([200, version])
      }
      for (const version of ['nonexisting', '1.x', '~> 1.9,', '1.2.3.4']) {
        const reply = await api.patch(`workspaces/${id}`, changed({ [name]: version }))
        expect([reply.status, reply.body]).toEqual([422, invalid([name, detail])])
      }
      const kept = (await api.get(`workspaces/${id}`)).body.data.attributes[name]
      expect(kept).toBe('>= 1.5, < 2.0')
    },
  )
})

describe(`${section}: attributes of their own`, () => {
  test('destruction, sharing with the project and the environment are stored; null clears', async () => {
    const { api, id } = await withWorkspace()
    const set = {
      'auto-destroy-at': '2027-02-03T04:05:06Z',
      'auto-destroy-activity-duration': '14d',
      'inherits-project-auto-destroy': false,
      'migration-environment': 'm',
    }
    const { attributes } = (await api.patch(`workspaces/${id}`, changed(set))).body.data
    expect(attributes).toMatchObject({ ...set, 'auto-destroy-at': '2027-02-03T04:05:06.000Z' })
    const cleared = changed({ 'auto-destroy-at': null, 'auto-destroy-activity-duration': null })
    expect((await api.patch(`workspaces/${id}`, cleared)).body.data.attributes).toMatchObject({
      'auto-destroy-at': null,
      'auto-destroy-activity-duration': null,
      'migration-environment': 'm',
    })
    const [project] = (await api.get('organizations/example-org/projects')).body.data
    await api.patch(
      `projects/${project.id}`,
      resource('projects', { 'auto-destroy-activity-duration': '3d' }),
    )
    const durationWith = async (inherits: boolean) =>
      (await api.patch(`workspaces/${id}`, changed({ 'inherits-project-auto-destroy': inherits })))
        .body.data.attributes['auto-destroy-activity-duration']
    expect(await durationWith(false)).toBe(null)
    expect(await durationWith(true)).toBe('3d')
  })

  test.each([
    [{ 'auto-destroy-at': 'soon' }, ['auto-destroy-at', 'Auto destroy at is invalid']],
    [{ 'auto-destroy-at': 5 }, ['auto-destroy-at', 'Auto destroy at is invalid']],
    [
      { 'auto-destroy-activity-duration': '0d' },
      [
        'auto-destroy-activity-duration',
        "Auto destroy activity duration has an incorrect format, we expect up to 4 numeric digits and 1 unit ('d' or 'h')",
      ],
    ],
    [
      { 'inherits-project-auto-destroy': 'yes' },
      ['inherits-project-auto-destroy', 'Inherits project auto destroy is invalid'],
    ],
    [{ 'project-remote-state': 1 }, ['project-remote-state', 'Project remote state is invalid']],
    [
      { 'migration-environment': {} },
      ['migration-environment', 'Migration environment is invalid'],
    ],
    [
      { 'project-remote-state': true, 'global-remote-state': true },
      [
        'project-remote-state',
        'Project remote state cannot be enabled when global remote state sharing is enabled',
      ],
    ],
  ] as const)('%j is refused with 422', async (attributes, fault) => {
    const { api, id } = await withWorkspace()
    const before = (await api.get(`workspaces/${id}`)).body
    const reply = await api.patch(`workspaces/${id}`, changed(attributes))
    expect([reply.status, reply.body]).toEqual([422, invalid(fault)])
    expect((await api.get(`workspaces/${id}`)).body).toEqual(before)
  })

  // choice/platform#workspace-sharing
  test('sharing with the project and with the organization turn each other off', async () => {
    const { api, id } = await withWorkspace()
    const flags = async (attributes: object) => {
      const { data } = (await api.patch(`workspaces/${id}`, changed(attributes))).body
      return [data.attributes['global-remote-state'], data.attributes['project-remote-state']]
    }
    expect(await flags({})).toEqual([true, false])
    expect(await flags({ 'project-remote-state': true })).toEqual([false, true])
    expect(await flags({ 'global-remote-state': true })).toEqual([true, false])
  })

  test('behaviour/platform#workspaces: updated-at moves with settings, tags and locks', async () => {
    const { api, id, clock } = await withWorkspace()
    const path = `workspaces/${id}`
    const tags = { data: [{ type: 'tags', attributes: { name: 'a' } }] }
    const seen = new Set<string>()
    for (const change of [
      () => api.get(path),
      () => api.patch(path, changed({ description: 'd' })),
      () => api.post(`${path}/relationships/tags`, tags),
      () => api.post(`${path}/actions/lock`),
      () => api.post(`${path}/actions/unlock`),
    ]) {
      await change()
      const { attributes } = (await api.get(path)).body.data
      seen.add(attributes['updated-at'])
      expect(attributes['latest-change-at']).toBe(attributes['created-at'])
      clock.advance(1000)
    }
    expect(seen.size).toBe(5)
  })
})

describe('behaviour/platform#workspace-locks: reasons', () => {
  test.each([
    ['at the top', { reason: 'maintenance' }, 'maintenance'],
    ['as an attribute', { data: { attributes: { reason: 'because' } } }, 'because'],
    ['without a type, with other members', { data: {}, reason: 'r', other: 1 }, 'r'],
    ['nothing', undefined, ''],
    ['null', { reason: null }, ''],
  ] as const)('a reason %s', async (_where, body, reason) => {
    const { api, id } = await withWorkspace()
    const locked = await api.post(`workspaces/${id}/actions/lock`, body)
    expect([locked.status, locked.body.data.attributes['locked-reason']]).toEqual([200, reason])
    const unlocked = await api.post(`workspaces/${id}/actions/force-unlock`)
    expect(unlocked.body.data.attributes).toMatchObject({ locked: false, 'locked-reason': '' })
  })

  test('a reason of another type is 422, and nothing is locked', async () => {
    const { api, id } = await withWorkspace()
    const reply = await api.post(`workspaces/${id}/actions/lock`, { reason: 5 })
    expect([reply.status, reply.body]).toEqual([422, invalid(['reason', 'Reason is invalid'])])
    expect((await api.get(`workspaces/${id}`)).body.data.attributes.locked).toBe(false)
  })
})
