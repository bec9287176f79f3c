import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { schedulerCaller } from '../../../../state/scheduler/acl/callers.ts'
import {
  deletePolicy,
  listPolicies,
  putPolicy,
  readPolicy,
} from '../../../../state/scheduler/acl/policies.ts'
import { aclPolicyShape } from '../../../../state/scheduler/acl/tables.ts'
import { decodeBody } from '../../../../state/scheduler/decoding.ts'
import { dataIndex, lastIndex } from '../../../../state/scheduler/indexes.ts'
import { aclWorld, clientToken, manager, policy } from '../../../support/scheduler/scheduler-acl.ts'

function put(world: World, body: object, pathName = 'p') {
  return putPolicy(
    world,
    manager(world),
    decodeBody(JSON.stringify(body), aclPolicyShape),
    pathName,
  )
}

/** Returns the error text for invalid rules. */
function fault(rules: string): string {
  try {
    put(aclWorld(), { Name: 'p', Rules: rules })
    return ''
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return error.message
  }
}

const invalid = (...faults: string[]) =>
  `policy 0 invalid: ${faults.length === 1 ? '1 error' : `${faults.length} errors`} occurred:\n${faults
    .map((each) => `\t* ${each}\n`)
    .join('')}\n`

const rules = 'namespace "default" { policy = "read" }'

