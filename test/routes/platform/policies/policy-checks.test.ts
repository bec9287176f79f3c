import { describe, expect, test } from 'vitest'
import { policyCheckTransition } from '../../../../state/platform/policies/transitions.ts'
import type { PlatformClient } from '../../../support/platform/platform.ts'
import { withConfiguration } from '../../../support/platform/platform-runs.ts'
import { giveRights, resource } from '../../../support/platform/platform-workspaces.ts'

/** Creates policies by name and level in one set that applies to all workspaces. */
async function makePolicies(api: PlatformClient, levels: Readonly<Record<string, string>>) {
  const ids: { id: string; type: string }[] = []
  for (const [name, level] of Object.entries(levels)) {
    const body = resource('policies', { name, 'enforcement-level': level })
    const { id } = (await api.post('organizations/example-org/policies', body)).body.data
    ids.push({ id, type: 'policies' })
  }
  const attributes = { name: 'base', global: true }
  const body = resource('policy-sets', attributes, { policies: { data: ids } })
  expect((await api.post('organizations/example-org/policy-sets', body)).status).toBe(201)
}

const levels = { hard: 'hard-mandatory', soft: 'soft-mandatory', hint: 'advisory' }

/** Returns a server whose runs check three policies, and the check that a run makes. */
async function withPolicies() {
  const server = await withConfiguration({ dialect: 'vendor' })
  const { api, runs, clock } = server
  await makePolicies(api, levels)
  const checkOf = async (run: string) => (await api.get(`runs/${run}/policy-checks`)).body.data[0]
  const checked = async (policies: object, attributes: object = {}) => {
    server.world.changeOptions({ platform: { runOutcome: { policies } } })
    const run = await runs.create(attributes)
    clock.advance(10_000)
    return { run, status: await runs.status(run), check: await checkOf(run) }
  }
  return { ...server, checkOf, checked }
}

describe('behaviour/platform#policy-checks', () => {
  // choice/platform#policy-constant-rule
  test('a policy whose only rule is the constant false fails, and its output says so', async () => {
    const { api, runs, clock } = await withConfiguration({ dialect: 'vendor' })
    await makePolicies(api, { soft: 'soft-mandatory' })
    const [{ id }] = (await api.get('organizations/example-org/policies')).body.data
    const bytes = { headers: { 'content-type': 'application/octet-stream' } }
    await api.request('PUT', `policies/${id}/upload`, '# never\nmain = rule { false }\n', bytes)
    const run = await runs.create()
    clock.advance(10_000)
    expect(await runs.status(run)).toBe('policy_override')
    const [check] = (await api.get(`runs/${run}/policy-checks`)).body.data
    expect(check.attributes.result.sentinel.data.base).toMatchObject({
      result: false,
      policies: [{ policy: 'soft', result: false, 'allowed-failure': false }],
    })
    const { text } = await api.get(`policy-checks/${check.id}/output`)
    expect(text).toMatch(/^Sentinel Result: false\n[\s\S]*\n1 policies evaluated\.\n/)
  })

  test('a check passes or fails by the outcome of the run, and the run continues accordingly', async () => {
    const { api, as, id, runs, checked, checkOf, world, clock } = await withPolicies()
    const passed = await checked({ hint: 'failed' })
    expect(passed.status).toBe('policy_checked')
    expect(passed.check).toEqual({
      id: expect.stringMatching(/^polchk-/),
      type: 'policy-checks',
      attributes: {
        status: 'passed',
        scope: 'organization',
        result: {
          result: true,
          passed: 2,
          'total-failed': 1,
          'hard-failed': 0,
          'soft-failed': 0,
          'advisory-failed': 1,
          duration: 0,
          'duration-ms': 0,
          sentinel: { 'schema-version': 1, data: { base: expect.any(Object) } },
        },
        actions: { 'is-overridable': false },
        permissions: { 'can-override': true },
        'status-timestamps': { 'queued-at': expect.any(String), 'passed-at': expect.any(String) },
      },
      relationships: { run: { data: { id: passed.run, type: 'runs' } } },
      links: { output: `/api/v2/policy-checks/${passed.check.id}/output` },
    })
    const read = await api.get(`runs/${passed.run}?include=policy_checks`)
    expect(read.body.included).toEqual([passed.check])
    expect(read.body.data.relationships['policy-checks'].data).toHaveLength(1)
    for (const path of [`runs/${passed.run}/policy-checks`, `policy-checks/${passed.check.id}`]) {
      const { included } = (await api.get(`${path}?include=run.workspace`)).body
      expect(included.map((one: { id: string }) => one.id)).toEqual([passed.run, id])
      expect((await api.get(`${path}?include=plan`)).status).toBe(400)
    }
    expect(await runs.act(passed.run, 'apply')).toBe(202)
    clock.advance(10_000)
    expect(await runs.status(passed.run)).toBe('applied')

    const hard = await checked({ hard: 'failed' })
    expect([hard.status, hard.check.attributes.status]).toEqual(['errored', 'hard_failed'])
    const broken = await checked({ base: 'errored' })
    expect([broken.status, broken.check.attributes.status]).toEqual(['errored', 'errored'])
    const speculative = await checked({ soft: 'failed' }, { 'plan-only': true })
    expect(speculative.status).toBe('policy_soft_failed')
    expect((await api.post(`policy-checks/${hard.check.id}/actions/override`)).status).toBe(409)

    const always = { 'allow-empty-apply': true }
    const soft = await checked({ soft: 'failed' }, always)
    expect(soft.status).toBe('policy_override')
    expect(soft.check.attributes.actions).toEqual({ 'is-overridable': true })
    const path = `policy-checks/${soft.check.id}`
    const { text } = await api.get(`${path}/output`)
    expect(text.slice(text.indexOf('3 policies'))).toBe(
      '3 policies evaluated.\n\n## Policy 1: hard (hard-mandatory)\n\nResult: true\n\n## Policy 2: soft (soft-mandatory)\n\nResult: false\n\n## Policy 3: hint (advisory)\n\nResult: true\n',
    )
    await giveRights(api, 'manage-workspaces')
    const member = as('member-token')
    expect((await member.get(path)).body.data.attributes.permissions).toEqual({
      'can-override': false,
    })
    expect((await member.post(`${path}/actions/override`)).status).toBe(404)
    const overridden = await api.post(`${path}/actions/override`, { comment: 'fine' })
    expect([overridden.status, overridden.body.data.attributes.status]).toEqual([200, 'overridden'])
    expect(await runs.status(soft.run)).toBe('policy_checked')
    const events = (await api.get(`runs/${soft.run}/run-events`)).body.data
    const actions = events.map((each: { attributes: { action: string } }) => each.attributes.action)
    expect(actions.slice(-4)).toEqual([
      'policy_override',
      'overridden',
      'policy_checked',
      'commented',
    ])
    expect(await runs.act(soft.run, 'discard')).toBe(202)

    const { run, check, status } = await checked({ soft: 'failed' }, always)
    expect([status, check.attributes.status]).toEqual(['policy_override', 'soft_failed'])
    policyCheckTransition.force(world, check.id, 'overridden', {})
    expect((await checkOf(run)).attributes.status).toBe('overridden')
    expect(await runs.act(run, 'discard')).toBe(202)
  })

  test('forced transitions end a check, and a run that is canceled ends it as well', async () => {
    const { runs, checkOf, world, clock } = await withPolicies()
    const run = await runs.create({ 'auto-apply': true })
    clock.advance(2500)
    expect(await runs.status(run)).toBe('policy_checking')
    const { id } = await checkOf(run)
    expect(policyCheckTransition.items(world)).toEqual([
      { id, state: 'queued', to: ['passed', 'soft_failed', 'hard_failed', 'errored'] },
    ])
    policyCheckTransition.force(world, id, 'soft_failed', {})
    expect(await runs.status(run)).toBe('policy_override')
    expect((await checkOf(run)).attributes.result).toMatchObject({ 'soft-failed': 1, passed: 2 })
    expect(await runs.act(run, 'discard')).toBe(202)
    expect((await checkOf(run)).attributes.status).toBe('soft_failed')

    const other = await runs.create()
    clock.advance(2500)
    expect(await runs.act(other, 'cancel')).toBe(202)
    expect((await checkOf(other)).attributes.status).toBe('canceled')
    expect(() => policyCheckTransition.force(world, id, 'passed', {})).toThrow('cannot become')
    expect(() => policyCheckTransition.force(world, 'polchk-x', 'passed', {})).toThrow(
      'there is no',
    )
  })
})

