import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/index.ts'
import { monotonicTime } from '../../../state/kernel/time.ts'

describe('behaviour/program#journal: requests without an answer', () => {
  test('are listed with their age until they are answered', async () => {
    const understudy = await createUnderstudy({ clock: 'frozen@2026-01-01T00:00:00Z' })
    onTestFinished(() => understudy.close())
    const open = async () => (await understudy.inject('/_mock/requests/open')).json().requests
    expect(await open()).toEqual([])
    const start = monotonicTime()
    const waiting = understudy.inject('/v1/jobs?index=1&wait=1m').then((reply) => reply)
    await expect.poll(open).toHaveLength(1)
    understudy.world().clock.advance('5s')
    const [request] = await open()
    expect(request.ageMs).toBeLessThanOrEqual(Math.ceil(monotonicTime() - start))
    expect(await open()).toEqual([
      {
        id: 'r1',
        service: 'scheduler',
        method: 'GET',
        path: '/v1/jobs',
        at: '2026-01-01T00:00:00Z',
        ageMs: expect.any(Number),
        worldAgeMs: 5_000,
      },
    ])
    understudy.world().clock.advance('2m')
    expect((await waiting).statusCode).toBe(200)
    expect(await open()).toEqual([])
  })

  test('leave the list when the client leaves', async () => {
    const understudy = await createUnderstudy()
    onTestFinished(() => understudy.close())
    const url = await understudy.listen()
    const client = new AbortController()
    const waiting = fetch(`${url}/v1/jobs?index=1&wait=5m`, { signal: client.signal })
    const { requests } = understudy.world()
    await expect.poll(() => requests.open()).toHaveLength(1)
    client.abort()
    await expect(waiting).rejects.toThrow()
    await expect.poll(() => requests.open()).toEqual([])
  })
})
