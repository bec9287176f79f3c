import { describe, expect, onTestFinished, test } from 'vitest'
import { stateAfter } from '../../../routes/trace/past-state.ts'
import type { Trace } from '../../../routes/trace/trace.ts'
import { createUnderstudy, type EmbeddedWorld } from '../../../src/embedding/index.ts'

type Tables = Record<string, Record<string, unknown>>

/** Returns the rows of a state document in the form of a trace. */
function rowsOf(world: EmbeddedWorld, at?: string): Tables {
  const { secrets, platform, mesh, scheduler } = world.state(at)
  const services = Object.entries<{ readonly tables: object }>({
    secrets,
    platform,
    mesh,
    scheduler,
  })
  return Object.fromEntries(
    services.flatMap(([service, { tables }]) =>
      Object.entries<object>({ ...tables })
        .filter(([, rows]) => Object.keys(rows).length > 0)
        .map(([table, rows]) => [`${service}.${table}`, { ...rows }]),
    ),
  )
}

/**
 * Returns a state without the task groups of allocations: documents leave them out if the job has
 * them, and a trace has rows as they are stored.
 */
function withoutCopies(state: object | undefined): object {
  return JSON.parse(JSON.stringify(state), (_name, value) =>
    isAllocation(value) ? { ...value, Job: { ...value.Job, TaskGroups: null } } : value,
  )
}

function isAllocation(value: unknown): value is { readonly Job: object } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'Job' in value &&
    typeof value.Job === 'object' &&
    'NodeID' in value
  )
}

