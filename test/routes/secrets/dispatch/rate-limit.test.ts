import { describe, expect, test } from 'vitest'
import { servedSecrets, testTime } from '../../../support/secrets/secrets.ts'
import { error, statusAndBody } from '../replies.ts'

const refused = (path: string) => error(429, `request path "${path}": rate limit quota exceeded`)

describe('behaviour/secrets#rate-limit', () => {
  test('there is no rate limit by default', async () => {
    const { secrets } = await servedSecrets()
    for (let count = 0; count < 50; count++) {
      expect((await secrets.get('secret/config')).status).toBe(200)
    }
  })

  // choice/secrets#rate-limit
  test('refuses requests above the limit until the second is over', async () => {
    const { secrets, clock } = await servedSecrets({ secrets: { rateLimit: 2 } })
    const statuses = async (requests: number) => {
      const found: number[] = []
      for (let count = 0; count < requests; count++) {
        found.push((await secrets.get('secret/config')).status)
      }
      return found
    }
    expect(await statuses(3)).toEqual([200, 200, 429])
    clock.advance(999)
    expect(await statuses(1)).toEqual([429])
    clock.advance(1)
    expect(await statuses(3)).toEqual([200, 200, 429])
    // Later seconds stay aligned with the first.
    clock.advance(1700)
    expect(await statuses(3)).toEqual([200, 200, 429])
    clock.advance(300)
    expect(await statuses(3)).toEqual([200, 200, 429])
  })

  test('names the path, that of a list with its slash', async () => {
    const { secrets } = await servedSecrets({ secrets: { rateLimit: 1 } })
    await secrets.get('secret/config')
    expect(statusAndBody(await secrets.get('secret/data/a'))).toEqual(refused('secret/data/a'))
    expect(statusAndBody(await secrets.list('secret/metadata'))).toEqual(
      refused('secret/metadata/'),
    )
  })

  // choice/secrets#rate-limit
  test('is looked at before body, token, policies and help', async () => {
    const { secrets } = await servedSecrets({ secrets: { rateLimit: 1 } })
    await secrets.get('secret/config', { token: 'wrong' })
    const expected = refused('kv/a')
    expect(statusAndBody(await secrets.post('kv/a', 'no JSON'))).toEqual(expected)
    expect(statusAndBody(await secrets.get('kv/a', { token: null }))).toEqual(expected)
    expect(statusAndBody(await secrets.get('kv/a', { query: { help: '1' } }))).toEqual(expected)
    expect(statusAndBody(await secrets.get('kv/a', { query: { list: 'perhaps' } }))).toEqual(
      error(400),
    )
  })

  // choice/secrets#rate-limit
  test.each(['sys/health', 'sys/seal-status'])('does not count %s', async (path) => {
    const { secrets } = await servedSecrets({ secrets: { rateLimit: 1 } })
    expect((await secrets.get(path)).status).toBe(200)
    expect((await secrets.get('secret/config')).status).toBe(200)
    expect((await secrets.get(path)).status).toBe(200)
    expect((await secrets.post('sys/unseal', { reset: true })).status).toBe(400)
  })

  // choice/secrets#rate-limit
  test('does not hold while the service is sealed', async () => {
    const { secrets } = await servedSecrets({ secrets: { rateLimit: 1, sealed: true } })
    for (let count = 0; count < 3; count++) {
      expect(statusAndBody(await secrets.get('secret/config'))).toEqual(
        error(503, 'Service is sealed'),
      )
    }
  })

  test('is each world’s own', async () => {
    const { app, worlds, secrets } = await servedSecrets({ secrets: { rateLimit: 1 } })
    worlds.create({ id: 'other', options: { secrets: { rateLimit: 1 } } })
    expect((await secrets.get('secret/config')).status).toBe(200)
    const inOther = () =>
      app.inject({
        url: '/_world/other/v1/secret/config',
        headers: { 'x-secrets-token': 'root' },
      })
    expect((await inOther()).statusCode).toBe(200)
    expect((await inOther()).statusCode).toBe(429)
  })

  // choice/secrets#rate-limit
  test('windows are reset by a new limit, by a reset, and when the clock is set back', async () => {
    const { world, secrets } = await servedSecrets({ secrets: { rateLimit: 1 } })
    const status = async () => (await secrets.get('secret/config')).status
    expect([await status(), await status()]).toEqual([200, 429])
    world.reset()
    expect([await status(), await status()]).toEqual([200, 429])
    world.changeOptions({ secrets: { rateLimit: 2 } })
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429])
    world.setClock({ mode: 'frozen', at: testTime - 5 })
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429])
  })

  // choice/secrets#rate-limit
  test('counting does not change the state of the world', async () => {
    const { world, secrets } = await servedSecrets({ secrets: { rateLimit: 5 } })
    const { sequence } = world.store.feed
    await secrets.get('secret/config')
    expect(world.store.feed.sequence).toBe(sequence)
  })
})
