import type { aclFacts, aclPolicies, aclRoles, aclTokens } from '../state/mesh/acl/tables.ts'
import type { dataIndexes } from '../state/mesh/indexes.ts'
import type { keyEntries } from '../state/mesh/kv.ts'
import type { namespaces } from '../state/mesh/namespaces/namespaces.ts'
import type { Rows } from './resources.ts'

/** Everything the service mesh keeps, by table and key; the keys are told at each table. */
export interface MeshTables {
  readonly 'acl-policies': Rows<typeof aclPolicies>
  readonly 'acl-roles': Rows<typeof aclRoles>
  readonly 'acl-tokens': Rows<typeof aclTokens>
  readonly 'acl-facts': Rows<typeof aclFacts>
  readonly indexes: Rows<typeof dataIndexes>
  readonly keys: Rows<typeof keyEntries>
  readonly namespaces: Rows<typeof namespaces>
}
