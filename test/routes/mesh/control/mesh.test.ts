import { describe, expect, test } from 'vitest'
import { ProcessControl } from '../../../../routes/control/worlds/process-control.ts'
import { FaultInjector } from '../../../../routes/faults/fault-injector.ts'
import { Journals } from '../../../../routes/journal/journal.ts'
import { MeshControl } from '../../../../routes/mesh/control/mesh-control.ts'
import { globalManagementId } from '../../../../state/mesh/acl/builtin-policies.ts'
import { anonymousId } from '../../../../state/mesh/acl/callers.ts'
import { createPolicy } from '../../../../state/mesh/acl/policies.ts'
import { createRole } from '../../../../state/mesh/acl/roles.ts'
import { createToken, updateToken } from '../../../../state/mesh/acl/tokens.ts'
import { putNamespace } from '../../../../state/mesh/namespaces/changes.ts'
import type { MeshOptions } from '../../../../state/mesh/options.ts'
import { meshService } from '../../../../state/mesh/service.ts'
import { control, problem } from '../../../support/control.ts'
import { start } from '../../../support/kernel.ts'

const none = { policy: null, role: null }
const builtin = {
  id: globalManagementId,
  name: 'global-management',
  namespace: 'default',
}

async function started(options: Partial<MeshOptions> = {}) {
  const kept = await control(
    {},
    {
      services: [meshService],
      clock: { mode: 'frozen', at: start },
      options: { mesh: { aclEnabled: true, defaultPolicy: 'deny', ...options } },
    },
  )
  const { world, ask } = kept
  let count = 0
  /** Returns a policy in the form that decisions name it. */
  const policy = (rules: string, namespace = 'default') => {
    count += 1
    const { id, name } = createPolicy(world, namespace, { name: `p-${count}`, rules })
    return { id, name, namespace }
  }
  const namespace = (
    name: string,
    policies: readonly string[] = [],
    roles: readonly string[] = [],
  ) => {
    const acls = { policies: policies.map((id) => ({ id })), roles: roles.map((id) => ({ id })) }
    putNamespace(world, { name, description: '', acls, meta: {} })
  }
  const token = (
    policies: readonly { readonly id: string }[] = [],
    more: { namespace?: string; roles?: readonly { readonly id: string }[] } = {},
  ) => createToken(world, more.namespace ?? 'default', { policies, roles: more.roles }).secret_id
  const decide = async (question: object) => {
    const reply = await ask('POST', '/mesh/decisions', question)
    expect([reply.status, reply.text]).toEqual([200, reply.text])
    return reply.body
  }
  return { ...kept, policy, namespace, token, decide }
}

