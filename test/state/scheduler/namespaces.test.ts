import { describe, expect, test } from 'vitest'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { schedulerCaller } from '../../../state/scheduler/acl/callers.ts'
import { decodeBody } from '../../../state/scheduler/decoding.ts'
import { dataIndex, lastIndex } from '../../../state/scheduler/indexes.ts'
import { refuse } from '../../../state/scheduler/messages.ts'
import { deleteNamespace } from '../../../state/scheduler/namespace-removal.ts'
import {
  allNamespaces,
  findNamespace,
  namespaceShape,
  putNamespace,
  readNamespace,
  visibleNamespaces,
} from '../../../state/scheduler/namespaces.ts'
import { aclWorld, clientToken, manager, policy } from '../../support/scheduler/scheduler-acl.ts'

const seeded = {
  Name: 'default',
  Description: 'Default shared namespace',
  Quota: '',
  Capabilities: null,
  Meta: null,
  CreateIndex: 1,
  ModifyIndex: 1,
}

const sent = (body: object) => decodeBody(JSON.stringify(body), namespaceShape)
const put = (world: World, body: object, pathName?: string) =>
  putNamespace(world, sent(body), pathName)

describe('behaviour/scheduler#namespaces', () => {
  test('a fresh world has `default`', () => {
    const world = aclWorld()
    expect(allNamespaces(world)).toEqual([seeded])
    expect(findNamespace(world, 'default')).toEqual(seeded)
    expect(findNamespace(world, 'Default')).toBeUndefined()
    expect(dataIndex(world, 'namespaces')).toBe(1)
  })

  test('create and replace', () => {
    const world = aclWorld()
    const body = {
      Name: 'team-a',
      Description: 'd',
      Quota: '',
      Capabilities: { EnabledTaskDrivers: ['docker'], DisabledTaskDrivers: [] },
      Meta: { owner: 'ada' },
      CreateIndex: 77,
    }
    const created = {
      ...body,
      Capabilities: { EnabledTaskDrivers: ['docker'], DisabledTaskDrivers: null },
      CreateIndex: 11,
      ModifyIndex: 11,
    }
    expect(put(world, body)).toEqual(created)
    expect(findNamespace(world, 'team-a')).toEqual(created)
    expect(put(world, { name: 'team-a' }, 'team-a')).toEqual({
      Name: 'team-a',
      Description: '',
      Quota: '',
      Capabilities: null,
      Meta: null,
      CreateIndex: 11,
      ModifyIndex: 12,
    })
    expect(dataIndex(world, 'namespaces')).toBe(12)
  })

  test.each([
    ['NodePoolConfiguration', 'node pool configuration: Node Pools Governance is unlicensed.'],
    ['VaultConfiguration', 'secrets configuration: Multi-Cluster Secrets is unlicensed.'],
    ['ConsulConfiguration', 'mesh configuration: Multi-Cluster Mesh is unlicensed.'],
  ])('%s is refused, unless it is null', (member, why) => {
    const world = aclWorld()
    expect(() => put(world, { Name: 'n', [member]: { Default: 'd' } })).toThrow(
      expect.objectContaining({
        kind: 'conflict',
        message: `Invalid namespace "n": 1 error occurred:\n\t* invalid ${why}\n\n`,
      }),
    )
    expect(lastIndex(world)).toBe(10)
    expect(put(world, { Name: 'n', [member]: null }).ModifyIndex).toBe(11)
  })

  test('there are no quotas', () => {
    expect(() => put(aclWorld(), { Name: 'qn', Quota: 'nope' })).toThrow(
      expect.objectContaining({
        kind: 'conflict',
        message: 'namespace "qn" using non-existent quota "nope"',
      }),
    )
  })

  test('`default` can be changed', () => {
    expect(put(aclWorld(), { Name: 'default', Description: 'x' })).toMatchObject({
      Description: 'x',
      CreateIndex: 1,
      ModifyIndex: 11,
    })
  })

  const pattern = '^[a-zA-Z0-9-]{1,128}$'
  test.each([
    [
      'a b',
      `Invalid namespace "a b": 1 error occurred:\n\t* invalid name "a b". Must match regex ${pattern}\n\n`,
    ],
    [
      '',
      `Invalid namespace "": 1 error occurred:\n\t* invalid name "". Must match regex ${pattern}\n\n`,
    ],
    [
      '*',
      `Invalid namespace "*": 1 error occurred:\n\t* invalid name "*". Must match regex ${pattern}\n\n`,
    ],
    [
      'a\n',
      `Invalid namespace "a\\n": 1 error occurred:\n\t* invalid name "a\\n". Must match regex ${pattern}\n\n`,
    ],
  ])('the name %j: 500', (Name, message) => {
    const world = aclWorld()
    expect(() => put(world, { Name })).toThrow(
      expect.objectContaining({ kind: 'conflict', message }),
    )
    expect(lastIndex(world)).toBe(10)
  })

  test('a name of 128 characters and a description of 256 bytes are the longest', () => {
    const world = aclWorld()
    expect(put(world, { Name: 'n'.repeat(128), Description: 'd'.repeat(256) }).ModifyIndex).toBe(11)
    expect(() => put(world, { Name: 'n'.repeat(129), Description: 'é'.repeat(129) })).toThrow(
      `Invalid namespace "${'n'.repeat(129)}": 2 errors occurred:\n\t* invalid name "${'n'.repeat(129)}". Must match regex ${pattern}\n\t* description longer than 256\n\n`,
    )
  })

  test('another name than the path’s: 400, before the caller is looked at', () => {
    const world = aclWorld()
    const authorize = () => {
      throw refuse('permission-denied')
    }
    expect(() => putNamespace(world, sent({ Name: 'a' }), 'b', authorize)).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        message: 'Namespace name does not match request path',
      }),
    )
    expect(() => putNamespace(world, sent({ Name: 'a b' }), 'a b', authorize)).toThrow(
      'Permission denied',
    )
  })

  test('delete', () => {
    const world = aclWorld()
    put(world, { Name: 'a' })
    deleteNamespace(world, 'a')
    expect(allNamespaces(world)).toEqual([seeded])
    expect(dataIndex(world, 'namespaces')).toBe(12)
  })

  test.each([
    ['default', 'can not delete default namespace'],
    ['never', 'namespace not found'],
  ])('delete %s: 500', (name, message) => {
    const world = aclWorld()
    put(world, { Name: 'a' })
    expect(() => deleteNamespace(world, name)).toThrow(
      expect.objectContaining({ kind: 'conflict', message }),
    )
    expect(allNamespaces(world).map(({ Name }) => Name)).toEqual(['a', 'default'])
  })

  test('lists are by name and cut by prefix', () => {
    const world = aclWorld()
    for (const Name of ['b-1', 'B', 'b-2', 'a']) put(world, { Name })
    const names = (prefix?: string) => allNamespaces(world, prefix).map(({ Name }) => Name)
    expect(names()).toEqual(['B', 'a', 'b-1', 'b-2', 'default'])
    expect(names('b-')).toEqual(['b-1', 'b-2'])
  })
})

describe('behaviour/scheduler#auth: who sees namespaces', () => {
  test('namespaces in which the caller has any capability are visible', () => {
    const world = aclWorld()
    for (const Name of ['a', 'b', 'c']) put(world, { Name })
    const rules = 'namespace "a" { capabilities = ["list-jobs"] } namespace "b" { policy = "deny" }'
    policy(world, 'p', rules)
    const caller = schedulerCaller(world, clientToken(world, 'p').SecretID)
    const names = (who: typeof caller, prefix?: string) =>
      visibleNamespaces(world, who, prefix).map(({ Name }) => Name)
    expect(names(caller)).toEqual(['a'])
    expect(names(caller, 'b')).toEqual([])
    expect(names(manager(world))).toEqual(['a', 'b', 'c', 'default'])
    expect(names(schedulerCaller(world, undefined))).toEqual([])
    expect(readNamespace(world, caller, 'a').Name).toBe('a')
    for (const name of ['b', 'c', 'never']) {
      expect(() => readNamespace(world, caller, name)).toThrow('Permission denied')
    }
    expect(() => readNamespace(world, manager(world), 'never')).toThrow(
      expect.objectContaining({ kind: 'absent', message: 'Namespace not found' }),
    )
  })
})
