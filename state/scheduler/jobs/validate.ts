import type { World } from '../../kernel/world.ts'
import { asSubmitted, storedJob } from '../job/canonical.ts'
import { malformed } from '../refusals.ts'
import { validationErrors } from '../validation/admission.ts'
import { multiError } from '../validation/errors.ts'
import { jobWarnings } from '../validation/warnings.ts'
import { factsOf } from './admission.ts'
import { expectedNamespace, expectedRegion } from './context.ts'
import type { ValidateRequest } from './request-shapes.ts'
import { jobOf } from './store.ts'

/** What is wrong with a job (3b-scheduler-decisions.md section 10, validate). */
export interface ValidateReply {
  readonly DriverConfigValidated: true
  readonly ValidationErrors: readonly string[] | null
  /** The errors as one text; empty for none. */
  readonly Error: string
  readonly Warnings: string
}

/**
 * Checks a job without registering it.
 *
 * @throws Refusal 400 without a job, 500 for another region's
 */
export function validateJob(
  world: World,
  request: ValidateRequest,
  { queryNamespace }: { readonly queryNamespace?: string | undefined } = {},
): ValidateReply {
  const { Job: sent } = request
  if (sent === null) throw malformed('Job must be specified')
  expectedRegion(world, request.Region, sent.Region)
  const namespace = expectedNamespace(queryNamespace, request.Namespace, sent.Namespace)
  const current = jobOf(world, namespace, sent.ID ?? '')
  const job = storedJob(asSubmitted(sent), { namespace, uuid: () => '', current })
  const errors = validationErrors(job, factsOf(world))
  return {
    DriverConfigValidated: true,
    ValidationErrors: errors.length === 0 ? null : errors,
    Error: errors.length === 0 ? '' : multiError(errors),
    Warnings: jobWarnings(job),
  }
}
