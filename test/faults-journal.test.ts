import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { NewFault } from '../routes/faults/fault-shapes.ts'
import { presets } from '../routes/faults/presets/all.ts'
import { Presets } from '../routes/faults/presets/presets.ts'
import { createValidator } from '../routes/http/validate.ts'
import { type Entry, entryOf } from '../routes/journal/entry.ts'
import { fingerprintOf } from '../routes/journal/fingerprint.ts'
import { apiNames } from '../src/api-names.ts'
import { diffSnapshots } from '../state/kernel/diff.ts'
import { exportWorld } from '../state/kernel/document.ts'
import type { World } from '../state/kernel/world.ts'
import { anyDraft, type Draft } from './support/any-request.ts'
import { type Asked, type AskedWorlds, askedWorlds, fill, send } from './support/asked-api.ts'

/** Faults of all kinds, none of which takes long. */
const anyFault: fc.Arbitrary<NewFault> = fc
  .record({
    match: fc.constantFrom({}, { method: ['POST', 'PUT', 'DELETE'] }, { method: 'GET' }),
    when: fc.constantFrom({}, { every: 2 }, { nth: 3 }, { first: 4 }, { probability: 0.4 }),
    phase: fc.constantFrom('before', 'afterCommit'),
    action: fc.constantFrom(
      { status: 503 },
      { status: 200, body: { other: true } },
      { reset: true },
      { hang: '1ms' },
      { latency: '0s' },
      { truncate: 3 },
      { garbage: true },
      { slowBody: { bytesPerSecond: 1e9 } },
    ),
  } as const)
  .map(({ phase, action, ...rest }) => {
    const isLate = 'truncate' in action || 'garbage' in action || 'slowBody' in action
    return { ...rest, action, ...(isLate ? {} : { phase }) } as NewFault
  })

/** Presets that change the world in the middle of a request, as nobody's work. */
const meddling = new Set(['secrets-lease-lost', 'scheduler-index-conflict'])

const parameters = (name: string) => (name === 'any-slow' ? { latency: '0s' } : {})

/** The presets of a world, by the name of one. */
function presetsOf({ world, faults }: AskedWorlds): Presets {
  return new Presets(world, faults.of(world), createValidator())
}

/** Sends a request, of which nothing may come back, and returns what the journal says of it. */
async function told(
  { journals, world }: AskedWorlds,
  { app, maker }: Asked,
  request: Parameters<typeof send>[1],
): Promise<Entry> {
  const reply = await send(app, request).catch(() => undefined)
  if (reply !== undefined) maker.saw(reply.body)
  const visit = [...journals.of(world).records()].at(-1)
  if (visit === undefined) throw new Error('the request was not noted')
  return entryOf(visit, fingerprintOf(world.seed))
}

/** Tables whose keys the journal hides. */
function hidesKeys({ services }: World, table: string): boolean {
  const tables = services.flatMap((service) => service.tables)
  return tables.some(({ id, secretKeys }) => id === table && secretKeys === true)
}

/** What a request did, by what the journal says and by what differs from the moment before. */
function contradictions(
  world: World,
  before: ReturnType<World['snapshot']>,
  { committed, changes }: Entry,
) {
  const fingerprint = fingerprintOf(world.seed)
  const shown = (table: string, key: string) => (hidesKeys(world, table) ? fingerprint(key) : key)
  const last = new Map(changes.map(({ table, key, kind }) => [`${table} ${key}`, kind]))
  const isThere = (table: string, key: string) =>
    [...(world.store.tables.get(table)?.entries() ?? [])].some(
      ([each]) => shown(table, each) === key,
    )
  const differing = diffSnapshots(before.store, world.snapshot().store)
  return {
    /** Rows that changed though the journal does not say so. */
    untold: differing
      .filter(({ table, key, after }) => {
        const kind = after === undefined ? 'delete' : 'put'
        return last.get(`${table} ${shown(table, key)}`) !== kind
      })
      .map(({ table, key }) => `${table} ${key}`),
    /** Changes that the journal tells of and that are not in the store. */
    undone: changes
      .filter(({ table, key }) => isThere(table, key) !== (last.get(`${table} ${key}`) === 'put'))
      .map(({ table, key }) => `${table} ${key}`),
    isDenied: !committed && differing.length > 0,
  }
}

