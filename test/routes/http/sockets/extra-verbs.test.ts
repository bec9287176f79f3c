import Fastify, { type InjectOptions } from 'fastify'
import { describe, expect, test } from 'vitest'
import { targetForGet } from '../../../../routes/http/sockets/extra-verb-head.ts'
import { originalVerb, restoreVerb } from '../../../../routes/http/sockets/extra-verbs.ts'

describe('behaviour/program#http: the target of a LIST or HELP as a GET', () => {
  test.each([
    ['/v1/secret', '/v1/secret?list=true'],
    ['/v1/secret/', '/v1/secret/?list=true'],
    ['/v1/secret?', '/v1/secret?list=true'],
    ['/v1/secret?after=a', '/v1/secret?after=a&list=true'],
    ['/v1/secret?after=a&', '/v1/secret?after=a&list=true'],
    ['/v1/secret?after=a?b', '/v1/secret?after=a?b&list=true'],
    ['/v1/secret?list=false&after=a', '/v1/secret?after=a&list=true'],
    ['/v1/secret?list', '/v1/secret?list=true'],
    ['/v1/secret?listing=a', '/v1/secret?listing=a&list=true'],
    ['/v1/secret#top', '/v1/secret?list=true#top'],
    ['/v1/secret?after=a#top?x', '/v1/secret?after=a&list=true#top?x'],
    ['/v1/a%3Fb', '/v1/a%3Fb?list=true'],
    ['http://mock.test:80/v1/secret?a=b', 'http://mock.test:80/v1/secret?a=b&list=true'],
  ])('LIST %s becomes GET %s', (target, expected) => {
    expect(targetForGet(target, 'LIST')).toBe(expected)
  })

  test('HELP uses its own parameter and keeps list', () => {
    expect(targetForGet('/v1/sys?list=true&help=0', 'HELP')).toBe('/v1/sys?list=true&help=1')
  })
})

describe('behaviour/program#http: injected LIST and HELP requests', () => {
  async function inject(verb: string, url: string): Promise<{ status: number; body: unknown }> {
    const app = Fastify({ rewriteUrl: restoreVerb })
    app.get('/*', async (request) => ({
      verb: originalVerb(request.raw),
      method: request.method,
      url: request.url,
    }))
    const options: InjectOptions = { url, validate: false }
    Reflect.set(options, 'method', verb)
    const { statusCode, body } = await app.inject(options)
    await app.close()
    return { status: statusCode, body: JSON.parse(body) }
  }

  test.each([
    ['LIST', '/a?b=c', 'GET', '/a?b=c&list=true'],
    ['HELP', '/a', 'GET', '/a?help=1'],
    ['GET', '/a?b=c', 'GET', '/a?b=c'],
  ])('%s %s reaches the handler as %s %s', async (verb, url, method, target) => {
    expect(await inject(verb, url)).toEqual({ status: 200, body: { verb, method, url: target } })
  })

  test.each(['LINK', 'BIND'])('%s, the stand-in, does not count as an extra verb', async (verb) => {
    expect(await inject(verb, '/a')).toEqual({
      status: 404,
      body: { message: `Route ${verb}:/a not found`, error: 'Not Found', statusCode: 404 },
    })
  })
})
