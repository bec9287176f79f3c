import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { writeCubbyhole } from '../../../../state/secrets/kv/cubbyhole.ts'
import { putSecret } from '../../../../state/secrets/kv/kv.ts'
import { registerLease } from '../../../../state/secrets/leases/leases.ts'
import { enableAuth, enableMount } from '../../../../state/secrets/mounts/changes.ts'
import { mountsIn } from '../../../../state/secrets/mounts/mounts.ts'
import {
  childNamespaces,
  deleteNamespace,
  patchNamespace,
  readNamespace,
  writeNamespace,
} from '../../../../state/secrets/namespaces/changes.ts'
import { type Namespace, rootNamespace } from '../../../../state/secrets/namespaces/namespaces.ts'
import { writePasswordPolicy } from '../../../../state/secrets/passwords/policies.ts'
import { policyNames, writePolicy } from '../../../../state/secrets/policies/policies.ts'
import { writeRole } from '../../../../state/secrets/tokens/role-changes.ts'
import { findToken } from '../../../../state/secrets/tokens/rows.ts'
import { renderMessages } from '../../../support/render-messages.ts'
import { makeToken } from '../fresh-world.ts'
import { invalid, refusalOf, secretsWorld } from '../system-world.ts'

const absent = { kind: 'absent', message: 'there is nothing at this path' }

const plainMount = {
  path: 'store',
  type: 'kv',
  description: '',
  config: {},
  options: { version: '2' },
  local: false,
  seal_wrap: false,
  external_entropy_access: false,
}

const names = (world: World, parent: Namespace) =>
  childNamespaces(world, parent).map(([name]) => name)

/** Returns every row, including those of scheduled jobs. */
const rowsOf = (world: World) =>
  Object.fromEntries(
    Array.from(world.store.tables, ([id, table]) => [id, Array.from(table.entries())] as const),
  )

