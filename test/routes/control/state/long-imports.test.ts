import { describe, expect, test } from 'vitest'
import { ProcessControl } from '../../../../routes/control/worlds/process-control.ts'
import { FaultInjector } from '../../../../routes/faults/fault-injector.ts'
import { Journals } from '../../../../routes/journal/journal.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { drainEventLoop } from '../../../support/blocked-reads.ts'
import { control } from '../../../support/control.ts'
import { notes, plants } from '../../../support/kernel.ts'
import { countTurns, slowClock } from '../../../support/turns.ts'

/** Returns a document that is loaded in several turns because of its number of rows. */
function longDocument(count = 2000, text = 'new') {
  const rows = Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, { text }]))
  return { garden: { tables: { notes: rows } } }
}

const sizeOf = (world: World) => world.table(notes).size

/** Starts a server with a note in the default world, and another world. */
async function served() {
  const server = await control()
  const { world, worlds, ask } = server
  world.write(() => world.table(notes).put('old', { text: 'old' }))
  const state = async () => (await ask('GET', '/state')).text
  return { ...server, other: worlds.create({ id: 'other' }), state }
}

/** Returns a connection that is open only for the first reads of its state. */
function leavingClient(looks: number) {
  let left = looks
  return {
    get closed() {
      left -= 1
      return left < 0
    },
    onClose: () => () => {},
  }
}

describe('behaviour/program#bounds: the import of a long document', () => {
  test('yields to other worlds, and replaces the state after its last turn', async () => {
    const { ask, world, other } = await served()
    slowClock(6)
    let isDone = false
    const seen = new Set<number>()
    const look = async () => {
      while (!isDone) {
        seen.add(sizeOf(world))
        await other.request(() => other.table(notes).size)
        await new Promise(setImmediate)
      }
    }
    const turns = await countTurns(async () => {
      const looking = look()
      expect((await ask('PUT', '/state', longDocument())).status).toBe(204)
      isDone = true
      await looking
    })
    expect(turns).toBeGreaterThan(20)
    expect([[...seen], sizeOf(world)]).toEqual([[1], 2000])
  })

  test('makes requests of the same world wait in order', async () => {
    const { ask, world } = await served()
    slowClock(6)
    const order: string[] = []
    const imported = ask('PUT', '/state', longDocument())
    await drainEventLoop()
    const read = (name: string) =>
      Promise.resolve(world.request(() => sizeOf(world))).then((size) => {
        order.push(`${name}: ${size}`)
      })
    await Promise.all([imported, read('first'), read('second')])
    expect(order).toEqual(['first: 2000', 'second: 2000'])
  })

  test('has the result of an import without pauses', async () => {
    const document = { ...longDocument(300), options: { garden: { soil: 'sand' } } }
    const [inTurns, atOnce] = [await served(), await served()]
    atOnce.worlds.import(atOnce.world, document)
    slowClock(6)
    expect((await inTurns.ask('PUT', '/state', document)).status).toBe(204)
    expect(await inTurns.state()).toBe(await atOnce.state())
  })

  test('is parsed in turns as well', async () => {
    const { ask, world } = await served()
    const document = longDocument(20, 'x'.repeat(100_000))
    slowClock(25)
    let status: number | undefined
    const turns = await countTurns(async () => {
      const reply = await ask('PUT', '/state', JSON.stringify(document))
      status = reply.status
    })
    expect([status, sizeOf(world)]).toEqual([204, 20])
    // The document has about two megabytes, and a quarter of a megabyte is parsed per turn.
    expect(turns).toBeGreaterThan(12)
  })

  test('changes nothing if the document is refused', async () => {
    const { ask, state } = await served()
    const before = await state()
    slowClock(6)
    const { garden } = longDocument()
    const mistakes = [
      { garden: { tables: { notes: { ...garden.tables.notes, n1999: { text: 1 } } } } },
      { garden: { ...garden, heights: { weed: 1 } } },
    ]
    const refusals = ['/garden/tables/notes/n1999/text must be string', 'weeds are not planted']
    for (const [at, document] of mistakes.entries()) {
      const { status, body } = await ask('PUT', '/state', document)
      expect([status, body.detail]).toEqual([400, expect.stringContaining(refusals[at] ?? '')])
    }
    const cut = JSON.stringify(longDocument(20, 'x'.repeat(100_000))).slice(0, -1)
    const { status, body } = await ask('PUT', '/state', cut)
    expect([status, body.detail]).toEqual([400, expect.stringMatching(/is not valid JSON: .*JSON/)])
    expect(await state()).toBe(before)
  })

  test('changes nothing if the client leaves before its end', async () => {
    const { world, worlds, state } = await served()
    const before = await state()
    const process = new ProcessControl({
      worlds,
      journals: new Journals(),
      faults: new FaultInjector(),
      describe: () => ({ name: 'n', version: 'v', dialect: 'neutral', ports: {} }),
    })
    slowClock(6)
    for (const looks of [0, 1, 40]) {
      await expect(
        process.world().importStateInTurns(longDocument(), leavingClient(looks)),
      ).rejects.toThrow('disconnected')
      expect(await state()).toBe(before)
      expect(await world.request(() => sizeOf(world))).toBe(1)
    }
  })

  test('ends with 404 if the world is deleted before its end', async () => {
    const { ask, other } = await served()
    slowClock(6)
    const importing = ask('PUT', '/worlds/other/state', longDocument())
    await drainEventLoop()
    expect((await ask('DELETE', '/worlds/other')).status).toBe(204)
    expect((await importing).status).toBe(404)
    expect(sizeOf(other)).toBe(0)
  })

  test('follows an import that began earlier', async () => {
    const { ask, world } = await served()
    slowClock(6)
    const imports = [longDocument(900), longDocument(300)].map((document) =>
      ask('PUT', '/state', document),
    )
    const replies = await Promise.all(imports)
    expect(replies.map(({ status }) => status)).toEqual([204, 204])
    expect(sizeOf(world)).toBe(300)
    expect(world.table(plants).size).toBe(1)
  })
})