test('behaviour/platform#cost-estimates: a run estimates its costs if server and organization say so', async () => {
  const { api, admin, runs, clock, world } = await withConfiguration({ dialect: 'vendor' })
  world.changeOptions({
    platform: { runOutcome: { cost: { prior: '1.5', proposed: '4.0', matched: 2, unmatched: 1 } } },
  })
  const enabled = resource('cost-estimation-settings', {
    enabled: true,
    'cloud1-access-key-id': 'a',
    'cloud1-secret-key': 'b',
  })
  expect((await admin.patch('admin/cost-estimation-settings', enabled)).status).toBe(200)
  const without = await runs.create({ 'plan-only': true })
  expect((await runs.read(without)).relationships).not.toHaveProperty('cost-estimate')
  const organization = resource('organizations', { 'cost-estimation-enabled': true })
  await api.patch('organizations/example-org', organization)
  await makePolicies(api, { soft: 'soft-mandatory' })

  const run = await runs.create()
  clock.advance(2500)
  expect(await runs.status(run)).toBe('cost_estimating')
  clock.advance(1000)
  expect(await runs.status(run)).toBe('policy_checking')
  clock.advance(1000)
  const { data, included } = (await api.get(`runs/${run}?include=cost_estimate`)).body
  expect(data.attributes.status).toBe('policy_checked')
  const [estimate] = included
  expect(data.relationships['cost-estimate'].data.id).toBe(estimate.id)
  expect(estimate).toEqual({
    id: expect.stringMatching(/^ce-/),
    type: 'cost-estimates',
    attributes: {
      status: 'finished',
      'error-message': null,
      'resources-count': 3,
      'matched-resources-count': 2,
      'unmatched-resources-count': 1,
      'prior-monthly-cost': '1.5',
      'proposed-monthly-cost': '4.0',
      'delta-monthly-cost': '2.5',
      'status-timestamps': { 'queued-at': expect.any(String), 'finished-at': expect.any(String) },
    },
    links: { self: `/api/v2/cost-estimates/${estimate.id}` },
  })
  expect((await api.get(`cost-estimates/${estimate.id}`)).body).toEqual({ data: estimate })
  expect((await api.get(`cost-estimates/${estimate.id}/output`)).text).toBe(
    'Resources: 2 of 3 estimated\n           $4.0/mo +$2.5\n',
  )
  const targeted = await runs.create({ 'plan-only': true, 'target-addrs': ['null_resource.a'] })
  clock.advance(10_000)
  const skipped = await api.get(`runs/${targeted}?include=cost_estimate`)
  expect(skipped.body.included[0].attributes.status).toBe('skipped_due_to_targeting')
})
