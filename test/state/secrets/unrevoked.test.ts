import { expect, test } from 'vitest'
import { registerLease } from '../../../state/secrets/leases/leases.ts'
import { rootNamespace } from '../../../state/secrets/namespaces/namespaces.ts'
import { findUnrevoked } from '../../../state/secrets/unrevoked.ts'
import { freshWorld, makeToken } from './fresh-world.ts'

// choice/process#report-left-behind
test('behaviour/program#reports: unrevoked are valid tokens and leases issued since the baseline', () => {
  const world = freshWorld()
  const early = makeToken(world, {})
  const lease = (ttl: number) =>
    registerLease(world, {
      namespace: rootNamespace,
      path: 'orch/creds/a',
      token: early,
      renewable: false,
      ttl,
    }).id
  lease(600)
  const before = world.snapshot().store
  expect(findUnrevoked(world, before)).toEqual({ tokens: [], leases: [] })
  const { accessor } = makeToken(world, {})
  makeToken(world, { type: 'batch' })
  const [short, long] = [lease(60), lease(120)]
  expect(findUnrevoked(world, before)).toEqual({ tokens: [accessor], leases: [short, long].sort() })
  world.advance(60_000)
  expect(findUnrevoked(world, before).leases).toEqual([long])
})
