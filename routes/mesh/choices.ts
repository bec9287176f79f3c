import type { Choice } from '../http/coverage.ts'
import { aclChoices } from './acl/choices.ts'
import { namespaceChoices } from './namespaces/choices.ts'

/**
 * Every choice of the mesh API that no rule of behaviour/mesh
 * makes (behaviour/program#what-it-is).
 */
export const meshChoices: readonly Choice[] = [...namespaceChoices, ...aclChoices]