/** Returns a generator of pseudo-random whole numbers below a limit. */
function randomFrom(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

const job = (id: string, count: number) => ({
  Job: {
    ID: id,
    Name: id,
    Type: 'service',
    Datacenters: ['dc1'],
    TaskGroups: [{ Name: 'g', Count: count, Tasks: [{ Name: 't', Driver: 'docker' }] }],
  },
})

/** A request, as `inject` takes it; those of the mesh go to its own listener. */
type Draft = readonly [
  method: 'GET' | 'PUT' | 'POST' | 'DELETE',
  url: string,
  body?: object | string,
]

function draftOf(random: (limit: number) => number): Draft {
  const name = `n${random(4)}`
  const drafts: readonly Draft[] = [
    ['POST', `/v1/secret/data/${name}`, { data: { value: `secret-value-${random(9)}` } }],
    ['POST', `/v1/secret/data/${name}`, { data: { a: 'b' }, options: { cas: 77 } }],
    ['DELETE', `/v1/secret/metadata/${name}`],
    ['POST', '/v1/auth/token/create', { policies: ['default'], ttl: '1m' }],
    ['GET', `/v1/secret/data/${name}`],
    ['GET', '/v1/nowhere'],
    ['PUT', `mesh:/v1/kv/${name}`, `mesh-value-${random(9)}`],
    ['PUT', `mesh:/v1/kv/${name}?cas=999`, 'x'],
    ['DELETE', `mesh:/v1/kv/${name}`],
    ['PUT', 'mesh:/v1/session/create', { TTL: '20s' }],
    ['POST', '/v1/jobs', job(name, 1 + random(3))],
    ['DELETE', `/v1/job/${name}`],
    ['POST', '/v1/jobs', { Job: {} }],
    [
      'POST',
      '/api/v2/organizations',
      { data: { type: 'organizations', attributes: { name: `org-${name}`, email: 'a@b.c' } } },
    ],
    ['DELETE', `/api/v2/organizations/org-${name}`],
    ['GET', '/api/v2/organizations'],
  ]
  return drafts[random(drafts.length)] ?? ['GET', '/v1/jobs']
}

const authorized: Readonly<Record<string, string>> = {
  'x-vault-token': 'root',
  'x-nomad-token': 'scheduler-management-token',
  authorization: 'Bearer site-admin-token',
}

/** World that receives random requests. */
interface RandomWorld {
  readonly world: EmbeddedWorld
  /** Number of full resets. */
  round: number
  snapshot: string | undefined
}

async function runRandomly(seed: number, collects: boolean) {
  const understudy = await createUnderstudy({
    dialect: 'vendor',
    seed: 'test-of-states',
    clock: 'frozen@2026-01-01T00:00:00Z',
    apiPorts: { mesh: 0 },
  })
  onTestFinished(() => understudy.close())
  await understudy.listen()
  if (collects) understudy.traces.collector.start()
  const random = randomFrom(seed)
  /** States right after each request, by world, round and id. */
  const states = new Map<string, Tables>()
  const statuses = new Set<string>()
  /** Worlds that receive requests: the default world and its latest forks. */
  const worlds: RandomWorld[] = [{ world: understudy.world(), round: 0, snapshot: undefined }]
  let exported = understudy.world().state()
  for (let at = 0; at < 80; at += 1) {
    const target = worlds[random(worlds.length)] ?? worlds[0]
    if (target === undefined) throw new Error('no world')
    const { world } = target
    const [method, url, body] = draftOf(random)
    const headers = {
      ...authorized,
      'content-type': url.startsWith('/api/') ? 'application/vnd.api+json' : 'application/json',
    }
    let id: string | null
    if (url.startsWith('mesh:')) {
      const payload = typeof body === 'object' ? JSON.stringify(body) : body
      const reply = await fetch(world.apiUrl('mesh') + url.slice(5), {
        method,
        ...(payload === undefined ? {} : { body: payload }),
      })
      await reply.text()
      id = reply.headers.get('x-mock-request')
      statuses.add(`${url.slice(0, 11)} ${reply.status}`)
    } else {
      const reply = await world.inject({
        method,
        url,
        headers,
        ...(body === undefined ? {} : { payload: body }),
      })
      id = String(reply.headers['x-mock-request'])
      statuses.add(`${url.slice(0, 11)} ${reply.statusCode}`)
    }
    states.set(`${world.id}/${target.round}/${id}`, rowsOf(world, id ?? ''))
    const event = random(24)
    if (event < 6) world.clock.advance(random(90_000))
    else if (event === 6 && collects) {
      world.reset()
      target.round += 1
      target.snapshot = undefined
    } else if (event === 7) world.reset(['clock'])
    else if (event === 8) world.reset(['state'])
    else if (event === 9) target.snapshot = world.snapshot().id
    else if (event === 10 && target.snapshot !== undefined) world.restore(target.snapshot)
    else if (event === 11) exported = world.state()
    else if (event === 12) world.importState(exported)
    else if (event === 13 && worlds.length < 3) {
      worlds.push({ world: world.fork(), round: 0, snapshot: undefined })
    }
  }
  return { understudy, worlds, states, statuses }
}

/** Compares two values, of which one has fingerprints in place of secrets. */
function withoutSecrets(shown: unknown, plain: unknown): unknown {
  if (typeof shown === 'string' && shown.startsWith('fp:')) return shown
  if (typeof plain !== 'object' || plain === null) return plain
  if (typeof shown !== 'object' || shown === null) return plain
  if (Array.isArray(plain)) {
    return plain.map((item, at) => withoutSecrets((shown as readonly unknown[])[at], item))
  }
  const names = Object.keys(shown)
  return Object.fromEntries(
    Object.entries(plain).map(([name, item], at) => {
      const own = names.includes(name) ? name : (names[at] ?? name)
      return [own, withoutSecrets((shown as Record<string, unknown>)[own], item)]
    }),
  )
}

/** Returns the name of each state of a trace, and the state right after that request. */
function statesIn({ worlds }: Trace): Map<string, object> {
  const states = new Map<string, object>()
  for (const traced of worlds) {
    for (const [position, step] of traced.steps.entries()) {
      if (step.kind !== 'request') continue
      const state = withoutCopies(stateAfter(traced, position))
      states.set(`${traced.id}/${step.round}/${step.entry.id}`, state)
    }
  }
  return states
}

describe('behaviour/program#traces: states of a trace', () => {
  test.each([1, 2])('are those after each request, when collected (%i)', async (seed) => {
    const { understudy, worlds, states, statuses } = await runRandomly(seed, true)
    const trace = await understudy.traces.data({ keepsValues: true })
    expect(trace.worlds.map(({ id }) => id)).toEqual(worlds.map(({ world }) => world.id))
    const shown = statesIn(trace)
    expect([...shown.keys()].toSorted()).toEqual([...states.keys()].toSorted())
    for (const [name, state] of states) {
      expect([name, shown.get(name)]).toEqual([name, withoutCopies(state)])
    }
    // Every API has changed something, and a fork has received requests.
    expect([...statuses].filter((status) => / 20\d$/.test(status)).length).toBeGreaterThan(8)
    expect(worlds.length).toBeGreaterThan(1)
  })

  test.each([4])('are those after each request, from the journal (%i)', async (seed) => {
    const { understudy, worlds, states } = await runRandomly(seed, false)
    const shown = statesIn(await understudy.traces.data({ keepsValues: true }))
    expect([...shown.keys()].toSorted()).toEqual([...states.keys()].toSorted())
    for (const [name, state] of states) {
      expect([name, shown.get(name)]).toEqual([name, withoutCopies(state)])
    }
    expect(worlds.length).toBeGreaterThan(1)
  })

  test('have fingerprints in place of secrets', async () => {
    const { understudy, states } = await runRandomly(6, true)
    const trace = statesIn(await understudy.traces.data())
    for (const [name, state] of trace) {
      const shown: Tables = { ...state }
      const plain: Tables = { ...withoutCopies(states.get(name)) }
      for (const [table, rows] of Object.entries(shown)) {
        if (Object.keys(rows).some((key) => key.startsWith('fp:'))) continue
        expect([table, rows]).toEqual([table, withoutSecrets(rows, plain[table])])
      }
      expect(Object.keys(shown)).toEqual(Object.keys(plain).toSorted())
    }
  })
})
