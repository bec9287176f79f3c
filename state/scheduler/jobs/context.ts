import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { hasNodePool } from '../cluster/nodes/node-pools.ts'
import type { Job } from '../job/job-shape.ts'
import { refuse } from '../messages.ts'
import { findNamespace } from '../namespaces.ts'
import { configurationOf } from '../operator/configuration.ts'
import { optionsOf } from '../options.ts'
import { isSpecChanged } from '../records/store.ts'
import {
  type AdmissionContext,
  prevalidateGroups,
  refuseInvalid,
  validationErrors,
} from '../validation/admission.ts'
import { jobWarnings } from '../validation/warnings.ts'

/**
 * Collects the data of a world that the validation of jobs needs (behaviour/scheduler#validation).
 */
function admissionContext(world: World): AdmissionContext {
  const { jobMaxCount, secretsEnabled } = optionsOf(world)
  return {
    findNamespace: (name) => findNamespace(world, name),
    nodePoolExists: (name) => hasNodePool(world, name),
    secretsEnabled,
    maxCount: jobMaxCount,
  }
}

/**
 * Returns the errors of a canonical job. Pauses after each group, so that a large job does not
 * block requests to other worlds.
 */
export function findJobErrors(world: World, job: Job): readonly Message[] {
  world.inParts(() => prevalidateGroups(job))
  return world.part(() => validationErrors(job, admissionContext(world)))
}

/**
 * Refuses a canonical job that is invalid. Pauses after each group, so that a large job does not
 * block requests to other worlds.
 *
 * @throws Refusal 500
 */
export function refuseInvalidJob(world: World, job: Job): void {
  world.inParts(() => prevalidateGroups(job))
  world.part(() => refuseInvalid(job, admissionContext(world)))
}

/**
 * Returns the warnings about doubtful settings of a valid job. Replies contain these warnings
 * (behaviour/scheduler#warnings).
 */
export function findJobWarnings(world: World, job: Job): readonly Message[] {
  const { MemoryOversubscriptionEnabled } = configurationOf(world)
  return world.part(() => jobWarnings(job, MemoryOversubscriptionEnabled))
}

/** Capabilities that a registration may need (behaviour/scheduler#auth). */
type RegisterCapability = 'submit-job' | 'policy-override'

/**
 * Returns the capabilities that a caller needs to register or plan a job.
 */
export function requiredCapabilities(
  policyOverride: boolean | null | undefined,
): readonly RegisterCapability[] {
  return policyOverride === true ? ['submit-job', 'policy-override'] : ['submit-job']
}

/** Caller of a registration, revert or plan, and the parameters of the request outside its body. */
export interface RegisterContext {
  /** The job ID in the path, if any. */
  readonly pathId?: string | undefined
  /** The `namespace` query parameter, if any. */
  readonly queryNamespace?: string | undefined
  /**
   * Throws a refusal (403) unless the caller has all capabilities. Called after the validation of
   * the job.
   */
  authorize(job: Job, capabilities: readonly RegisterCapability[]): void
  /**
   * Throws a refusal (403) unless the caller may mount the job's volumes and register its plugins.
   * Registrations and reverts call this function after `authorize`; plans do not.
   */
  authorizeVolumes(job: Job): void
  /** Accessor ID of the caller's token; empty while ACLs are off. */
  readonly accessorId: string
  /** True for a management token; false while ACLs are off. */
  readonly isManagement?: boolean
  readonly isVendor: boolean
  /** Converts a job to the caller's dialect. Missing if jobs are stored in the caller's dialect. */
  toDialect?(job: Job): Job
}

/**
 * Returns true if registering a job creates a version, because the job is new or its specification
 * has changed (behaviour/scheduler#versions). Spellings of the two dialects are treated as equal
 * (behaviour/scheduler#vendor-names). Large jobs are compared in parts.
 */
export function isNewVersion(
  world: World,
  current: Job | undefined,
  job: Job,
  context: RegisterContext,
): boolean {
  if (current === undefined) return true
  if (!world.part(() => isSpecChanged(current, job))) return false
  if (context.toDialect === undefined) return true
  // `toDialect` runs in parts itself, so it must not be called inside a part.
  const [before, after] = [context.toDialect(current), context.toDialect(job)]
  return world.part(() => isSpecChanged(before, after))
}

/**
 * Returns the namespace of a job request: the namespace in the query, otherwise in the body,
 * otherwise in the job, otherwise `default` (behaviour/scheduler#namespace). An empty string is
 * treated as missing.
 */
export function resolveNamespace(
  query: string | null | undefined,
  bodyNamespace: string | null | undefined,
  jobNamespace: string | null | undefined,
): string {
  return query || bodyNamespace || jobNamespace || 'default'
}

/**
 * Checks the region in the body or, if the body has none, in the job. Returns the region of the
 * mock. The checked region may be missing, equal to the mock's region, or `global`
 * (behaviour/scheduler#conventions).
 *
 * @throws Refusal 500 for another region
 */
export function resolveRegion(
  world: World,
  bodyRegion: string | null | undefined,
  jobRegion: string | null | undefined,
): string {
  const { region } = optionsOf(world)
  const requestedRegion = bodyRegion || jobRegion || 'global'
  if (requestedRegion !== 'global' && requestedRegion !== region) throw refuse('region-unknown')
  return region
}

/**
 * Refuses registration, dispatch and scaling while the scheduler configuration forbids them.
 * Management tokens are exempt; while ACLs are off, every caller is exempt
 * (behaviour/scheduler#operator).
 *
 * @throws Refusal 403
 */
export function refuseClosedRegistration(world: World, isManagement: boolean | undefined): void {
  if (!optionsOf(world).aclEnabled || isManagement === true) return
  if (!configurationOf(world).RejectJobRegistration) return
  throw refuse('registration-closed')
}
