import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, noContent, ok, statusAndBody } from '../replies.ts'

const path = 'sys/rotate/config'
const initial = { enabled: true, interval: 0, max_operations: 3_865_470_566 }

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/secrets#small-endpoints, rotate/config: %s',
  (dialect) => {
    test('settings are stored and returned, and rotations do not change them', async () => {
      const { secrets } = await servedSecrets({ dialect })
      const settings = async () => (await secrets.get(path)).body.data
      expect(statusAndBody(await secrets.get(path))).toEqual(ok({ data: initial }))
      expect(statusAndBody(await secrets.post(path, { max_operations: '2000000' }))).toEqual(
        noContent,
      )
      expect(statusAndBody(await secrets.put(path, { interval: '36h', enabled: false }))).toEqual(
        noContent,
      )
      const changed = { enabled: false, interval: '36h0m0s', max_operations: 2_000_000 }
      expect(await settings()).toEqual(changed)
      await secrets.post('sys/rotate')
      expect(await settings()).toEqual(changed)
      // As in the open fork, a write that changes only `enabled` has no effect.
      await secrets.post(path, { enabled: true })
      expect(await settings()).toEqual(changed)
      await secrets.post(path, { interval: 0 })
      expect(await settings()).toEqual({ ...changed, interval: 0 })
    })

    const range = 'max_operations must be in the range [1000000,3865470566]'
    test.each([
      [{ max_operations: 999_999 }, range],
      [{ max_operations: 3_865_470_567 }, range],
      [{ max_operations: -1 }, range],
      [{ interval: '23h', max_operations: 0 }, 'interval must be greater or equal to 24h0m0s'],
      [
        { interval: -1 },
        'Field validation failed: error converting input -1 for field "interval": cannot provide negative value \'-1\'',
      ],
    ])('%j is refused', async (body, text) => {
      const { secrets } = await servedSecrets({ dialect })
      expect(statusAndBody(await secrets.post(path, body))).toEqual(error(400, text))
      expect((await secrets.get(path)).body.data).toEqual(initial)
    })
  },
)
