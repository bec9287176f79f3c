import http from 'node:http'
import { describe, expect, test } from 'vitest'
import { installExtraVerbs } from '../../routes/http/extra-verbs.ts'
import {
  addressOf,
  helped,
  type Listening,
  listed,
  listen,
  plain,
  seen,
} from './extra-verbs-server.ts'
import { gate, requestText, WireClient } from './wire-client.ts'

const list = requestText('LIST', '/v1/secret')
const chunked = 'Transfer-Encoding: chunked\r\n'

describe.each([
  ['plain HTTP', false],
  ['TLS', true],
])('behaviour/program#http: LIST and HELP over %s', (_name, tls) => {
  test('a LIST is a GET with list=true, a HELP one with help=1', async () => {
    const client = await WireClient.open(await listen({ tls }))

    expect(seen(await client.ask(list))).toEqual(listed('/v1/secret'))
    expect(seen(await client.ask(requestText('HELP', '/v1/sys')))).toEqual(helped('/v1/sys'))
  })

  test('a connection stays alive for other verbs before, between and after', async () => {
    const server = await listen({ tls })
    const client = await WireClient.open(server)

    expect(seen(await client.ask(requestText('GET', '/a')))).toEqual(plain('GET', '/a'))
    expect(seen(await client.ask(requestText('POST', '/b', 'one')))).toEqual(
      plain('POST', '/b', 'one'),
    )
    expect(seen(await client.ask(list))).toEqual(listed('/v1/secret'))
    expect(seen(await client.ask(requestText('PUT', '/c', 'two')))).toEqual(
      plain('PUT', '/c', 'two'),
    )
    expect(seen(await client.ask(requestText('LIST', '/d')))).toEqual(listed('/d'))
    expect(seen(await client.ask(requestText('GET', '/e')))).toEqual(plain('GET', '/e'))
    expect(server.sockets).toHaveLength(1)
  })

  test('pipelined answers keep their order though the first handler is slow', async () => {
    const slow = gate()
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
    // Whoever could overtake has the time of two other requests to do so.
    await other.ask(list)
    await other.ask(list)
    expect(client.unread).toBe('')
    slow.open()

    const [first, ...others] = await client.answers(5)
    expect(first?.body).toBe('{"slow":true}')
    expect(others.map(seen)).toEqual([listed('/b'), plain('GET', '/c'), listed('/d'), helped('/e')])
  })

  test('a slow LIST is not overtaken by what follows it', async () => {
    const slow = gate()
    const server = await listen({
      tls,
      routes: (app) => app.get('/slow', () => slow.opened.then(() => ({ slow: true }))),
    })
    const client = await WireClient.open(server)
    const other = await WireClient.open(server)

    await client.send(requestText('LIST', '/slow') + requestText('GET', '/b') + list)
    await client.send(requestText('LIST', '/d'))
    await other.ask(list)
    await other.ask(list)
    expect(client.unread).toBe('')
    slow.open()

    const [first, ...others] = await client.answers(4)
    expect(first?.body).toBe('{"slow":true}')
    expect(others.map(seen)).toEqual([plain('GET', '/b'), listed('/v1/secret'), listed('/d')])
  })

  test('the head may be split at any byte, on a new connection and a used one', async () => {
    const server = await listen({ tls })
    for (const [verb, expected] of [
      ['LIST', listed('/x')],
      ['HELP', helped('/x')],
    ] as const) {
      const text = requestText(verb, '/x')
      const used = await WireClient.open(server)
      for (let at = 1; at < text.length; at += 1) {
        for (const client of [await WireClient.open(server), used]) {
          await client.send(text.slice(0, at))
          // Else this would test nothing; over TLS the count has its records too.
          if (!tls && client !== used) expect(server.sockets.at(-1)?.bytesRead).toBe(at)
          await client.send(text.slice(at))
          expect(seen(await client.answer()), `${verb} split at ${at}`).toEqual(expected)
        }
      }
    }
  })

  test('a head may come byte by byte behind another request', async () => {
    const client = await WireClient.open(await listen({ tls }))

    for (const byte of requestText('GET', '/a') + list + requestText('HELP', '/c')) {
      await client.send(byte)
    }

    expect((await client.answers(3)).map(seen)).toEqual([
      plain('GET', '/a'),
      listed('/v1/secret'),
      helped('/c'),
    ])
  })
})

