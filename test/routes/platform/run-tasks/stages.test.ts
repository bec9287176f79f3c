import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { allSentRequests } from '../../../../state/platform/deliveries/sent-requests.ts'
import { overrideStage } from '../../../../state/platform/run-tasks/stage-moves.ts'
import { putStage, resultWithId, stageWithId } from '../../../../state/platform/run-tasks/stages.ts'
import type { PlatformSettings } from '../../../support/platform/platform.ts'
import { extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'
import { withConfiguration } from '../../../support/platform/platform-runs.ts'
import { attachTask, makeTask } from '../../../support/platform/platform-tasks.ts'
import { giveRights, resource } from '../../../support/platform/platform-workspaces.ts'

const section = 'behaviour/platform#task-stages'

/** Returns a server whose workspace calls a task, with functions that read runs and results. */
async function withTask(attributes: object = {}, settings: PlatformSettings = {}) {
  const server = await withConfiguration(settings)
  const { api, id, world } = server
  const task = await makeTask(api, { 'hmac-key': 'k' })
  const place = await attachTask(api, id, task.id, attributes)
  const stagesOf = async (run: string) =>
    (await api.get(`runs/${run}/task-stages`, { query: { include: 'task_results' } })).body
  return {
    ...server,
    task,
    place,
    stagesOf,
    /** Returns the status of a run and those of its stages and results. */
    async statuses(run: string) {
      const { data, included } = await stagesOf(run)
      const status = (one: { attributes: { status: string } }) => one.attributes.status
      return [await server.runs.status(run), data.map(status), included.map(status)]
    },
    force: (kind: string, one: string, to: string, details: object = {}) =>
      world.transitions.get(kind)?.force(world, one, to, { ...details }),
    async callback(result: string, attributes: object, token?: string, outcomes: object[] = []) {
      const sent = allSentRequests(world).find(({ subject }) => subject === result)
      const body = resource('task-results', attributes, { outcomes: { data: outcomes } })
      return api.request('PATCH', `task-results/${result}/callback`, body, {
        token: token ?? String(sent?.body['access_token']),
      })
    },
  }
}

test(`${section}: the token of a call opens the files and the plan of its run, and nothing else`, async () => {
  const { api, as, runs, world, clock, version } = await withTask()
  const run = await runs.create()
  clock.advance(5_000)
  const [sent] = allSentRequests(world)
  const { access_token, configuration_version_download_url, plan_json_api_url } = { ...sent?.body }
  const task = as(String(access_token))
  const paths = [configuration_version_download_url, plan_json_api_url].map((url) =>
    String(url).slice(String(sent?.base).length),
  )
  expect(paths[0]).toContain(version)
  const statuses = async () => {
    const replies = []
    for (const path of paths) replies.push((await task.get(path)).status)
    return replies
  }
  expect(await statuses()).toEqual([302, 307])
  const other = await runs.create({ 'plan-only': true })
  const { relationships } = await runs.read(other)
  expect((await task.get(`plans/${relationships.plan.data.id}/json-output`)).status).toBe(404)
  for (const path of [`runs/${run}`, `runs/${run}/plan/json-output`, 'account/details']) {
    expect((await task.get(path)).status).toBe(401)
  }
  expect((await api.get(paths[0] ?? '')).status).toBe(302)
  clock.advance(600_000)
  expect(await statuses()).toEqual([401, 401])
})

describe(section, () => {
  test.each(['neutral', 'vendor'] as const)(
    '%s: a stage is made with the run, starts after the plan and ends with its results',
    async (dialect) => {
      const { api, runs, world, statuses, stagesOf, task, place } = await withTask({}, { dialect })
      const run = await runs.create()
      const { data, included } = await stagesOf(run)
      const [stage, result] = [data[0].id, included[0].id]
      expect(data).toEqual([
        {
          id: expect.stringMatching(/^ts-/),
          type: 'task-stages',
          attributes: {
            stage: 'post_plan',
            status: 'pending',
            'status-timestamps': {},
            'created-at': expect.any(String),
            'updated-at': expect.any(String),
            permissions: {
              'can-override-policy': true,
              'can-override-tasks': false,
              'can-override': true,
            },
            actions: { 'is-overridable': false },
          },
          relationships: {
            run: { data: { type: 'runs', id: run } },
            'task-results': { data: [{ type: 'task-results', id: result }] },
            'policy-evaluations': { data: [] },
          },
          links: { self: `/api/v2/task-stages/${stage}` },
        },
      ])
      expect(included).toEqual([
        {
          id: result,
          type: 'task-results',
          attributes: {
            status: 'pending',
            message: null,
            url: null,
            stage: 'post_plan',
            'status-timestamps': {},
            'created-at': expect.any(String),
            'updated-at': expect.any(String),
            'task-id': task.id,
            'task-name': 'scan',
            'task-url': 'https://scan.example/hook',
            'is-speculative': false,
            'workspace-task-id': place.id,
            'workspace-task-enforcement-level': 'advisory',
            'agent-pool-id': null,
          },
          relationships: {
            'task-stage': { data: { type: 'task-stages', id: stage } },
            outcomes: { data: [] },
          },
          links: { self: `/api/v2/task-results/${result}` },
        },
      ])
      const read = await api.get(`runs/${run}`, { query: { include: 'task_stages' } })
      expect(read.body.included).toEqual(data)
      expect(read.body.data.relationships['task-stages'].data).toHaveLength(1)
      world.advance(2_250)
      expect(await statuses(run)).toEqual(['post_plan_running', ['running'], ['pending']])
      world.advance(1_000)
      expect(await statuses(run)).toEqual(['post_plan_running', ['running'], ['running']])
      world.advance(1_000)
      expect(await statuses(run)).toEqual(['post_plan_completed', ['passed'], ['passed']])
      expect((await runs.read(run)).attributes.actions['is-confirmable']).toBe(true)
      expect((await api.get(`task-stages/${stage}`)).body.data.attributes).toMatchObject({
        'status-timestamps': { 'running-at': expect.any(String), 'passed-at': expect.any(String) },
      })
      const include = { include: 'run,run.workspace' }
      const { body } = await api.get(`task-stages/${stage}`, { query: include })
      expect(body.included.map(({ type }: { type: string }) => type)).toEqual([
        'runs',
        'workspaces',
      ])
    },
  )

  test('tasks are called at all four stages; the state is there before the last one', async () => {
    const all = { stages: ['pre_plan', 'post_plan', 'pre_apply', 'post_apply'] }
    const { api, id, runs, world, statuses } = await withTask(all)
    const run = await runs.create({ 'auto-apply': true })
    const passed: string[] = []
    const seen = new Set<string>()
    for (let step = 0; step < 200; step += 1) {
      const status = await runs.status(run)
      if (status === 'post_apply_running' && !seen.has(status)) {
        passed.push((await api.get(`workspaces/${id}/current-state-version`)).status.toString())
      }
      seen.add(status)
      if (status === 'applied') break
      world.advance(100)
    }
    expect(passed).toEqual(['200'])
    expect([...seen].filter((status) => status.endsWith('_running'))).toEqual([
      'pre_plan_running',
      'post_plan_running',
      'pre_apply_running',
      'post_apply_running',
    ])
    expect((await statuses(run))[1]).toEqual(['passed', 'passed', 'passed', 'passed'])
    const times = (await runs.read(run)).attributes['status-timestamps']
    expect(Object.keys(times)).toEqual(
      expect.arrayContaining(['pre-plan-completed-at', 'post-apply-completed-at', 'applied-at']),
    )
  })

  test('a mandatory task that fails ends the run, an advisory one does not', async () => {
    const outcome = {
      tasks: {
        '*': { status: 'passed' },
        scan: {
          status: 'failed',
          message: 'no',
          url: 'https://a.b',
          outcomes: [{ outcomeId: 'a', description: 'b' }],
        },
      },
    } as const
    for (const [level, expected] of [
      ['mandatory', ['errored', ['failed', 'unreachable'], ['failed', 'unreachable']]],
      ['advisory', ['post_plan_completed', ['passed', 'pending'], ['failed', 'pending']]],
    ] as const) {
      const stages = { stages: ['post_plan', 'pre_apply'], 'enforcement-level': level }
      const { api, runs, world, statuses, stagesOf } = await withTask(stages, {
        options: { runOutcome: outcome },
      })
      const run = await runs.create()
      world.advance(4_250)
      expect(await statuses(run)).toEqual(expected)
      const { included } = await stagesOf(run)
      const result = await api.get(`task-results/${included[0].id}`)
      expect(result.body.data.attributes).toMatchObject({ message: 'no', url: 'https://a.b' })
      expect(result.body.data.relationships.outcomes.data).toHaveLength(1)
      expect(resultWithId(world, included[0].id)?.outcomes).toMatchObject([
        { outcome_id: 'a', description: 'b', body: null, tags: {} },
      ])
    }
  })

  test('disabled tasks are not called, those of all workspaces are', async () => {
    const { api, runs, task, place, stagesOf, id } = await withTask()
    await api.patch(`tasks/${task.id}`, resource('tasks', { enabled: false }))
    expect((await stagesOf(await runs.create())).data).toEqual([])
    const everywhere = { enabled: true, stages: ['pre_plan'], 'enforcement-level': 'mandatory' }
    const changes = { enabled: true, 'global-configuration': everywhere }
    await api.patch(`tasks/${task.id}`, resource('tasks', changes))
    const { data, included } = await stagesOf(await runs.create())
    const stage = (one: { attributes: { stage: string } }) => one.attributes.stage
    expect(data.map(stage)).toEqual(['pre_plan', 'post_plan'])
    expect(included[0].attributes).toMatchObject({ 'workspace-task-id': null })
    await api.delete(`workspaces/${id}/tasks/${place.id}`)
    expect((await stagesOf(await runs.create())).data.map(stage)).toEqual(['pre_plan'])
  })

  test('a run that ends leaves its stages canceled or unreachable', async () => {
    const stages = { stages: ['post_plan', 'pre_apply'] }
    const { runs, world, statuses } = await withTask(stages)
    for (const action of ['discard', 'cancel']) {
      const run = await runs.create()
      world.advance(2_250)
      expect(await runs.act(run, action)).toBe(202)
      const status = action === 'discard' ? 'discarded' : 'canceled'
      const ended = ['canceled', 'unreachable']
      expect(await statuses(run)).toEqual([status, ended, ended])
    }
    const last = await runs.create()
    await runs.act(last, 'cancel')
    const unreached = ['unreachable', 'unreachable']
    expect(await statuses(last)).toEqual(['canceled', unreached, unreached])
  })

  test('a task calls back with its token; the outbox has the call and its signature', async () => {
    const { runs, world, stagesOf, statuses, callback, api, force } = await withTask({
      stages: ['pre_plan', 'post_plan'],
    })
    const run = await runs.create()
    world.advance(100)
    const { included } = await stagesOf(run)
    const [{ id: result }, { id: later }] = included
    const [sent] = allSentRequests(world)
    expect(sent?.body).toMatchObject({
      payload_version: 1,
      stage: 'pre_plan',
      run_id: run,
      workspace_name: 'net',
      organization_name: 'example-org',
      task_result_id: result,
      task_result_callback_url: expect.stringMatching(
        `^http.*/api/v2/task-results/${result}/callback$`,
      ),
    })
    expect(sent?.body).not.toHaveProperty('plan_json_api_url')
    expect(sent?.signature).toBe(
      createHmac('sha512', 'k').update(JSON.stringify(sent?.body)).digest('hex'),
    )
    const refused = await callback(result, { status: 'passed' }, 'owner-token')
    expect([refused.status, refused.body]).toEqual([401, failure(401)])
    expect((await callback('taskrs-x', { status: 'passed' }, 'owner-token')).status).toBe(404)
    const listed = invalid(['status', 'Status is not included in the list'])
    for (const attributes of [{}, { status: 'errored' }]) {
      const reply = await callback(result, attributes)
      expect([reply.status, reply.body]).toEqual([422, listed])
    }
    const bare = await callback(result, { status: 'passed' }, undefined, [{ attributes: {} }])
    expect(bare.body).toEqual(
      invalid(
        ['outcome-id', "Outcome id can't be blank"],
        ['description', "Description can't be blank"],
      ),
    )
    expect((await callback(result, { status: 'running', message: 'wait' })).status).toBe(200)
    world.advance(5_000)
    expect(await statuses(run)).toEqual([
      'pre_plan_running',
      ['running', 'pending'],
      ['running', 'pending'],
    ])
    const outcome = {
      type: 'task-result-outcomes',
      attributes: { outcome_id: 'a', description: 'b' },
    }
    const ended = await callback(result, { status: 'passed', url: 'https://a.b' }, undefined, [
      outcome,
    ])
    expect([ended.status, ended.text]).toEqual([200, ''])
    const { data } = (await api.get(`task-results/${result}`)).body
    expect(data.attributes).toMatchObject({ status: 'passed', message: 'wait', url: 'https://a.b' })
    expect(data.relationships.outcomes.data).toEqual([
      { id: expect.stringMatching(/^taskrso-/), type: 'task-result-outcomes' },
    ])
    expect(await runs.status(run)).toBe('plan_queued')
    const again = await callback(result, { status: 'failed' })
    expect([again.status, again.body]).toEqual([422, failure(422, 'task result is already passed')])
    world.advance(2_150)
    expect(allSentRequests(world)[1]?.body).toHaveProperty('plan_json_api_url')
    const outcomes = [{ outcomeId: 'c', description: 'd', body: 'e' }]
    force('platform.task-result', later, 'failed', { message: 'forced', outcomes })
    expect(resultWithId(world, later)?.outcomes).toMatchObject([{ outcome_id: 'c', body: 'e' }])
    expect(await runs.status(run)).toBe('post_plan_completed')
    expect(() => force('platform.task-result', later, 'passed')).toThrow('cannot become passed')
    expect(() => force('platform.task-result', 'taskrs-x', 'passed')).toThrow('no task result')
  })

  test('a task that reports only that it runs times out, and the token with it', async () => {
    const { runs, world, stagesOf, statuses, callback } = await withTask({
      'enforcement-level': 'mandatory',
    })
    const run = await runs.create()
    world.advance(2_250)
    const [{ id: result }] = (await stagesOf(run)).included
    expect((await callback(result, { status: 'running' })).status).toBe(200)
    world.advance(599_999)
    expect((await callback(result, { status: 'running' })).status).toBe(200)
    world.advance(1)
    expect(await statuses(run)).toEqual(['errored', ['failed'], ['errored']])
    const [{ attributes }] = (await stagesOf(run)).included
    expect(attributes.message).toBe('Timed out')
    expect((await callback(result, { status: 'passed' })).status).toBe(401)
  })

  test('a forced run takes its stages along; a stage that awaits an override holds the run', async () => {
    const { api, as, runs, world, stagesOf, statuses, force } = await withTask({
      'enforcement-level': 'mandatory',
    })
    const forced = await runs.create()
    force('platform.run', forced, 'planned')
    force('platform.run', forced, 'applied')
    expect(await statuses(forced)).toEqual(['applied', ['passed'], ['passed']])
    const failed = await runs.create()
    force('platform.run', failed, 'post_plan_running')
    force('platform.run', failed, 'errored')
    expect(await statuses(failed)).toEqual(['errored', ['failed'], ['failed']])

    const run = await runs.create({ 'allow-empty-apply': true })
    force('platform.run', run, 'post_plan_running')
    const [{ id }] = (await stagesOf(run)).data
    const path = `task-stages/${id}/actions/override`
    expect((await api.post(path, {})).status).toBe(409)
    const stage = stageWithId(world, id)
    if (stage === undefined) throw new Error('there is no stage')
    world.write(() => {
      putStage(world, { ...stage, status: 'awaiting_override' })
      world.agenda.schedule({ at: world.clock.now(), job: 'platform.run', id: run })
    })
    expect(await runs.status(run)).toBe('post_plan_awaiting_decision')
    const { actions } = (await runs.read(run)).attributes
    expect(actions).toMatchObject({ 'is-cancelable': false, 'is-discardable': true })
    await giveRights(api, 'manage-policies')
    expect((await as('member-token').post(path, {})).status).toBe(404)
    const reply = await api.post(path, { comment: 'fine' })
    expect([reply.status, reply.body.data.attributes.status]).toEqual([200, 'passed'])
    expect(await runs.status(run)).toBe('post_plan_completed')
    const events = (await api.get(`runs/${run}/run-events`)).body.data
    expect(events.map((one: { attributes: { action: string } }) => one.attributes.action)).toEqual(
      expect.arrayContaining(['post_plan_awaiting_decision', 'overridden', 'commented']),
    )
    const ended = stageWithId(world, id)
    if (ended !== undefined) expect(() => overrideStage(world, ended)).toThrow('cannot override')
  })

  test.each([
    ['a member without rights', 'member-token', [], [404, 404, 404]],
    ['manage-policies', 'member-token', ['manage-policies'], [200, 200, 200]],
    ['the organization token', extraTokens.organization, [], [404, 404, 404]],
    ['a stranger', extraTokens.outsider, [], [404, 404, 404]],
  ] as const)('%s: list and read stages, read a result', async (_who, token, rights, expected) => {
    const { api, as, runs, stagesOf } = await withTask()
    await giveRights(api, ...rights)
    const run = await runs.create()
    const { data, included } = await stagesOf(run)
    const client = as(token)
    expect([
      (await client.get(`runs/${run}/task-stages`)).status,
      (await client.get(`task-stages/${data[0].id}`)).status,
      (await client.get(`task-results/${included[0].id}`)).status,
    ]).toEqual(expected)
  })
})