const none = { untold: [], undone: [], isDenied: false }

describe('issue 14: the journal tells of what is in the store, under any faults', () => {
  test.each(apiNames)('of the %s API', async (name) => {
    const asked = askedWorlds()
    const { world, faults } = asked
    const api = await asked.api(name)
    await fill(api, world)
    const filled = world.snapshot()
    const own = presets.filter(
      ({ service, name: preset }) =>
        (service === name || service === 'any') && !meddling.has(preset),
    )
    const scene = fc.record({
      faults: fc.array(anyFault, { maxLength: 3 }),
      presets: fc.subarray(
        own.map((preset) => preset.name),
        { maxLength: 2 },
      ),
      drafts: fc.array(anyDraft, { minLength: 1, maxLength: 30, size: 'max' }),
    })
    await fc.assert(
      fc.asyncProperty(scene, async ({ faults: asks, presets: names, drafts }) => {
        world.restore(filled)
        for (const each of names) presetsOf(asked).apply(each, parameters(each))
        for (const each of asks) faults.of(world).add(each)
        for (const draft of drafts) {
          const request = api.maker.request(draft)
          // What is due is done before each request, and is none of its business.
          world.runDueJobs()
          const before = world.snapshot()
          const entry = await told(asked, api, request)
          const found = contradictions(world, before, entry)
          expect({ ...request, entry, found }).toEqual({ ...request, entry, found: none })
        }
      }),
      { numRuns: 20 },
    )
  })

  test('two runs with one seed fault the same requests', { timeout: 60_000 }, async () => {
    const run = async (drafts: readonly Draft[], asks: readonly NewFault[]) => {
      const asked = askedWorlds()
      const api = await asked.api('mesh')
      await fill(api, asked.world)
      for (const each of asks) asked.faults.of(asked.world).add(each)
      const seen: unknown[] = []
      for (const draft of drafts) {
        const { fault, status, outcome } = await told(asked, api, api.maker.request(draft))
        seen.push([fault, status, outcome])
      }
      return seen
    }
    const drafts = fc.array(anyDraft, { minLength: 20, maxLength: 40, size: 'max' })
    await fc.assert(
      fc.asyncProperty(drafts, fc.array(anyFault, { minLength: 1 }), async (all, asks) => {
        expect(await run(all, asks)).toEqual(await run(all, asks))
      }),
      { numRuns: 3 },
    )
  })
})

describe('issue 14: export, import, export', () => {
  test('gives the same bytes for a world that used all of the four APIs, faults and presets', async () => {
    const asked = askedWorlds()
    const { world, worlds, faults } = asked
    for (const name of apiNames) await fill(await asked.api(name), world)
    for (const { name } of presets) presetsOf(asked).apply(name, parameters(name))
    faults.of(world).add({ when: { probability: 0.5 }, action: { latency: '0s' } })
    for (const name of apiNames) await fill(await asked.api(name), world)
    const document = exportWorld(world)
    const before = faults.of(world).list()
    expect(before.some(({ hits }) => hits > 0)).toBe(true)
    worlds.import(world, document)
    expect(JSON.stringify(exportWorld(world))).toBe(JSON.stringify(document))
    expect(faults.of(world).list()).toEqual(before)
    const other = worlds.create({ id: 'other', document })
    expect(JSON.stringify(exportWorld(other))).toBe(JSON.stringify(document))
    for (const { name } of presets) presetsOf(asked).end(name)
    expect(
      faults
        .of(world)
        .list()
        .map(({ preset }) => preset),
    ).toEqual([null])
  })
})
