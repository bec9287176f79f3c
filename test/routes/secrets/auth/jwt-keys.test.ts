import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK } from 'jose'
import { describe, expect, onTestFinished, test } from 'vitest'
import { error, noContent, statusAndBody } from '../replies.ts'
import { createSigner, issuer, jwtServer, validClaims } from './jwt.ts'

const signatureError = (why: string) =>
  error(400, `error validating token: error verifying token signature: ${why}`)

/** Returns a key set with the issuer's key and another key. */
async function keySet() {
  const other = await createSigner()
  const [key, stranger] = [await exportJWK(issuer.publicKey), await exportJWK(other.publicKey)]
  const keys = [
    { ...stranger, kid: 'other' },
    { ...key, kid: 'mine' },
    { kty: 'oct', k: 'AAAA' },
  ]
  return { keys }
}

/** Starts a local server with JSON documents by path, and counts its requests. */
async function serveJson(pages: Readonly<Record<string, (base: string) => unknown>>) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const page = pages[path]?.(base)
    response.statusCode = page === undefined ? 404 : 200
    response.end(typeof page === 'string' ? page : JSON.stringify(page))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { base, asked }
}

const loopback = { secrets: { jwtFetch: 'loopback' } } as const
const noStaticKeys = { jwt_validation_pubkeys: [] }

describe('behaviour/secrets#jwt-keys', () => {
  // choice/secrets#jwt-fetch
  test('nothing is fetched unless an option allows it', async () => {
    const { asked, base } = await serveJson({ '/keys': () => ({ keys: [] }) })
    const url = `${base}/keys`
    const { login } = await jwtServer({}, { ...noStaticKeys, jwks_url: url })
    expect(statusAndBody(await login(await issuer.sign(validClaims)))).toEqual(
      signatureError(`fetching keys ${url}: not allowed`),
    )
    expect(asked).toEqual([])
  })

  // choice/secrets#jwt-no-key-text
  test('an option provides the keys of either URL; the header chooses one key', async () => {
    const url = 'https://issuer.test'
    const secrets = { jwtKeys: { [url]: await keySet() } }
    for (const source of [{ jwks_url: url }, { oidc_discovery_url: url }]) {
      const { login } = await jwtServer({}, { ...noStaticKeys, ...source }, { secrets })
      expect((await login(await issuer.sign(validClaims))).status).toBe(200)
      expect((await login(await issuer.sign(validClaims, { kid: 'mine' }))).status).toBe(200)
      expect(statusAndBody(await login(await issuer.sign(validClaims, { kid: 'other' })))).toEqual(
        signatureError('no known key successfully validated the token signature'),
      )
    }
  })

  // choice/secrets#jwt-fetch
  test('a key set is fetched once for each configuration', async () => {
    const keys = await keySet()
    const { asked, base } = await serveJson({ '/keys': () => keys })
    const config = { jwks_url: `${base}/keys` }
    const { login, secrets } = await jwtServer({}, { ...noStaticKeys, ...config }, loopback)
    expect(asked).toEqual(['/keys'])
    expect((await login(await issuer.sign(validClaims))).status).toBe(200)
    expect(asked).toEqual(['/keys'])
    expect(statusAndBody(await secrets.post('auth/jwt/config', config))).toEqual(noContent)
    expect(asked).toEqual(['/keys', '/keys'])
    expect((await secrets.get('auth/jwt/config')).body.data).not.toHaveProperty('fetched')
  })

  test('the discovery document of an issuer has the URL of its key set', async () => {
    const keys = await keySet()
    const { asked, base } = await serveJson({
      '/.well-known/openid-configuration': (at) => ({ issuer: at, jwks_uri: `${at}/k` }),
      '/k': () => keys,
    })
    const config = { ...noStaticKeys, oidc_discovery_url: base }
    const { login } = await jwtServer({}, config, loopback)
    expect((await login(await issuer.sign(validClaims))).status).toBe(200)
    expect(asked).toEqual(['/.well-known/openid-configuration', '/k'])
  })

  test('a login fetches the keys that the configuration could not fetch yet, and caches them', async () => {
    const keys = await keySet()
    let pages: Record<string, () => unknown> = {}
    const { asked, base } = await serveJson({ '/keys': () => pages['/keys']?.() })
    const url = `${base}/keys`
    const { login, world } = await jwtServer({}, { ...noStaticKeys, jwks_url: url })
    world.changeOptions({ secrets: { jwtFetch: 'any' } })
    const jwt = await issuer.sign(validClaims)
    expect(statusAndBody(await login(jwt))).toEqual(
      signatureError(`fetching keys ${url}: status 404`),
    )
    pages = { '/keys': () => keys }
    expect((await login(jwt)).status).toBe(200)
    expect((await login(jwt)).status).toBe(200)
    expect(asked).toEqual(['/keys', '/keys'])
  })

  test('with `loopback` no request leaves the machine, whichever address an issuer has', async () => {
    const { base } = await serveJson({
      '/.well-known/openid-configuration': (at) => ({
        issuer: at,
        jwks_uri: 'http://192.0.2.1/keys',
      }),
    })
    const { secrets } = await jwtServer({}, {}, loopback)
    const write = (body: object) => secrets.post('auth/jwt/config', body)
    expect(statusAndBody(await write({ jwks_url: 'http://192.0.2.1/keys' }))).toEqual(
      error(400, 'error checking jwks URL'),
    )
    expect(statusAndBody(await write({ oidc_discovery_url: base }))).toEqual(
      error(400, 'error checking oidc discovery URL'),
    )
    expect(statusAndBody(await write({ jwks_url: 'no url' }))).toEqual(
      error(400, 'error checking jwks URL'),
    )
  })

  test('replies that are not key sets are refused', async () => {
    const { base } = await serveJson({
      '/list': () => [],
      '/null': () => null,
      '/text': () => 'x',
      '/.well-known/openid-configuration': () => ({ issuer: 'https://other.test' }),
    })
    const { secrets } = await jwtServer({}, {}, loopback)
    const write = (body: object) => secrets.post('auth/jwt/config', body)
    for (const path of ['list', 'null', 'text', 'absent']) {
      expect(statusAndBody(await write({ jwks_url: `${base}/${path}` }))).toEqual(
        error(400, 'error checking jwks URL'),
      )
    }
    expect(statusAndBody(await write({ oidc_discovery_url: base }))).toEqual(
      error(400, 'error checking oidc discovery URL'),
    )
  })
})
