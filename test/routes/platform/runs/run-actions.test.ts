import { describe, expect, test } from 'vitest'
import {
  runsOn,
  uploadConfiguration,
  withConfiguration,
} from '../../../support/platform/platform-runs.ts'
import { makeWorkspace } from '../../../support/platform/platform-workspaces.ts'

describe('behaviour/platform#run-statuses', () => {
  test('each status lasts as long as its option says, with its time', async () => {
    const { runs, clock } = await withConfiguration()
    const run = await runs.create()
    for (const [advance, status] of [
      [99, 'pending'],
      [1, 'plan_queued'],
      [149, 'plan_queued'],
      [1, 'planning'],
      [1_999, 'planning'],
      [1, 'planned'],
      [60_000, 'planned'],
    ] as const) {
      clock.advance(advance)
      expect([advance, await runs.status(run)]).toEqual([advance, status])
    }
    expect(await runs.act(run, 'apply', { comment: 'go' })).toBe(202)
    for (const [advance, status] of [
      [0, 'confirmed'],
      [150, 'apply_queued'],
      [150, 'applying'],
      [2_000, 'applied'],
    ] as const) {
      clock.advance(advance)
      expect([advance, await runs.status(run)]).toEqual([advance, status])
    }
    const { attributes, relationships } = await runs.read(run)
    expect(Object.keys(attributes['status-timestamps'])).toEqual([
      'plan-queueable-at',
      'plan-queued-at',
      'planning-at',
      'planned-at',
      'confirmed-at',
      'apply-queued-at',
      'applying-at',
      'applied-at',
    ])
    expect(attributes['has-changes']).toBe(true)
    expect(relationships['confirmed-by'].data.type).toBe('users')
    expect(relationships.comments.data).toHaveLength(1)
  })

  test('auto-apply continues without a decision; without changes there is nothing to apply', async () => {
    const { runs, clock } = await withConfiguration()
    const applied = await runs.create({ 'auto-apply': true })
    clock.advance(10_000)
    expect(await runs.status(applied)).toBe('applied')
    const variables = [{ key: 'mock_result', value: 'no_changes' }]
    const unchanged = await runs.create({ variables })
    const empty = await runs.create({ variables, 'allow-empty-apply': true })
    clock.advance(10_000)
    expect(await runs.status(unchanged)).toBe('planned_and_finished')
    expect((await runs.read(unchanged)).attributes['has-changes']).toBe(false)
    expect(await runs.status(empty)).toBe('planned')
    expect(await runs.act(empty, 'apply')).toBe(202)
  })

  test('a plan or an apply that fails ends the run as errored', async () => {
    const { api, runs, clock } = await withConfiguration()
    const parts = async (id: string) => {
      const { relationships } = await runs.read(id)
      const plan = await api.get(`plans/${relationships.plan.data.id}`)
      const apply = await api.get(`applies/${relationships.apply.data.id}`)
      return [plan.body.data.attributes.status, apply.body.data.attributes.status]
    }
    const plan = await runs.create({ variables: [{ key: 'mock_result', value: '"error"' }] })
    const apply = await runs.create({
      'auto-apply': true,
      variables: [{ key: 'mock_result', value: 'apply_error' }],
    })
    clock.advance(20_000)
    expect([await runs.status(plan), ...(await parts(plan))]).toEqual([
      'errored',
      'errored',
      'unreachable',
    ])
    expect([await runs.status(apply), ...(await parts(apply))]).toEqual([
      'errored',
      'finished',
      'errored',
    ])
  })

  // choice/platform#run-concurrency
  test('no more runs of an organization than runConcurrency are under way', async () => {
    const { api, id, clock, runs } = await withConfiguration({ options: { runConcurrency: 1 } })
    const { id: other } = await makeWorkspace(api, 'other')
    await uploadConfiguration(api, other)
    const first = await runs.create()
    const second = await runsOn(api, other).create()
    clock.advance(500)
    expect(await runs.status(first)).toBe('planning')
    expect(await runs.status(second)).toBe('queuing')
    clock.advance(2_000)
    expect(await runs.status(first)).toBe('planned')
    expect(await runs.status(second)).not.toBe('queuing')
    expect(id).not.toBe(other)
  })

  test('with holdRuns a run stays pending', async () => {
    const { clock, runs } = await withConfiguration({ options: { holdRuns: true } })
    const run = await runs.create()
    clock.advance(60_000)
    expect(await runs.status(run)).toBe('pending')
  })
})

