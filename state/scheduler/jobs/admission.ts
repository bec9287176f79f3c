import type { World } from '../../kernel/world.ts'
import { hasNodePool } from '../cluster/nodes.ts'
import { namespaceNamed } from '../namespaces.ts'
import { optionsOf } from '../options.ts'
import type { AdmissionFacts } from '../validation/admission.ts'

/**
 * Returns what validation must know of a world (3b-scheduler-decisions.md section 5, admission).
 */
export function factsOf(world: World): AdmissionFacts {
  const { jobMaxCount, secretsEnabled } = optionsOf(world)
  return {
    namespaceExists: (name) => namespaceNamed(world, name) !== undefined,
    nodePoolExists: (name) => hasNodePool(world, name),
    secretsEnabled,
    maxCount: jobMaxCount,
  }
}
