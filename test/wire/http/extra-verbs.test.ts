import http from 'node:http'
import { describe, expect, test } from 'vitest'
import { installExtraVerbs } from '../../../routes/http/sockets/extra-verbs.ts'
import { deferredPromise, requestText, WireClient } from '../wire-client.ts'
import {
  addressOf,
  handlerView,
  helpView,
  type Listening,
  listen,
  listView,
  plainView,
} from './extra-verbs-server.ts'

const list = requestText('LIST', '/v1/secret')
const chunked = 'Transfer-Encoding: chunked\r\n'

describe.each([
  ['plain HTTP', false],
  ['TLS', true],
])('behaviour/program#http: LIST and HELP over %s', (_name, tls) => {
  test('LIST becomes GET with list=true, and HELP becomes GET with help=1', async () => {
    const client = await WireClient.open(await listen({ tls }))

    expect(handlerView(await client.exchange(list))).toEqual(listView('/v1/secret'))
    expect(handlerView(await client.exchange(requestText('HELP', '/v1/sys')))).toEqual(
      helpView('/v1/sys'),
    )
  })

  test('a connection stays alive for other verbs before, between and after extra verbs', async () => {
    const server = await listen({ tls })
    const client = await WireClient.open(server)

    expect(handlerView(await client.exchange(requestText('GET', '/a')))).toEqual(
      plainView('GET', '/a'),
    )
    expect(handlerView(await client.exchange(requestText('POST', '/b', 'one')))).toEqual(
      plainView('POST', '/b', 'one'),
    )
    expect(handlerView(await client.exchange(list))).toEqual(listView('/v1/secret'))
    expect(handlerView(await client.exchange(requestText('PUT', '/c', 'two')))).toEqual(
      plainView('PUT', '/c', 'two'),
    )
    expect(handlerView(await client.exchange(requestText('LIST', '/d')))).toEqual(listView('/d'))
    expect(handlerView(await client.exchange(requestText('GET', '/e')))).toEqual(
      plainView('GET', '/e'),
    )
    expect(server.sockets).toHaveLength(1)
  })

  test('pipelined answers keep their order if the first handler is slow', async () => {
    const slow = deferredPromise()
    const server = await listen({
      tls,
      routes: (app) => app.get('/slow', () => slow.opened.then(() => ({ slow: true }))),
    })
    const client = await WireClient.open(server)
    const other = await WireClient.open(server)

    await client.send(
      requestText('GET', '/slow') +
        requestText('LIST', '/b') +
        requestText('GET', '/c') +
        requestText('LIST', '/d') +
        requestText('HELP', '/e'),
    )
    // Two requests on another connection give a faster answer time to overtake.
    await other.exchange(list)
    await other.exchange(list)
    expect(client.unread).toBe('')
    slow.open()

    const [first, ...others] = await client.answers(5)
    expect(first?.body).toBe('{"slow":true}')
    expect(others.map(handlerView)).toEqual([
      listView('/b'),
      plainView('GET', '/c'),
      listView('/d'),
      helpView('/e'),
    ])
  })

  test('later requests do not overtake a slow LIST', async () => {
    const slow = deferredPromise()
    const server = await listen({
      tls,
      routes: (app) => app.get('/slow', () => slow.opened.then(() => ({ slow: true }))),
    })
    const client = await WireClient.open(server)
    const other = await WireClient.open(server)

    await client.send(requestText('LIST', '/slow') + requestText('GET', '/b') + list)
    await client.send(requestText('LIST', '/d'))
    await other.exchange(list)
    await other.exchange(list)
    expect(client.unread).toBe('')
    slow.open()

    const [first, ...others] = await client.answers(4)
    expect(first?.body).toBe('{"slow":true}')
    expect(others.map(handlerView)).toEqual([
      plainView('GET', '/b'),
      listView('/v1/secret'),
      listView('/d'),
    ])
  })

  test('the head may be split at any byte, on a new or used connection', async () => {
    const server = await listen({ tls })
    for (const [verb, expected] of [
      ['LIST', listView('/x')],
      ['HELP', helpView('/x')],
    ] as const) {
      const text = requestText(verb, '/x')
      const used = await WireClient.open(server)
      for (let at = 1; at < text.length; at += 1) {
        for (const client of [await WireClient.open(server), used]) {
          await client.send(text.slice(0, at))
          // Check that the split took effect. Over TLS, the count includes the overhead of records.
          if (!tls && client !== used) expect(server.sockets.at(-1)?.bytesRead).toBe(at)
          await client.send(text.slice(at))
          expect(handlerView(await client.answer()), `${verb} split at ${at}`).toEqual(expected)
        }
      }
    }
  })

  test('a head may arrive byte by byte after another request', async () => {
    const client = await WireClient.open(await listen({ tls }))

    for (const byte of requestText('GET', '/a') + list + requestText('HELP', '/c')) {
      await client.send(byte)
    }

    expect((await client.answers(3)).map(handlerView)).toEqual([
      plainView('GET', '/a'),
      listView('/v1/secret'),
      helpView('/c'),
    ])
  })
})

