import { describe, expect, test } from 'vitest'
import { extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'
import {
  makeConfiguration,
  runBody,
  uploadConfiguration,
  withConfiguration,
} from '../../../support/platform/platform-runs.ts'
import {
  giveRights,
  makeWorkspace,
  resource,
} from '../../../support/platform/platform-workspaces.ts'

describe('behaviour/platform#runs', () => {
  test('a creation replies 201 with defaults and uses the current configuration version', async () => {
    const { api, id, version } = await withConfiguration()
    const { status, body } = await api.post('runs', runBody(id))
    expect(status).toBe(201)
    expect(body.data.attributes).toMatchObject({
      status: 'pending',
      message: 'Queued manually via the API',
      'is-destroy': false,
      refresh: true,
      'refresh-only': false,
      'replace-addrs': null,
      'target-addrs': null,
      'auto-apply': false,
      'plan-only': false,
      'save-plan': false,
      'has-changes': false,
      source: 'ent-api',
      'infra-version': '1.9.8',
      'trigger-reason': 'manual',
      variables: [],
      'canceled-at': null,
      'status-timestamps': { 'plan-queueable-at': expect.any(String) },
      actions: {
        'is-cancelable': true,
        'is-confirmable': false,
        'is-discardable': true,
        'is-force-cancelable': false,
      },
    })
    expect(body.data.attributes).not.toHaveProperty('force-cancel-available-at')
    expect(body.data.relationships).toMatchObject({
      workspace: { data: { id, type: 'workspaces' } },
      'configuration-version': { data: { id: version } },
      'confirmed-by': { data: null },
      'run-events': { data: [{ type: 'run-events' }] },
      comments: { data: [] },
    })
  })

  test('in the vendor dialect, texts and names are the product’s', async () => {
    const { api, id } = await withConfiguration({ dialect: 'vendor' })
    const headers = { 'x-terraform-integration': 'cloud' }
    const { body } = await api.post(
      'runs',
      runBody(id, { 'plan-only': true, 'terraform-version': '1.5.0' }),
      { headers },
    )
    expect(body.data.attributes).toMatchObject({
      message: 'Queued manually via the Terraform Enterprise API',
      source: 'terraform',
      'terraform-version': '1.5.0',
    })
  })

  test('values of variables become texts; a variable without key is invalid', async () => {
    const { api, id, runs } = await withConfiguration()
    const run = await runs.create({
      variables: [
        { key: 'a', value: 1 },
        { key: 'b', value: true },
      ],
    })
    expect((await runs.read(run)).attributes.variables).toEqual([
      { key: 'a', value: '1' },
      { key: 'b', value: 'true' },
    ])
    const refused = await api.post('runs', runBody(id, { variables: [{ value: 'x' }] }))
    expect([refused.status, refused.body]).toEqual([
      422,
      invalid(['variables', 'Variables is invalid']),
    ])
  })

  test.each([
    [{ 'is-destroy': true, 'refresh-only': true }, 'invalid run parameters'],
    [{ 'save-plan': true, 'plan-only': true }, 'invalid run parameters'],
  ])('422 for the contradiction %o', async (attributes, detail) => {
    const { api, id } = await withConfiguration()
    const { status, body } = await api.post('runs', runBody(id, attributes))
    expect([status, body]).toEqual([422, failure(422, detail)])
    expect((await api.get(`workspaces/${id}`)).body.data.relationships['current-run'].data).toBe(
      null,
    )
  })

  test('a version of the tool is for runs that only plan', async () => {
    const { api, id, runs } = await withConfiguration()
    const { body } = await api.post('runs', runBody(id, { 'infra-version': '1.5.0' }))
    const detail = 'Infra version is only valid for plan-only runs'
    expect(body).toEqual(invalid(['infra-version', detail]))
    const run = await runs.create({ 'infra-version': '1.5.0', 'plan-only': true })
    expect((await runs.read(run)).attributes['infra-version']).toBe('1.5.0')
  })

  test('a run without usable files is 422, and one of an unknown version is 404', async () => {
    const { api, id } = await withConfiguration()
    const { id: other } = await makeWorkspace(api, 'other')
    const post = async (workspace: string, version?: string) => {
      const { status, body } = await api.post('runs', runBody(workspace, {}, version))
      return [status, body]
    }
    expect(await post(other)).toEqual([422, failure(422, 'Configuration version is missing')])
    expect((await post(id, 'cv-unknown'))[0]).toBe(404)
    const pending = await makeConfiguration(api, id)
    expect(await post(id, pending.id)).toEqual([
      422,
      {
        errors: [
          {
            status: '422',
            title: 'invalid run parameters',
            detail: 'Configuration version is still being processed.',
          },
        ],
      },
    ])
    const old = await uploadConfiguration(api, id)
    await uploadConfiguration(api, id)
    expect((await api.post(`configuration-versions/${old}/actions/archive`)).status).toBe(202)
    expect(await post(id, old)).toEqual([422, failure(422, 'invalid run parameters')])
  })

  test('the workspace must be named, known, remote, and allow a run that destroys', async () => {
    const { api, id } = await withConfiguration()
    const nameless = await api.post('runs', resource('runs'))
    expect([nameless.status, nameless.body]).toEqual([422, failure(422, 'workspace is required')])
    expect((await api.post('runs', runBody('ws-unknown'))).status).toBe(404)
    await api.patch(`workspaces/${id}`, resource('workspaces', { 'allow-destroy-plan': false }))
    expect((await api.post('runs', runBody(id, { 'is-destroy': true }))).status).toBe(404)
    await api.patch(`workspaces/${id}`, resource('workspaces', { 'execution-mode': 'local' }))
    const local = await api.post('runs', runBody(id))
    const detail = 'Workspace is not configured for remote operations'
    expect([local.status, local.body]).toEqual([422, failure(422, detail)])
  })

  test('a speculative version has only runs that plan', async () => {
    const { api, id, runs } = await withConfiguration()
    const version = await uploadConfiguration(api, id, {}, { speculative: true })
    const run = await runs.create({}, version)
    expect((await runs.read(run)).attributes['plan-only']).toBe(true)
    const refused = await api.post('runs', runBody(id, { 'plan-only': false }, version))
    expect(refused.body).toEqual(failure(422, 'invalid run parameters'))
  })

  test('a caller without the right to plan gets 404, as does the token of the organization', async () => {
    const { api, as, id, runs } = await withConfiguration()
    const run = await runs.create()
    await giveRights(api, 'read-workspaces')
    const member = as('member-token')
    expect((await member.get(`runs/${run}`)).status).toBe(200)
    for (const client of [member, as(extraTokens.organization)]) {
      expect((await client.post('runs', runBody(id))).status).toBe(404)
      expect((await client.post(`runs/${run}/actions/cancel`)).status).toBe(404)
    }
    expect((await as(extraTokens.organization).get(`runs/${run}`)).status).toBe(404)
  })

  test('include adds plan, apply, workspace, version and user; an unknown name is 400', async () => {
    const { api, runs } = await withConfiguration()
    const run = await runs.create()
    const include = 'plan,apply,workspace,configuration_version,created_by'
    const { body } = await api.get(`runs/${run}`, { query: { include } })
    const types = body.included.map(({ type }: { type: string }) => type)
    expect(types.sort()).toEqual([
      'applies',
      'configuration-versions',
      'plans',
      'users',
      'workspaces',
    ])
    expect((await api.get(`runs/${run}`, { query: { include: 'nothing' } })).status).toBe(400)
  })
})

describe('behaviour/platform#workspace-configuration-versions', () => {
  test('an upload starts a run, which only plans if the version is speculative', async () => {
    const { api, id } = await withConfiguration()
    for (const speculative of [false, true]) {
      const attributes = { 'auto-queue-runs': true, speculative }
      const version = await uploadConfiguration(api, id, {}, attributes)
      const { data } = (
        await api.get(`workspaces/${id}/runs?filter[operation]=plan_only,plan_and_apply`)
      ).body
      expect(data[0].attributes).toMatchObject({
        source: 'ent-configuration-version',
        message: 'Queued automatically from a configuration version',
        'plan-only': speculative,
      })
      expect(data[0].relationships['configuration-version'].data.id).toBe(version)
    }
  })

  test('the current version is the newest that is neither speculative nor provisional', async () => {
    const { api, id, runs, clock, version } = await withConfiguration()
    const current = async () =>
      (await api.get(`workspaces/${id}`)).body.data.relationships['current-configuration-version']
        .data.id
    await uploadConfiguration(api, id, {}, { speculative: true })
    const provisional = await uploadConfiguration(api, id, {}, { provisional: true })
    expect(await current()).toBe(version)
    await runs.create({ 'auto-apply': true }, provisional)
    clock.advance(60_000)
    expect(await current()).toBe(provisional)
  })

  test('a version is not archived while a run of it is under way, and its files are found by the run', async () => {
    const { api, id, runs, clock, version } = await withConfiguration()
    const run = await runs.create({ 'plan-only': true })
    await uploadConfiguration(api, id)
    const archive = async () =>
      (await api.post(`configuration-versions/${version}/actions/archive`)).status
    expect(await archive()).toBe(409)
    const path = `runs/${run}/configuration-version/download`
    const found = await api.get(path)
    expect([found.status, found.headers['location']]).toEqual([
      302,
      (await api.get(`configuration-versions/${version}/download`)).headers['location'],
    ])
    clock.advance(60_000)
    expect(await archive()).toBe(202)
    expect((await api.get(path)).status).toBe(404)
  })
})

describe('behaviour/platform#run-order', () => {
  test('runs of a workspace go one after the other and lock it; others neither wait nor lock', async () => {
    const { api, id, runs, clock } = await withConfiguration()
    const first = await runs.create()
    const second = await runs.create()
    const speculative = await runs.create({ 'plan-only': true })
    const saved = await runs.create({ 'save-plan': true })
    const workspace = async () => (await api.get(`workspaces/${id}`)).body.data
    expect((await workspace()).attributes.locked).toBe(false)
    clock.advance(10_000)
    expect(await runs.status(first)).toBe('planned')
    expect(await runs.status(second)).toBe('pending')
    expect(await runs.status(speculative)).toBe('planned_and_finished')
    expect(await runs.status(saved)).toBe('planned_and_saved')
    expect((await workspace()).relationships).toMatchObject({
      'locked-by': { data: { id: first, type: 'runs' } },
      'current-run': { data: { id: first } },
      'latest-run': { data: { id: second } },
    })
    expect(await runs.act(saved, 'apply')).toBe(409)
    expect(await runs.act(first, 'discard')).toBe(202)
    clock.advance(10_000)
    expect(await runs.status(second)).toBe('planned')
    expect((await workspace()).relationships['current-run'].data.id).toBe(second)
    expect(await runs.act(second, 'apply')).toBe(202)
    clock.advance(10_000)
    expect(await runs.status(second)).toBe('applied')
    expect(await runs.status(saved)).toBe('discarded')
    expect((await workspace()).attributes).toMatchObject({
      locked: false,
      'workspace-kpis-runs-count': 1,
      'run-failures': 0,
      'apply-duration-average': 2_000,
      'plan-duration-average': 2_000,
    })
  })

  test('a workspace that somebody has locked keeps the current run pending until it is unlocked', async () => {
    const { api, id, runs, clock } = await withConfiguration()
    await api.post(`workspaces/${id}/actions/lock`)
    const run = await runs.create()
    clock.advance(10_000)
    expect(await runs.status(run)).toBe('pending')
    const { relationships } = (await api.get(`workspaces/${id}`)).body.data
    expect(relationships['current-run'].data.id).toBe(run)
    await api.post(`workspaces/${id}/actions/unlock`)
    expect(await runs.status(run)).toBe('plan_queued')
  })

  test('a saved plan that is applied takes the workspace', async () => {
    const { api, id, runs, clock } = await withConfiguration()
    const saved = await runs.create({ 'save-plan': true })
    clock.advance(5_000)
    expect((await runs.read(saved)).attributes.actions['is-confirmable']).toBe(true)
    expect(await runs.act(saved, 'apply')).toBe(202)
    const { relationships } = (await api.get(`workspaces/${id}`)).body.data
    expect(relationships['current-run'].data.id).toBe(saved)
    expect(relationships['locked-by'].data.id).toBe(saved)
    clock.advance(5_000)
    expect(await runs.status(saved)).toBe('applied')
  })
})