describe('behaviour/program#control-plane: POST /_mock/mesh/decisions', () => {
  test('returns the rule and the policy that decided', async () => {
    const { policy, token, decide } = await started()
    const p = policy('key "a/b" { policy = "read" } key_prefix "a/" { policy = "write" }')
    const secret = token([p])
    const ask = (name: string, access: string) =>
      decide({ token: secret, resource: 'key', name, access })
    const from = { source: 'token', policy: p, role: null }
    const exact = 'key "a/b" { policy = "read" }'
    const prefix = 'key_prefix "a/" { policy = "write" }'
    expect(await ask('a/b', 'read')).toEqual({ allowed: true, rule: exact, from })
    expect(await ask('a/b', 'write')).toEqual({ allowed: false, rule: exact, from })
    expect(await ask('a/c', 'write')).toEqual({ allowed: true, rule: prefix, from })
    expect(await ask('b', 'read')).toEqual({
      allowed: false,
      rule: null,
      from: { source: 'default-policy', ...none },
    })
  })

  test('returns the role that granted the policy', async () => {
    const { world, policy, token, decide } = await started()
    const p = policy('operator = "read"')
    const { id, name, namespace } = createRole(world, 'default', { name: 'r', policies: [p] })
    const secret = token([], { roles: [{ id }] })
    expect(await decide({ token: secret, resource: 'operator', access: 'write' })).toEqual({
      allowed: false,
      rule: 'operator = "read"',
      from: { source: 'token', policy: p, role: { id, name, namespace } },
    })
  })

  test('a specific read precedes the default write; without specific rules the defaults decide', async () => {
    const { policy, namespace, token, decide } = await started()
    const defaults = policy('key_prefix "" { policy = "write" } service "s" { policy = "read" }')
    namespace('team', [defaults.id])
    const own = policy('key_prefix "mine/" { policy = "read" }', 'team')
    const secret = token([own], { namespace: 'team' })
    const ask = (resource: string, name: string) =>
      decide({ token: secret, resource, name, access: 'write' })
    expect(await ask('key', 'mine/a')).toEqual({
      allowed: false,
      rule: 'key_prefix "mine/" { policy = "read" }',
      from: { source: 'token', policy: own, role: null },
    })
    const from = { source: 'namespace-defaults', policy: defaults, role: null }
    expect(await ask('key', 'other')).toEqual({
      allowed: true,
      rule: 'key_prefix "" { policy = "write" }',
      from,
    })
    expect(await ask('service', 's')).toEqual({
      allowed: false,
      rule: 'service "s" { policy = "read" }',
      from,
    })
  })

  test('of equal rules in several policies deny, write, list and read count in this order', async () => {
    const { policy, token, decide } = await started()
    const rule = (access: string) => policy(`key "k" { policy = "${access}" }`)
    const policies = ['read', 'list', 'write', 'deny'].map(rule)
    const asked = async (some: typeof policies) => {
      const question = { token: token(some), resource: 'key', name: 'k', access: 'list' }
      const { allowed, from } = await decide(question)
      return [allowed, from.policy.name]
    }
    expect(await asked(policies)).toEqual([false, 'p-4'])
    expect(await asked(policies.slice(0, 3))).toEqual([true, 'p-3'])
    expect(await asked(policies.slice(0, 2))).toEqual([true, 'p-2'])
    expect(await asked(policies.slice(0, 1))).toEqual([false, 'p-1'])
  })

  test('keys: top-level rules apply in the namespace of the policy, nested ones in theirs', async () => {
    const { policy, namespace, token, decide } = await started()
    namespace('team')
    const p = policy(
      'key_prefix "" { policy = "read" } namespace "TEAM" { key "k" { policy = "write" } }',
    )
    const secret = token([p])
    const ask = async (where: string, name: string, access: string) =>
      (await decide({ token: secret, resource: 'key', name, namespace: where, access })).allowed
    expect(await ask('default', 'k', 'read')).toBe(true)
    expect(await ask('default', 'k', 'write')).toBe(false)
    expect(await ask('Team', 'k', 'write')).toBe(true)
    expect(await ask('team', 'other', 'read')).toBe(false)
  })

  test('every resource: unlabelled rules, labelled ones, intentions', async () => {
    const { policy, token, decide } = await started()
    const singles = ['acl', 'operator', 'keyring', 'mesh', 'peering']
    const labelled = ['agent', 'event', 'key', 'node', 'query', 'service', 'session']
    const rules = [
      ...singles.map((name) => `${name} = "read"`),
      ...labelled.map((name) => `${name} "x" { policy = "read" }`),
      'partition "default" { policy = "read" }',
    ]
    const secret = token([policy(rules.join('\n'))])
    const allowed = async (resource: string, access: string, name?: string) =>
      (await decide({ token: secret, resource, access, ...(name === undefined ? {} : { name }) }))
        .allowed
    for (const single of singles) {
      expect([single, await allowed(single, 'read')]).toEqual([single, true])
      expect([single, await allowed(single, 'write')]).toEqual([single, false])
    }
    for (const resource of [...labelled, 'intention']) {
      expect([resource, await allowed(resource, 'read', 'x')]).toEqual([resource, true])
      expect([resource, await allowed(resource, 'write', 'x')]).toEqual([resource, false])
      expect([resource, await allowed(resource, 'read', 'y')]).toEqual([resource, false])
    }
    // Only keys distinguish listing from reading.
    expect(await allowed('key', 'list', 'x')).toBe(false)
    expect(await allowed('service', 'list', 'x')).toBe(true)
    expect(await allowed('partition', 'read', 'default')).toBe(true)
    expect(await allowed('partition', 'read', 'x')).toBe(false)
  })

  test('namespaces are read by any of several rules and written by the operator’s', async () => {
    const { policy, token, decide } = await started()
    const nested = policy('namespace_prefix "t" { key "k" { policy = "list" } }')
    const operator = policy('operator = "write"')
    const ask = (policies: readonly { id: string }[], access: string) =>
      decide({ token: token(policies), resource: 'namespace', name: 'Team', access })
    expect(await ask([nested], 'read')).toEqual({
      allowed: true,
      rule: 'namespace_prefix "t" { key "k" { policy = "list" } }',
      from: { source: 'token', policy: nested, role: null },
    })
    expect((await ask([nested], 'write')).from.source).toBe('default-policy')
    expect(await ask([nested, operator], 'write')).toEqual({
      allowed: true,
      rule: 'operator = "write"',
      from: { source: 'token', policy: operator, role: null },
    })
    const denied = policy('namespace "team" { policy = "deny" }')
    expect(await ask([denied], 'list')).toEqual({
      allowed: false,
      rule: 'namespace "team" { policy = "deny" }',
      from: { source: 'token', policy: denied, role: null },
    })
  })

  test('the builtin policy grants everything', async () => {
    const { decide } = await started()
    for (const resource of ['acl', 'key', 'namespace', 'operator', 'service']) {
      const question = { token: 'mesh-management-token', resource, name: 'x', access: 'write' }
      expect(await decide(question)).toEqual({
        allowed: true,
        rule: 'global-management',
        from: { source: 'token', policy: builtin, role: null },
      })
    }
    const read = { token: 'mesh-management-token', resource: 'namespace', access: 'read' }
    expect((await decide(read)).rule).toBe('global-management')
  })

  test('a missing token is the anonymous token; the default policy decides, never about ACLs', async () => {
    const { world, policy, decide } = await started({ defaultPolicy: 'allow' })
    const from = { source: 'default-policy', ...none }
    expect(await decide({ resource: 'key', name: 'a', access: 'write' })).toEqual({
      allowed: true,
      rule: null,
      from,
    })
    expect(await decide({ resource: 'acl', access: 'read' })).toEqual({
      allowed: false,
      rule: null,
      from,
    })
    const p = policy('acl = "read"')
    updateToken(world, 'default', anonymousId, { policies: [p] })
    expect(await decide({ resource: 'acl', access: 'read' })).toEqual({
      allowed: true,
      rule: 'acl = "read"',
      from: { source: 'token', policy: p, role: null },
    })
  })

  test('while ACLs are off everything is allowed', async () => {
    const { decide } = await started({ aclEnabled: false })
    expect(await decide({ token: 'unknown', resource: 'acl', access: 'write' })).toEqual({
      allowed: true,
      rule: null,
      from: { source: 'acl-disabled', ...none },
    })
  })

  test('an unknown token is refused as by the API', async () => {
    const { ask } = await started()
    const reply = await ask('POST', '/mesh/decisions', {
      token: 'unknown',
      resource: 'acl',
      access: 'read',
    })
    expect([reply.status, reply.body]).toEqual([403, problem(403, 'Forbidden', 'ACL not found')])
  })

  test('invalid questions are refused', async () => {
    const { ask } = await started()
    const reply = await ask('POST', '/mesh/decisions', { resource: 'dance', more: 1 })
    expect([reply.status, reply.body.problems]).toEqual([
      400,
      [
        '/access is missing',
        '/more is unknown',
        expect.stringMatching(/^\/resource must be one of "acl", "operator", /),
      ],
    ])
  })

  test('each world decides for itself', async () => {
    const { ask, worlds } = await started()
    worlds.create({ id: 'w', seed: 's', options: { mesh: { aclEnabled: false } } })
    const question = { resource: 'key', name: 'a', access: 'write' }
    for (const path of ['/worlds/w/mesh/decisions', '/_world/w/_mock/mesh/decisions']) {
      expect((await ask('POST', path, question)).body.allowed).toBe(true)
    }
    expect((await ask('POST', '/mesh/decisions', question)).body.allowed).toBe(false)
  })

  test('embedding programs use the same code (behaviour/program#embedding)', async () => {
    const { worlds } = await started()
    const process = new ProcessControl({
      worlds,
      journals: new Journals(),
      faults: new FaultInjector(),
      describe: () => ({ name: 'n', version: 'v', dialect: 'neutral', ports: {} }),
    })
    const mesh = process.world().part(MeshControl)
    expect(mesh.decide({ resource: 'operator', access: 'read' })).toEqual({
      allowed: false,
      rule: null,
      from: { source: 'default-policy', ...none },
    })
    const wrong = JSON.parse('{"resource":"operator","access":"dance"}')
    expect(() => mesh.decide(wrong)).toThrow('/access must be one of "read", "list", "write"')
  })

  test('a question changes nothing', async () => {
    const { decide, world } = await started()
    const before = world.store.sequence
    await decide({ resource: 'key', name: 'a', access: 'write' })
    expect(world.store.sequence).toBe(before)
  })
})