describe('behaviour/program#http: the start of a LIST', () => {
  test.each([
    ['of known length', requestText('POST', '/b', list)],
    [
      'in chunks',
      requestText('POST', '/b', '', chunked) +
        `${list.length.toString(16)}\r\n${list}\r\n0\r\n\r\n`,
    ],
  ])('a body %s that contains a LIST is data', async (_name, post) => {
    const client = await WireClient.open(await listen())

    expect(handlerView(await client.exchange(post))).toEqual(plainView('POST', '/b', list))
    expect(handlerView(await client.exchange(list))).toEqual(listView('/v1/secret'))
    await client.send(post + list + post)

    expect((await client.answers(3)).map(handlerView)).toEqual([
      plainView('POST', '/b', list),
      listView('/v1/secret'),
      plainView('POST', '/b', list),
    ])
  })

  test('a body that begins with LIST and arrives in its own packet is data', async () => {
    const client = await WireClient.open(await listen())
    const post = requestText('POST', '/b', list)
    const head = post.length - list.length

    await client.exchange(list)
    await client.send(post.slice(0, head))
    await client.send(post.slice(head))

    expect(handlerView(await client.answer())).toEqual(plainView('POST', '/b', list))
  })

  test('the body of a LIST is skipped, regardless of its contents', async () => {
    const client = await WireClient.open(await listen())

    await client.send(
      requestText('LIST', '/a', list) +
        requestText('LIST', '/b', '', chunked) +
        '6\r\nLIST /\r\n0\r\n\r\n' +
        requestText('GET', '/c'),
    )

    expect((await client.answers(3)).map(handlerView)).toEqual([
      listView('/a'),
      listView('/b'),
      plainView('GET', '/c'),
    ])
  })

  test('empty lines before a LIST are skipped as before any request', async () => {
    const client = await WireClient.open(await listen())

    expect(handlerView(await client.exchange(`\r\n\r\n${list}`))).toEqual(listView('/v1/secret'))
    await client.send('\r')
    expect(handlerView(await client.exchange(`\n${list}`))).toEqual(listView('/v1/secret'))
  })

  test('LIST with Expect: 100-continue receives 100 first', async () => {
    const client = await WireClient.open(await listen())
    const head = requestText('LIST', '/a', '', 'Expect: 100-continue\r\nContent-Length: 4\r\n')

    expect(await client.exchange(head)).toEqual({ status: 100, headers: {}, body: '' })
    expect(handlerView(await client.answer())).toEqual(listView('/a'))
    await client.send('body')
    expect(handlerView(await client.exchange(list))).toEqual(listView('/v1/secret'))
  })

  test('LIST with another expectation receives 417, and the next request is parsed normally', async () => {
    const client = await WireClient.open(await listen())

    await client.send(
      requestText('LIST', '/a', '', 'Expect: rain\r\n') +
        requestText('GET', '/b', '', 'Connection: close\r\n'),
    )

    const text = await client.rest()
    expect(text).toMatch(/^HTTP\/1\.1 417 Expectation Failed\r\n/)
    expect(JSON.parse(text.slice(text.indexOf('{')))).toEqual({
      verb: 'GET',
      method: 'GET',
      url: '/b',
      body: null,
    })
  })

  test('an HTTP/1.0 request is answered and its connection closed', async () => {
    const client = await WireClient.open(await listen())

    const answer = await client.exchange('LIST /a HTTP/1.0\r\n\r\n')

    expect(handlerView(answer)).toEqual(listView('/a'))
    expect(answer.headers['connection']).toBe('close')
    expect(await client.rest()).toBe('')
  })

  test('LINK and BIND keep their meaning, also right after LIST or HELP', async () => {
    const client = await WireClient.open(await listen())
    const bare = await WireClient.open(await listen({ withoutExtraVerbs: true }))

    for (const verb of ['LINK', 'BIND']) {
      const { status, body } = await bare.exchange(requestText(verb, '/a'))
      expect(status).toBe(404)
      await client.send(requestText(verb, '/a') + list + requestText('HELP', '/b'))
      await client.send(requestText(verb, '/a') + requestText(verb, '/a'))
      const [first, second, third, fourth, fifth] = await client.answers(5)
      for (const answer of [first, fourth, fifth]) expect(answer).toMatchObject({ status, body })
      expect([second, third].map((answer) => answer && handlerView(answer))).toEqual([
        listView('/v1/secret'),
        helpView('/b'),
      ])
    }
  })
})