describe('behaviour/program#http: where a LIST begins', () => {
  test.each([
    ['of known length', requestText('POST', '/b', list)],
    [
      'in chunks',
      requestText('POST', '/b', '', chunked) +
        `${list.length.toString(16)}\r\n${list}\r\n0\r\n\r\n`,
    ],
  ])('a body %s that contains a LIST is data', async (_name, post) => {
    const client = await WireClient.open(await listen())

    expect(seen(await client.ask(post))).toEqual(plain('POST', '/b', list))
    expect(seen(await client.ask(list))).toEqual(listed('/v1/secret'))
    await client.send(post + list + post)

    expect((await client.answers(3)).map(seen)).toEqual([
      plain('POST', '/b', list),
      listed('/v1/secret'),
      plain('POST', '/b', list),
    ])
  })

  test('a body that begins with LIST and comes in its own packet is data', async () => {
    const client = await WireClient.open(await listen())
    const post = requestText('POST', '/b', list)
    const head = post.length - list.length

    await client.ask(list)
    await client.send(post.slice(0, head))
    await client.send(post.slice(head))

    expect(seen(await client.answer())).toEqual(plain('POST', '/b', list))
  })

  test('the body of a LIST is skipped, whatever it holds', async () => {
    const client = await WireClient.open(await listen())

    await client.send(
      requestText('LIST', '/a', list) +
        requestText('LIST', '/b', '', chunked) +
        '6\r\nLIST /\r\n0\r\n\r\n' +
        requestText('GET', '/c'),
    )

    expect((await client.answers(3)).map(seen)).toEqual([
      listed('/a'),
      listed('/b'),
      plain('GET', '/c'),
    ])
  })

  test('empty lines before a LIST are skipped as before any request', async () => {
    const client = await WireClient.open(await listen())

    expect(seen(await client.ask(`\r\n\r\n${list}`))).toEqual(listed('/v1/secret'))
    await client.send('\r')
    expect(seen(await client.ask(`\n${list}`))).toEqual(listed('/v1/secret'))
  })

  test('LIST with Expect: 100-continue gets its 100 first', async () => {
    const client = await WireClient.open(await listen())
    const head = requestText('LIST', '/a', '', 'Expect: 100-continue\r\nContent-Length: 4\r\n')

    expect(await client.ask(head)).toEqual({ status: 100, headers: {}, body: '' })
    expect(seen(await client.answer())).toEqual(listed('/a'))
    await client.send('body')
    expect(seen(await client.ask(list))).toEqual(listed('/v1/secret'))
  })

  test('LIST with another expectation gets its 417, what follows is itself', async () => {
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

  test('HTTP/1.0 is answered and closed', async () => {
    const client = await WireClient.open(await listen())

    const answer = await client.ask('LIST /a HTTP/1.0\r\n\r\n')

    expect(seen(answer)).toEqual(listed('/a'))
    expect(answer.headers['connection']).toBe('close')
    expect(await client.rest()).toBe('')
  })

  test('LINK and BIND of a client are themselves, also right behind a LIST or HELP', async () => {
    const client = await WireClient.open(await listen())
    const bare = await WireClient.open(await listen({ bare: true }))

    for (const verb of ['LINK', 'BIND']) {
      const { status, body } = await bare.ask(requestText(verb, '/a'))
      expect(status).toBe(404)
      await client.send(requestText(verb, '/a') + list + requestText('HELP', '/b'))
      await client.send(requestText(verb, '/a') + requestText(verb, '/a'))
      const [first, second, third, fourth, fifth] = await client.answers(5)
      for (const answer of [first, fourth, fifth]) expect(answer).toMatchObject({ status, body })
      expect([second, third].map((answer) => answer && seen(answer))).toEqual([
        listed('/v1/secret'),
        helped('/b'),
      ])
    }
  })
})

describe('behaviour/program#http: what is no extra verb', () => {
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

  /** All that the server says to `parts`, sent one by one, until it closes. */
  async function said(server: Listening, parts: string[]): Promise<string> {
    const client = await WireClient.open(server)
    for (const part of parts) await client.send(part)
    return client.rest()
  }

  test.each(refused)('%j is refused as without extra verbs, by Fastify', async (text) => {
    const server = await listen()
    const expected = await said(await listen({ bare: true }), [text])

    expect(expected).toMatch(/^HTTP\/1\.1 400 /)
    expect(await said(server, [text])).toBe(expected)
    const client = await WireClient.open(server)
    await client.ask(list)
    await client.send(text)
    expect(await client.rest()).toBe(expected)
  })

  test('a word that shows itself as another only later is refused then', async () => {
    const server = await listen()
    const expected = await said(await listen({ bare: true }), ['LISTX / HTTP/1.1\r\n\r\n'])

    expect(await said(server, ['LIS', 'X / HTTP/1.1\r\n\r\n'])).toBe(expected)
    expect(await said(server, ['LIST', 'X / HTTP/1.1\r\n\r\n'])).toBe(expected)
    expect(await said(server, ['H', 'E', 'L', 'L', 'O'])).toBe(expected)
  })

  test('a verb that the client breaks off is refused when it has ended', async () => {
    const client = await WireClient.open(await listen())
    const expected = await said(await listen({ bare: true }), ['LISTX / HTTP/1.1\r\n\r\n'])

    await client.send('LIST')
    expect(client.unread).toBe('')
    client.socket.end()

    expect(await client.rest()).toBe(expected)
  })

  test('verbs that were not asked for are refused', async () => {
    const server = await listen({ bare: true })
    installExtraVerbs(server.server, ['LIST'])

    const client = await WireClient.open(server)
    expect(seen(await client.ask(list))).toEqual(listed('/v1/secret'))
    expect((await client.ask(requestText('HELP', '/'))).status).toBe(400)
  })

  test('a given fallback gets the error and the socket, and listeners stay', async () => {
    const codes: unknown[] = []
    const server = await listen({ bare: true })
    const [before] = server.server.listeners('clientError')
    server.server.removeAllListeners('clientError')
    server.server.on('clientError', () => codes.push('listener'))
    installExtraVerbs(server.server, ['LIST'], (error, socket) => {
      codes.push('code' in error && error.code)
      socket.end('refused')
    })

    expect(before).toBeTypeOf('function')
    expect(await said(server, ['LISTX / HTTP/1.1\r\n\r\n'])).toBe('refused')
    expect(codes).toEqual(['listener', 'HPE_INVALID_METHOD'])
  })

  test('a server without listeners answers as Node does', async () => {
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
