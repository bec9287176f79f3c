import type { Engine } from '../operation.ts'
import { entityAliasOperations, groupAliasOperations } from './aliases.ts'
import { entityOperations } from './entities.ts'
import { groupOperations } from './groups.ts'

/**
 * The identity store, which is always mounted. The store contains entities and groups
 * (behaviour/secrets#identity).
 */
export const identityEngine: Engine = {
  type: 'identity',
  operations: [
    ...entityOperations,
    ...entityAliasOperations,
    ...groupOperations,
    ...groupAliasOperations,
  ],
}
