import { describe, expect, test } from 'vitest'
import { schedulerCaller } from '../../../../state/scheduler/acl/callers.ts'
import type { Capability } from '../../../../state/scheduler/acl/rules.ts'
import { aclPolicies, aclTokenShape } from '../../../../state/scheduler/acl/tables.ts'
import { putToken } from '../../../../state/scheduler/acl/tokens.ts'
import { decodeValue } from '../../../../state/scheduler/decoding.ts'
import {
  aclWorld,
  callerWith,
  capabilities,
  clientToken,
  manager,
  policy,
} from '../../../support/scheduler/scheduler-acl.ts'

/** Returns the capabilities of a caller in a namespace. */
function granted(rules: string, namespace = 'default'): readonly Capability[] {
  const caller = callerWith(rules)
  return capabilities.filter((capability) => caller.may(namespace, capability))
}

describe('behaviour/scheduler#auth: capabilities that the short forms grant', () => {
  test.each([
    [
      'read',
      [
        'list-jobs',
        'read-job',
        'parse-job',
        'read-job-scaling',
        'list-scaling-policies',
        'read-scaling-policy',
        'csi-list-volume',
        'csi-read-volume',
      ],
    ],
    [
      'write',
      [
        'list-jobs',
        'read-job',
        'parse-job',
        'submit-job',
        'dispatch-job',
        'scale-job',
        'read-job-scaling',
        'list-scaling-policies',
        'read-scaling-policy',
        'read-logs',
        'read-fs',
        'alloc-exec',
        'alloc-lifecycle',
        'csi-list-volume',
        'csi-read-volume',
        'csi-mount-volume',
      ],
    ],
    ['scale', ['scale-job', 'read-job-scaling', 'list-scaling-policies', 'read-scaling-policy']],
    ['deny', []],
  ])('policy = "%s"', (name, expected) => {
    expect(granted(`namespace "default" { policy = "${name}" }`)).toEqual(expected)
  })

  test.each(capabilities)('capabilities = ["%s"] grants only that capability', (capability) => {
    expect(granted(`namespace "default" { capabilities = ["${capability}"] }`)).toEqual([
      capability,
    ])
  })

  test('behaviour/scheduler#vendor-names: the vendor’s name of policy-override', () => {
    expect(granted('namespace "default" { capabilities = ["sentinel-override"] }')).toEqual([
      'policy-override',
    ])
  })

  test.each(['submit-recommendation', 'csi-write-volume'])(
    '%s is accepted and grants nothing',
    (capability) => {
      const rules = `namespace "default" { capabilities = ["${capability}"] }`
      expect(granted(rules)).toEqual([])
      expect(callerWith(rules).maySee('default')).toBe(true)
    },
  )

  test('a policy and capabilities add up', () => {
    const rules = 'namespace "default" { capabilities = ["submit-job"] policy = "read" }'
    expect(granted(rules)).toEqual(
      capabilities.filter(
        (name) =>
          name === 'submit-job' ||
          granted('namespace "default" { policy = "read" }').includes(name),
      ),
    )
  })

  test.each([
    'namespace "default" { policy = "write" capabilities = ["deny"] }',
    'namespace "default" { policy = "deny" capabilities = ["read-job"] }',
    'namespace "default" { policy = "write" } namespace "default" { policy = "deny" }',
  ])('deny beats all: %s', (rules) => {
    expect(granted(rules)).toEqual([])
    expect(callerWith(rules).maySee('default')).toBe(false)
  })

  test('deny of one policy takes precedence over grants of others', () => {
    const write = 'namespace "default" { policy = "write" }'
    const deny = 'namespace "default" { policy = "deny" }'
    expect(callerWith(write, deny).may('default', 'read-job')).toBe(false)
    expect(callerWith(deny, write).may('default', 'read-job')).toBe(false)
  })

  test('several policies add up', () => {
    const caller = callerWith(
      'namespace "default" { capabilities = ["list-jobs"] }',
      'namespace "default" { capabilities = ["read-job"] }',
    )
    expect(caller.may('default', 'list-jobs')).toBe(true)
    expect(caller.may('default', 'read-job')).toBe(true)
    expect(caller.may('other', 'read-job')).toBe(false)
  })
})

