import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { storedJob, withoutServerFields } from '../job/canonical.ts'
import { refuse } from '../messages.ts'
import { findJob } from '../records/store.ts'
import { validationErrors } from '../validation/admission.ts'
import { admissionContext, findJobWarnings } from './admission.ts'
import { resolveNamespace } from './context.ts'
import type { ValidateRequest } from './request-shapes.ts'

/**
 * The faults of a job, and what is dubious in it (behaviour/scheduler#plan).
 */
interface Validation {
  readonly errors: readonly Message[]
  readonly warnings: readonly Message[]
}

/**
 * Checks a job without registering it.
 *
 * Its region is not looked up; one that is sent empty is a fault (behaviour/scheduler#conventions).
 *
 * @throws Refusal 400 without a job
 */
export function validateJob(
  world: World,
  request: ValidateRequest,
  { queryNamespace }: { readonly queryNamespace?: string | undefined } = {},
): Validation {
  const { Job: input } = request
  if (input === null) throw refuse('job-missing')
  const namespace = resolveNamespace(queryNamespace, request.Namespace, input.Namespace)
  const current = findJob(world, namespace, input.ID ?? '')
  const stored = storedJob(withoutServerFields(input), { namespace, uuid: () => '', current })
  // Filled in where none is sent, and complained of where it is empty (behaviour/scheduler#conventions).
  const job = { ...stored, Region: input.Region ?? stored.Region }
  return {
    errors: validationErrors(job, admissionContext(world)),
    warnings: findJobWarnings(world, job),
  }
}
