import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { apiNames } from '../src/api-names.ts'
import { diffSnapshots } from '../state/kernel/store/diff.ts'
import { exportWorld } from '../state/kernel/worlds/document.ts'
import type { World } from '../state/kernel/worlds/world.ts'
import { isAllowedChange, isPartialBatch } from './support/generated/allowed-changes.ts'
import { apiWorlds, send, sendSamples, services } from './support/generated/api-worlds.ts'
import { draftArbitrary, type GeneratedRequest } from './support/generated/generated-requests.ts'

/** Content of a world that requests can change. */
type WorldContent = ReturnType<typeof contentOf>

function contentOf(world: World) {
  const { store, ids } = world.snapshot()
  return { store, ids, document: JSON.stringify(exportWorld(world)) }
}

/** A request and its reply. */
interface RefusedRequest extends GeneratedRequest {
  readonly statusCode: number
  readonly body: string
}

/**
 * Returns whether a refused request may have used up ids: if its reply contains a request id, or if
 * it joins another cluster. A join waits for the other cluster while other requests run, so it
 * cannot give ids back.
 */
function mayUseIds({ url, body }: RefusedRequest): boolean {
  const joins = /^\/v1\/sys\/replication\/dr\/secondary\/(enable|update-primary)(\?|$)/
  return body.includes('"request_id":') || joins.test(url)
}

/** Returns one text for each change that a refused request must not have made. */
function changesSince(
  world: World,
  before: WorldContent,
  refused: RefusedRequest,
): readonly string[] {
  if (isPartialBatch(refused)) return []
  const after = contentOf(world)
  const rows = diffSnapshots(before.store, after.store)
  const changedRows = rows
    .filter((row) => !isAllowedChange(row))
    .map(({ table, key }) => `${table} ${key}`)
  const idsUsed = before.ids.join() !== after.ids.join()
  const ids = idsUsed && !mayUseIds(refused) ? ['ids'] : []
  if (rows.length > 0) return [...changedRows, ...ids]
  const indexes = services
    .filter(({ name }) => before.store.indexes.get(name) !== after.store.indexes.get(name))
    .map(({ name }) => `index of ${name}`)
  // The document also contains the position of the ids.
  const pending = idsUsed || before.document === after.document ? [] : ['pending work']
  return [...indexes, ...ids, ...pending]
}

describe('behaviour/program#worlds: nothing is left of a refused request', () => {
  test.each(apiNames)('of the %s API', async (name) => {
    const { world, api } = apiWorlds()
    const apiUnderTest = await api(name)
    const { app, generator } = apiUnderTest
    await sendSamples(apiUnderTest, world)
    const afterSamples = world.snapshot()
    await fc.assert(
      fc.asyncProperty(
        fc.array(draftArbitrary, { minLength: 1, maxLength: 60, size: 'max' }),
        async (drafts) => {
          world.restore(afterSamples)
          for (const draft of drafts) {
            const request = generator.request(draft)
            // Due jobs run before each request, even if the request is refused, so they run here
            // first.
            world.runDueJobs()
            const before = contentOf(world)
            const { statusCode, body } = await send(app, request)
            generator.remember(body)
            if (statusCode < 400) continue
            const refused = { ...request, statusCode, body }
            const changes = changesSince(world, before, refused)
            expect({ ...refused, changes }).toEqual({ ...refused, changes: [] })
          }
        },
      ),
      { numRuns: 25 },
    )
  })
})
