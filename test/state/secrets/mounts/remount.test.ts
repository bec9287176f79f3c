import { describe, expect, test } from 'vitest'
import { putSecret } from '../../../../state/secrets/kv/kv.ts'
import { readPlainSecret } from '../../../../state/secrets/kv/v1.ts'
import { findLease } from '../../../../state/secrets/leases/leases.ts'
import { mountOf, mountsIn } from '../../../../state/secrets/mounts/mounts.ts'
import { readMigration, remount } from '../../../../state/secrets/mounts/remount.ts'
import {
  namespaces,
  rootNamespace as root,
} from '../../../../state/secrets/namespaces/namespaces.ts'
import { invalid, leaseAt, mountAt, refusalOf, secretsWorld } from '../system-world.ts'

describe('behaviour/secrets#remount: moving mounts', () => {
  // choice/secrets#remount
  test('data and settings move, leases end', () => {
    const world = secretsWorld()
    const before = mountAt(world, 'kv/')
    putSecret(world, before, 'a', { x: 1 })
    const lease = leaseAt(world, 'kv/creds')
    const id = remount(world, root, '/kv/', 'deep/er')
    const { path, ...rest } = mountAt(world, 'deep/er/')
    expect({ ...rest, path: 'kv/' }).toEqual(before)
    expect(path).toBe('deep/er/')
    expect(mountOf(world, root, 'kv/a')).toBeUndefined()
    expect(readPlainSecret(world, mountAt(world, 'deep/er/'), 'a').data).toBe('{"x":1}')
    expect(findLease(world, root, lease)).toBeUndefined()
    expect(readMigration(world, id)).toEqual({
      source_mount: 'kv/',
      target_mount: 'deep/er/',
      status: 'success',
    })
  })

  test('a mount can move into a child namespace', () => {
    const world = secretsWorld()
    const team = { id: 'abcde', path: 'team/', custom_metadata: {} }
    world.write(() => world.table(namespaces).put('team/', team))
    const id = remount(world, root, 'kv', 'team/kv')
    expect(mountOf(world, team, 'kv/a')?.namespace).toBe('abcde')
    expect(mountOf(world, root, 'kv/a')).toBeUndefined()
    expect(readMigration(world, id).target_mount).toBe('team/kv/')
  })

  test.each([
    ['', 'x', "both 'from' and 'to' path must be specified as a string"],
    ['kv', '', "both 'from' and 'to' path must be specified as a string"],
    ['kv ', 'x', "'from' path cannot contain trailing whitespace"],
    ['kv', ' x', "'to' path cannot contain trailing whitespace"],
    ['kv', 'a//b', "invalid destination mount: path 'a//b/' does not match cleaned path 'a/b/'"],
    ['kv', 'a\nb', 'invalid destination mount: path cannot contain non-printable characters'],
    ['auth/cloud', 'cloud', 'cannot remount auth mount to non-auth mount "cloud/"'],
    ['auth/nope', 'x', 'cannot remount auth mount to non-auth mount "x/"'],
    ['auth/token', 'auth/other', 'cannot remount "auth/token/"'],
    ['auth/cloud', 'auth/token', 'cannot remount to destination "auth/token/"'],
    ['sys', 'x', 'cannot remount "sys/"'],
    ['sys', 'cubbyhole/x', 'cannot remount "sys/"'],
    ['cubbyhole', 'sys/x', 'cannot remount to destination sys/x/'],
    ['auth/token', 'x', 'cannot remount auth mount to non-auth mount "x/"'],
    ['nope', 'sys/x', 'cannot remount to destination sys/x/'],
    ['kv', 'sys/x', 'cannot remount to destination sys/x/'],
    ['kv', 'auth/kv', 'cannot remount to destination auth/kv/'],
    ['nope', 'x', 'no matching mount at "nope/"'],
    ['secret/below', 'x', 'no matching mount at "secret/below/"'],
    ['kv', 'secret', 'path already in use at "secret/"'],
    ['kv', 'secret/below', 'path already in use at "secret/"'],
    ['kv', 'kv', 'path already in use at "kv/"'],
  ])('refused: from %j to %j', (from, to, message) => {
    const world = secretsWorld()
    const before = mountsIn(world, root)
    expect(refusalOf(() => remount(world, root, from, to))).toEqual(invalid(message))
    expect(mountsIn(world, root)).toEqual(before)
  })

  test('an unknown migration is absent', () => {
    expect(refusalOf(() => readMigration(secretsWorld(), 'x'))?.kind).toBe('absent')
  })
})
