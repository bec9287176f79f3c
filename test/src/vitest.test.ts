import { describe, expect, expectTypeOf, test as plain } from 'vitest'
import type { Understudy } from '../../src/index.ts'
import { type ServedWorld, test } from '../../src/vitest.ts'

const headers = { 'x-secrets-token': 'root' }
const secret = (world: ServedWorld) => `${world.url}/v1/secret/data/app`
const put = (world: ServedWorld) =>
  fetch(secret(world), { method: 'POST', headers, body: '{"data":{"a":1}}' })

const frozen = test.extend({
  understudyOptions: [
    { clock: 'frozen@2026-01-01T00:00:00Z', rootToken: 'other' },
    { scope: 'worker' },
  ],
})

/** The worlds that tests of this file were given, in order. */
const given: ServedWorld[] = []

describe('DESIGN section 8: a world per test', () => {
  test('the world is served and begins empty', async ({ world, understudy }) => {
    given.push(world)
    expectTypeOf(world).toEqualTypeOf<ServedWorld>()
    expectTypeOf(world.url).toEqualTypeOf<string>()
    expectTypeOf(understudy).toEqualTypeOf<Understudy>()
    expect(world.url).toBe(`${understudy.url}/_world/${world.id}`)
    const before = await fetch(secret(world), { headers })
    const written = await put(world)
    expect([before.status, written.status]).toEqual([404, 200])
  })

  test('the next test has another one on the same server', async ({ world, understudy }) => {
    given.push(world)
    expect(given[0]?.id).not.toBe(world.id)
    expect(new URL(given[0]?.url ?? '').origin).toBe(understudy.url)
    const reply = await fetch(secret(world), { headers })
    expect(reply.status).toBe(404)
  })

  test('the worlds of earlier tests are gone', ({ understudy }) => {
    expect(understudy.worlds().map(({ id }) => id)).toEqual(['default'])
  })

  plain('tests that ask for neither get neither', (context) => {
    expect(Object.keys(context)).not.toContain('world')
  })
})

describe('DESIGN section 8: a server set up otherwise', () => {
  frozen('by extending the fixture', async ({ world }) => {
    expect(world.clock.view().now).toBe('2026-01-01T00:00:00Z')
    expect(world.info().services.secrets.token).toBe('other')
    const statuses = ['root', 'other'].map(async (token) => {
      const url = `${world.url}/v1/auth/token/lookup-self`
      const { status } = await fetch(url, { headers: { 'x-secrets-token': token } })
      return status
    })
    expect(await Promise.all(statuses)).toEqual([403, 200])
  })
})