describe('behaviour/scheduler#auth: names and patterns', () => {
  const rules = `
    namespace "*"           { capabilities = ["list-jobs"] }
    namespace "team-*"      { capabilities = ["read-job"] }
    namespace "team-*-prod" { capabilities = ["parse-job"] }
    namespace "team-a-prod" { capabilities = ["submit-job"] }
    namespace "*-prod"      { capabilities = ["dispatch-job"] }
  `
  // choice/scheduler#job-policy-equal-globs
  test.each([
    ['default', 'list-jobs'],
    ['team-', 'read-job'],
    ['team-a', 'read-job'],
    ['team-b-prod', 'parse-job'],
    ['team-a-prod', 'submit-job'],
    ['x-prod', 'dispatch-job'],
    ['team-prod', 'read-job'],
  ])('%s: the exact name, else the pattern with the longest literal part', (name, expected) => {
    expect(granted(rules, name)).toEqual([expected])
  })

  test.each([
    ['a*b*c', 'abc', true],
    ['a*b*c', 'a-b-c', true],
    ['a*b*c', 'acb', false],
    ['a*bc*c', 'abc', false],
    ['a*a', 'a', false],
    ['*b*', 'abc', true],
    ['*b*', 'ac', false],
    ['**', 'x', true],
    ['a*', 'ba', false],
  ])('%s against %s: %s', (pattern, name, expected) => {
    const caller = callerWith(`namespace "${pattern}" { policy = "read" }`)
    expect(caller.may(name, 'read-job')).toBe(expected)
  })

  test('the namespace * means any one namespace', () => {
    const caller = callerWith('namespace "a" { capabilities = ["list-jobs"] }')
    expect(caller.may('*', 'list-jobs')).toBe(true)
    expect(caller.mayInAnyNamespace('list-jobs')).toBe(true)
    expect(caller.may('*', 'read-job')).toBe(false)
    expect(caller.mayInAnyNamespace('read-job')).toBe(false)
    expect(callerWith('namespace "a" { policy = "deny" }').mayInAnyNamespace('list-jobs')).toBe(
      false,
    )
    expect(
      callerWith('namespace "a-*" { capabilities = ["list-jobs"] }').mayInAnyNamespace('list-jobs'),
    ).toBe(true)
  })
})

describe('rules beside namespaces', () => {
  const uses = ['node', 'agent', 'operator', 'quota'] as const

  test.each(uses)('%s: read and write', (what) => {
    const may = (rules: string) => {
      const caller = callerWith(rules)
      return [caller.mayUse(what, 'read'), caller.mayUse(what, 'write')]
    }
    expect(may(`${what} { policy = "read" }`)).toEqual([true, false])
    expect(may(`${what} { policy = "write" }`)).toEqual([true, true])
    expect(may(`${what} { policy = "deny" }`)).toEqual([false, false])
    expect(may('namespace "default" { policy = "write" }')).toEqual([false, false])
  })

  test('the strongest of several policies counts, deny above all', () => {
    const [read, write, deny] = ['read', 'write', 'deny'].map(
      (each) => `node { policy = "${each}" }`,
    )
    expect(callerWith(read ?? '', write ?? '').mayUse('node', 'write')).toBe(true)
    expect(callerWith(write ?? '', read ?? '').mayUse('node', 'write')).toBe(true)
    expect(callerWith(write ?? '', deny ?? '').mayUse('node', 'read')).toBe(false)
  })

  test('behaviour/scheduler#auth: plugins are listed and read, and write grants neither', () => {
    const may = (policyName: string) => {
      const caller = callerWith(`plugin { policy = "${policyName}" }`)
      return (['list', 'read'] as const).filter((access) => caller.mayUse('plugin', access))
    }
    expect(may('list')).toEqual(['list'])
    expect(may('read')).toEqual(['list', 'read'])
    expect(may('write')).toEqual([])
    expect(may('deny')).toEqual([])
  })

  test('behaviour/scheduler#auth: the last of several blocks counts, even if the first denies', () => {
    const caller = callerWith('node { policy = "deny" } node { policy = "read" }')
    expect(caller.mayUse('node', 'read')).toBe(true)
    const other = callerWith('node { policy = "write" } unknown "x" {} node { policy = "deny" }')
    expect(other.mayUse('node', 'read')).toBe(false)
  })

  test('behaviour/scheduler#auth: host volumes', () => {
    const caller = callerWith(`
      host_volume "*" { policy = "read" }
      host_volume "data-*" { policy = "write" }
      host_volume "data-old" { policy = "deny" }
      host_volume "logs" { capabilities = ["mount-readwrite"] }
      host_volume "scaled" { policy = "scale" }
    `)
    const may = (volume: string) =>
      (['mount-readonly', 'mount-readwrite'] as const).filter((access) =>
        caller.mayMount(volume, access),
      )
    expect(may('any')).toEqual(['mount-readonly'])
    expect(may('data-new')).toEqual(['mount-readonly', 'mount-readwrite'])
    expect(may('data-old')).toEqual([])
    expect(may('logs')).toEqual(['mount-readwrite'])
    expect(may('scaled')).toEqual([])
    expect(callerWith('namespace "*" { policy = "write" }').mayMount('x', 'mount-readonly')).toBe(
      false,
    )
  })

  test('behaviour/scheduler#variables: deny on a path overrides only its own block', () => {
    const path = (...capabilities: string[]) =>
      `namespace "default" { variables { path "a" { capabilities = ${JSON.stringify(capabilities)} } } }`
    const may = (...rules: string[]) => {
      const caller = callerWith(...rules)
      const accesses = ['list', 'read', 'write'] as const
      return accesses.filter((access) => caller.mayAccessVariable('default', 'a', access))
    }
    expect(may(path('read'), path('deny'))).toEqual(['list', 'read'])
    expect(may(path('deny'), path('write'))).toEqual(['write'])
    expect(may(path('read', 'deny', 'write'))).toEqual([])
    expect(may(path('deny'))).toEqual([])
    // The exact path alone counts, although it grants nothing.
    expect(may(path('deny'), path('read').replace('"a"', '"*"'))).toEqual([])
  })

  test('node pools', () => {
    const caller = callerWith(`
      node_pool "*" { policy = "read" }
      node_pool "gpu" { policy = "write" }
      node_pool "old" { capabilities = ["delete"] }
      node_pool "secret" { policy = "deny" }
    `)
    const may = (name: string) =>
      (['read', 'write', 'delete'] as const).filter((access) => caller.mayUsePool(name, access))
    expect(may('default')).toEqual(['read'])
    expect(may('gpu')).toEqual(['read', 'write', 'delete'])
    expect(may('old')).toEqual(['delete'])
    expect(may('secret')).toEqual([])
  })
})

