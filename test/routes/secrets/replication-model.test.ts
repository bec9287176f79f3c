import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createOperationToken } from '../../../state/secrets/replication/operation-tokens.ts'
import { type Cluster, twoClusters, waitUntil } from '../../support/secrets/replication.ts'
import type { Reply } from '../../support/secrets/secrets.ts'

const dr = 'sys/replication/dr'

/** The expected state of a cluster (behaviour/secrets#api-replication). */
interface Model {
  mode: 'disabled' | 'primary' | 'secondary'
  /** Number of the set to which the cluster belongs. */
  set: number
  /** The primary that it follows, and its id there. */
  follows: { readonly primary: Model; readonly id: string } | undefined
  /** Ids of the secondaries that may connect. */
  members: Set<string>
  severed: boolean
  /** Values of the secrets in the cluster, by name. */
  data: Map<string, number>
}

/** A cluster with its expected state. */
interface Pair {
  readonly model: Model
  readonly real: Cluster
}

/** An action on a cluster, or on two clusters. */
interface Step {
  readonly what: keyof typeof steps
  readonly at: number
  readonly other: number
  readonly key: string
}

const wrong = {
  enabled: 'replication is already enabled on this cluster',
  primary: 'replication is not enabled as a DR primary on this cluster',
  secondary: 'replication is not enabled as a DR secondary on this cluster',
  gate: 'path disabled in replication DR secondary mode',
}

/** Fails unless the reply is the refusal of a call in the wrong mode. */
function expectRefused(reply: Reply, text: string): void {
  expect(reply).toMatchObject({ status: 400, body: { errors: [text] } })
}

/** All actions, each on the real cluster and on the model. */
const steps = {
  async write({ model, real }: Pair, _other: Pair, key: string, n: number) {
    const reply = await real.secrets.post(`kv/${key}`, { n })
    if (model.mode === 'secondary') return expectRefused(reply, wrong.gate)
    expect(reply.status).toBe(204)
    model.data.set(key, n)
  },
  async remove({ model, real }: Pair, _other: Pair, key: string) {
    const reply = await real.secrets.delete(`kv/${key}`)
    if (model.mode === 'secondary') return expectRefused(reply, wrong.gate)
    model.data.delete(key)
  },
  async enablePrimary({ model, real }: Pair, _other: Pair, _key: string, n: number) {
    const reply = await real.secrets.post(`${dr}/primary/enable`)
    if (model.mode === 'secondary') return expectRefused(reply, wrong.gate)
    if (model.mode === 'primary') return expectRefused(reply, wrong.enabled)
    expect(reply.status).toBe(200)
    Object.assign(model, { mode: 'primary', set: n, members: new Set() })
  },
  async demote({ model, real }: Pair) {
    const reply = await real.secrets.post(`${dr}/primary/demote`)
    if (model.mode === 'secondary') return expectRefused(reply, wrong.gate)
    if (model.mode === 'disabled') return expectRefused(reply, wrong.primary)
    Object.assign(model, { mode: 'secondary', follows: undefined, members: new Set() })
  },
  async disablePrimary({ model, real }: Pair) {
    const reply = await real.secrets.post(`${dr}/primary/disable`)
    if (model.mode === 'secondary') return expectRefused(reply, wrong.gate)
    if (model.mode === 'disabled') return expectRefused(reply, wrong.primary)
    Object.assign(model, { mode: 'disabled', members: new Set() })
  },
  async join({ model, real }: Pair, other: Pair, _key: string, n: number) {
    const token = await ticketOf(other, `id-${n}`)
    const reply = await real.secrets.post(`${dr}/secondary/enable`, { token: token ?? 'none' })
    if (model.mode === 'secondary') return expectRefused(reply, wrong.gate)
    if (model.mode === 'primary') return expectRefused(reply, wrong.enabled)
    if (token === undefined) return void expect(reply.status).toBe(400)
    expect(reply.status).toBe(200)
    const { set } = other.model
    Object.assign(model, { mode: 'secondary', set, severed: false, data: new Map() })
    admit(model, other.model, `id-${n}`)
  },
  async promote({ model, real }: Pair) {
    const reply = await operate(real, 'promote', {})
    if (model.mode !== 'secondary') return expectRefused(reply, wrong.secondary)
    expect(reply.status).toBe(200)
    Object.assign(model, { mode: 'primary', follows: undefined, members: new Set() })
  },
  async updatePrimary({ model, real }: Pair, other: Pair, _key: string, n: number) {
    const token = await ticketOf(other, `id-${n}`)
    const reply = await operate(real, 'update-primary', { token: token ?? 'none' })
    if (model.mode !== 'secondary') return expectRefused(reply, wrong.secondary)
    const joins = token !== undefined && model.set === other.model.set
    expect(reply.status).toBe(joins ? 200 : 400)
    if (joins) admit(model, other.model, `id-${n}`)
  },
  async forgetPrimary({ model, real }: Pair) {
    const reply = await operate(real, 'update-primary', { token: '' })
    if (model.mode !== 'secondary') return expectRefused(reply, wrong.secondary)
    model.follows = undefined
  },
  async disableSecondary({ model, real }: Pair) {
    const reply = await real.secrets.post(`${dr}/secondary/disable`)
    if (model.mode !== 'secondary') return expectRefused(reply, wrong.secondary)
    Object.assign(model, { mode: 'disabled', follows: undefined })
  },
  async revoke({ model, real }: Pair) {
    const [id] = model.members
    if (id === undefined) return
    const reply = await real.secrets.post(`${dr}/primary/revoke-secondary`, { id })
    expect(reply.status).toBe(204)
    model.members.delete(id)
  },
  async sever(pair: Pair) {
    if (forceLink(pair, 'disconnected')) pair.model.severed = true
  },
  async restore(pair: Pair) {
    if (forceLink(pair, 'connected')) pair.model.severed = false
  },
  async wait({ real }: Pair) {
    real.world.advance(60_000)
  },
}

