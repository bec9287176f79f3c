import { aclOperations } from './acl/operations.ts'
import { kvOperations } from './kv/kv.ts'
import { namespaceOperations } from './namespaces/namespaces.ts'
import type { MeshOperation } from './operation.ts'

/** Every operation of the mesh API. */
export const meshOperations: readonly MeshOperation[] = [
  ...namespaceOperations,
  ...kvOperations,
  ...aclOperations,
]
