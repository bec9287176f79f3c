import { describe, expect, test } from 'vitest'
import { RequestCounts } from '../../../../routes/secrets/dispatch/request-counts.ts'
import { freshWorld } from '../../../state/secrets/fresh-world.ts'

describe('numbers of requests for metrics (behaviour/secrets#operations-of-the-node)', () => {
  test('mounts whose names in metrics are equal share a number', () => {
    const [world, counts] = [freshWorld(), new RequestCounts()]
    counts.count(world, 'read', 'a/b/', false)
    counts.count(world, 'read', 'a-b/', false)
    counts.count(world, 'list', 'a-b/', false)
    expect(Object.fromEntries(counts.of(world))).toEqual({
      'core.handle_request': 3,
      'route.read.a-b-': 2,
      'route.list.a-b-': 1,
    })
  })

  test('logins are not among the other requests, and worlds have separate numbers', () => {
    const [world, other, counts] = [freshWorld(), freshWorld(), new RequestCounts()]
    counts.count(world, 'write', 'auth/userpass/', true)
    counts.count(other, 'read', 'secret/', false)
    expect(Object.fromEntries(counts.of(world))).toEqual({
      'core.handle_login_request': 1,
      'route.write.auth-userpass-': 1,
    })
  })
})