/** Returns an activation token of a primary; undefined for any other cluster. */
async function ticketOf({ model, real }: Pair, id: string): Promise<string | undefined> {
  const reply = await real.secrets.post(`${dr}/primary/secondary-token`, { id })
  if (model.mode === 'primary') return reply.body.wrap_info.token
  expectRefused(reply, model.mode === 'secondary' ? wrong.gate : wrong.primary)
  return undefined
}

function operate({ world, secrets }: Cluster, what: string, body: object): Promise<Reply> {
  const dr_operation_token = createOperationToken(world)
  return secrets.post(`${dr}/secondary/${what}`, { dr_operation_token, ...body }, { token: null })
}

function admit(model: Model, primary: Model, id: string): void {
  primary.members.add(id)
  model.follows = { primary, id }
  // The new link is not the one that was cut.
  model.severed = false
}

/** Cuts or restores the link of a secondary. Returns false if there is no link. */
function forceLink({ model, real: { world } }: Pair, to: string): boolean {
  if (model.mode !== 'secondary' || model.follows === undefined) return false
  const kind = world.transitions.get('secrets.replication-link')
  world.write(() => kind?.force(world, 'primary', to, {}))
  return true
}

/** Returns whether a secondary should be connected. */
function isConnected({ follows, severed: cut }: Model): boolean {
  return follows !== undefined && !cut && follows.primary.members.has(follows.id)
}

/** Waits until the links are in their expected state, then compares the clusters with the model. */
async function check(pairs: readonly Pair[]): Promise<void> {
  for (const { model, real } of pairs) {
    const primary = model.follows?.primary
    if (model.mode !== 'secondary' || primary === undefined) continue
    const connected = isConnected(model)
    const source = pairs.find((pair) => pair.model === primary)
    await waitUntil(async () => {
      const status = await real.status()
      if (!connected) return status.primaries[0].connection_status === 'disconnected'
      const theirs = await source?.real.status()
      return status.state === 'stream-wals' && status.merkle_root === theirs.merkle_root
    })
    if (connected) model.data = new Map(primary.data)
  }
  for (const { model, real } of pairs) await compare(model, real)
}

async function compare(model: Model, real: Cluster): Promise<void> {
  const status = await real.status()
  expect(status.mode).toBe(model.mode)
  if (model.mode === 'primary') {
    expect(new Set(status.known_secondaries)).toEqual(model.members)
    expect(
      new Set(status.secondaries.map(({ node_id }: { node_id: string }) => node_id)).size,
    ).toBe(model.members.size)
  }
  // A secondary does not serve its data; the merkle root and a later promotion compare them.
  if (model.mode === 'secondary') return
  const { body, status: listed } = await real.secrets.list('kv')
  expect(listed === 404 ? [] : body.data.keys).toEqual([...model.data.keys()].sort())
  for (const [key, n] of model.data) {
    expect((await real.secrets.get(`kv/${key}`)).body.data).toEqual({ n })
  }
}

/**
 * Ten tests with three histories each: a test waits for the network and has the suite's time limit,
 * so each is short. The seed in the title repeats a failed history.
 */
const seeds = Array.from({ length: 10 }, () => Math.floor(Math.random() * 2 ** 31))

describe('behaviour/secrets#api-replication', () => {
  test.each(seeds)(
    'random histories (seed %i) of three clusters follow the table, and secondaries their primaries',
    async (seed) => {
      const step: fc.Arbitrary<Step> = fc.record({
        what: fc.constantFrom(...(Object.keys(steps) as (keyof typeof steps)[])),
        at: fc.nat(2),
        other: fc.nat(2),
        key: fc.constantFrom('a', 'b', 'c'),
      })
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (history) => {
          const { first, second, addCluster: more } = await twoClusters()
          const pairs = [first, second, more('third')].map(
            (real): Pair => ({ real, model: idle() }),
          )
          // Every history starts with a connected pair, which random steps rarely reach.
          await run(pairs, { what: 'enablePrimary', at: 0, other: 1, key: '' }, 1)
          await run(pairs, { what: 'join', at: 1, other: 0, key: '' }, 2)
          for (const [at, next] of history.entries()) await run(pairs, next, at + 3)
        }),
        { numRuns: 3, seed },
      )
    },
  )
})

function idle(): Model {
  return {
    mode: 'disabled',
    set: 0,
    follows: undefined,
    members: new Set(),
    severed: false,
    data: new Map(),
  }
}

async function run(pairs: readonly Pair[], { what, at, other, key }: Step, n: number) {
  const [pair, counterpart] = [pairs[at], pairs[other]]
  if (pair === undefined || counterpart === undefined) throw new Error('there are three clusters')
  await steps[what](pair, counterpart, key, n)
  await check(pairs)
}
