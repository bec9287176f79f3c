import { defineTable, type TableDefinition } from '../../kernel/table.ts'
import { meshName } from '../indexes.ts'
import { namespaceKey } from '../namespaces/names.ts'

/** A policy of the ACL system (3a-mesh-decisions.md section 5). */
export interface AclPolicy {
  readonly id: string
  readonly name: string
  readonly description: string
  /** The rules' source text, HCL or JSON. */
  readonly rules: string
  /** Where the policy holds; empty means everywhere. */
  readonly datacenters: readonly string[]
  /** Base64 of 32 bytes over what the policy says. */
  readonly hash: string
  /** As the namespace itself is spelled. */
  readonly namespace: string
  readonly create_index: number
  readonly modify_index: number
}

/** A role: a named set of policies of its namespace. */
export interface AclRole {
  readonly id: string
  readonly name: string
  readonly description: string
  /** IDs of policies; some may be deleted meanwhile. */
  readonly policies: readonly string[]
  readonly hash: string
  readonly namespace: string
  readonly create_index: number
  readonly modify_index: number
}

/** A token. Instants in milliseconds since 1970. */
export interface AclToken {
  readonly accessor_id: string
  readonly secret_id: string
  readonly description: string
  /** IDs of policies and roles of the token's namespace; some may be deleted meanwhile. */
  readonly policies: readonly string[]
  readonly roles: readonly string[]
  readonly local: boolean
  readonly created_at: number
  /** Null: never. */
  readonly expires_at: number | null
  readonly hash: string
  readonly namespace: string
  readonly create_index: number
  readonly modify_index: number
}

/** Facts about the ACL system as a whole. */
export interface AclFacts {
  /** The index of the bootstrap; null while it is open. */
  readonly bootstrap_index: number | null
  /** Whether a policy or role was ever stored besides the builtin one. */
  readonly stored: boolean
}

const text = { type: 'string' } as const
const name = { type: 'string', minLength: 1 } as const
const index = { type: 'integer', minimum: 0 } as const
const ids = { type: 'array', items: name } as const

function rows<const P extends Readonly<Record<string, object>>>(properties: P) {
  return {
    type: 'object',
    required: Object.keys(properties),
    additionalProperties: false,
    properties,
  } as const
}

/** By ID. Under `byName` they stand by `nameKey`. */
export const aclPolicies = defineTable<AclPolicy>()({
  service: meshName,
  name: 'acl-policies',
  indexes: { byName: ({ namespace, name }) => nameKey(namespace, name) },
  schema: rows({
    id: name,
    name,
    description: text,
    rules: text,
    datacenters: ids,
    hash: text,
    namespace: name,
    create_index: index,
    modify_index: index,
  }),
})

/** By ID. Under `byName` they stand by `nameKey`. */
export const aclRoles = defineTable<AclRole>()({
  service: meshName,
  name: 'acl-roles',
  indexes: { byName: ({ namespace, name }) => nameKey(namespace, name) },
  schema: rows({
    id: name,
    name,
    description: text,
    policies: ids,
    hash: text,
    namespace: name,
    create_index: index,
    modify_index: index,
  }),
})

/** By AccessorID. Under `byPlace` they stand by `<namespace>/<AccessorID>`, the namespace in lower case. */
export const aclTokens = defineTable<AclToken>()({
  service: meshName,
  name: 'acl-tokens',
  indexes: {
    bySecret: ({ secret_id }) => secret_id,
    byPlace: ({ namespace, accessor_id }) => namespacePrefix(namespace) + accessor_id,
  },
  schema: rows({
    accessor_id: name,
    secret_id: name,
    description: text,
    policies: ids,
    roles: ids,
    local: { type: 'boolean' },
    created_at: { type: 'integer' },
    expires_at: { type: ['integer', 'null'] },
    hash: text,
    namespace: name,
    create_index: index,
    modify_index: index,
  }),
})

/** One row, by the empty key. */
export const aclFacts = defineTable<AclFacts>({
  service: meshName,
  name: 'acl-facts',
  schema: rows({ bootstrap_index: { type: ['integer', 'null'] }, stored: { type: 'boolean' } }),
})

/** Tables of earlier versions, which indexes stand for now. */
export const retiredAclTables = [
  'acl-policy-names',
  'acl-role-names',
  'acl-token-places',
  'acl-token-secrets',
]

/** The tables of the ACL system. */
export const aclTables: readonly TableDefinition[] = [aclPolicies, aclRoles, aclTokens, aclFacts]

/** Where a namespace begins in the indexes by name and by place. */
export function namespacePrefix(namespace: string): string {
  return `${namespaceKey(namespace)}/`
}

/** The key of something named in a namespace; names are compared without regard to case. */
export function nameKey(namespace: string, name: string): string {
  return namespacePrefix(namespace) + name.toLowerCase()
}
