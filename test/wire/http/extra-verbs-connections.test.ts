import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { describe, expect, test } from 'vitest'
import { deferredPromise, requestText, WireClient } from '../wire-client.ts'
import { handlerView, type Listening, listen, listView, plainView } from './extra-verbs-server.ts'

const list = requestText('LIST', '/v1/secret')
const slowList = requestText('LIST', '/slow')

/** Returns a route that resolves `called` when requested, and answers once `open` is called. */
function slowRoute(): {
  routes: (app: FastifyInstance) => void
  called: Promise<void>
  open: () => void
} {
  const answer = deferredPromise()
  const call = deferredPromise()
  const routes = (app: FastifyInstance): void => {
    app.get('/slow', async (request) => {
      call.open()
      await answer.opened
      return { remote: request.ip, protocol: request.protocol }
    })
  }
  return { routes, called: call.opened, open: answer.open }
}

/** Returns the number of listeners on a socket, by event. */
function listenerCounts(socket: Socket | undefined): Record<string, number> {
  const names = socket?.eventNames() ?? []
  return Object.fromEntries(names.map((name) => [String(name), socket?.listenerCount(name) ?? 0]))
}

function connections(server: Listening): Promise<number> {
  return new Promise((resolve, reject) => {
    server.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
}

/** Resolves when the server's side of the `index`th connection has closed. */
async function closed(server: Listening, index = 0): Promise<void> {
  const socket = server.sockets[index]
  if (socket === undefined || socket.closed) return
  await new Promise<void>((resolve) => socket.once('close', () => resolve()))
}

describe.each([
  ['plain HTTP', false],
  ['TLS', true],
])('behaviour/program#http: connections that had a LIST, over %s', (_name, tls) => {
  test('2,000 LIST requests leave no listeners and wrappers behind', async () => {
    const server = await listen({ tls })
    const client = await WireClient.open(server)
    await client.exchange(list)
    await client.exchange(list)
    const [socket] = server.sockets
    const before = listenerCounts(socket)

    for (let count = 0; count < 40; count += 1) {
      await client.send(list.repeat(49) + requestText('GET', '/a'))
      const answers = await client.answers(50)
      expect(answers.slice(0, 49).map(handlerView)).toEqual(Array(49).fill(listView('/v1/secret')))
      expect(answers.slice(49).map(handlerView)).toEqual([plainView('GET', '/a')])
    }

    expect(listenerCounts(socket)).toEqual(before)
    expect(before['readable']).toBe(1)
    expect(server.handedOnSockets).toHaveLength(2 + 40 * 49)
    expect(server.handedOnSockets.filter((wrapper) => !wrapper.closed)).toHaveLength(1)
    expect(server.sockets).toHaveLength(1)
  })

  test('handlers see the client’s address and whether the connection uses TLS', async () => {
    const slow = slowRoute()
    slow.open()
    const server = await listen({ tls, routes: slow.routes })
    const client = await WireClient.open(server)

    const { body } = await client.exchange(slowList)

    expect(JSON.parse(body)).toEqual({ remote: '127.0.0.1', protocol: tls ? 'https' : 'http' })
    const [wrapper] = server.handedOnSockets
    const [socket] = server.sockets
    expect(wrapper?.remotePort).toBe(socket?.remotePort)
    expect(wrapper?.remoteFamily).toBe('IPv4')
    expect(wrapper?.localAddress).toBe('127.0.0.1')
    expect(wrapper?.localPort).toBe(server.port)
    expect(wrapper?.localFamily).toBe('IPv4')
    expect(wrapper?.address()).toEqual(socket?.address())
    expect(wrapper?.encrypted).toBe(tls ? true : undefined)
  })

  test('a handler notices that the client disconnected during its answer', async () => {
    const slow = slowRoute()
    const clientGone = deferredPromise()
    const server = await listen({
      tls,
      routes: (app) => {
        slow.routes(app)
        app.addHook('onRequest', async (request, reply) => {
          reply.raw.on('close', () => {
            if (request.url.startsWith('/slow') && !reply.raw.writableFinished) clientGone.open()
          })
        })
      },
    })
    const client = await WireClient.open(server)
    await client.exchange(list)
    await client.send(slowList)
    await slow.called

    client.socket.destroy()

    await clientGone.opened
    await closed(server)
    expect(await connections(server)).toBe(0)
  })

  test('LIST with Connection: close closes the connection after its answer', async () => {
    const server = await listen({ tls })
    const client = await WireClient.open(server)

    const answer = await client.exchange(requestText('LIST', '/a', '', 'Connection: close\r\n'))

    expect(handlerView(answer)).toEqual(listView('/a'))
    expect(answer.headers['connection']).toBe('close')
    expect(await client.rest()).toBe('')
    await closed(server)
    expect(await connections(server)).toBe(0)
  })

  test('LIST after a request with Connection: close is treated as a GET would be', async () => {
    const last = requestText('GET', '/a', '', 'Connection: close\r\n')
    const client = await WireClient.open(await listen({ tls }))
    const bare = await WireClient.open(await listen({ tls, withoutExtraVerbs: true }))

    await client.send(last + list)
    await bare.send(last + requestText('GET', '/v1/secret'))

    expect(await client.rest()).toBe(await bare.rest())
  })

  test('LIST after an answer with Connection: close is not answered', async () => {
    const server = await listen({
      tls,
      routes: (app) =>
        app.get('/last', (_request, reply) => reply.header('connection', 'close').send('last')),
    })
    for (const first of ['', list]) {
      const client = await WireClient.open(server)
      await client.send(first + requestText('GET', '/last') + list + requestText('GET', '/a'))

      if (first !== '') expect(handlerView(await client.answer())).toEqual(listView('/v1/secret'))
      expect((await client.answer()).body).toBe('last')
      expect(await client.rest()).toBe('')
    }
    // Only the LIST before `/last` got a new parser; requests after the last answer are discarded.
    expect(server.handedOnSockets).toHaveLength(1)
    await closed(server, 0)
    await closed(server, 1)
    expect(await connections(server)).toBe(0)
  })

  test('a large answer waits for a slow reader', async () => {
    const total = 48 * 1024 * 1024
    const piece = Buffer.alloc(64 * 1024, 'x')
    let produced = 0
    const server = await listen({
      tls,
      routes: (app) =>
        app.get('/large', (_request, reply) => {
          const body = new Readable({
            read() {
              produced += piece.length
              this.push(piece)
              if (produced === total) this.push(null)
            },
          })
          return reply.header('content-length', total).send(body)
        }),
    })
    const client = await WireClient.open(server)
    const other = await WireClient.open(server)
    client.socket.removeAllListeners('data')
    client.socket.pause()
    await client.send(list + requestText('LIST', '/large'))

    // Wait until the server stops producing the answer, because the paused client reads nothing.
    for (let before = -1; before !== produced; ) {
      before = produced
      for (let count = 0; count < 20; count += 1) await other.exchange(list)
    }
    expect(produced).toBeGreaterThan(0)
    expect(produced).toBeLessThan(total)

    let received = 0
    client.socket.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    client.socket.resume()
    while (received < total) await once(client.socket, 'data')
    expect(produced).toBe(total)
  })

  test('a large body waits for a slow handler', async () => {
    const total = 48 * 1024 * 1024
    const start = deferredPromise()
    const server = await listen({
      tls,
      routes: (app) =>
        app.register(async (streaming) => {
          streaming.removeAllContentTypeParsers()
          streaming.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
          streaming.post('/large', { bodyLimit: total }, async (request) => {
            await start.opened
            let bytes = 0
            for await (const chunk of request.raw) bytes += chunk.length
            return { bytes }
          })
        }),
    })
    const client = await WireClient.open(server)
    const other = await WireClient.open(server)
    await client.exchange(list)

    const head = requestText('POST', '/large', '', `Content-Length: ${total}\r\n`)
    client.socket.write(head)
    client.socket.write(Buffer.alloc(total, 'x'))
    const [socket] = server.sockets
    for (let before = -1; before !== socket?.bytesRead; ) {
      before = socket?.bytesRead ?? 0
      for (let count = 0; count < 20; count += 1) await other.exchange(list)
    }
    expect(socket?.bytesRead).toBeGreaterThan(head.length)
    expect(socket?.bytesRead).toBeLessThan(total)

    start.open()
    expect((await client.answer()).body).toBe(`{"bytes":${total}}`)
  })

  test('closing idle connections closes one that had a LIST, but only if it is idle', async () => {
    const slow = slowRoute()
    const server = await listen({ tls, routes: slow.routes })
    const idle = await WireClient.open(server)
    const busy = await WireClient.open(server)
    await idle.exchange(list)
    await busy.exchange(list)
    await busy.send(slowList)
    await slow.called

    server.server.closeIdleConnections()
    expect(await idle.rest()).toBe('')
    await closed(server)
    expect(await connections(server)).toBe(1)

    slow.open()
    expect((await busy.answer()).status).toBe(200)
    server.server.closeIdleConnections()
    expect(await busy.rest()).toBe('')
  })

  test('closing all connections closes one during a LIST', async () => {
    const slow = slowRoute()
    const server = await listen({ tls, routes: slow.routes })
    const client = await WireClient.open(server)
    await client.exchange(list)
    await client.send(slowList)
    await slow.called

    server.server.closeAllConnections()

    expect(await client.rest()).toBe('')
    await closed(server)
    expect(await connections(server)).toBe(0)
  })

  test('the app can close while a connection that had a LIST is kept alive', async () => {
    const server = await listen({ tls })
    const client = await WireClient.open(server)
    await client.exchange(requestText('GET', '/a'))
    await client.exchange(list)

    await server.app.close()

    expect(await client.rest()).toBe('')
  })
})

describe('behaviour/program#http: time limits around a LIST', () => {
  const quick = { headersTimeout: 30, connectionsCheckingInterval: 10 }

  test('the time limit for heads does not apply to a LIST with a complete head', async () => {
    const slow = slowRoute()
    const server = await listen({ options: quick, routes: slow.routes })
    const first = await WireClient.open(server)
    const later = await WireClient.open(server)
    const queued = await WireClient.open(server)
    await first.send(slowList)
    await later.exchange(list)
    await later.send(slowList)
    await queued.send(requestText('GET', '/slow') + list)
    await slow.called

    // The limit ends this newer, incomplete head. If the limit applied to the requests above, they
    // would have ended earlier.
    const otherClient = await WireClient.open(server)
    const { status } = await otherClient.exchange('GET / HTTP/1.1\r\n')
    expect(status).toBe(408)
    expect([first.closed, later.closed, queued.closed]).toEqual([false, false, false])

    slow.open()
    expect((await first.answer()).status).toBe(200)
    expect((await later.answer()).status).toBe(200)
    expect((await queued.answer()).status).toBe(200)
    expect(handlerView(await queued.answer())).toEqual(listView('/v1/secret'))
  })

  test('the time limit for heads applies to an incomplete verb and to an incomplete head after it', async () => {
    const server = await listen({ options: quick })
    for (const part of ['LIS', 'LIST / HTTP/1.1\r\n']) {
      const client = await WireClient.open(server)

      expect((await client.exchange(part)).status).toBe(408)
      expect(await client.rest()).toBe('')
    }
  })

  test('the idle limit of a keep-alive connection does not apply during a LIST', async () => {
    const slow = slowRoute()
    const server = await listen({ routes: slow.routes })
    const client = await WireClient.open(server)
    await client.exchange(requestText('GET', '/a'))
    const [socket] = server.sockets
    expect(socket?.timeout).toBeGreaterThanOrEqual(server.server.keepAliveTimeout)

    await client.send(slowList)
    await slow.called
    expect(socket?.timeout).toBe(0)
    slow.open()
    await client.answer()

    expect(socket?.timeout).toBeGreaterThanOrEqual(server.server.keepAliveTimeout)
  })

  test('the idle limit of the server closes a connection whose LIST takes longer', async () => {
    const slow = slowRoute()
    const server = await listen({ routes: slow.routes })
    server.server.setTimeout(20)
    const client = await WireClient.open(server)
    await client.exchange(list)

    await client.send(slowList)

    expect(await client.rest()).toBe('')
    await closed(server)
    expect(await connections(server)).toBe(0)
  })

  test('a timeout set by a handler calls its listener and leaves the connection open', async () => {
    const expired = deferredPromise()
    const server = await listen({
      routes: (app) =>
        app.get('/timed', async (_request, reply) => {
          reply.raw.setTimeout(10, expired.open)
          await expired.opened
          return 'expired'
        }),
    })
    const client = await WireClient.open(server)

    expect((await client.exchange(requestText('LIST', '/timed'))).body).toBe('expired')
  })
})

describe('behaviour/program#http: LIST behind a pending answer', () => {
  test.each([
    ['resets it', (socket: Socket) => socket.resetAndDestroy()],
    ['ends it', (socket: Socket) => socket.end()],
  ])('the connection is freed if the client %s', async (_name, leave) => {
    for (const first of [requestText('GET', '/slow'), slowList]) {
      const slow = slowRoute()
      const server = await listen({ routes: slow.routes })
      const client = await WireClient.open(server)
      await client.send(first + list)
      await slow.called

      leave(client.socket)

      await closed(server)
      expect(await connections(server)).toBe(0)
    }
  })

  test('LIST from a client that has half-closed the connection is answered, like a GET', async () => {
    const server = await listen()
    for (const last of [requestText('GET', '/b'), requestText('LIST', '/b')]) {
      const client = await WireClient.open(server)
      client.socket.end(requestText('GET', '/a') + last)

      expect(handlerView(await client.answer())).toEqual(plainView('GET', '/a'))
      expect((await client.answer()).status).toBe(200)
      expect(await client.rest()).toBe('')
    }
  })

  test('all data that the client sends after the LIST is kept', async () => {
    const body = 'LIST / HTTP/1.1\r\n'.repeat(40_000)
    for (const first of [requestText('GET', '/slow'), slowList]) {
      const slow = slowRoute()
      const server = await listen({ routes: slow.routes })
      const client = await WireClient.open(server)
      const other = await WireClient.open(server)
      client.socket.write(first)
      client.socket.write(list + requestText('PUT', '/large', body) + list)
      await slow.called
      for (let count = 0; count < 20; count += 1) await other.exchange(list)

      slow.open()

      expect((await client.answer()).status).toBe(200)
      expect((await client.answers(3)).map(handlerView)).toEqual([
        listView('/v1/secret'),
        plainView('PUT', '/large', body),
        listView('/v1/secret'),
      ])
    }
  })

  test('a client that has half-closed the connection receives a started answer completely', async () => {
    const pieces = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(8 * 1024 * 1024))
    const body = pieces.join('')
    const bodyWritten = deferredPromise()
    const server = await listen({
      routes: (app) =>
        app.get('/large', async (_request, reply) => {
          reply.hijack()
          reply.raw.writeHead(200, { 'content-length': body.length })
          for (const piece of pieces) {
            reply.raw.write(piece)
            // Without this turn, the socket would receive all chunks in one write.
            await turn()
          }
          reply.raw.end()
          bodyWritten.open()
        }),
    })
    const client = await WireClient.open(server)

    const chunks: Buffer[] = []
    client.socket.removeAllListeners('data')
    client.socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    client.socket.write(requestText('LIST', '/large'))
    await once(client.socket, 'data')
    client.socket.pause()
    await bodyWritten.opened
    client.socket.end()
    await (await WireClient.open(server)).exchange(list)
    client.socket.resume()
    await client.rest()

    const received = Buffer.concat(chunks).toString()
    expect(received.slice(received.indexOf('\r\n\r\n') + 4) === body).toBe(true)
  })

  test('a large earlier answer is sent completely before that of the LIST', async () => {
    const body = 'LIST / HTTP/1.1\r\n'.repeat(500_000)
    const server = await listen({ routes: (app) => app.get('/large', async () => body) })
    const client = await WireClient.open(server)

    await client.send(requestText('GET', '/large') + list + requestText('LIST', '/large') + list)

    const [first, second, third, fourth] = await client.answers(4)
    expect(first?.body === body && third?.body === body).toBe(true)
    expect([second, fourth].map((answer) => answer && handlerView(answer))).toEqual([
      listView('/v1/secret'),
      listView('/v1/secret'),
    ])
  })
})