describe('behaviour/program#http: words other than extra verbs', () => {
  const refused = [
    'LISTX / HTTP/1.1\r\nHost: a\r\n\r\n',
    'HELPER / HTTP/1.1\r\nHost: a\r\n\r\n',
    'list / HTTP/1.1\r\nHost: a\r\n\r\n',
    'LIS / HTTP/1.1\r\nHost: a\r\n\r\n',
    'LIST\r\n\r\n',
    'LIST / HTTP/9.9\r\nHost: a\r\n\r\n',
    'WHAT / HTTP/1.1\r\nHost: a\r\n\r\n',
    'GET\u0000 / HTTP/1.1\r\n\r\n',
    '\u0016\u0003\u0001\u0002\u0000\u0001\u0000',
  ]

  /**
   * Sends `parts` one by one, and returns all that the server sends until it closes the connection.
   */
  async function closingReply(server: Listening, parts: string[]): Promise<string> {
    const client = await WireClient.open(server)
    for (const part of parts) await client.send(part)
    return client.rest()
  }

  test.each(refused)('Fastify refuses %j as it does without extra verbs', async (text) => {
    const server = await listen()
    const expected = await closingReply(await listen({ withoutExtraVerbs: true }), [text])

    expect(expected).toMatch(/^HTTP\/1\.1 400 /)
    expect(await closingReply(server, [text])).toBe(expected)
    const client = await WireClient.open(server)
    await client.exchange(list)
    await client.send(text)
    expect(await client.rest()).toBe(expected)
  })

  test('a word that starts like an extra verb is refused once it differs', async () => {
    const server = await listen()
    const expected = await closingReply(await listen({ withoutExtraVerbs: true }), [
      'LISTX / HTTP/1.1\r\n\r\n',
    ])

    expect(await closingReply(server, ['LIS', 'X / HTTP/1.1\r\n\r\n'])).toBe(expected)
    expect(await closingReply(server, ['LIST', 'X / HTTP/1.1\r\n\r\n'])).toBe(expected)
    expect(await closingReply(server, ['H', 'E', 'L', 'L', 'O'])).toBe(expected)
  })

  test('an incomplete verb is refused when the client ends the connection', async () => {
    const client = await WireClient.open(await listen())
    const expected = await closingReply(await listen({ withoutExtraVerbs: true }), [
      'LISTX / HTTP/1.1\r\n\r\n',
    ])

    await client.send('LIST')
    expect(client.unread).toBe('')
    client.socket.end()

    expect(await client.rest()).toBe(expected)
  })

  test('extra verbs are refused unless they are enabled', async () => {
    const server = await listen({ withoutExtraVerbs: true })
    installExtraVerbs(server.server, ['LIST'])

    const client = await WireClient.open(server)
    expect(handlerView(await client.exchange(list))).toEqual(listView('/v1/secret'))
    expect((await client.exchange(requestText('HELP', '/'))).status).toBe(400)
  })

  test('a fallback receives the error and the socket, and existing listeners stay', async () => {
    const codes: unknown[] = []
    const server = await listen({ withoutExtraVerbs: true })
    const [before] = server.server.listeners('clientError')
    server.server.removeAllListeners('clientError')
    server.server.on('clientError', () => codes.push('listener'))
    installExtraVerbs(server.server, ['LIST'], (error, socket) => {
      codes.push('code' in error && error.code)
      socket.end('refused')
    })

    expect(before).toBeTypeOf('function')
    expect(await closingReply(server, ['LISTX / HTTP/1.1\r\n\r\n'])).toBe('refused')
    expect(codes).toEqual(['listener', 'HPE_INVALID_METHOD'])
  })

  test('a server without error listeners answers as Node does', async () => {
    const answer = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'
    const overflow = `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`
    for (const install of [false, true]) {
      const server = http.createServer((_request, response) => response.end('ok'))
      if (install) installExtraVerbs(server)
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = addressOf(server)

      const client = await WireClient.open({ port })
      await client.send(install ? 'LISTX / HTTP/1.1\r\n\r\n' : 'LIST / HTTP/1.1\r\n\r\n')
      expect(await client.rest()).toBe(answer)
      const long = await WireClient.open({ port })
      await long.send(overflow)
      expect(await long.rest()).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/)
      server.closeAllConnections()
      server.close()
    }
  })
})
