import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { storedJob, withoutServerFields } from '../job/canonical.ts'
import { refuse } from '../messages.ts'
import { findJob } from '../records/store.ts'
import { validationErrors } from '../validation/admission.ts'
import { admissionContext, findJobWarnings, resolveNamespace } from './context.ts'
import type { ValidateRequest } from './request-shapes.ts'

/** The errors and warnings of a job (behaviour/scheduler#plan). */
interface Validation {
  readonly errors: readonly Message[]
  readonly warnings: readonly Message[]
}

/**
 * Validates a job without registering it.
 *
 * Its region is not looked up, but an empty one is an error (behaviour/scheduler#conventions).
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
  // A missing region is filled in, whereas an empty one is an error
  // (behaviour/scheduler#conventions).
  const job = { ...stored, Region: input.Region ?? stored.Region }
  return {
    errors: validationErrors(job, admissionContext(world)),
    warnings: findJobWarnings(world, job),
  }
}
