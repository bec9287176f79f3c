import type { Message } from '../../kernel/wording.ts'
import type { World } from '../../kernel/world.ts'
import { asSubmitted, storedJob } from '../job/canonical.ts'
import { jobOf } from '../records/store.ts'
import { refuse } from '../texts.ts'
import { validationErrors } from '../validation/admission.ts'
import { factsOf, warningsOf } from './admission.ts'
import { expectedNamespace } from './context.ts'
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
  const { Job: sent } = request
  if (sent === null) throw refuse('job-missing')
  const namespace = expectedNamespace(queryNamespace, request.Namespace, sent.Namespace)
  const current = jobOf(world, namespace, sent.ID ?? '')
  const stored = storedJob(asSubmitted(sent), { namespace, uuid: () => '', current })
  // Filled in where none is sent, and complained of where it is empty (behaviour/scheduler#conventions).
  const job = { ...stored, Region: sent.Region ?? stored.Region }
  return { errors: validationErrors(job, factsOf(world)), warnings: warningsOf(world, job) }
}
