import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, test, vi } from 'vitest'
import { eventHubOf } from '../../../routes/events/hub.ts'
import { eventStream, parseEventTypes } from '../../../routes/events/stream.ts'
import { Journals } from '../../../routes/journal/journal.ts'
import { notes, testWorlds } from '../../support/kernel.ts'

function parts() {
  const worlds = testWorlds()
  const journal = new Journals().of(worlds.default)
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  return { worlds, journal, response, world: worlds.default }
}

test('behaviour/program#events: comments keep an idle stream from looking closed', async () => {
  const { worlds, journal, response } = parts()
  const stream = eventStream(
    {
      worlds,
      journal,
      response,
      types: parseEventTypes(undefined),
      allWorlds: false,
      after: undefined,
    },
    5,
  )
  let text = ''
  stream.on('data', (piece) => {
    text += piece
  })
  await expect.poll(() => text.match(/^: *$/gm)?.length ?? 0).toBeGreaterThan(2)
  stream.destroy()
  await expect.poll(() => stream.closed).toBe(true)
  const then = text
  worlds.default.advance(1000)
  expect(text).toBe(then)
})

test('behaviour/program#events: events without listeners are not built', () => {
  const { journal, world } = parts()
  const hub = eventHubOf(journal)
  expect(eventHubOf(journal)).toBe(hub)
  // There is no listener yet, so none can reconnect.
  world.write(() => world.table(notes).put('n', { text: 'before' }))
  expect(hub.since(0)).toEqual([])
  const sent: string[] = []
  const stop = hub.listen({ types: new Set(['clock']), send: ({ type }) => sent.push(type) })
  // Each commit reads the observer once, and so does each event that is built of it.
  const readObserver = vi.spyOn(world, 'requestObserver', 'get')
  const change = () => world.write(() => world.table(notes).put('n', { text: `${sent.length}` }))
  change()
  expect(readObserver).toHaveBeenCalledTimes(2)
  world.advance(1)
  expect(sent).toEqual(['clock'])
  stop()
  stop()
  change()
  world.advance(1)
  // Events without a request are kept for clients that reconnect; only those are still built.
  expect([sent, readObserver.mock.calls.length]).toEqual([['clock'], 4])
  const later = eventHubOf(journal).since(0)
  expect(later.map(({ type }) => type)).toEqual(['change', 'clock', 'change', 'clock'])
})

test('behaviour/program#events: a change without a request names none', () => {
  const { journal, world } = parts()
  const sent: object[] = []
  eventHubOf(journal).listen({ types: new Set(['change']), send: ({ data }) => sent.push(data) })
  world.write(() => world.table(notes).put('n', { text: 'x' }))
  world.write(() => world.table(notes).delete('n'))
  expect(sent).toEqual([
    { table: 'garden.notes', key: 'n', kind: 'put', request: null },
    { table: 'garden.notes', key: 'n', kind: 'delete', request: null },
  ])
})