describe('behaviour/scheduler#auth: callers', () => {
  test('ACLs off: everybody may do everything, tokens are ignored', () => {
    const world = aclWorld({ aclEnabled: false })
    for (const secret of [undefined, '', 'unknown', 'scheduler-management-token']) {
      const caller = schedulerCaller(world, secret)
      expect(caller).toMatchObject({ accessorId: '', isManagement: true, token: undefined })
      expect(caller.may('x', 'policy-override')).toBe(true)
      expect(caller.mayInAnyNamespace('submit-job')).toBe(true)
      expect(caller.maySee('x')).toBe(true)
      expect(caller.mayUse('operator', 'write')).toBe(true)
      expect(caller.mayUsePool('x', 'delete')).toBe(true)
    }
  })

  test.each(['unknown', 'a b', '00000000-0000-0000-0000-000000000000'])(
    'an unknown or malformed token is refused: %s',
    (secret) => {
      expect(() => schedulerCaller(aclWorld(), secret)).toThrow(
        expect.objectContaining({ kind: 'denied', message: 'Permission denied' }),
      )
    },
  )

  test('an AccessorID is not a secret', () => {
    const world = aclWorld()
    const { AccessorID } = clientToken(world, 'p')
    expect(() => schedulerCaller(world, AccessorID)).toThrow('Permission denied')
  })

  test('a management token passes everything', () => {
    const world = aclWorld()
    const caller = manager(world)
    expect(caller.isManagement).toBe(true)
    expect(caller.accessorId).toBe(caller.token?.AccessorID)
    expect(capabilities.every((capability) => caller.may('any', capability))).toBe(true)
    expect(caller.mayUse('node', 'write')).toBe(true)
  })

  test.each([undefined, ''])(
    'no token: nothing, unless there is a policy `anonymous`',
    (secret) => {
      const world = aclWorld()
      const before = schedulerCaller(world, secret)
      expect(before).toMatchObject({
        accessorId: 'anonymous',
        isManagement: false,
        token: undefined,
      })
      expect(before.may('default', 'list-jobs')).toBe(false)
      policy(world, 'anonymous', 'namespace "default" { capabilities = ["list-jobs"] }')
      expect(schedulerCaller(world, secret).may('default', 'list-jobs')).toBe(true)
      expect(schedulerCaller(world, secret).may('default', 'read-job')).toBe(false)
    },
  )

  test('an expired token is refused and deleted', () => {
    const world = aclWorld()
    policy(world, 'p', 'namespace "default" { policy = "read" }')
    const sent = { Type: 'client', Policies: ['p'], ExpirationTTL: '1m' }
    const { SecretID } = putToken(world, manager(world), decodeValue(sent, aclTokenShape))
    world.advance(59_999)
    expect(schedulerCaller(world, SecretID).may('default', 'read-job')).toBe(true)
    world.advance(1)
    expect(() => schedulerCaller(world, SecretID)).toThrow('Permission denied')
  })

  test('a token gains and loses rights when a policy that it names is created and deleted', () => {
    const world = aclWorld()
    const { SecretID } = clientToken(world, 'later')
    expect(schedulerCaller(world, SecretID).may('default', 'read-job')).toBe(false)
    policy(world, 'later', 'namespace "default" { policy = "read" }')
    expect(schedulerCaller(world, SecretID).may('default', 'read-job')).toBe(true)
    policy(world, 'later', 'namespace "default" { capabilities = ["list-jobs"] }')
    expect(schedulerCaller(world, SecretID).may('default', 'read-job')).toBe(false)
  })

  test('imported rules that cannot be read grant nothing; unknown keys in them do no harm', () => {
    const world = aclWorld()
    const { SecretID } = clientToken(world, 'p')
    const row = { Name: 'p', Description: '', CreateIndex: 1, ModifyIndex: 1 }
    const put = (Rules: string) =>
      world.write(() => world.table(aclPolicies).put('p', { ...row, Rules }))
    put('namespace "default" {')
    expect(schedulerCaller(world, SecretID).may('default', 'read-job')).toBe(false)
    put('namespace "default" { policy = "read" } unheard_of = 1')
    expect(schedulerCaller(world, SecretID).may('default', 'read-job')).toBe(true)
  })
})
