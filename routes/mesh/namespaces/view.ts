import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { World } from '../../../state/kernel/world.ts'
import { linkViews } from '../../../state/mesh/acl/links.ts'
import type { Namespace } from '../../../state/mesh/namespaces/namespaces.ts'
import type { MeshDialect } from '../dialect.ts'
import { rendered } from '../rendered.ts'

const links = {
  type: ['array', 'null'],
  items: {
    type: 'object',
    required: ['ID'],
    additionalProperties: false,
    properties: { ID: { type: 'string' }, Name: { type: 'string' } },
  },
} as const

/** A namespace as it is sent (3a-mesh-decisions.md section 2). */
export const namespaceSchema = {
  type: 'object',
  required: ['Name', 'CreateIndex', 'ModifyIndex'],
  additionalProperties: false,
  properties: {
    Name: { type: 'string' },
    Description: { type: 'string', minLength: 1 },
    ACLs: {
      type: 'object',
      required: ['PolicyDefaults', 'RoleDefaults'],
      additionalProperties: false,
      properties: { PolicyDefaults: links, RoleDefaults: links },
    },
    Meta: { type: 'object', minProperties: 1, additionalProperties: { type: 'string' } },
    DeletedAt: { type: 'string', format: 'date-time' },
    Partition: { const: 'default', description: 'In the vendor dialect' },
    CreateIndex: { type: 'integer' },
    ModifyIndex: { type: 'integer' },
  },
} as const

/** A namespace as JSON: in the reference's order, without what is empty. */
export function namespaceJson(world: World, namespace: Namespace, dialect: MeshDialect): string {
  const { acls } = namespace
  if (acls === null) return plainJson(world, namespace, dialect)
  // Policies and roles may have other names by the next time.
  const links = {
    PolicyDefaults: acls.policy_defaults && linkViews(world, 'policy', acls.policy_defaults),
    RoleDefaults: acls.role_defaults && linkViews(world, 'role', acls.role_defaults),
  }
  return JSON.stringify(viewOf(namespace, dialect, { ACLs: links }))
}

const plainJson = rendered<Namespace>((namespace, dialect) => viewOf(namespace, dialect, {}))

function viewOf(namespace: Namespace, dialect: MeshDialect, acls: object): object {
  const { name, description, meta, deleted_at } = namespace
  return {
    Name: name,
    ...(description === '' ? {} : { Description: description }),
    ...acls,
    ...(Object.keys(meta).length === 0 ? {} : { Meta: sorted(meta) }),
    ...(deleted_at === null ? {} : { DeletedAt: formatTimestamp(deleted_at) }),
    ...(dialect.partition ? { Partition: 'default' } : {}),
    CreateIndex: namespace.create_index,
    ModifyIndex: namespace.modify_index,
  }
}

/** Go writes maps in the order of their keys. */
function sorted(meta: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(meta).sort(([a], [b]) => (a < b ? -1 : 1)))
}
