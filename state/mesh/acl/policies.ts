import type { World } from '../../kernel/world.ts'
import { nextIndex, touch } from '../indexes.ts'
import { namespaceKey } from '../namespaces/names.ts'
import { globalManagementId } from './authorization.ts'
import { noteStored } from './facts.ts'
import { hashOf } from './ids.ts'
import { parseRules } from './rule-language.ts'
import { type AclPolicy, aclPolicies, nameKey, namespacePrefix } from './tables.ts'
import { refuse } from './texts.ts'

/** The kind of data that policies are, as their index is noted. */
export const policyData = 'acl-policies'

/** A caller's wishes for a policy; what is left out is empty. */
export interface PolicyInput {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly rules?: string | undefined
  readonly datacenters?: readonly string[] | undefined
}

/** The policy of an ID in a namespace. */
export function policyWithId(world: World, namespace: string, id: string): AclPolicy | undefined {
  const policy = world.table(aclPolicies).get(id)
  return policy !== undefined && isIn(policy, namespace) ? policy : undefined
}

/** The policy of a name in a namespace; names are the same in any letter case. */
export function policyNamed(world: World, namespace: string, name: string): AclPolicy | undefined {
  return world.table(aclPolicies).index('byName').get(nameKey(namespace, name))
}

/** The policies of a namespace, by name. */
export function policiesIn(world: World, namespace: string): readonly AclPolicy[] {
  return Array.from(world.table(aclPolicies).index('byName').rows(namespacePrefix(namespace)))
}

/** Adds a policy to a namespace. */
export function createPolicy(world: World, namespace: string, input: PolicyInput): AclPolicy {
  const name = validName(input.name)
  if (policyNamed(world, namespace, name) !== undefined) {
    throw refuse('policy-name-in-use', { name })
  }
  const content = contentOf(input, name, namespace)
  return world.write(() => {
    const create_index = nextIndex(world)
    return put(world, { id: world.ids.uuid(), namespace, create_index, ...content })
  })
}

/** Replaces everything that a policy says. */
export function updatePolicy(
  world: World,
  namespace: string,
  id: string,
  input: PolicyInput,
): AclPolicy {
  const name = validName(input.name)
  const before = policyWithId(world, namespace, id)
  if (before === undefined) throw refuse('policy-unknown', { id })
  const other = policyNamed(world, namespace, name)
  if (other !== undefined && other.id !== id) {
    throw refuse('policy-name-of-another', { name })
  }
  if (id === globalManagementId) checkBuiltin(before, input)
  const content = contentOf(input, name, before.namespace)
  return world.write(() => put(world, { ...before, ...content }))
}

/**
 * Deletes a policy; links to it give nothing from now on. One that there is nowhere is deleted
 * already; one of another namespace is not found.
 */
export function deletePolicy(world: World, namespace: string, id: string): void {
  const policy = world.table(aclPolicies).get(id)
  if (policy === undefined) return
  if (!isIn(policy, namespace)) throw refuse('nothing-to-delete', { noun: 'policy' })
  if (id === globalManagementId) throw refuse('builtin-deletion')
  world.write(() => dropPolicy(world, policy))
}

/** Takes a policy away; part of a transaction. */
export function dropPolicy(world: World, { id }: AclPolicy): void {
  world.table(aclPolicies).delete(id)
  touch(world, policyData)
}

/** Stores the builtin policy that grants everything; part of a transaction. */
export function addGlobalManagement(world: World, namespace: string): void {
  const create_index = nextIndex(world)
  const content = {
    name: 'global-management',
    description: 'Builtin Policy that grants unlimited access',
    rules: globalManagementRules,
    datacenters: [],
  }
  const row = { id: globalManagementId, namespace, create_index, ...content }
  store(world, { ...row, hash: hashOf(content), modify_index: create_index })
}

type Content = Pick<AclPolicy, 'name' | 'description' | 'rules' | 'datacenters'>

function put(world: World, row: Omit<AclPolicy, 'hash' | 'modify_index'>): AclPolicy {
  const { name, description, rules, datacenters } = row
  const hash = hashOf({ name, description, rules, datacenters })
  noteStored(world)
  return store(world, { ...row, hash, modify_index: nextIndex(world) })
}

function store(world: World, row: AclPolicy): AclPolicy {
  world.table(aclPolicies).put(row.id, row)
  touch(world, policyData)
  return row
}

function contentOf(input: PolicyInput, name: string, namespace: string): Content {
  const { description = '', rules = '', datacenters = [] } = input
  parseRules(rules, namespace)
  return { name, description, rules, datacenters }
}

function validName(name = ''): string {
  if (name === '') throw refuse('policy-name-missing')
  if (/^[A-Za-z0-9_-]{1,128}$/.test(name)) return name
  throw refuse('policy-name-odd')
}

function checkBuiltin(before: AclPolicy, { rules = '', datacenters = [] }: PolicyInput): void {
  if (datacenters.length > 0) throw refuse('builtin-datacenters')
  if (rules !== before.rules) throw refuse('builtin-rules')
}

function isIn({ namespace: own }: AclPolicy, namespace: string): boolean {
  return namespaceKey(own) === namespaceKey(namespace)
}

const rulesInNamespaces = ['key', 'node', 'service', 'session']
const rulesOnce = ['agent', 'event', 'query']
const prefixBlock = (kind: string) => `${kind}_prefix "" {\n  policy = "write"\n}`

/** The rules of the builtin policy; that it grants everything does not depend on them. */
const globalManagementRules = [
  'acl = "write"',
  'keyring = "write"',
  'mesh = "write"',
  'operator = "write"',
  'peering = "write"',
  ...[...rulesOnce, ...rulesInNamespaces].map(prefixBlock),
  `namespace_prefix "" {\n  acl = "write"\n  policy = "write"\n${rulesInNamespaces
    .map((kind) => prefixBlock(kind).replaceAll(/^/gm, '  '))
    .join('\n')}\n}`,
].join('\n')
