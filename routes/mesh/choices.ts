import type { Choice } from '../http/coverage.ts'
import { aclChoices } from './acl/choices.ts'
import { namespaceChoices } from './namespaces/choices.ts'

/**
 * Every choice of the mesh API that neither 3-mesh-and-scheduler.md part A nor 3a-mesh-decisions.md
 * makes (DESIGN section 1).
 */
export const meshChoices: readonly Choice[] = [...namespaceChoices, ...aclChoices]