describe('behaviour/secrets#namespaces: creating', () => {
  test('has an id of five letters and digits, and its own mounts and policy', () => {
    const world = secretsWorld()
    const team = writeNamespace(world, rootNamespace, 'team', { b: '2', a: '1' })
    expect(team).toEqual({
      id: expect.stringMatching(/^[0-9A-Za-z]{5}$/),
      path: 'team/',
      custom_metadata: { a: '1', b: '2' },
    })
    expect(readNamespace(world, rootNamespace, 'team')).toEqual(team)
    expect(mountsIn(world, team).map(({ path, type }) => [path, type])).toEqual([
      ['auth/token/', 'ns_token'],
      ['cubbyhole/', 'ns_cubbyhole'],
      ['identity/', 'ns_identity'],
      ['sys/', 'ns_system'],
    ])
    expect(policyNames(world, team)).toEqual(['default'])
  })

  test('can be nested by relative name; paths count from the root', () => {
    const world = secretsWorld()
    const team = writeNamespace(world, rootNamespace, 'team')
    const inner = writeNamespace(world, team, 'inner')
    writeNamespace(world, inner, 'most')
    for (const name of ['z', 'Z', 'team2']) writeNamespace(world, rootNamespace, name)
    expect(inner.path).toBe('team/inner/')
    expect(names(world, rootNamespace)).toEqual(['Z/', 'team/', 'team2/', 'z/'])
    expect(names(world, team)).toEqual(['inner/'])
    expect(names(world, inner)).toEqual(['most/'])
    expect(refusalOf(() => readNamespace(world, rootNamespace, 'inner'))).toEqual(absent)
  })

  // choice/secrets#namespace-rewritten
  test('a second write keeps id and contents and replaces the metadata', () => {
    const world = secretsWorld()
    const team = writeNamespace(world, rootNamespace, 'team', { a: '1' })
    enableMount(world, team, plainMount)
    const again = writeNamespace(world, rootNamespace, 'team', { b: '2' })
    expect(again).toEqual({ ...team, custom_metadata: { b: '2' } })
    expect(mountsIn(world, team)).toHaveLength(5)
    expect(writeNamespace(world, rootNamespace, 'team').custom_metadata).toEqual({})
  })

  test.each(['/team', 'team/', '//team//'])('%s is normalized to team', (name) => {
    const world = secretsWorld()
    expect(writeNamespace(world, rootNamespace, name).path).toBe('team/')
    expect(readNamespace(world, rootNamespace, name).path).toBe('team/')
  })

  // choice/secrets#namespace-conflicts
  test.each<readonly [string, string]>([
    ...[
      'root',
      'sys',
      'audit',
      'auth',
      'cubbyhole',
      'identity',
      'a b',
      ' a',
      'a\t',
      'a\u00a0b',
      '',
      '/',
    ].map((name) => [name, 'invalid namespace name'] as const),
    ['a/b', '"/" is not allowed in namespace names'],
    ['team/sys', '"/" is not allowed in namespace names'],
    ['secret', 'new namespace conflicts with existing mount: secret/'],
    ['deep', 'new namespace conflicts with existing mount: deep/store/'],
  ])('%j is refused', (name, message) => {
    const world = secretsWorld()
    enableMount(world, rootNamespace, { ...plainMount, path: 'deep/store' })
    const before = rowsOf(world)
    expect(refusalOf(() => writeNamespace(world, rootNamespace, name))).toEqual(invalid(message))
    expect(rowsOf(world)).toEqual(before)
  })

  test.each(['roots', 'Sys', 'system', 'secrets', 'ä', 'a+b', 'team.x'])(
    '%j is a valid name',
    (name) => {
      const world = secretsWorld()
      expect(writeNamespace(world, rootNamespace, name).path).toBe(`${name}/`)
    },
  )

  test('a mount at the path of a namespace is refused', () => {
    const world = secretsWorld()
    const team = writeNamespace(world, rootNamespace, 'team')
    for (const path of ['team', 'team/store']) {
      const mount = () => enableMount(world, rootNamespace, { ...plainMount, path })
      expect(refusalOf(mount)).toEqual(invalid('path is already in use at team/'))
    }
    expect(enableMount(world, rootNamespace, { ...plainMount, path: 'team2' }).path).toBe('team2/')
    expect(enableMount(world, team, { ...plainMount, path: 'team' }).path).toBe('team/')
    const auth = { ...plainMount, path: 'team', type: 'cloud', options: {} }
    expect(enableAuth(world, rootNamespace, auth).path).toBe('auth/team/')
  })

  test('metadata beyond the limits is refused', () => {
    const world = secretsWorld()
    const write = () => writeNamespace(world, rootNamespace, 'team', { a: '' })
    expect(refusalOf(write)).toEqual(
      invalid(
        '1 error occurred:\n\t* custom_metadata validation failed: length of value for key "a" is 0 but must be 0 < len(value) <= 512\n\n',
      ),
    )
    expect(names(world, rootNamespace)).toEqual([])
  })
})

describe('behaviour/secrets#namespaces: patching', () => {
  test('merges; null removes one key or all', () => {
    const world = secretsWorld()
    const team = writeNamespace(world, rootNamespace, 'team', { a: '1', b: '2' })
    const patch = (change: Record<string, string | null> | null) =>
      patchNamespace(world, rootNamespace, 'team', change).custom_metadata
    expect(patch({ c: '3', a: null })).toEqual({ b: '2', c: '3' })
    expect(patch({})).toEqual({ b: '2', c: '3' })
    expect(patch(null)).toEqual({})
    expect(readNamespace(world, rootNamespace, 'team')).toEqual({ ...team, custom_metadata: {} })
  })

  // choice/secrets#namespace-metadata
  test('an unknown namespace and metadata beyond the limits are refused', () => {
    const world = secretsWorld()
    expect(refusalOf(() => patchNamespace(world, rootNamespace, 'team', {}))).toEqual(absent)
    const many = Object.fromEntries(Array.from({ length: 64 }, (_, at) => [`k${at}`, 'v']))
    writeNamespace(world, rootNamespace, 'team', many)
    expect(refusalOf(() => patchNamespace(world, rootNamespace, 'team', { more: 'v' }))).toEqual(
      invalid(
        '1 error occurred:\n\t* custom_metadata validation failed: payload must contain at most 64 keys, provided 65\n\n',
      ),
    )
  })
})

