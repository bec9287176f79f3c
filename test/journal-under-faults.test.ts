import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { NewFault } from '../routes/faults/declare/fault-shapes.ts'
import { PresetCatalog } from '../routes/faults/presets/catalog.ts'
import { Presets } from '../routes/faults/presets/presets.ts'
import { type Entry, entryOf } from '../routes/journal/entry.ts'
import { fingerprintOf } from '../routes/journal/fingerprint.ts'
import { apiNames } from '../src/api-names.ts'
import { presetsOf, services } from '../src/services.ts'
import { diffSnapshots } from '../state/kernel/store/diff.ts'
import { exportWorld } from '../state/kernel/worlds/document.ts'
import type { World } from '../state/kernel/worlds/world.ts'
import {
  type ApiUnderTest,
  type ApiWorlds,
  apiWorlds,
  send,
  sendSamples,
} from './support/generated/api-worlds.ts'
import { draftArbitrary, type RequestDraft } from './support/generated/generated-requests.ts'

/** Faults of all kinds. None of them takes long. */
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

/**
 * Presets that change the world in the middle of a request. The journal does not attribute these
 * changes to any request.
 */
const interfering = new Set(['secrets-lease-lost', 'scheduler-index-conflict'])

const parameters = (name: string) => (name === 'any-slow' ? { latency: '0s' } : {})

const { all: presets } = new PresetCatalog(presetsOf(services))

/** Returns the control of a world's presets. */
function presetsIn({ world, faults }: ApiWorlds): Presets {
  return new Presets(world, faults.of(world))
}

/** Sends a request, which may get no reply, and returns its journal entry. */
async function journalEntry(
  { journals, world }: ApiWorlds,
  { app, generator }: ApiUnderTest,
  request: Parameters<typeof send>[1],
): Promise<Entry> {
  const reply = await send(app, request).catch(() => undefined)
  if (reply !== undefined) generator.remember(reply.body)
  const visit = [...journals.of(world).records()].at(-1)
  if (visit === undefined) throw new Error('the request was not noted')
  return entryOf(visit, fingerprintOf(world.seed))
}

/** Returns true for a table whose keys the journal replaces by fingerprints. */
function hidesKeys({ services }: World, table: string): boolean {
  const tables = services.flatMap((service) => service.tables)
  return tables.some(
    ({ id, secrets }) => id === table && secrets !== 'none' && secrets.key === true,
  )
}

/**
 * Returns the contradictions between a journal entry and the changes in the store since the
 * snapshot.
 */
function contradictions(
  world: World,
  before: ReturnType<World['snapshot']>,
  { committed, changes }: Entry,
) {
  const fingerprint = fingerprintOf(world.seed)
  const journalKey = (table: string, key: string) =>
    hidesKeys(world, table) ? fingerprint(key) : key
  const last = new Map(changes.map(({ table, key, kind }) => [`${table} ${key}`, kind]))
  const isThere = (table: string, key: string) =>
    [...(world.store.tables.get(table)?.entries() ?? [])].some(
      ([each]) => journalKey(table, each) === key,
    )
  const differing = diffSnapshots(before.store, world.snapshot().store)
  return {
    /** Rows that changed without a change in the journal entry. */
    unjournaled: differing
      .filter(({ table, key, after }) => {
        const kind = after === undefined ? 'delete' : 'put'
        return last.get(`${table} ${journalKey(table, key)}`) !== kind
      })
      .map(({ table, key }) => `${table} ${key}`),
    /** Changes in the journal entry that the store does not contain. */
    undone: changes
      .filter(({ table, key }) => isThere(table, key) !== (last.get(`${table} ${key}`) === 'put'))
      .map(({ table, key }) => `${table} ${key}`),
    isDenied: !committed && differing.length > 0,
  }
}

const none = { unjournaled: [], undone: [], isDenied: false }

describe('the journal agrees with the store under any faults', () => {
  test.each(apiNames)('of the %s API', async (name) => {
    const apis = apiWorlds()
    const { world, faults } = apis
    const api = await apis.api(name)
    await sendSamples(api, world)
    const afterSamples = world.snapshot()
    const applicable = presets.filter(
      ({ service, name: preset }) =>
        (service === name || service === 'any') && !interfering.has(preset),
    )
    const scenario = fc.record({
      faults: fc.array(anyFault, { maxLength: 3 }),
      presets: fc.subarray(
        applicable.map((preset) => preset.name),
        { maxLength: 2 },
      ),
      drafts: fc.array(draftArbitrary, { minLength: 1, maxLength: 30, size: 'max' }),
    })
    await fc.assert(
      fc.asyncProperty(scenario, async ({ faults: newFaults, presets: names, drafts }) => {
        world.restore(afterSamples)
        for (const each of names) presetsIn(apis).apply(each, parameters(each))
        for (const each of newFaults) faults.of(world).add(each)
        for (const draft of drafts) {
          const request = api.generator.request(draft)
          // Due jobs run before each request and do not belong to it, so they run here first.
          world.runDueJobs()
          const before = world.snapshot()
          const entry = await journalEntry(apis, api, request)
          const found = contradictions(world, before, entry)
          expect({ ...request, entry, found }).toEqual({ ...request, entry, found: none })
        }
      }),
      { numRuns: 20 },
    )
  })

  test('two runs with one seed fault the same requests', { timeout: 60_000 }, async () => {
    const run = async (drafts: readonly RequestDraft[], newFaults: readonly NewFault[]) => {
      const apis = apiWorlds()
      const api = await apis.api('mesh')
      await sendSamples(api, apis.world)
      for (const each of newFaults) apis.faults.of(apis.world).add(each)
      const seen: unknown[] = []
      for (const draft of drafts) {
        const { fault, status, outcome } = await journalEntry(
          apis,
          api,
          api.generator.request(draft),
        )
        seen.push([fault, status, outcome])
      }
      return seen
    }
    const drafts = fc.array(draftArbitrary, { minLength: 20, maxLength: 40, size: 'max' })
    await fc.assert(
      fc.asyncProperty(drafts, fc.array(anyFault, { minLength: 1 }), async (all, newFaults) => {
        expect(await run(all, newFaults)).toEqual(await run(all, newFaults))
      }),
      { numRuns: 3 },
    )
  })
})

describe('an exported state', () => {
  test('gives the same bytes for a world that used all of the four APIs, faults and presets', async () => {
    const apis = apiWorlds()
    const { world, worlds, faults } = apis
    for (const name of apiNames) await sendSamples(await apis.api(name), world)
    for (const { name } of presets) presetsIn(apis).apply(name, parameters(name))
    faults.of(world).add({ when: { probability: 0.5 }, action: { latency: '0s' } })
    for (const name of apiNames) await sendSamples(await apis.api(name), world)
    const document = exportWorld(world)
    const before = faults.of(world).list()
    expect(before.some(({ hits }) => hits > 0)).toBe(true)
    worlds.import(world, document)
    expect(JSON.stringify(exportWorld(world))).toBe(JSON.stringify(document))
    expect(faults.of(world).list()).toEqual(before)
    const other = worlds.create({ id: 'other', document })
    expect(JSON.stringify(exportWorld(other))).toBe(JSON.stringify(document))
    for (const { name } of presets) presetsIn(apis).end(name)
    expect(
      faults
        .of(world)
        .list()
        .map(({ preset }) => preset),
    ).toEqual([null])
  })
})
