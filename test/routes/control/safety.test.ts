import { describe, expect, test } from 'vitest'
import { HttpProblem } from '../../../routes/control/errors.ts'
import { type CheckedRequest, checkCaller } from '../../../routes/control/safety.ts'
import { control, problem } from '../../support/control.ts'

/** Returns the status with which a caller is refused; 200 if it is accepted. */
function statusFor(
  headers: CheckedRequest['headers'],
  options: Partial<Parameters<typeof checkCaller>[1]> & { path?: string; protocol?: string } = {},
): number {
  const { path = '/info', protocol = 'http', ...rest } = options
  try {
    checkCaller({ path, protocol, headers }, { allowedHosts: [], ...rest })
    return 200
  } catch (error) {
    if (error instanceof HttpProblem) return error.status
    throw error
  }
}

describe('behaviour/program#safety: the Host', () => {
  test.each([
    '127.0.0.1:4600',
    '10.1.2.3',
    '[::1]:4600',
    '[fe80::1]',
    'localhost',
    'LOCALHOST:4600',
    'w1.localhost:4600',
    'understudy',
    'understudy:4600',
  ])('%s is accepted', (host) => {
    expect(statusFor({ host })).toBe(200)
  })

  test.each([
    'evil.example',
    'evil.example:4600',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '127.0.0.1@evil.example',
    'evil.example:4600:127.0.0.1',
    '999.0.0.1',
    '[evil.example]',
    '[127.0.0.1]',
    '::1',
    ':4600',
    'ci.internal.example',
  ])('%s is refused', (host) => {
    expect(statusFor({ host }, { allowedHosts: ['ci.example'] })).toBe(403)
  })

  test('a listed name is accepted in any case and with any port; names below it are not', () => {
    const listed = { allowedHosts: ['ci.example'] }
    expect(statusFor({ host: 'CI.example:81' }, listed)).toBe(200)
    expect(statusFor({ host: 'x.ci.example' }, listed)).toBe(403)
  })

  test('a missing header is accepted, as clients of HTTP 1.0 send none', () => {
    expect(statusFor({})).toBe(200)
    expect(statusFor({ host: '' })).toBe(200)
  })
})

describe('behaviour/program#safety: the Origin', () => {
  test.each([
    ['http://127.0.0.1:4600', '127.0.0.1:4600', 'http'],
    ['http://localhost', 'localhost:80', 'http'],
    ['https://localhost', 'localhost', 'https'],
    ['http://LOCALHOST:4600', 'localhost:4600', 'http'],
    ['http://[::1]:4600', '[::1]:4600', 'http'],
  ])('%s is not foreign at %s', (origin, host, protocol) => {
    expect(statusFor({ origin, host }, { protocol })).toBe(200)
  })

  test.each([
    ['http://evil.example', '127.0.0.1:4600'],
    ['http://127.0.0.1:4601', '127.0.0.1:4600'],
    ['http://127.0.0.1', '127.0.0.1:4600'],
    ['http://localhost:4600', '127.0.0.1:4600'],
    ['null', '127.0.0.1:4600'],
    ['', '127.0.0.1:4600'],
    ['not an origin', '127.0.0.1:4600'],
    ['chrome-extension://localhost', 'localhost'],
    ['file://', 'localhost'],
  ])('%j is foreign at %s, also for health checks and with the token', (origin, host) => {
    const token = { controlToken: 't', path: '/health' }
    expect(statusFor({ origin, host })).toBe(403)
    expect(statusFor({ origin, host, authorization: 'Bearer t' }, token)).toBe(403)
  })
})

describe('behaviour/program#safety: the control token', () => {
  const options = { controlToken: 'sesame' }
  test.each([
    ['Bearer sesame', 200],
    ['bearer  sesame', 200],
    [undefined, 401],
    ['', 401],
    ['sesame', 401],
    ['Basic sesame', 401],
    ['Bearer sesam', 401],
    ['Bearer sesame2', 401],
    ['Bearer sesame sesame', 401],
  ])('%j: %d', (authorization, status) => {
    expect(statusFor({ authorization }, options)).toBe(status)
  })

  // choice/process#probes-without-token
  test('is not required for health checks', () => {
    expect(statusFor({}, { ...options, path: '/health' })).toBe(200)
    expect(statusFor({}, { ...options, path: '/ready' })).toBe(200)
    expect(statusFor({}, { ...options, path: '/health/x' })).toBe(401)
  })
})

describe('behaviour/program#safety: over HTTP', () => {
  test('a foreign page gets a problem and no CORS header, on all paths', async () => {
    const { ask } = await control()
    const detail = 'the control plane refuses requests of web pages from "http://evil.example"'
    for (const path of ['/info', '/nothing', '/_world/default/_mock/info']) {
      const reply = await ask('GET', path, undefined, { origin: 'http://evil.example' })
      expect(reply.status).toBe(403)
      expect(reply.body).toEqual(problem(403, 'Forbidden', detail))
      expect(
        Object.keys(reply.headers).filter((name) => name.startsWith('access-control')),
      ).toEqual([])
    }
    const preflight = await ask('OPTIONS', '/reset', undefined, { origin: 'http://evil.example' })
    expect(preflight.status).toBe(403)
  })

  test('requests of a foreign page change nothing', async () => {
    const { ask, world } = await control()
    const headers = { origin: 'http://evil.example', 'content-type': 'text/plain' }
    expect((await ask('POST', '/clock/advance', { by: '1h' }, headers)).status).toBe(403)
    expect(world.clock.now()).toBe(world.clock.state.mode === 'frozen' ? world.clock.state.at : 0)
    expect((await ask('GET', '/clock')).body.now).toBe('2026-01-01T00:00:00Z')
  })

  test('the refusal of an unknown host name explains how to allow it', async () => {
    const { ask } = await control()
    const reply = await ask('GET', '/info', undefined, { host: 'evil.example:4600' })
    expect(reply.body).toEqual(
      problem(
        403,
        'Forbidden',
        'the control plane does not answer to the host name "evil.example:4600"; allow it with --allowed-hosts',
      ),
    )
  })

  test('a missing token is requested with its scheme', async () => {
    const { ask } = await control({ controlToken: 'sesame' })
    const missing = await ask('GET', '/info')
    expect(missing.status).toBe(401)
    expect(missing.headers['www-authenticate']).toBe('Bearer realm="control plane"')
    expect(missing.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(missing.body).toEqual(
      problem(
        401,
        'Unauthorized',
        'the control plane wants its token: Authorization: Bearer <control token>',
      ),
    )
    const wrong = await ask('GET', '/info', undefined, { authorization: 'Bearer x' })
    expect(wrong.body).toEqual(problem(401, 'Unauthorized', 'this is not the control token'))
    const right = await ask('GET', '/info', undefined, { authorization: 'Bearer sesame' })
    expect(right.status).toBe(200)
    expect((await ask('GET', '/health')).status).toBe(200)
    expect((await ask('GET', '/ready?x=1')).status).toBe(200)
  })
})
