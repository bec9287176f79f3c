import { describe, expect, test } from 'vitest'
import { exportWorld } from '../../../../state/kernel/document.ts'
import { World } from '../../../../state/kernel/world.ts'
import { Worlds } from '../../../../state/kernel/worlds.ts'
import { anonymousId, meshCaller } from '../../../../state/mesh/acl/callers.ts'
import { linkViews, resolveLinks } from '../../../../state/mesh/acl/links.ts'
import { createPolicy } from '../../../../state/mesh/acl/policies.ts'
import { removeAclData } from '../../../../state/mesh/acl/removal.ts'
import { createRole, rolesIn } from '../../../../state/mesh/acl/roles.ts'
import { aclPolicies, aclTokens } from '../../../../state/mesh/acl/tables.ts'
import { createToken, tokensIn } from '../../../../state/mesh/acl/tokens.ts'
import { putNamespace } from '../../../../state/mesh/namespaces/changes.ts'
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
  test('one kind a step: tokens, roles, policies; false when nothing is left', () => {
    const own = world()
    putNamespace(own, { name: 'Team', description: '', acls: null, meta: {} })
    const policy = createPolicy(own, 'Team', { name: 'p' })
    createRole(own, 'Team', { name: 'r', policies: [policy] })
    createToken(own, 'Team', { ttl: 60_000_000_000 })
    createToken(own, 'Team', {})
    const left = () => [
      tokensIn(own, 'team').length,
      rolesIn(own, 'team').length,
      own.table(aclPolicies).has(policy.id),
    ]
    const steps = []
    for (let more = true; more; ) {
      more = removeAclData(own, 'team')
      steps.push([more, ...left()])
    }
    expect(steps).toEqual([
      [true, 0, 1, true],
      [true, 0, 0, true],
      [true, 0, 0, false],
      [false, 0, 0, false],
    ])
    // Other namespaces keep theirs, and no appointment is left.
    expect(tokensIn(own, 'default')).toHaveLength(2)
    expect([...own.agenda.all()]).toEqual([])
  })
})

describe('behaviour/program#worlds: ACLs are state', () => {
  test('they survive export and import, expiry included', () => {
    const own = world()
    const { id } = createPolicy(own, 'default', { name: 'p', rules: 'operator = "read"' })
    const { secret_id } = createToken(own, 'default', {
      policies: [{ id }],
      ttl: 60_000_000_000,
    })
    const document = exportWorld(own)
    const worlds = new Worlds(settings)
    const copy = worlds.create({ id: 'copy', seed: 's' })
    worlds.import(copy, document)
    expect(exportWorld(copy)).toEqual(document)
    expect(meshCaller(copy, secret_id).may({ resource: 'operator', access: 'read' })).toBe(true)
    copy.advance(60_000)
    expect(() => meshCaller(copy, secret_id)).toThrow('ACL not found')
    worlds.close()
  })

  test('imported rules that do not parse grant nothing', () => {
    const own = world()
    const { id } = createPolicy(own, 'default', { name: 'p', rules: 'operator = "read"' })
    const { secret_id } = createToken(own, 'default', { policies: [{ id }] })
    const row = own.table(aclPolicies).get(id)
    if (row === undefined) throw new Error('the policy is not there')
    own.write(() => own.table(aclPolicies).put(id, { ...row, rules: 'operator = ' }))
    expect(meshCaller(own, secret_id).may({ resource: 'operator', access: 'read' })).toBe(false)
  })

  test('imported operator rules outside default count nothing; nested ones hang on the token', () => {
    const own = world()
    const { id } = createPolicy(own, 'default', { name: 'p', rules: 'operator = "read"' })
    const { secret_id } = createToken(own, 'default', { policies: [{ id }] })
    const row = own.table(aclPolicies).get(id)
    if (row === undefined) throw new Error('the policy is not there')
    own.write(() => own.table(aclPolicies).put(id, { ...row, namespace: 'team' }))
    expect(meshCaller(own, secret_id).may({ resource: 'operator', access: 'read' })).toBe(false)
  })

  test('without a row of its own the anonymous token has no rights', () => {
    const own = world()
    own.write(() => own.table(aclTokens).delete(anonymousId))
    const caller = meshCaller(own, undefined)
    expect([caller.anonymous, caller.accessorId, caller.namespace]).toEqual([
      true,
      anonymousId,
      'default',
    ])
    expect(caller.may({ resource: 'operator', access: 'read' })).toBe(false)
    expect(() => meshCaller(own, 'anonymous')).toThrow('ACL not found')
  })

  test('the same seed gives the same tokens', () => {
    const [a, b] = [world(), world()]
    expect(createToken(a, 'default', {})).toEqual(createToken(b, 'default', {}))
  })
})

describe('behaviour/mesh#acl-links', () => {
  test('ID before name, repetitions dropped, order kept', () => {
    const own = world()
    const [a, b] = ['a', 'b'].map((name) => createPolicy(own, 'default', { name }).id)
    const links = [{ name: 'b' }, { id: a, name: 'b' }, { id: b }, { name: 'A' }]
    expect(resolveLinks(own, 'policy', links)).toEqual([b, a])
    expect(linkViews(own, 'policy', [b ?? '', 'gone', a ?? ''])).toEqual([
      { ID: b, Name: 'b' },
      { ID: a, Name: 'a' },
    ])
    expect(() => resolveLinks(own, 'role', [{ name: 'a' }])).toThrow(
      'No such ACL role with name "a"',
    )
  })
})
