import { describe, expect, test } from 'vitest'
import { exportWorld } from '../../../../state/kernel/worlds/document.ts'
import { World } from '../../../../state/kernel/worlds/world.ts'
import { Worlds } from '../../../../state/kernel/worlds/worlds.ts'
import { anonymousId, meshCaller } from '../../../../state/mesh/acl/callers.ts'
import { linkViews, resolveLinks } from '../../../../state/mesh/acl/links.ts'
import { createPolicy } from '../../../../state/mesh/acl/policies.ts'
import { createRole, rolesIn } from '../../../../state/mesh/acl/roles.ts'
import { aclPolicies, aclTokens } from '../../../../state/mesh/acl/tables.ts'
import { createToken, tokensIn } from '../../../../state/mesh/acl/tokens.ts'
import { putNamespace } from '../../../../state/mesh/namespaces/changes.ts'
import { removeAclData } from '../../../../state/mesh/namespaces/removal.ts'
import { meshService } from '../../../../state/mesh/service.ts'
import { start } from '../../../support/kernel.ts'

const settings = {
  services: [meshService],
  seed: 'test',
  clock: { mode: 'frozen', at: start },
  options: { mesh: { aclEnabled: true, defaultPolicy: 'deny' } },
  freezeRows: true,
} as const

const world = () => new World({ id: 'default', ...settings })

describe('behaviour/mesh#removal: removal of ACL data', () => {
  test('removes one kind per step: tokens, roles, policies; returns false when nothing is left', () => {
    const aclWorld = world()
    putNamespace(aclWorld, { name: 'Team', description: '', acls: null, meta: {} })
    const policy = createPolicy(aclWorld, 'Team', { name: 'p' })
    createRole(aclWorld, 'Team', { name: 'r', policies: [policy] })
    createToken(aclWorld, 'Team', { ttl: 60_000_000_000 })
    createToken(aclWorld, 'Team', {})
    const remainingCounts = () => [
      tokensIn(aclWorld, 'team').length,
      rolesIn(aclWorld, 'team').length,
      aclWorld.table(aclPolicies).has(policy.id),
    ]
    const steps = []
    for (let more = true; more; ) {
      more = removeAclData(aclWorld, 'team')
      steps.push([more, ...remainingCounts()])
    }
    expect(steps).toEqual([
      [true, 0, 1, true],
      [true, 0, 0, true],
      [true, 0, 0, false],
      [false, 0, 0, false],
    ])
    // Other namespaces keep their data, and no job stays scheduled.
    expect(tokensIn(aclWorld, 'default')).toHaveLength(2)
    expect([...aclWorld.agenda.all()]).toEqual([])
  })
})

describe('behaviour/program#worlds: ACLs are state', () => {
  test('ACLs survive export and import, expiry included', () => {
    const aclWorld = world()
    const { id } = createPolicy(aclWorld, 'default', { name: 'p', rules: 'operator = "read"' })
    const { secret_id } = createToken(aclWorld, 'default', {
      policies: [{ id }],
      ttl: 60_000_000_000,
    })
    const document = exportWorld(aclWorld)
    const worlds = new Worlds(settings)
    const copy = worlds.create({ id: 'copy', seed: 's' })
    worlds.import(copy, document)
    expect(exportWorld(copy)).toEqual(document)
    expect(meshCaller(copy, secret_id).may({ resource: 'operator', access: 'read' })).toBe(true)
    copy.advance(60_000)
    expect(() => meshCaller(copy, secret_id)).toThrow('ACL not found')
    worlds.close()
  })

  test('imported rules with syntax errors grant nothing', () => {
    const aclWorld = world()
    const { id } = createPolicy(aclWorld, 'default', { name: 'p', rules: 'operator = "read"' })
    const { secret_id } = createToken(aclWorld, 'default', { policies: [{ id }] })
    const row = aclWorld.table(aclPolicies).get(id)
    if (row === undefined) throw new Error('the policy is not there')
    aclWorld.write(() => aclWorld.table(aclPolicies).put(id, { ...row, rules: 'operator = ' }))
    expect(meshCaller(aclWorld, secret_id).may({ resource: 'operator', access: 'read' })).toBe(
      false,
    )
  })

  test('imported operator rules outside default grant nothing; nested ones apply to the token', () => {
    const aclWorld = world()
    const { id } = createPolicy(aclWorld, 'default', { name: 'p', rules: 'operator = "read"' })
    const { secret_id } = createToken(aclWorld, 'default', { policies: [{ id }] })
    const row = aclWorld.table(aclPolicies).get(id)
    if (row === undefined) throw new Error('the policy is not there')
    aclWorld.write(() => aclWorld.table(aclPolicies).put(id, { ...row, namespace: 'team' }))
    expect(meshCaller(aclWorld, secret_id).may({ resource: 'operator', access: 'read' })).toBe(
      false,
    )
  })

  test('the anonymous token has no rights if its row is missing', () => {
    const aclWorld = world()
    aclWorld.write(() => aclWorld.table(aclTokens).delete(anonymousId))
    const caller = meshCaller(aclWorld, undefined)
    expect([caller.isAnonymous, caller.accessorId, caller.namespace]).toEqual([
      true,
      anonymousId,
      'default',
    ])
    expect(caller.may({ resource: 'operator', access: 'read' })).toBe(false)
    expect(() => meshCaller(aclWorld, 'anonymous')).toThrow('ACL not found')
  })

  test('the same seed gives the same tokens', () => {
    const [a, b] = [world(), world()]
    expect(createToken(a, 'default', {})).toEqual(createToken(b, 'default', {}))
  })
})

describe('behaviour/mesh#acl-links', () => {
  test('an ID precedes a name; duplicates are dropped, the order is kept', () => {
    const aclWorld = world()
    const [a, b] = ['a', 'b'].map((name) => createPolicy(aclWorld, 'default', { name }).id)
    const links = [{ name: 'b' }, { id: a, name: 'b' }, { id: b }, { name: 'A' }]
    expect(resolveLinks(aclWorld, 'policy', links)).toEqual([b, a])
    expect(linkViews(aclWorld, 'policy', [b ?? '', 'gone', a ?? ''])).toEqual([
      { ID: b, Name: 'b' },
      { ID: a, Name: 'a' },
    ])
    expect(() => resolveLinks(aclWorld, 'role', [{ name: 'a' }])).toThrow(
      'No such ACL role with name "a"',
    )
  })
})
