import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { apiNames } from '../src/api-names.ts'
import { diffSnapshots } from '../state/kernel/diff.ts'
import { exportWorld } from '../state/kernel/document.ts'
import type { World } from '../state/kernel/world.ts'
import { type AnyRequest, anyDraft } from './support/any-request.ts'
import { askedWorlds, fill, send, services } from './support/asked-api.ts'
import { inParts, isKept } from './support/refused.ts'

/** Everything of a world that a request can change. */
type Everything = ReturnType<typeof everythingOf>

function everythingOf(world: World) {
  const { store, ids } = world.snapshot()
  return { store, ids, document: JSON.stringify(exportWorld(world)) }
}

/** A request and its reply. */
interface Refused extends AnyRequest {
  readonly statusCode: number
  readonly body: string
}

/**
 * Whether ids may be drawn: for a reply that tells its own, and by joining another cluster, which
 * waits for its answer with other requests in between and cannot give back what was drawn before.
 */
function mayDraw({ url, body }: Refused): boolean {
  const joins = /^\/v1\/sys\/replication\/dr\/secondary\/(enable|update-primary)(\?|$)/
  return body.includes('"request_id":') || joins.test(url)
}

/** What differs between then and now beyond what is kept, in words. */
function changesSince(world: World, before: Everything, refused: Refused): readonly string[] {
  if (inParts(refused)) return []
  const after = everythingOf(world)
  const rows = diffSnapshots(before.store, after.store)
  const others = rows.filter((row) => !isKept(row)).map(({ table, key }) => `${table} ${key}`)
  const drew = before.ids.join() !== after.ids.join()
  const ids = drew && !mayDraw(refused) ? ['ids'] : []
  if (rows.length > 0) return [...others, ...ids]
  const indexes = services
    .filter(({ name }) => before.store.indexes.get(name) !== after.store.indexes.get(name))
    .map(({ name }) => `index of ${name}`)
  // The document has the position of the ids too.
  const pending = drew || before.document === after.document ? [] : ['pending work']
  return [...indexes, ...ids, ...pending]
}

describe('behaviour/program#worlds: nothing is left of a refused request', () => {
  test.each(apiNames)('of the %s API', async (name) => {
    const { world, api } = askedWorlds()
    const asked = await api(name)
    const { app, maker } = asked
    await fill(asked, world)
    const filled = world.snapshot()
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyDraft, { minLength: 1, maxLength: 60, size: 'max' }),
        async (drafts) => {
          world.restore(filled)
          for (const draft of drafts) {
            const request = maker.request(draft)
            // What is due is done before each request, refused or not.
            world.runDueJobs()
            const before = everythingOf(world)
            const { statusCode, body } = await send(app, request)
            maker.saw(body)
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
