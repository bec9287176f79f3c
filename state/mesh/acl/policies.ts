import type { World } from '../../kernel/worlds/world.ts'
import { nextIndex, touch } from '../indexes.ts'
import { builtinPolicies, builtinPolicy } from './builtin-policies.ts'
import { hashOf, isUuid } from './ids.ts'
import { refuse } from './messages.ts'
import { parseRules } from './rule-language.ts'
import {
  type AclPolicy,
  aclPolicies,
  isInNamespace,
  nameKey,
  namespacePrefix,
  recordObjectStored,
} from './tables.ts'

/** Key under which `dataIndexes` stores the index of the last write to a policy. */
export const policyDataKind = 'acl-policies'

/** A policy in a request. Members that are left out count as empty. */
export interface PolicyInput {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly rules?: string | undefined
  readonly datacenters?: readonly string[] | undefined
}

/**
 * Returns the policy with this ID in a namespace; undefined if there is none. Throws a refusal if
 * the ID is malformed.
 */
export function policyWithId(world: World, namespace: string, id: string): AclPolicy | undefined {
  const policy = world.table(aclPolicies).get(requireUuid(id))
  return policy !== undefined && isInNamespace(policy, namespace) ? policy : undefined
}

/**
 * Returns the policy with this name in a namespace; undefined if there is none. Names are
 * case-insensitive.
 */
export function policyNamed(world: World, namespace: string, name: string): AclPolicy | undefined {
  return world.table(aclPolicies).index('byName').get(nameKey(namespace, name))
}

/** Returns the policies of a namespace, ordered by name. */
export function policiesIn(world: World, namespace: string): readonly AclPolicy[] {
  return Array.from(world.table(aclPolicies).index('byName').rows(namespacePrefix(namespace)))
}

export function createPolicy(world: World, namespace: string, input: PolicyInput): AclPolicy {
  const name = requireValidName(input.name)
  if (policyNamed(world, namespace, name) !== undefined) {
    throw refuse('policy-name-in-use', { name })
  }
  const content = contentOf(input, name, namespace)
  return world.write(() => {
    const create_index = nextIndex(world)
    return putPolicy(world, { id: world.ids.uuid(), namespace, create_index, ...content })
  })
}

/**
 * Replaces the content of a policy. For a builtin policy, only the name and the description can
 * change. Throws a refusal for, in this order: an invalid name; a malformed or unknown ID; a name
 * in use; a forbidden change of a builtin policy; invalid rules.
 */
export function updatePolicy(
  world: World,
  namespace: string,
  id: string,
  input: PolicyInput,
): AclPolicy {
  const name = requireValidName(input.name)
  if (!isUuid(id)) throw refuse('policy-id-no-uuid')
  const before = world.table(aclPolicies).get(id)
  if (before === undefined || !isInNamespace(before, namespace))
    throw refuse('policy-unknown', { id })
  const other = policyNamed(world, namespace, name)
  if (other !== undefined && other.id !== id) {
    throw refuse('policy-name-of-another', { name })
  }
  checkBuiltin(before, input)
  const content = contentOf(input, name, before.namespace)
  return world.write(() => putPolicy(world, { ...before, ...content }))
}

/**
 * Deletes a policy. Links to the policy remain but grant nothing. Throws a refusal for a malformed
 * or unknown ID and for a builtin policy.
 */
export function deletePolicy(world: World, namespace: string, id: string): void {
  const policy = policyWithId(world, namespace, id)
  if (policy === undefined) throw refuse('nothing-to-delete', { noun: 'policy' })
  const builtin = builtinPolicy(id)
  if (builtin !== undefined) throw refuse('builtin-deletion', { name: builtin.name })
  world.write(() => dropPolicy(world, policy))
}

/** Removes a policy without any check. Must run inside a transaction. */
export function dropPolicy(world: World, { id }: AclPolicy): void {
  world.table(aclPolicies).delete(id)
  touch(world, policyDataKind)
}

/**
 * Stores the builtin policies. These policies precede the first token, so their index is one less
 * than the index of that token. Must run inside a transaction.
 */
export function addBuiltinPolicies(world: World, namespace: string): void {
  const index = nextIndex(world) - 1
  for (const { id, name, description, rules } of builtinPolicies) {
    const content = { name, description, rules, datacenters: [] }
    const location = { namespace, create_index: index, modify_index: index }
    storePolicy(world, { id, ...content, ...location, hash: hashOf(content) })
  }
}

type PolicyContent = Pick<AclPolicy, 'name' | 'description' | 'rules' | 'datacenters'>

function putPolicy(world: World, row: Omit<AclPolicy, 'hash' | 'modify_index'>): AclPolicy {
  const { name, description, rules, datacenters } = row
  const hash = hashOf({ name, description, rules, datacenters })
  recordObjectStored(world)
  return storePolicy(world, { ...row, hash, modify_index: nextIndex(world) })
}

function storePolicy(world: World, row: AclPolicy): AclPolicy {
  world.table(aclPolicies).put(row.id, row)
  touch(world, policyDataKind)
  return row
}

function contentOf(input: PolicyInput, name: string, namespace: string): PolicyContent {
  const { description = '', rules = '', datacenters = [] } = input
  parseRules(rules, namespace)
  return { name, description, rules, datacenters }
}

function requireValidName(name = ''): string {
  if (name === '') throw refuse('policy-name-missing')
  if (name.startsWith('/') || name.startsWith('builtin/')) throw refuse('policy-name-reserved')
  if (name.length > 128) throw refuse('policy-name-long')
  if (/^[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]*)?$/.test(name)) return name
  throw refuse('policy-name-odd')
}

function checkBuiltin({ id, rules: before }: AclPolicy, input: PolicyInput): void {
  const builtin = builtinPolicy(id)
  if (builtin === undefined) return
  const { rules = '', datacenters = [] } = input
  const { name } = builtin
  if (datacenters.length > 0) throw refuse('builtin-datacenters', { name })
  if (rules !== before) throw refuse('builtin-rules', { name })
}

function requireUuid(id: string): string {
  if (isUuid(id)) return id
  throw refuse('lookup-id-no-uuid', { kind: 'policy' })
}
