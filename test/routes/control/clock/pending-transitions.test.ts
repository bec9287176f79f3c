import { expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../../src/embedding/index.ts'

test('behaviour/program#clock: the ends of valid certificates are pending work', async () => {
  const roots = ['b', 'a'].map((common_name, index) => ({
    common_name,
    key_type: 'ed25519',
    ttl: `${2 - index}h`,
  }))
  const understudy = await createUnderstudy({
    clock: 'frozen@2026-01-01T00:00:00Z',
    fixtures: { secrets: { pki: { pki: { roots } } } },
  })
  onTestFinished(() => understudy.close())
  const world = understudy.world()
  const kind = 'secrets.certificate'
  const ends = () =>
    world.clock.due().due.flatMap((each) => (each.kind === kind ? [`${each.at} ${each.to}`] : []))
  expect(ends()).toEqual(['2026-01-01T01:00:00Z expired', '2026-01-01T02:00:00Z expired'])
  expect(world.clock.due(1)).toEqual({ due: [expect.anything()], total: world.clock.due().total })

  const [first] = world.clock.due().due.filter((each) => each.kind === kind)
  world.transitions.push(kind, first?.id ?? '', 'revoked')
  expect(ends()).toEqual(['2026-01-01T02:00:00Z expired'])
  // No job runs when a certificate ends, so moving the clock does not report the end.
  const { fired } = world.clock.advance('3h')
  expect(fired.map((each) => each.kind)).not.toContain(kind)
  expect(ends()).toEqual([])
})