describe('behaviour/secrets#namespaces: deleting', () => {
  test('deletes everything in it, and nothing else', () => {
    const world = secretsWorld()
    const other = writeNamespace(world, rootNamespace, 'other')
    makeToken(world, { namespace: other })
    const before = rowsOf(world)
    const team = writeNamespace(world, rootNamespace, 'team', { a: '1' })
    const mount = enableMount(world, team, plainMount)
    putSecret(world, mount, 'a', { b: 1 })
    enableAuth(world, team, { ...plainMount, path: 'cloud', type: 'cloud', options: {} })
    writePolicy(world, team, 'own', 'path "a" { policy = "read" }')
    writePasswordPolicy(world, team, 'own', 'length = 8 rule "charset" { charset = "ab" }')
    writeRole(world, team, 'own', { orphan: true })
    const parent = makeToken(world, { namespace: team })
    makeToken(world, { namespace: team, parent })
    const lasting = makeToken(world, { namespace: team, period: 60 })
    writeCubbyhole(world, lasting, 'a', { b: 1 })
    const lease = { namespace: team, path: 'store/a', renewable: true, ttl: 60 }
    registerLease(world, { ...lease, token: parent })
    registerLease(world, { ...lease, token: findToken(world, 'root') ?? parent })
    expect(deleteNamespace(world, rootNamespace, 'team')).toEqual([])
    expect(rowsOf(world)).toEqual(before)
  })

  test('endless tokens in it are revoked', () => {
    const world = secretsWorld()
    const team = writeNamespace(world, rootNamespace, 'team')
    const token = makeToken(world, { namespace: team, policies: ['root'] })
    expect(token.expire_time).toBeNull()
    deleteNamespace(world, rootNamespace, 'team')
    expect(findToken(world, token.id)).toBeUndefined()
  })

  // choice/secrets#batch-tokens
  test('batch tokens in it become unknown, even if the name is reused', () => {
    const world = secretsWorld()
    const team = writeNamespace(world, rootNamespace, 'team')
    const token = makeToken(world, { namespace: team, type: 'batch' })
    expect(findToken(world, token.id)).toEqual(token)
    deleteNamespace(world, rootNamespace, 'team')
    expect(findToken(world, token.id)).toBeUndefined()
    expect(writeNamespace(world, rootNamespace, 'team').id).not.toBe(team.id)
    expect(findToken(world, token.id)).toBeUndefined()
    world.advance(2_764_800_000)
    expect(rowsOf(world)['secrets.tokens']).toHaveLength(1)
  })

  test('a namespace with children is refused', () => {
    const world = secretsWorld()
    const team = writeNamespace(world, rootNamespace, 'team')
    writeNamespace(world, team, 'inner')
    writeNamespace(world, rootNamespace, 'team2')
    expect(refusalOf(() => deleteNamespace(world, rootNamespace, 'team'))).toEqual(
      invalid('cannot delete namespace containing child namespaces'),
    )
    expect(deleteNamespace(world, team, 'inner')).toEqual([])
    expect(deleteNamespace(world, rootNamespace, 'team')).toEqual([])
    expect(names(world, rootNamespace)).toEqual(['team2/'])
  })

  test('an unknown one gives a warning', () => {
    const world = secretsWorld()
    expect(renderMessages(deleteNamespace(world, rootNamespace, 'team'))).toEqual([
      'requested namespace does not exist',
    ])
  })
})

describe('behaviour/secrets#namespace-header: the community edition', () => {
  test.each<[string, (world: World) => unknown]>([
    ['list', (world) => childNamespaces(world, rootNamespace)],
    ['read', (world) => readNamespace(world, rootNamespace, 'a')],
    ['write', (world) => writeNamespace(world, rootNamespace, 'a')],
    ['patch', (world) => patchNamespace(world, rootNamespace, 'a', {})],
    ['delete', (world) => deleteNamespace(world, rootNamespace, 'a')],
  ])('%s is refused', (_, act) => {
    expect(refusalOf(() => act(secretsWorld({ edition: 'community' })))).toEqual({
      kind: 'denied',
      message: 'namespaces feature not enabled',
    })
  })
})
