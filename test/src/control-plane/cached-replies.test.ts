import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/index.ts'

const organization = '/api/v2/organizations/example-org'

/** Returns a server and functions that read an organization and ask the control plane. */
async function startedServer() {
  const understudy = await createUnderstudy({ clock: 'frozen@2026-01-01T00:00:00Z' })
  onTestFinished(() => understudy.close())
  return {
    faults: understudy.world().faults,
    read: async (query: string, token = 'owner-token') => {
      const headers = { authorization: `Bearer ${token}` }
      const { statusCode, body } = await understudy.inject({
        url: `${organization}?${query}`,
        headers,
      })
      return { statusCode, body }
    },
    ask: async (path: string) => (await understudy.inject(`/_mock${path}`)).json(),
  }
}

describe('behaviour/program#journal: repeated reads of the platform come from a cache', () => {
  test('a cached reply has the same entry and explanation as a rendered one', async () => {
    const { read, ask } = await startedServer()
    // The first request of a minute records the use of the token.
    await read('')
    const rendered = await read('page')
    const cached = await read('page')
    expect(cached).toEqual(rendered)
    const entry = await ask('/requests/r2')
    expect(entry).toMatchObject({ operation: 'readOrganization', status: 200 })
    const responseHeaders = {
      ...entry.responseHeaders,
      'x-mock-request': 'r3',
      'x-ratelimit-remaining': '27',
    }
    const durationMs = expect.any(Number)
    const expected = { ...entry, id: 'r3', durationMs, responseHeaders }
    expect(await ask('/requests/r3')).toEqual(expected)
    const explanation = await ask('/explain/r2')
    expect(explanation.steps).toHaveLength(5)
    expect(await ask('/explain/r3')).toEqual({ ...explanation, id: 'r3' })
  })

  test('a refusal after a cached reply is explained by the check that refused it', async () => {
    const { read, ask } = await startedServer()
    for (const token of ['owner-token', 'owner-token', 'nobody-token']) await read('', token)
    const { rule, steps } = await ask('/explain/r3')
    expect([rule, steps.at(-1)]).toMatchObject(['token-unknown', { check: 'token', passed: false }])
  })

  test('behaviour/program#faults: faults replace cached replies', async () => {
    const { faults, read } = await startedServer()
    const cached = await read('')
    expect(await read('')).toEqual(cached)
    faults.add({ match: { operation: 'readOrganization' }, action: { status: 503 }, times: 1 })
    expect((await read('')).statusCode).toBe(503)
    expect(await read('')).toEqual(cached)
  })
})
