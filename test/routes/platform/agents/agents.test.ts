import { describe, expect, test } from 'vitest'
import { addAgent } from '../../../../state/platform/agents/agents.ts'
import { extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'
import { withConfiguration } from '../../../support/platform/platform-runs.ts'
import { localPart } from '../../../support/platform/platform-tests.ts'
import {
  giveRights,
  resource,
  type withWorkspace,
} from '../../../support/platform/platform-workspaces.ts'

const section = 'behaviour/platform#agents'
const list = 'organizations/example-org/agent-pools'

/** Returns a server with an agent pool, which has one agent. */
async function withAgent(settings: Parameters<typeof withWorkspace>[0] = {}) {
  const server = await withConfiguration(settings)
  const { api, world } = server
  const reply = await api.post(list, resource('agent-pools', { name: 'builders' }))
  const pool = String(reply.body.data.id)
  const { id: agent } = world.write(() => addAgent(world, { pool, name: 'a', status: 'idle' }))
  return { ...server, pool, agent, agents: `agent-pools/${pool}/agents` }
}

describe(section, () => {
  test.each(['neutral', 'vendor'] as const)(
    '%s: agents are listed, read, counted, moved by force, and deleted once they are gone',
    async (dialect) => {
      const { api, world, pool, agent, agents, clock } = await withAgent({ dialect })
      const { data } = (await api.get(`agents/${agent}`)).body
      expect(data).toEqual({
        id: expect.stringMatching(/^agent-/),
        type: 'agents',
        attributes: {
          name: 'a',
          status: 'idle',
          'ip-address': '127.0.0.1',
          'last-ping-at': expect.any(String),
        },
        links: { self: `/api/v2/agents/${agent}` },
      })
      expect((await api.get(agents)).body.data).toEqual([data])
      clock.advance(60_000)
      const since = { 'filter[last-ping-since]': new Date(world.clock.now()).toISOString() }
      expect((await api.get(agents, { query: since })).body.data).toEqual([])
      const count = async () =>
        (await api.get(`agent-pools/${pool}`)).body.data.attributes['agent-count']
      const force = (id: string, to: string) =>
        world.transitions.get('platform.agent')?.force(world, id, to, {})
      for (const status of ['busy', 'idle']) {
        force(agent, status)
        const refused = await api.delete(`agents/${agent}`)
        const title = 'precondition failed'
        expect([refused.status, refused.body]).toEqual([
          412,
          { errors: [{ status: '412', title }] },
        ])
      }
      expect((await api.get(agents, { query: since })).body.data).toHaveLength(1)
      expect(await count()).toBe(1)
      force(agent, 'exited')
      expect(await count()).toBe(0)
      expect(() => force(agent, 'exited')).toThrow('cannot become exited')
      expect(() => force('agent-x', 'idle')).toThrow('there is no agent "agent-x"')
      expect((await api.delete(`agents/${agent}`)).status).toBe(204)
      expect((await api.get(`agents/${agent}`)).status).toBe(404)
    },
  )

  test('tokens of a pool show their text once, authorize no request and are deleted with the pool', async () => {
    const { api, as, pool, agent } = await withAgent()
    const path = `agent-pools/${pool}/authentication-tokens`
    const blank = await api.post(path, resource('authentication-tokens', { description: ' ' }))
    expect([blank.status, blank.body]).toEqual([
      422,
      invalid(['description', "Description can't be blank"]),
    ])
    const made = await api.post(path, resource('authentication-tokens', { description: 'ci' }))
    const { id, attributes } = made.body.data
    expect([made.status, attributes]).toEqual([
      201,
      {
        'created-at': expect.any(String),
        'last-used-at': null,
        description: 'ci',
        'expired-at': null,
        token: expect.stringContaining('.atlasv1.'),
      },
    ])
    const data = { ...made.body.data, attributes: { ...attributes, token: null } }
    expect((await api.get(path)).body.data).toEqual([data])
    expect((await api.get(`authentication-tokens/${id}`)).body).toEqual({ data })
    const refused = await as(attributes.token).get('account/details')
    expect([refused.status, refused.body]).toEqual([401, failure(401)])
    expect((await as('member-token').get(`authentication-tokens/${id}`)).status).toBe(404)
    expect((await api.delete(`authentication-tokens/${id}`)).status).toBe(204)
    expect((await api.get(path)).body.data).toEqual([])
    const again = await api.post(path, resource('authentication-tokens', { description: 'ci' }))
    await api.delete(`agent-pools/${pool}`)
    expect((await api.get(`authentication-tokens/${again.body.data.id}`)).status).toBe(404)
    expect((await api.get(`agents/${agent}`)).status).toBe(404)
  })

  test('plans and applies of a workspace in agent mode name the pool and its first agent', async () => {
    const { api, id, pool, agent, runs, world } = await withAgent()
    const run = await runs.read(await runs.create())
    const details = async (kind: 'plan' | 'apply') => {
      const path = `${kind === 'plan' ? 'plans' : 'applies'}/${run.relationships[kind].data.id}`
      return (await api.get(path)).body.data.attributes['execution-details']
    }
    expect(await details('plan')).toEqual({ mode: 'remote' })
    const mode = { 'execution-mode': 'agent', 'agent-pool-id': pool }
    await api.patch(`workspaces/${id}`, resource('workspaces', mode))
    const named = { mode: 'agent', 'agent-pool-id': pool, 'agent-pool-name': 'builders' }
    expect(await details('apply')).toEqual({ ...named, 'agent-id': agent, 'agent-name': 'a' })
    world.transitions.get('platform.agent')?.force(world, agent, 'exited', {})
    await api.delete(`agents/${agent}`)
    expect(await details('plan')).toEqual({ ...named, 'agent-id': null, 'agent-name': null })
  })

  test('runs that require agents wait for an idle one, in the order of queuing, and make it busy', async () => {
    const options = { agentsRequired: true }
    const { api, id, pool, agent, runs, world, clock } = await withAgent({ options })
    const mode = { 'execution-mode': 'agent', 'agent-pool-id': pool }
    await api.patch(`workspaces/${id}`, resource('workspaces', mode))
    const statusOf = async () => (await api.get(`agents/${agent}`)).body.data.attributes.status
    const first = await runs.create({ 'plan-only': true })
    const second = await runs.create({ 'plan-only': true })
    const both = async () => [await runs.status(first), await runs.status(second), await statusOf()]
    clock.advance(1_000)
    expect(await both()).toEqual(['planning', 'plan_queued', 'busy'])
    const { relationships } = await runs.read(first)
    const plan = (await api.get(`plans/${relationships.plan.data.id}`)).body.data.attributes
    expect(plan['execution-details']).toMatchObject({ 'agent-id': agent, 'agent-name': 'a' })
    clock.advance(2_000)
    expect(await both()).toEqual(['planned_and_finished', 'planning', 'busy'])
    clock.advance(2_000)
    expect(await both()).toEqual(['planned_and_finished', 'planned_and_finished', 'idle'])

    world.changeOptions({ platform: { agentsLost: true } })
    const third = await runs.create({ 'plan-only': true })
    clock.advance(10_000)
    expect([await runs.status(third), await statusOf()]).toEqual(['plan_queued', 'unknown'])
    world.changeOptions({ platform: { agentsLost: false } })
    for (const to of ['exited', 'idle']) {
      world.transitions.get('platform.agent')?.force(world, agent, to, {})
    }
    expect(await runs.status(third)).toBe('planning')
  })

  // choice/platform#agent-lost
  test('a run whose agent ends fails, and one whose agent is unknown waits for it', async () => {
    const options = { agentsRequired: true }
    const { api, id, pool, agent, runs, world, clock } = await withAgent({ options })
    const mode = { 'execution-mode': 'agent', 'agent-pool-id': pool }
    await api.patch(`workspaces/${id}`, resource('workspaces', mode))
    const move = (to: string) =>
      world.transitions.get('platform.agent')?.force(world, agent, to, {})
    const run = await runs.create({ 'auto-apply': true })
    clock.advance(1_000)
    move('unknown')
    clock.advance(10_000)
    expect(await runs.status(run)).toBe('planning')
    expect(await runs.act(run, 'cancel')).toBe(202)
    clock.advance(10_000)
    expect(await runs.status(run)).toBe('planning')
    clock.advance(60_000)
    expect(await runs.act(run, 'force-cancel')).toBe(202)

    for (const [status, part, busy] of [
      ['exited', 'plan', 'planning'],
      ['errored', 'apply', 'applying'],
    ] as const) {
      move('idle')
      const failing = await runs.create({ 'auto-apply': true })
      clock.advance(part === 'plan' ? 1_000 : 3_000)
      expect(await runs.status(failing)).toBe(busy)
      move('unknown')
      move('busy')
      move(status)
      const { attributes, relationships } = await runs.read(failing)
      expect(attributes.status).toBe('errored')
      const { data } = (
        await api.get(`${part === 'plan' ? 'plans' : 'applies'}/${relationships[part].data.id}`)
      ).body
      expect(data.attributes.status).toBe('errored')
      const log = await api.get(localPart(data.attributes['log-read-url']), { token: null })
      expect(log.text).toContain('Agent lost')
    }
  })

  test('waiting runs continue when an option no longer holds them', async () => {
    const options = { agentsRequired: true, holdRuns: true }
    const { api, id, pool, agent, runs, world, clock } = await withAgent({ options })
    world.transitions.get('platform.agent')?.force(world, agent, 'exited', {})
    const mode = { 'execution-mode': 'agent', 'agent-pool-id': pool }
    await api.patch(`workspaces/${id}`, resource('workspaces', mode))
    const run = await runs.create({ 'plan-only': true })
    clock.advance(60_000)
    expect(await runs.status(run)).toBe('pending')
    world.changeOptions({ platform: { holdRuns: false, runQueuedTime: '1h' } })
    clock.advance(1_000)
    expect(await runs.status(run)).toBe('plan_queued')
    world.changeOptions({ platform: { agentsRequired: false } })
    clock.advance(60_000)
    expect(await runs.status(run)).toBe('plan_queued')
    world.changeOptions({ platform: { runQueuedTime: '1s' } })
    expect(await runs.status(run)).toBe('planning')
  })

  test.each([
    ['a member without rights', 'member-token', [], [404, 404, 404, 404, 404]],
    ['manage-agent-pools', 'member-token', ['manage-agent-pools'], [200, 200, 200, 201, 204]],
    ['manage-workspaces', 'member-token', ['manage-workspaces'], [200, 200, 200, 404, 404]],
    ['the organization token', extraTokens.organization, [], [200, 200, 200, 201, 204]],
    ['a stranger', extraTokens.outsider, [], [404, 404, 404, 404, 404]],
  ] as const)(
    '%s: list and read agents, list and make tokens, delete an agent',
    async (_who, token, rights, statuses) => {
      const { api, as, world, pool, agent, agents } = await withAgent()
      await giveRights(api, ...rights)
      world.transitions.get('platform.agent')?.force(world, agent, 'errored', {})
      const client = as(token)
      const tokens = `agent-pools/${pool}/authentication-tokens`
      expect([
        (await client.get(agents)).status,
        (await client.get(`agents/${agent}`)).status,
        (await client.get(tokens)).status,
        (await client.post(tokens, resource('authentication-tokens', { description: 'd' }))).status,
        (await client.delete(`agents/${agent}`)).status,
      ]).toEqual(statuses)
    },
  )
})
