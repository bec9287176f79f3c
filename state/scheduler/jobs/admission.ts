import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { hasNodePool } from '../cluster/nodes/node-pools.ts'
import type { Job } from '../job/job-shape.ts'
import { findNamespace } from '../namespaces.ts'
import { configurationOf } from '../operator/configuration.ts'
import { optionsOf } from '../options.ts'
import type { AdmissionContext } from '../validation/admission.ts'
import { jobWarnings } from '../validation/warnings.ts'

/**
 * Returns the facts about a world that validation needs (behaviour/scheduler#validation,
 * admission).
 */
export function admissionContext(world: World): AdmissionContext {
  const { jobMaxCount, secretsEnabled } = optionsOf(world)
  return {
    namespaceExists: (name) => findNamespace(world, name) !== undefined,
    nodePoolExists: (name) => hasNodePool(world, name),
    secretsEnabled,
    maxCount: jobMaxCount,
  }
}

/**
 * Returns warnings about a job, which is accepted nevertheless (behaviour/scheduler#validation).
 */
export function findJobWarnings(world: World, job: Job): readonly Message[] {
  return jobWarnings(job, configurationOf(world).MemoryOversubscriptionEnabled)
}
