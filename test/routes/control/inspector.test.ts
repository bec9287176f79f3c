import { describe, expect, test } from 'vitest'
import type { InspectorFile } from '../../../routes/control/inspector.ts'
import { control } from '../../support/control.ts'

const file = (type: string, text: string): InspectorFile => ({
  type,
  bytes: Buffer.from(text),
  etag: `"${text.length}"`,
})
const files = new Map([
  ['index.html', file('text/html; charset=utf-8', '<!doctype html><title>page</title>')],
  ['main-1.js', file('text/javascript; charset=utf-8', 'go()')],
])

async function served(options: { readonly controlToken?: string } = {}) {
  const asked: string[] = []
  const inspector = () => {
    asked.push('files')
    return files
  }
  const { app } = await control({ inspector, ...options })
  const get = (url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    app.inject({ method: method as 'GET', url, headers })
  return { get, asked }
}

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('behaviour/program#inspector: the page and its files', () => {
  test('the page allows no foreign and no inline content', async () => {
    const { get, asked } = await served()
    expect(asked).toEqual([])
    const reply = await get('/_mock/ui')
    expect(reply.statusCode).toBe(200)
    expect(reply.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(reply.headers['cache-control']).toBe('no-cache')
    expect(reply.headers['x-content-type-options']).toBe('nosniff')
    const policy = String(reply.headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toContain('unsafe')
    expect(asked).toEqual(['files'])
  })

  test('files with a hash in their name are cached forever; the page is revalidated', async () => {
    const { get } = await served()
    const script = await get('/_mock/ui/main-1.js')
    expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(script.headers['content-security-policy']).toBeUndefined()
    const again = await get('/_mock/ui', { 'if-none-match': '"34"' })
    expect(again.statusCode).toBe(304)
    expect(again.body).toBe('')
    const changed = await get('/_mock/ui', { 'if-none-match': '"35"' })
    expect(changed.statusCode).toBe(200)
    const head = await get('/_mock/ui', {}, 'HEAD')
    expect([head.statusCode, head.body]).toEqual([200, ''])
  })

  test('other files do not exist', async () => {
    const { get } = await served()
    const reply = await get('/_mock/ui/..%2Fpackage.json')
    expect(reply.statusCode).toBe(404)
    expect(reply.json().detail).toBe('the inspector has no file "../package.json"')
  })

  test('a browser is redirected to the page from every root; other clients get the text', async () => {
    const { get } = await served()
    for (const [from, to] of [
      ['/', '_mock/ui'],
      ['/_mock', '_mock/ui'],
      ['/_mock/', 'ui'],
      ['/_mock?x=1', '_mock/ui'],
      ['/_world/default', 'default/_mock/ui'],
      ['/_world/default/', '_mock/ui'],
      ['/_world/default/_mock', '_mock/ui'],
    ] as const) {
      const reply = await get(from, browser)
      expect([from, reply.statusCode, reply.headers.location]).toEqual([from, 302, to])
    }
    const slash = await get('/_mock/ui/')
    expect([slash.statusCode, slash.headers.location]).toEqual([302, '../ui'])
    const text = await get('/_mock', { accept: '*/*' })
    expect(text.statusCode).toBe(200)
    expect(text.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(text.body).toContain('/_mock/ui')
  })

  test('the inspector is also served below the prefix of a world', async () => {
    const { get } = await served()
    expect((await get('/_world/default/_mock/ui')).statusCode).toBe(200)
    expect((await get('/_world/default/_mock/ui/main-1.js')).body).toBe('go()')
  })

  test('the inspector needs no token, and nothing else is open because of it', async () => {
    const { get } = await served({ controlToken: 'sesame' })
    expect((await get('/_mock/ui')).statusCode).toBe(200)
    expect((await get('/_mock/ui/main-1.js')).statusCode).toBe(200)
    expect((await get('/_mock', browser)).statusCode).toBe(302)
    expect((await get('/_mock')).statusCode).toBe(401)
    expect((await get('/_mock/ui/x/y')).statusCode).toBe(401)
    expect((await get('/_mock/info', browser)).statusCode).toBe(401)
  })

  test('foreign pages and host names are refused', async () => {
    const { get } = await served()
    expect((await get('/_mock/ui', { origin: 'http://evil.example' })).statusCode).toBe(403)
    expect((await get('/_mock/ui', { host: 'evil.example' })).statusCode).toBe(403)
    expect((await get('/_mock', { ...browser, host: 'evil.example' })).statusCode).toBe(403)
  })

  test('a server without the inspector reports so', async () => {
    const { app } = await control()
    expect((await app.inject({ url: '/_mock/ui' })).statusCode).toBe(404)
    expect((await app.inject({ url: '/_mock', headers: browser })).statusCode).toBe(200)
  })
})
