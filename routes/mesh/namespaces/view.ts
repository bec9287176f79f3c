import { constant, list, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import type { World } from '../../../state/kernel/world.ts'
import { linkViews } from '../../../state/mesh/acl/links.ts'
import { type Namespace, namespaceShape } from '../../../state/mesh/namespaces/namespaces.ts'
import { type MeshDialect, rendered } from '../dialect.ts'
import { telling } from '../telling.ts'

const { create_index, modify_index, ...fields } = namespaceShape.fields
const links = nullable(list(struct({ ID: text, Name: optional(text) })))

/** In the reference's order, without what is empty (3a-mesh-decisions.md section 2). */
const told = telling(
  {
    ...fields,
    acls: nullable(struct({ policy_defaults: links, role_defaults: links })),
    partition: described(optional(constant('default')), 'In the vendor dialect'),
    create_index,
    modify_index,
  },
  ['description', 'acls', 'meta'],
)

/** A namespace as it is sent. */
export const namespaceSchema = storedSchema(told.shape)

/** A namespace as JSON. */
export function namespaceJson(world: World, namespace: Namespace, dialect: MeshDialect): string {
  const { acls } = namespace
  if (acls === null) return plainJson(world, namespace, dialect)
  // Policies and roles may have other names by the next time.
  const linked = {
    policy_defaults: acls.policy_defaults && linkViews(world, 'policy', acls.policy_defaults),
    role_defaults: acls.role_defaults && linkViews(world, 'role', acls.role_defaults),
  }
  return JSON.stringify(viewOf({ ...namespace, acls: linked }, dialect))
}

const plainJson = rendered<Namespace>(viewOf)

function viewOf(namespace: object, dialect: MeshDialect): object {
  return told.of(dialect.partition ? { ...namespace, partition: 'default' } : namespace)
}
