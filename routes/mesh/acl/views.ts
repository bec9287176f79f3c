import {
  constant,
  type Field,
  list,
  nullable,
  text,
  textOf,
  uintOf,
} from '../../../state/kernel/shape/kinds.ts'
import { described, optional, secret, struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { builtinPolicy } from '../../../state/mesh/acl/builtin-policies.ts'
import { linkViews } from '../../../state/mesh/acl/links.ts'
import {
  type AclPolicy,
  type AclRole,
  type AclToken,
  policyShape,
  roleShape,
  tokenShape,
} from '../../../state/mesh/acl/tables.ts'
import { isCommunity } from '../../../state/mesh/options.ts'
import { type MeshDialect, objectRenderer, renderedJson } from '../dialect.ts'

const index = uintOf({ minimum: 1 })
const partition = described(optional(constant('default')), 'In the vendor dialect only')

/** Members at the end of each rendered policy, role and token. */
const commonFields = {
  hash: described(textOf({ pattern: '^[A-Za-z0-9+/]{43}=$' }), 'Base64'),
  create_index: index,
  modify_index: index,
  partition,
  namespace: described(optional(text), 'Not in the community edition'),
}

/**
 * Returns the fields of an object, followed by `commonFields`. Common fields replace fields of the
 * same name.
 */
function withCommonFields(fields: Readonly<Record<string, Field>>) {
  const rowFields = Object.entries(fields).filter(([name]) => !Object.hasOwn(commonFields, name))
  return { ...Object.fromEntries(rowFields), ...commonFields }
}

const scopeMembers = /(?:,"Partition":"default")?,"Namespace":"[^"]*"\}$/

/**
 * Returns the JSON of an ACL object. In the community edition, the JSON has neither namespace nor
 * partition (behaviour/mesh#community).
 */
export function withoutScopeInCommunity(world: World, json: string): string {
  return isCommunity(world) ? json.replace(scopeMembers, '}') : json
}

/** Returns the row, with its partition if the dialect shows partitions. */
function withPartition<R extends object>(row: R, dialect: MeshDialect): R {
  return dialect.showsPartition ? { ...row, partition: 'default' } : row
}

const links = list(struct({ ID: text, Name: text }))

const { rules: _, ...stubFields } = policyShape.fields
const policyRenderer = objectRenderer(withCommonFields(policyShape.fields), ['datacenters'])
const stubRenderer = objectRenderer({
  ...withCommonFields(stubFields),
  datacenters: nullable(list(text)),
})
const membersOmittedWhenEmpty = [
  'policies',
  'roles',
  'service_identities',
  'node_identities',
  'templated_policies',
]
const roleRenderer = objectRenderer(
  { ...withCommonFields(roleShape.fields), policies: links },
  membersOmittedWhenEmpty,
)
const tokenMembers = {
  ...withCommonFields(tokenShape.fields),
  secret_id: secret(described(text, '`<hidden>` for callers without write access')),
  policies: links,
  roles: links,
}
export const tokenRenderer = objectRenderer(tokenMembers, membersOmittedWhenEmpty)

const { accessor_id, secret_id, description, policies, local, created_at } = tokenShape.fields
const { hash, create_index, modify_index, namespace } = commonFields
const bootstrapRenderer = objectRenderer({
  id: secret(text),
  ...{ accessor_id, secret_id, description, policies: { ...policies, shape: links } },
  ...{ local, created_at, hash, create_index, modify_index, partition, namespace },
})

export const policyReply = policyRenderer.shape
/** Shape of a policy in a list, without the rules. */
export const policyStubReply = stubRenderer.shape
export const roleReply = roleRenderer.shape
export const tokenReply = tokenRenderer.shape
/** Reply to a bootstrap: the new token, whose SecretID is repeated as `ID`. */
export const bootstrapReply = bootstrapRenderer.shape
export const deletedReply = constant(true)
export const failureReply = text

const cachedPolicyJson = renderedJson<AclPolicy>((policy, dialect) =>
  policyRenderer.render(withDialectDescription(policy, dialect)),
)

export const policyJson: typeof cachedPolicyJson = (world, policy, dialect) =>
  withoutScopeInCommunity(world, cachedPolicyJson(world, policy, dialect))

/**
 * Renders a policy for lists. The datacenters are null if the policy is valid in all datacenters.
 */
const cachedStubJson = renderedJson<AclPolicy>((policy, dialect) => {
  const { datacenters } = policy
  const shownDatacenters = datacenters.length === 0 ? null : datacenters
  return stubRenderer.render({
    ...withDialectDescription(policy, dialect),
    datacenters: shownDatacenters,
  })
})

export const stubJson: typeof cachedStubJson = (world, policy, dialect) =>
  withoutScopeInCommunity(world, cachedStubJson(world, policy, dialect))

/**
 * Renders the description of a builtin policy in the wording of the dialect, because the
 * description names the product. Adds the partition if the dialect shows it. Other descriptions
 * remain as they are.
 */
function withDialectDescription(policy: AclPolicy, dialect: MeshDialect) {
  const builtin = builtinPolicy(policy.id)
  const isCustomDescription = builtin === undefined || builtin.description !== policy.description
  const description = isCustomDescription
    ? policy.description
    : dialect.renderMessage(builtin.descriptionMessage)
  return withPartition({ ...policy, description }, dialect)
}

/** Returns the JSON of a role. The result is not cached, because linked policies may be renamed. */
export function roleJson(world: World, role: AclRole, dialect: MeshDialect): string {
  const policies = linkViews(world, 'policy', role.policies)
  const json = JSON.stringify(roleRenderer.render({ ...withPartition(role, dialect), policies }))
  return withoutScopeInCommunity(world, json)
}

/**
 * Renders a token.
 *
 * @param secret the SecretID, or the placeholder that hides it
 */
export function tokenJson(
  world: World,
  token: AclToken,
  dialect: MeshDialect,
  secret: string,
): string {
  const view = { ...withLinks(world, token, dialect), secret_id: secret }
  return withoutScopeInCommunity(world, JSON.stringify(tokenRenderer.render(view)))
}

export function bootstrapJson(world: World, token: AclToken, dialect: MeshDialect): string {
  const tokenWithLinks = withLinks(world, token, dialect)
  const json = JSON.stringify(bootstrapRenderer.render({ ...tokenWithLinks, id: token.secret_id }))
  return withoutScopeInCommunity(world, json)
}

function withLinks(world: World, token: AclToken, dialect: MeshDialect) {
  return {
    ...withPartition(token, dialect),
    ...(token.auth_method && {
      // The row key begins with the namespace of the method.
      auth_method: token.auth_method.slice(token.auth_method.indexOf('/') + 1),
    }),
    policies: linkViews(world, 'policy', token.policies),
    roles: linkViews(world, 'role', token.roles),
  }
}
