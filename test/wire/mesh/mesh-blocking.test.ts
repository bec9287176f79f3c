import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { mesh } from '../../support/mesh/mesh.ts'

/** Connection on which requests are sent without waiting for answers. */
class Pipeline {
  readonly socket: Socket
  /** Status, index and body of each answer so far, in order. */
  readonly answers: { readonly status: number; readonly index: number; readonly body: string }[] =
    []
  #received = ''

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1' })
    this.socket.setEncoding('utf8')
    this.socket.on('data', (text: string) => {
      this.#received += text
      this.#read()
    })
    // Some tests destroy the connection.
    this.socket.on('error', () => {})
    onTestFinished(() => void this.socket.destroy())
  }

  send(paths: readonly string[]): void {
    const requests = paths.map((path) => `GET /v1/${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    this.socket.write(requests.join(''))
  }

  #read(): void {
    for (;;) {
      const end = this.#received.indexOf('\r\n\r\n')
      if (end < 0) return
      const head = this.#received.slice(0, end)
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
      const rest = this.#received.slice(end + 4)
      if (rest.length < length) return
      this.answers.push({
        status: Number(head.slice(9, 12)),
        index: Number(/x-mesh-index: (\d+)/i.exec(head)?.[1]),
        body: rest.slice(0, length),
      })
      this.#received = rest.slice(length)
    }
  }
}

async function served() {
  const mock = await mesh({ options: { waitJitter: false } })
  const waits = vi.spyOn(mock.world, 'waitUntil')
  await mock.app.listen({ port: 0, host: '127.0.0.1' })
  const address = mock.app.server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const { port } = address
  return {
    ...mock,
    port,
    connections: (count: number) => Array.from({ length: count }, () => new Pipeline(port)),
    /** Waits until this number of reads has started to block since the server started. */
    waiting: (count: number) =>
      vi.waitFor(() => expect(waits.mock.calls.length).toBe(count), { timeout: 30_000 }),
  }
}

/** Returns the number of answers on some connections. */
const answered = (connections: readonly Pipeline[]) =>
  connections.reduce((sum, { answers }) => sum + answers.length, 0)

/** Waits for a number of answers on some connections, and removes and returns the answers. */
async function take(connections: readonly Pipeline[], count: number) {
  await vi.waitFor(() => expect(answered(connections)).toBe(count), { timeout: 30_000 })
  return connections.flatMap(({ answers }) => answers.splice(0))
}

/** Returns the distinct answers, each with the number of its occurrences. */
function distinct(answers: readonly { readonly body: string }[]): [string, number][] {
  const counts = new Map<string, number>()
  for (const answer of answers) {
    const text = JSON.stringify(answer)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return [...counts]
}

describe('blocking reads on sockets (behaviour/mesh#reads; behaviour/program#figures)', () => {
  // 200 connections with 50 reads each, because a process may open only a limited number of
  // sockets.
  test('of 10,000 blocking reads, a write and a removal wake only the affected ones', async () => {
    const { mesh: client, worlds, clock, connections, waiting } = await served()
    const each = 50
    const one = connections(40)
    const list = connections(40)
    const others = connections(120)
    const readOne = (index: number) => {
      for (const pipe of one) pipe.send(Array(each).fill(`namespace/team-1?index=${index}`))
    }
    const readList = (index: number) => {
      for (const pipe of list) pipe.send(Array(each).fill(`namespaces?index=${index}`))
    }
    readOne(6)
    readList(6)
    for (const [at, pipe] of others.entries()) {
      const names = Array.from({ length: each }, (_, number) => `other-${at}-${number}`)
      pipe.send(names.map((name) => `namespace/${name}?index=6`))
    }
    await waiting(10_000)

    const builtin =
      '{"Name":"default","Description":"Builtin Default Namespace","CreateIndex":6,"ModifyIndex":6}'
    const created = '{"Name":"team-1","CreateIndex":7,"ModifyIndex":7}'
    await client.put('namespace', { Name: 'team-1' })
    expect(distinct(await take(one, 2000))).toEqual([
      [JSON.stringify({ status: 200, index: 7, body: created }), 2000],
    ])
    expect(distinct(await take(list, 2000))).toEqual([
      [JSON.stringify({ status: 200, index: 7, body: `[${builtin},${created}]` }), 2000],
    ])

    await client.delete('namespace/team-1')
    readOne(8)
    readList(8)
    await waiting(14_000)
    clock.advance(500)
    const gone = 'Namespace "team-1" does not exist'
    expect(distinct(await take(one, 2000))).toEqual([
      [JSON.stringify({ status: 404, index: 9, body: gone }), 2000],
    ])
    expect(distinct(await take(list, 2000))).toEqual([
      [JSON.stringify({ status: 200, index: 9, body: `[${builtin}]` }), 2000],
    ])

    // 6,000 reads have slept through both changes; closing the world wakes them.
    expect(answered(others)).toBe(0)
    worlds.close()
    const released = await take(others, 6000)
    expect(new Set(released.map(({ status, index }) => `${status} ${index}`))).toEqual(
      new Set(['404 9']),
    )
    expect(new Set(released.map(({ body }) => body)).size).toBe(6000)
  }, 120_000)

  test('reads of disconnected clients are dropped, also those queued behind another read', async () => {
    const { mesh: client, world, connections, waiting } = await served()
    const unwaited: number[] = []
    const { watchers } = world.store
    const watchPrefix = watchers.watchPrefix.bind(watchers)
    vi.spyOn(watchers, 'watchPrefix').mockImplementation((table, prefix, wake) => {
      const unwatch = watchPrefix(table, prefix, wake)
      return () => {
        unwaited.push(1)
        unwatch()
      }
    })
    const [leaves, stays] = connections(2)
    if (leaves === undefined || stays === undefined) throw new Error('no connections')
    leaves.send(Array(30).fill('namespaces?index=6'))
    stays.send(['namespaces?index=6'])
    await waiting(31)
    leaves.socket.destroy()
    await vi.waitFor(() => expect(unwaited).toHaveLength(30))
    await client.put('namespace', { Name: 'x' })
    const [answer] = await take([stays], 1)
    expect([answer?.status, answer?.index]).toEqual([200, 7])
    expect(leaves.answers).toEqual([])
  })

  test('a server that shuts down releases its readers before it closes (behaviour/program#command)', async () => {
    const { app, worlds, connections, waiting } = await served()
    const [pipe] = connections(1)
    if (pipe === undefined) throw new Error('no connection')
    pipe.send(['namespaces?index=6', 'namespace/none?index=6'])
    await waiting(2)
    const ended = once(pipe.socket, 'close')
    worlds.close()
    await app.close()
    await ended
    expect(pipe.answers.map(({ status, index }) => [status, index])).toEqual([
      [200, 6],
      [404, 6],
    ])
  })
})