describe('behaviour/scheduler#acl', () => {
  test('create, read, replace', () => {
    const world = aclWorld()
    const first = put(world, { Name: 'p', Description: 'd', Rules: rules, Unknown: 1 })
    expect(first).toEqual({
      Name: 'p',
      Description: 'd',
      Rules: rules,
      CreateIndex: 11,
      ModifyIndex: 11,
    })
    expect(readPolicy(world, manager(world), 'p')).toEqual(first)
    expect(dataIndex(world, 'acl-policies')).toBe(11)
    const second = put(world, { name: 'p' })
    expect(second).toEqual({
      Name: 'p',
      Description: '',
      Rules: '',
      CreateIndex: 11,
      ModifyIndex: 12,
    })
  })

  // choice/scheduler#job-acl-extras
  test('JobACL is kept when it was sent', () => {
    const JobACL = { Namespace: 'default', JobID: 'j', Group: 'g', Task: 't' }
    expect(put(aclWorld(), { Name: 'p', JobACL })).toMatchObject({ JobACL })
    expect(put(aclWorld(), { Name: 'p', JobACL: null })).not.toHaveProperty('JobACL')
  })

  test('rules may be JSON, and have every kind of block', () => {
    expect(
      fault('{"namespace": {"default": {"policy": "read"}}, "node": {"policy": "read"}}'),
    ).toBe('')
    expect(
      fault(`
        namespace "default" {
          policy = "write"
          capabilities = ["alloc-node-exec"]
          variables { path "project/*" { capabilities = ["read", "list", "write", "destroy"] } }
        }
        node_pool "gpu_*" { policy = "write" capabilities = ["delete"] }
        host_volume "prod-*" { policy = "write" capabilities = ["mount-readwrite"] }
        agent { policy = "read" }
        node { policy = "write" }
        operator { policy = "read" capabilities = ["fly"] }
        quota { policy = "read" }
        plugin { policy = "list" }
      `),
    ).toBe('')
  })

  test.each([
    ['no path', 'other', { Name: 'p' }, 'ACL policy name does not match request path'],
    ['no name', 'p', {}, 'ACL policy name does not match request path'],
    ['blank in the name', 'a b', { Name: 'a b' }, invalid("invalid name 'a b'")],
    [
      'long name',
      'x'.repeat(129),
      { Name: 'x'.repeat(129) },
      invalid(`invalid name '${'x'.repeat(129)}'`),
    ],
    [
      'long description',
      'p',
      { Name: 'p', Description: 'x'.repeat(257) },
      invalid('description longer than 256'),
    ],
    [
      'job without a namespace',
      'p',
      { Name: 'p', JobACL: { JobID: 'j' } },
      invalid('namespace must be set to set job ID'),
    ],
    [
      'group without a job, task without a group',
      'p',
      { Name: 'p', JobACL: { Namespace: 'n', Group: 'g' } },
      invalid('job ID must be set to set group'),
    ],
    [
      'task without a group',
      'p',
      { Name: 'p', JobACL: { Namespace: 'n', JobID: 'j', Task: 't' } },
      invalid('group must be set to set task'),
    ],
    [
      'everything at once',
      'a_b',
      { Name: 'a_b', Rules: 'node {', Description: 'x'.repeat(257) },
      invalid(
        "invalid name 'a_b'",
        'failed to parse rules: Failed to parse ACL Policy: At 1:8: object expected closing RBRACE got: EOF',
        'description longer than 256',
      ),
    ],
  ])('%s: 400', (_, path, body, message) => {
    const world = aclWorld()
    const before = lastIndex(world)
    expect(() => put(world, body, path)).toThrow(
      expect.objectContaining({ kind: 'invalid', message }),
    )
    expect(lastIndex(world)).toBe(before)
  })

  const namespace = (name: string, policyName: string, ...capabilities: string[]) =>
    `&acl.NamespacePolicy{Name:"${name}", Policy:"${policyName}", Capabilities:[]string${
      capabilities.length === 0
        ? '(nil)'
        : `{${capabilities.map((each) => `"${each}"`).join(', ')}}`
    }, Variables:(*acl.VariablesPolicy)(nil)}`

  test.each([
    ['namespace "a b" {}', `Invalid namespace name: ${namespace('a b', '')}`],
    ['namespace { policy = "read" }', `Invalid namespace name: ${namespace('', 'read')}`],
    ['namespace "a" { policy = "x" }', `Invalid namespace policy: ${namespace('a', 'x')}`],
    [
      'namespace "a" { capabilities = ["read-job", "fly"] }',
      `Invalid namespace capability 'fly': ${namespace('a', '', 'read-job', 'fly')}`,
    ],
    ['namespace "a" { variables {} }', 'Invalid variable policy: no variable paths in namespace a'],
    [
      'namespace "a" { variables { path "/x" { capabilities = ["read"] } } }',
      `Invalid variable path "/x" in namespace a: cannot start with a leading '/'\``,
    ],
    [
      'namespace "a" { variables { path "x" { capabilities = ["fly"] } } }',
      "Invalid variable capability 'fly' in namespace a",
    ],
    ['node_pool "a b" {}', "Invalid node pool name 'a b'"],
    ['node_pool "a" { policy = "list" }', "Invalid node pool policy 'list' for 'a'"],
    ['node_pool "a" { capabilities = ["x"] }', "Invalid node pool capability 'x' for 'a'"],
    [
      'host_volume "a_b" { policy = "read" }',
      'Invalid host volume name: &acl.HostVolumePolicy{Name:"a_b", Policy:"read", Capabilities:[]string(nil)}',
    ],
    [
      'host_volume "a" { policy = "x" }',
      'Invalid host volume policy: &acl.HostVolumePolicy{Name:"a", Policy:"x", Capabilities:[]string(nil)}',
    ],
    [
      'host_volume "a" { capabilities = ["x"] }',
      `Invalid host volume capability 'x': &acl.HostVolumePolicy{Name:"a", Policy:"", Capabilities:[]string{"x"}}`,
    ],
    ['agent { policy = "list" }', 'Invalid agent policy: &acl.AgentPolicy{Policy:"list"}'],
    ['node {}', 'Invalid node policy: &acl.NodePolicy{Policy:""}'],
    ['quota { policy = "x" }', 'Invalid quota policy: &acl.QuotaPolicy{Policy:"x"}'],
    ['plugin { policy = "scale" }', 'Invalid plugin policy: &acl.PluginPolicy{Policy:"scale"}'],
    ['operator { policy = "x" }', 'Invalid operator policy: &acl.OperatorPolicy{Policy:"x"}'],
    [
      'operator { capabilities = ["x"] }',
      'Invalid operator policy: &acl.OperatorPolicy{Policy:""}',
    ],
    ['x = 1', 'Invalid policy: x = 1'],
    ['node "x" { policy = "read" }', 'Invalid node policy: &acl.NodePolicy{Policy:""}'],
    ['plugin "x" { policy = "read" }', 'Invalid plugin policy: &acl.PluginPolicy{Policy:""}'],
    ['{"agent": {"x": {"policy": "read"}}}', 'Invalid agent policy: &acl.AgentPolicy{Policy:""}'],
    [
      'node { policy = "read" } node { policy = "x" }',
      'Invalid node policy: &acl.NodePolicy{Policy:"x"}',
    ],
    [
      'namespace "a" { policy = ["read"] }',
      "Failed to parse ACL Policy: At 1:17: 'policy' must be a string",
    ],
    [
      'namespace "a" { capabilities = [1] }',
      "Failed to parse ACL Policy: At 1:17: 'capabilities' must be a list of strings",
    ],
    [
      'namespace "a" "b" {}',
      "Failed to parse ACL Policy: At 1:1: 'namespace' has more than one label",
    ],
  ])('%s', (text, problem) => {
    expect(fault(text)).toBe(invalid(`failed to parse rules: ${problem}`))
  })

  test.each([
    'node { policy = "read" } x = 1',
    'node { policy = "read" } y "z" {} node { policy = "read" }',
    'node { policy = "x" } node { policy = "read" }',
    'node "x" { policy = "read" } node { policy = "read" }',
  ])('unknown keys are ignored, and of several blocks the last counts: %s', (text) => {
    expect(fault(text)).toBe('')
  })

  test('one text may stand for a list of capabilities', () => {
    expect(fault('namespace "a" { capabilities = "read-job" }')).toBe('')
  })

  test('deleting a policy, existing or not; tokens keep the name', () => {
    const world = aclWorld()
    policy(world, 'p', rules)
    const { SecretID } = clientToken(world, 'p')
    deletePolicy(world, manager(world), 'p')
    deletePolicy(world, manager(world), 'never')
    expect(() => readPolicy(world, manager(world), 'p')).toThrow(
      expect.objectContaining({ kind: 'absent', message: 'ACL policy not found' }),
    )
    const caller = schedulerCaller(world, SecretID)
    expect(caller.policies).toEqual(['p'])
    expect(caller.may('default', 'read-job')).toBe(false)
  })
})