describe('behaviour/platform#run-actions', () => {
  test('a run that plans stops after stopTime, and is not canceled twice', async () => {
    const { clock, runs } = await withConfiguration({
      options: { planTime: '5m', stopTime: '90s' },
    })
    const run = await runs.create()
    clock.advance(1_000)
    expect(await runs.act(run, 'cancel')).toBe(202)
    expect((await runs.read(run)).attributes).toMatchObject({
      status: 'planning',
      'canceled-at': expect.any(String),
      'force-cancel-available-at': expect.any(String),
      actions: { 'is-cancelable': false, 'is-force-cancelable': false },
    })
    expect(await runs.act(run, 'cancel')).toBe(409)
    expect(await runs.act(run, 'force-cancel')).toBe(409)
    clock.advance(60_000)
    expect((await runs.read(run)).attributes.actions['is-force-cancelable']).toBe(true)
    expect(await runs.act(run, 'force-cancel')).toBe(202)
    const { attributes, relationships } = await runs.read(run)
    expect(attributes.status).toBe('canceled')
    expect(attributes['status-timestamps']).toMatchObject({
      'canceled-at': expect.any(String),
      'force-canceled-at': expect.any(String),
    })
    expect(relationships['canceled-by'].data.type).toBe('users')
  })

  test.each([['plan', 'canceled', 'unreachable']] as const)(
    'a canceled run has a canceled %s',
    async (_part, planStatus, applyStatus) => {
      const { api, clock, runs } = await withConfiguration()
      const run = await runs.create()
      clock.advance(1_000)
      await runs.act(run, 'cancel')
      clock.advance(1_500)
      const { attributes, relationships } = await runs.read(run)
      expect(attributes.status).toBe('canceled')
      const plan = await api.get(`plans/${relationships.plan.data.id}`)
      const apply = await api.get(`applies/${relationships.apply.data.id}`)
      expect(plan.body.data.attributes.status).toBe(planStatus)
      expect(apply.body.data.attributes.status).toBe(applyStatus)
    },
  )

  test('an action that the status does not allow is 409 and changes nothing', async () => {
    const { clock, runs } = await withConfiguration()
    const run = await runs.create()
    expect(await runs.act(run, 'apply')).toBe(409)
    expect(await runs.act(run, 'force-cancel')).toBe(409)
    clock.advance(10_000)
    expect(await runs.act(run, 'cancel')).toBe(409)
    expect(await runs.status(run)).toBe('planned')
    expect(await runs.act(run, 'discard', { data: { attributes: { comment: 'no' } } })).toBe(202)
    for (const action of ['apply', 'discard', 'cancel', 'force-cancel']) {
      expect([action, await runs.act(run, action)]).toEqual([action, 409])
    }
    expect((await runs.read(run)).relationships.comments.data).toHaveLength(1)
  })

  test('force-execute discards the run that holds the workspace', async () => {
    const { clock, runs } = await withConfiguration()
    const first = await runs.create()
    const second = await runs.create()
    const third = await runs.create()
    expect(await runs.act(third, 'force-execute')).toBe(403)
    clock.advance(1_000)
    expect(await runs.act(third, 'force-execute')).toBe(409)
    clock.advance(2_000)
    expect(await runs.act(first, 'force-execute')).toBe(403)
    expect(await runs.act(third, 'force-execute')).toBe(202)
    clock.advance(5_000)
    expect(await runs.status(first)).toBe('discarded')
    expect(await runs.status(third)).toBe('planned')
    expect(await runs.status(second)).toBe('pending')
  })

  // choice/platform#run-force-execute
  test('force-execute is 409 while a user holds the lock', async () => {
    const { api, id, runs } = await withConfiguration()
    await api.post(`workspaces/${id}/actions/lock`)
    const run = await runs.create()
    expect(await runs.act(run, 'force-execute')).toBe(409)
    expect(await runs.status(run)).toBe('pending')
  })
})
