import { expect, test } from 'vitest'
import { withConfiguration } from '../../../support/platform/platform-runs.ts'
import { giveRights, resource } from '../../../support/platform/platform-workspaces.ts'

test('behaviour/platform#policy-evaluations: sets of agents are evaluated after the plan, and overridden', async () => {
  const { api, as, runs, clock, world } = await withConfiguration({ dialect: 'vendor' })
  const ids: { id: string; type: string }[] = []
  for (const [name, level] of [
    ['must', 'mandatory'],
    ['should', 'advisory'],
  ]) {
    const attributes = { name, kind: 'opa', query: 'data.x', 'enforcement-level': level }
    const reply = await api.post(
      'organizations/example-org/policies',
      resource('policies', attributes),
    )
    ids.push({ id: reply.body.data.id, type: 'policies' })
  }
  const set = resource(
    'policy-sets',
    { name: 'rules', kind: 'opa', global: true, overridable: true },
    { policies: { data: ids } },
  )
  const { id } = (await api.post('organizations/example-org/policy-sets', set)).body.data
  const runWith = async (policies: object) => {
    world.changeOptions({ platform: { runOutcome: { policies } } })
    const run = await runs.create({ 'allow-empty-apply': true })
    clock.advance(10_000)
    const stages = await api.get(`runs/${run}/task-stages?include=policy_evaluations`)
    const [stage] = stages.body.data
    const [evaluation] = stages.body.included
    return { run, status: await runs.status(run), stage, evaluation }
  }

  const passed = await runWith({ should: 'failed' })
  expect([passed.status, passed.stage.attributes.status]).toEqual(['post_plan_completed', 'passed'])
  expect(passed.evaluation).toMatchObject({
    id: expect.stringMatching(/^poleval-/),
    attributes: {
      status: 'passed',
      'policy-kind': 'opa',
      'policy-tool-version': 'latest',
      'result-count': { passed: 1, 'mandatory-failed': 0, 'advisory-failed': 1, errored: 0 },
    },
    relationships: { 'policy-attachable': { data: { id: passed.stage.id, type: 'task-stages' } } },
  })
  await runs.act(passed.run, 'discard')

  const failed = await runWith({ must: 'failed' })
  expect([failed.status, failed.stage.attributes.status]).toEqual([
    'post_plan_awaiting_decision',
    'awaiting_override',
  ])
  expect(failed.stage.attributes.actions).toEqual({ 'is-overridable': true })
  const stage = `task-stages/${failed.stage.id}`
  const listed = await api.get(`${stage}/policy-evaluations`)
  expect(listed.body.data).toEqual([failed.evaluation])
  const outcomes = `policy-evaluations/${failed.evaluation.id}/policy-set-outcomes`
  const [outcome] = (await api.get(outcomes)).body.data
  expect(outcome).toMatchObject({
    id: expect.stringMatching(/^psout-/),
    attributes: {
      'policy-set-name': 'rules',
      overridable: true,
      outcomes: [
        { policy_name: 'must', status: 'failed', enforcement_level: 'mandatory', query: 'data.x' },
        { policy_name: 'should', status: 'passed', enforcement_level: 'advisory' },
      ],
    },
  })
  const filtered = await api.get(
    `${outcomes}?filter[0][status]=passed&filter[0][enforcementLevel]=advisory`,
  )
  expect(filtered.body.data[0].attributes.outcomes).toHaveLength(1)
  expect((await api.get(`policy-set-outcomes/${outcome.id}`)).body.data).toEqual(outcome)
  const member = as('member-token')
  expect((await member.get(`policy-set-outcomes/${outcome.id}`)).status).toBe(404)
  await giveRights(api, 'manage-workspaces')
  expect((await member.post(`${stage}/actions/override`)).status).toBe(404)
  expect((await api.post(`${stage}/actions/override`)).status).toBe(200)
  expect(await runs.status(failed.run)).toBe('post_plan_completed')
  const after = await api.get(`${stage}?include=policy_evaluations`)
  expect(after.body.included[0].attributes.status).toBe('overridden')
  await runs.act(failed.run, 'discard')

  await api.patch(`policy-sets/${id}`, resource('policy-sets', { overridable: false }))
  const ended = await runWith({ rules: 'failed' })
  expect([ended.status, ended.evaluation.attributes.status]).toEqual(['errored', 'failed'])
  const run = await runs.create()
  clock.advance(100)
  expect(await runs.act(run, 'cancel')).toBe(202)
  const unreached = (await api.get(`runs/${run}/task-stages?include=policy_evaluations`)).body
  expect(unreached.included[0].attributes.status).toBe('unreachable')
})

test('behaviour/platform#policy-evaluations: sets of one tool version are evaluated together', async () => {
  const { api, runs, clock, world } = await withConfiguration()
  for (const [name, version] of [
    ['first', '0.1'],
    ['second', '0.1'],
    ['third', '0.2'],
  ]) {
    const attributes = { name, kind: 'opa', global: true, 'policy-tool-version': version }
    const set = resource('policy-sets', attributes)
    expect((await api.post('organizations/example-org/policy-sets', set)).status).toBe(201)
  }
  world.changeOptions({ platform: { runOutcome: { policies: { second: 'failed' } } } })
  const run = await runs.create()
  clock.advance(10_000)
  const { data, included } = (await api.get(`runs/${run}/task-stages?include=policy_evaluations`))
    .body
  expect(data[0].relationships['policy-evaluations'].data).toHaveLength(2)
  expect(included).toMatchObject([
    {
      attributes: {
        status: 'failed',
        'policy-tool-version': '0.1',
        'result-count': { passed: 1, 'mandatory-failed': 1 },
      },
    },
    { attributes: { status: 'passed', 'policy-tool-version': '0.2' } },
  ])
  const outcomes = `policy-evaluations/${included[0].id}/policy-set-outcomes`
  const namesOf = async (query: string) =>
    (await api.get(`${outcomes}${query}`)).body.data.map(
      (one: { attributes: Readonly<Record<string, unknown>> }) => one.attributes['policy-set-name'],
    )
  expect(await namesOf('')).toEqual(['first', 'second'])
  expect(await namesOf('?filter[0][status]=failed')).toEqual(['second'])
  expect(await namesOf('?filter[0][status]=errored')).toEqual([])
})
