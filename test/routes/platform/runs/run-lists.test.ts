import { describe, expect, test } from 'vitest'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'
import {
  runsOn,
  uploadConfiguration,
  withConfiguration,
} from '../../../support/platform/platform-runs.ts'
import {
  giveRights,
  makeWorkspace,
  resource,
} from '../../../support/platform/platform-workspaces.ts'

describe('behaviour/platform#run-lists', () => {
  test('the filter by agent pools selects the runs of the workspaces that use them', async () => {
    const { api, id, runs } = await withConfiguration()
    const made = await api.post(
      'organizations/example-org/agent-pools',
      resource('agent-pools', { name: 'pool' }),
    )
    const run = await runs.create()
    const found = async () => {
      const query = { 'filter[agent_pool_names]': 'other,pool' }
      const { body } = await api.get('organizations/example-org/runs', { query })
      return body.data.map((one: { id: string }) => one.id)
    }
    expect(await found()).toEqual([])
    const settings = { 'execution-mode': 'agent', 'agent-pool-id': made.body.data.id }
    expect((await api.patch(`workspaces/${id}`, resource('workspaces', settings))).status).toBe(200)
    expect(await found()).toEqual([run])
  })

  test('newest first; runs that only plan are left out unless the filter names them', async () => {
    const { api, id, runs } = await withConfiguration()
    const plain = await runs.create({ message: 'Nightly build' })
    const speculative = await runs.create({ 'plan-only': true })
    const saved = await runs.create({ 'save-plan': true })
    const destroy = await runs.create({ 'is-destroy': true })
    const ids = async (query: Readonly<Record<string, string>> = {}) => {
      const { body } = await api.get(`workspaces/${id}/runs`, { query })
      return body.data.map((run: { id: string }) => run.id)
    }
    expect(await ids()).toEqual([destroy, saved, plain])
    for (const [name, value, expected] of [
      ['filter[operation]', 'plan_only', [speculative]],
      ['filter[operation]', 'destroy,save_plan', [destroy, saved]],
      ['filter[operation]', 'unknown', []],
      ['filter[status]', 'pending', [destroy, saved, plain]],
      ['filter[status]', 'applied', []],
      ['filter[source]', 'tfe-api', [destroy, saved, plain]],
      ['filter[source]', 'terraform', []],
      ['filter[status_group]', 'final', []],
      ['filter[status_group]', 'final,non_final', [destroy, saved, plain]],
      ['filter[status_group]', 'discardable', [destroy, saved, plain]],
      ['filter[timeframe]', 'year', [destroy, saved, plain]],
      ['filter[timeframe]', '1999', []],
      ['filter[agent_pool_names]', 'pool', []],
      ['search[basic]', 'nightly', [plain]],
      ['search[basic]', destroy, [destroy]],
      ['search[commit]', 'abc', []],
      ['search[user]', 'owner', []],
    ] as const) {
      expect([name, value, await ids({ [name]: value })]).toEqual([name, value, expected])
    }
  })

  test('the list of the organization has no totals and shows only runs that the caller may see', async () => {
    const { api, as, runs } = await withConfiguration()
    const first = await runs.create()
    const { id: other } = await makeWorkspace(api, 'other')
    await uploadConfiguration(api, other)
    const second = await runsOn(api, other).create()
    const path = 'organizations/example-org/runs'
    const { body } = await api.get(path)
    expect(body.data.map((run: { id: string }) => run.id).sort()).toEqual([first, second].sort())
    expect(body.meta.pagination).toEqual({
      'current-page': 1,
      'page-size': 20,
      'prev-page': null,
      'next-page': null,
    })
    expect(Object.keys(body.links)).toEqual(['self', 'prev', 'next'])
    const named = await api.get(path, { query: { 'filter[workspace_names]': 'other' } })
    expect(named.body.data.map((run: { id: string }) => run.id)).toEqual([second])
    expect((await as('member-token').get(path)).body.data).toEqual([])
    await giveRights(api, 'read-workspaces')
    expect((await as('member-token').get(path)).body.data).toHaveLength(2)
  })

  test('the queue has positions, and the capacity counts running and waiting runs', async () => {
    const { api, clock, runs } = await withConfiguration({ options: { runConcurrency: 1 } })
    const first = await runs.create({ 'plan-only': true })
    const second = await runs.create({ 'plan-only': true })
    clock.advance(500)
    const { body } = await api.get('organizations/example-org/runs/queue')
    expect(
      body.data.map((run: { id: string; attributes: Record<string, unknown> }) => [
        run.id,
        run.attributes['status'],
        run.attributes['position-in-queue'],
      ]),
    ).toEqual([
      [first, 'planning', 1],
      [second, 'queuing', 2],
    ])
    expect((await api.get('organizations/example-org/capacity')).body).toEqual({
      data: {
        id: 'example-org',
        type: 'organization-capacity',
        attributes: { pending: 1, running: 1 },
      },
    })
  })
})

describe('behaviour/platform#run-events', () => {
  test('creation, statuses and comments are events with their actors', async () => {
    const { api, clock, runs } = await withConfiguration()
    const run = await runs.create({ 'plan-only': true })
    const made = await api.post(`runs/${run}/comments`, resource('comments', { body: 'Why?' }))
    expect(made.status).toBe(201)
    const comment = made.body.data
    expect(comment).toMatchObject({ type: 'comments', attributes: { body: 'Why?' } })
    expect((await api.get(`comments/${comment.id}`)).body.data).toEqual(comment)
    expect((await api.get(`runs/${run}/comments`)).body).toEqual({ data: [comment] })
    clock.advance(10_000)
    const { body } = await api.get(`runs/${run}/run-events`, {
      query: { include: 'actor,comment' },
    })
    expect(
      body.data.map((event: { attributes: { action: string } }) => event.attributes.action),
    ).toEqual([
      'created',
      'commented',
      'plan_queued',
      'planning',
      'planned',
      'planned_and_finished',
    ])
    expect(body.included.map(({ type }: { type: string }) => type)).toEqual(['users', 'comments'])
    const [, commented] = body.data
    expect(commented.id).toBe(comment.relationships['run-event'].data.id)
    expect((await api.get(`run-events/${commented.id}`)).body.data).toEqual(commented)
  })

  test('a blank comment is 422; unknown events and comments are 404', async () => {
    const { api, as, runs } = await withConfiguration()
    const run = await runs.create()
    const blank = await api.post(`runs/${run}/comments`, resource('comments', { body: ' ' }))
    expect([blank.status, blank.body]).toEqual([422, invalid(['body', "Body can't be blank"])])
    for (const path of ['run-events/re-x', 'comments/wsc-x', 'runs/run-x/run-events']) {
      const { status, body } = await api.get(path)
      expect([status, body]).toEqual([404, failure(404)])
    }
    expect((await as('member-token').get(`runs/${run}/run-events`)).status).toBe(404)
    expect((await api.get(`runs/${run}/run-events?include=target`)).status).toBe(400)
  })

  test('warnings of an outcome are events', async () => {
    const warnings = [{ action: 'ignored_policy_sets', description: 'Some sets were ignored.' }]
    const { api, clock, runs } = await withConfiguration({ options: { runOutcome: { warnings } } })
    const run = await runs.create()
    clock.advance(5_000)
    const { data } = (await api.get(`runs/${run}/run-events`)).body
    expect(data.at(-1).attributes).toMatchObject(warnings[0] ?? {})
  })
})
