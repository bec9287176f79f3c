import { describe, expect, test } from 'vitest'
import { control } from '../../../support/control.ts'

describe('behaviour/program#presets: services without presets', () => {
  test('presets for any API are listed, applied and undone; others are unknown', async () => {
    const { ask } = await control()
    const { body } = await ask('GET', '/faults/presets')
    expect(body.presets.map(({ name }: { name: string }) => name)).toEqual([
      'any-reset-after-commit',
      'any-slow',
      'any-unavailable',
      'any-truncated',
    ])
    const made = await ask('POST', '/faults/presets/any-slow', { latency: '1ms', times: 2 })
    expect([made.status, made.body.faults]).toEqual([
      201,
      [expect.objectContaining({ preset: 'any-slow', times: 2, action: { latency: '1ms' } })],
    ])
    expect((await ask('GET', '/faults')).body).toEqual(made.body)
    expect((await ask('DELETE', '/faults/presets/any-slow')).status).toBe(204)
    expect((await ask('GET', '/faults')).body).toEqual({ faults: [] })
    expect((await ask('POST', '/faults/presets/secrets-sealed')).status).toBe(404)
  })
})
