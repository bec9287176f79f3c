import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from './replies.ts'

const folder = 'sys/config/ui/headers'

describe('behaviour/secrets#web-interface: page', () => {
  test.each(['/', '/ui', '/robots.txt'])('%s leads to the web interface', async (url) => {
    const { app } = await servedSecrets()
    const reply = await app.inject({ url })
    expect([reply.statusCode, reply.headers.location, reply.body]).toEqual([
      307,
      '/ui/',
      '<a href="/ui/">Temporary Redirect</a>.\n\n',
    ])
    expect(reply.headers['cache-control']).toBe('no-store')
  })

  test.each(['/ui/', '/ui/vault/secrets?a=b'])('%s is a page', async (url) => {
    const { app } = await servedSecrets()
    const reply = await app.inject({ url })
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([
      200,
      'text/html; charset=utf-8',
    ])
    expect(reply.body).toContain('This server is a stand-in')
    expect(reply.body).toContain('href="/v1/sys/internal/specs/openapi"')
    const head = await app.inject({ method: 'HEAD', url })
    expect([head.statusCode, head.body]).toEqual([200, ''])
    expect((await app.inject({ method: 'POST', url })).statusCode).toBe(404)
  })

  test('without the option `ui`, there is no page', async () => {
    const { app, secrets } = await servedSecrets({ secrets: { ui: false } })
    expect((await app.inject({ url: '/' })).statusCode).toBe(404)
    expect((await app.inject({ url: '/ui/' })).statusCode).toBe(404)
    const { data } = (await secrets.get('sys/config/state/sanitized')).body
    expect(data.enable_ui).toBe(false)
  })
})

describe('behaviour/secrets#web-interface: headers', () => {
  test('the page has default headers, which configured ones replace', async () => {
    const { app, secrets } = await servedSecrets()
    expect((await app.inject({ url: '/ui/' })).headers).toMatchObject({
      'content-security-policy': expect.stringMatching(/^default-src 'none'; /),
      'service-worker-allowed': '/',
      'x-content-type-options': 'nosniff',
    })
    await secrets.post(`${folder}/service-worker-allowed`, { values: ['/a', '/b'] })
    await secrets.post(`${folder}/x-frame-options`, { values: 'DENY' })
    expect((await app.inject({ url: '/ui/a' })).headers).toMatchObject({
      'service-worker-allowed': '/a',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
  })

  test('a sealed node sends the default headers only', async () => {
    const { app, secrets } = await servedSecrets()
    await secrets.post(`${folder}/service-worker-allowed`, { values: ['/a'] })
    await secrets.post(`${folder}/x-frame-options`, { values: ['DENY'] })
    await secrets.put('sys/seal')
    const { headers } = await app.inject({ url: '/ui/' })
    expect(headers).toMatchObject({ 'service-worker-allowed': '/' })
    expect(headers).not.toHaveProperty('x-frame-options')
  })

  test('values are read, listed by canonical name, and deleted', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.list(folder))).toEqual(error(404))
    const reply = await secrets.post(`${folder}/x-b`, { values: ['1,2', '3'] })
    expect(statusAndBody(reply)).toEqual(ok({ data: null }))
    await secrets.put(`${folder}/A`, { values: ['0'] })
    expect((await secrets.list(folder)).body.data).toEqual({ keys: ['A', 'X-B'] })
    expect((await secrets.get(`${folder}/X-B`)).body.data).toEqual({ value: '1,2' })
    const all = await secrets.get(`${folder}/x-b`, { query: { multivalue: 'true' } })
    expect(all.body.data).toEqual({ values: ['1,2', '3'] })
    expect(statusAndBody(await secrets.delete(`${folder}/X-b`))).toEqual(noContent)
    expect(statusAndBody(await secrets.get(`${folder}/x-b`))).toEqual(error(404))
    expect(statusAndBody(await secrets.delete(`${folder}/x-b`))).toEqual(noContent)
    expect(statusAndBody(await secrets.get(folder))).toEqual(
      multierrorReply(405, 'unsupported operation'),
    )
  })

  test('a new policy for content causes a warning', async () => {
    const { secrets } = await servedSecrets()
    const path = `${folder}/content-security-policy`
    expect((await secrets.post(path, { values: ["default-src 'self'"] })).body.warnings).toEqual([
      'overriding default Content-Security-Policy which is secure by default, proceed with caution',
    ])
  })

  test.each([
    ['neutral', 'x-secrets-a', 'X-Secrets headers cannot be set'],
    ['vendor', 'X-Vault-A', 'X-Vault headers cannot be set'],
  ] as const)('headers of the API are refused, %s', async (dialect, name, text) => {
    const { secrets } = await servedSecrets({ dialect })
    const refused = await secrets.post(`${folder}/${name}`, { values: ['a'] })
    expect(statusAndBody(refused)).toEqual(error(400, text))
  })

  test.each([{}, { values: [] }])('values %j are refused', async (body) => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post(`${folder}/a`, body))).toEqual(
      error(400, 'header and values must be specified'),
    )
  })
})
