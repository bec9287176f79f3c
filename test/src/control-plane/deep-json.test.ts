import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/index.ts'

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

describe.each(['neutral', 'vendor'] as const)('deep JSON, %s', (dialect) => {
  const headers = {
    'content-type': 'application/json',
    [dialect === 'vendor' ? 'x-vault-token' : 'x-secrets-token']: 'root',
  }

  async function withDeepSecret() {
    const understudy = await createUnderstudy({ dialect, clock: 'frozen@2026-01-01T00:00:00Z' })
    onTestFinished(() => understudy.close())
    const write = (payload: string) =>
      understudy.inject({ method: 'POST', url: '/v1/secret/data/a', headers, payload })
    return { understudy, write }
  }

  test('behaviour/program#bounds: the control plane shows deeply nested values everywhere', async () => {
    const { understudy, write } = await withDeepSecret()
    const snapshot = await understudy.inject({ method: 'POST', url: '/_mock/snapshots' })
    const body = `{"data":{"x":${nested(7_900)}}}`
    expect((await write(body)).statusCode).toBe(200)
    expect((await write(`{"options":{"cas":9},${body.slice(1)}`)).statusCode).toBe(400)
    const paths = ['/requests', '/requests/r1', '/explain/r2', '/report', '/state', '/state?at=r1']
    for (const path of [...paths, `/snapshots/${snapshot.json().id}/diff`]) {
      expect([path, (await understudy.inject(`/_mock${path}`)).statusCode]).toEqual([path, 200])
    }
    expect((await understudy.inject('/_mock/requests/r1')).body).toContain(nested(7_900))
  })

  test('behaviour/program#bounds: a state with deep values is exported and imported', async () => {
    const { understudy, write } = await withDeepSecret()
    await write(`{"data":{"x":${nested(9_990)}}}`)
    const { body } = await understudy.inject('/_mock/state')
    const put = await understudy.inject({ method: 'PUT', url: '/_mock/state', payload: body })
    expect([put.statusCode, (await understudy.inject('/_mock/state')).body]).toEqual([204, body])
  })

  test('behaviour/program#bounds: a matcher nested more than 500 levels deep is refused', async () => {
    const { understudy } = await withDeepSecret()
    for (const value of [nested(3_000), `${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`]) {
      const payload = `{"match":{"body":{"data":${value}}}}`
      const reply = await understudy.inject({
        method: 'POST',
        url: '/_mock/requests/find',
        payload,
      })
      expect(reply.statusCode).toBe(400)
      expect(reply.json().detail).toContain('nested over 500 levels')
    }
  })

  test('behaviour/program#bounds: a value of 8 MiB of base64 is accepted', async () => {
    const { understudy } = await withDeepSecret()
    const plaintext = 'QUJD'.repeat(2 * 1024 * 1024)
    const reply = await understudy.inject({
      method: 'POST',
      url: '/v1/sys/tools/hash/sha2-256',
      headers,
      payload: { input: plaintext },
    })
    expect(reply.statusCode).toBe(200)
  })
})
