import type { Engine } from '../operation.ts'
import { entityOperations } from './entities.ts'
import { entityAliasOperations } from './entity-aliases.ts'
import { groupAliasOperations } from './group-aliases.ts'
import { groupOperations } from './groups.ts'

/** The identity store, always mounted: entities and groups (behaviour/secrets#identity). */
export const identityEngine: Engine = {
  type: 'identity',
  operations: [
    ...entityOperations,
    ...entityAliasOperations,
    ...groupOperations,
    ...groupAliasOperations,
  ],
}