describe('behaviour/scheduler#acl', () => {
  test('by name, without the rules, cut by prefix', () => {
    const world = aclWorld()
    for (const name of ['b', 'a-2', 'a-1']) policy(world, name, rules)
    const stub = (Name: string, index: number) => ({
      Name,
      Description: '',
      CreateIndex: index,
      ModifyIndex: index,
    })
    expect(listPolicies(world, manager(world))).toEqual([
      stub('a-1', 13),
      stub('a-2', 12),
      stub('b', 11),
    ])
    expect(listPolicies(world, manager(world), 'a-')).toEqual([stub('a-1', 13), stub('a-2', 12)])
  })

  test('callers see their own; the anonymous policy may be read by all', () => {
    const world = aclWorld()
    for (const name of ['mine', 'other', 'anonymous']) policy(world, name, rules)
    const caller = schedulerCaller(world, clientToken(world, 'mine').SecretID)
    expect(listPolicies(world, caller).map(({ Name }) => Name)).toEqual(['mine'])
    expect(readPolicy(world, caller, 'mine').Name).toBe('mine')
    expect(readPolicy(world, caller, 'anonymous').Name).toBe('anonymous')
    const nobody = schedulerCaller(world, undefined)
    expect(listPolicies(world, nobody).map(({ Name }) => Name)).toEqual(['anonymous'])
    for (const read of [
      () => readPolicy(world, caller, 'other'),
      () => readPolicy(world, caller, 'never'),
      () => readPolicy(world, nobody, 'mine'),
      () => deletePolicy(world, caller, 'mine'),
      () => putPolicy(world, caller, decodeBody('{"Name":"mine"}', aclPolicyShape), 'mine'),
    ]) {
      expect(read).toThrow(
        expect.objectContaining({ kind: 'denied', message: 'Permission denied' }),
      )
    }
  })

  test('requests are 400 while ACLs are off', () => {
    const world = aclWorld({ aclEnabled: false })
    const caller = schedulerCaller(world, undefined)
    for (const act of [
      () => listPolicies(world, caller),
      () => readPolicy(world, caller, 'p'),
      () => deletePolicy(world, caller, 'p'),
      () => putPolicy(world, caller, decodeBody('{"Name":"p"}', aclPolicyShape), 'p'),
    ]) {
      expect(act).toThrow(
        expect.objectContaining({ kind: 'invalid', message: 'ACL support disabled' }),
      )
    }
  })
})
