import { decodeBase64OrKeep } from '../../go/base64.ts'
import { compareBytewise } from '../../json/json.ts'
import { name, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { entityOf, identityPolicies } from '../identity/entity-policies.ts'
import { templateValue } from '../identity/template-values.ts'
import { type Namespace, rootNamespace } from '../namespaces/namespaces.ts'
import { secretsTable } from '../table.ts'
import type { Token } from '../tokens/rows.ts'
import { compilePolicy, PolicyError, parsePolicy } from './document.ts'
import { refuse } from './messages.ts'
import { type CompiledPolicy, fillRules } from './rules.ts'

/**
 * Document of the policy `default`, which grants a token access to its own data and to general
 * tools (behaviour/secrets#policies).
 */
export const defaultPolicy = `# What every token may do about itself.

# Its own token
path "auth/token/lookup-self" { capabilities = ["read"] }
path "auth/token/renew-self"  { capabilities = ["update"] }
path "auth/token/revoke-self" { capabilities = ["update"] }

# Its own capabilities, and what all its policies come to
path "sys/capabilities-self"         { capabilities = ["update"] }
path "sys/internal/ui/resultant-acl" { capabilities = ["read"] }

# Its own entity
path "identity/entity/id/{{identity.entity.id}}"     { capabilities = ["read"] }
path "identity/entity/name/{{identity.entity.name}}" { capabilities = ["read"] }

# Its own logins at applications
path "identity/oidc/provider/+/authorize" { capabilities = ["read", "update"] }

# Leases whose id it knows
path "sys/leases/renew"  { capabilities = ["update"] }
path "sys/leases/lookup" { capabilities = ["update"] }
path "sys/renew"         { capabilities = ["update"] }

# Its private storage
path "cubbyhole/*" { capabilities = ["create", "read", "update", "delete", "list"] }

# Wrapped answers
path "sys/wrapping/wrap"   { capabilities = ["update"] }
path "sys/wrapping/lookup" { capabilities = ["update"] }
path "sys/wrapping/unwrap" { capabilities = ["update"] }

# General tools
path "sys/tools/hash"   { capabilities = ["update"] }
path "sys/tools/hash/*" { capabilities = ["update"] }
`

/**
 * Document of the policy `response-wrapping`. A wrapping token can only be used to unwrap the
 * reply.
 */
const wrappingPolicy = `
path "cubbyhole/response" {
    capabilities = ["create", "read"]
}

path "sys/wrapping/unwrap" {
    capabilities = ["update"]
}
`

/** Document of the policy `control-group`. No token of the mock has this policy. */
const controlGroupPolicy = `
path "cubbyhole/control-group" {
    capabilities = ["update", "create", "read"]
}

path "sys/wrapping/unwrap" {
    capabilities = ["update"]
}
`

const policyShape = struct({
  /** Namespace id. */
  namespace: text,
  /** Path of the namespace, to which paths in the document are relative. */
  namespace_path: text,
  /** Name in lower case. */
  name,
  /** The document as the request contained it, after decoding base64. */
  policy: text,
})
export interface Policy extends StoredOf<typeof policyShape> {}

/** Policies by `<namespace id>/<name>`. The policy `root` exists without a row. */
export const policies = secretsTable('policies', policyShape, { secrets: 'none' })

/**
 * Returns the policy names of a namespace, sorted. In the root namespace, the last name is `root`.
 */
export function policyNames(world: World, namespace: Namespace): string[] {
  const names = Array.from(world.table(policies).rows(`${namespace.id}/`), ({ name }) => name)
  names.sort(compareBytewise)
  return namespace.id === rootNamespace.id ? [...names, 'root'] : names
}

/**
 * Returns whether `policyNames` contains a policy. In the root namespace, this includes `root`,
 * which has no row.
 */
export function hasPolicy(world: World, namespace: Namespace, name: string): boolean {
  if (name === 'root') return namespace.id === rootNamespace.id
  return world.table(policies).has(`${namespace.id}/${name}`)
}

/**
 * Returns the name and document of a policy, also of a built-in policy that lists omit. The
 * document of `root` is empty.
 * @throws Refusal `absent` for an unknown policy
 */
export function readPolicy(
  world: World,
  namespace: Namespace,
  name: string,
): Pick<Policy, 'name' | 'policy'> {
  const lowerName = name.toLowerCase()
  const builtIn = builtInPolicies.get(lowerName)
  if (builtIn !== undefined) return { name: lowerName, policy: builtIn }
  const row = world.table(policies).get(`${namespace.id}/${lowerName}`)
  if (row !== undefined) return { name: row.name, policy: row.policy }
  if (!hasPolicy(world, namespace, lowerName)) throw refuse('nothing-here')
  return { name: lowerName, policy: '' }
}

/**
 * Creates or replaces a policy. A document in base64 is decoded first.
 *
 * @throws Refusal `invalid`: `'policy' parameter not supplied or empty`, `failed to parse policy:
 *   …`, `cannot update "root" policy` (also for the built-in policies)
 */
export function writePolicy(
  world: World,
  namespace: Namespace,
  name: string,
  document: string,
): void {
  if (document === '') throw refuse('policy-missing')
  const policy = decodeBase64OrKeep(document)
  const lowerName = name.toLowerCase()
  try {
    parsePolicy(policy, namespace.path)
  } catch (error) {
    if (error instanceof PolicyError) throw refuse('policy-unreadable', { problem: error.reason })
    throw error
  }
  if (isFixed(lowerName)) throw refuse('policy-fixed', { own: lowerName })
  storePolicy(world, namespace, lowerName, policy)
}

/**
 * Deletes a policy. Does nothing for an unknown policy.
 * @throws Refusal `invalid` for `root`, `default` and the built-in policies
 */
export function deletePolicy(world: World, namespace: Namespace, name: string): void {
  const lowerName = name.toLowerCase()
  if (isFixed(lowerName)) throw refuse('policy-not-deletable', { own: lowerName })
  if (lowerName === 'default') throw refuse('default-policy-stays')
  world.write(() => world.table(policies).delete(`${namespace.id}/${lowerName}`))
}

function isFixed(name: string): boolean {
  return name === 'root' || builtInPolicies.has(name)
}

/** Name of the policy of wrapping tokens. Requests can neither change it nor grant it to tokens. */
export const responseWrapping = 'response-wrapping'

/**
 * Documents of the policies that exist in every namespace without a row, by name. Lists omit these
 * policies.
 */
const builtInPolicies: ReadonlyMap<string, string> = new Map([
  [responseWrapping, wrappingPolicy],
  ['control-group', controlGroupPolicy],
])

/**
 * Returns the first of the policy names that no request may grant to a token. Returns undefined if
 * requests may grant all the names.
 */
export function unassignablePolicy(names: readonly string[]): string | undefined {
  return names.find((name) => builtInPolicies.has(name))
}

function storePolicy(world: World, namespace: Namespace, name: string, policy: string): void {
  const row: Policy = { namespace: namespace.id, namespace_path: namespace.path, name, policy }
  world.write(() => world.table(policies).put(`${namespace.id}/${name}`, row))
}

export function seedPolicies(world: World): void {
  seedNamespacePolicies(world, rootNamespace)
}

export function seedNamespacePolicies(world: World, namespace: Namespace): void {
  storePolicy(world, namespace, 'default', defaultPolicy)
}

/**
 * Returns the policies of a token, compiled for matching and with templates evaluated. The result
 * contains the token's own policies, and the current policies of the token's entity and its groups
 * (behaviour/secrets#identity). Skips policies that do not exist.
 */
export function compiledPolicies(world: World, token: Token): CompiledPolicy[] {
  const compiled: CompiledPolicy[] = []
  const entity = entityOf(world, token)
  const add = (namespaceId: string, name: string): void => {
    const row = world.table(policies).get(`${namespaceId}/${name}`)
    if (row === undefined) return
    const policy = world.derived(row, compilePolicyRow)
    compiled.push(policy)
    if (policy.templated.length === 0) return
    compiled.push(fillRules(policy, (directive) => templateValue(world, entity, directive)))
  }
  for (const name of token.policies) {
    if (name === responseWrapping) compiled.push(world.derived(token, wrappingPolicyFor))
    add(token.namespace, name)
  }
  for (const [namespaceId, names] of identityPolicies(world, token)) {
    for (const name of names) {
      if (namespaceId !== token.namespace || !token.policies.includes(name)) add(namespaceId, name)
    }
  }
  return compiled
}

function wrappingPolicyFor(token: Token): CompiledPolicy {
  return compilePolicy(wrappingPolicy, token.namespace_path)
}

function compilePolicyRow(row: Policy): CompiledPolicy {
  return compilePolicy(row.policy, row.namespace_path)
}
