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
 * Returns the facts about a world on which the validation of jobs depends
 * (behaviour/scheduler#validation, admission).
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

/** Returns the errors of a canonical job. Large jobs are validated in parts. */
export function findJobErrors(world: World, job: Job): readonly Message[] {
  world.inParts(() => prevalidateGroups(job))
  return world.part(() => validationErrors(job, admissionContext(world)))
}

/** Refuses an invalid job as `refuseInvalid` does. Large jobs are validated in parts. */
export function refuseInvalidJob(world: World, job: Job): void {
  world.inParts(() => prevalidateGroups(job))
  world.part(() => refuseInvalid(job, admissionContext(world)))
}

/**
 * Returns the warnings about a job, which is accepted nevertheless
 * (behaviour/scheduler#validation).
 */
export function findJobWarnings(world: World, job: Job): readonly Message[] {
  const { MemoryOversubscriptionEnabled } = configurationOf(world)
  return world.part(() => jobWarnings(job, MemoryOversubscriptionEnabled))
}

/** A capability that a caller needs in the namespace of a job (behaviour/scheduler#auth). */
type RegisterCapability = 'submit-job' | 'policy-override'

/** Returns the capabilities that registering or planning requires. */
export function requiredCapabilities(
  policyOverride: boolean | null | undefined,
): readonly RegisterCapability[] {
  return policyOverride === true ? ['submit-job', 'policy-override'] : ['submit-job']
}

/** The caller of a registration, and how the job was addressed. */
export interface RegisterContext {
  /** The job ID in the path, if any. */
  readonly pathId?: string | undefined
  /** The `namespace` query parameter, if any. */
  readonly queryNamespace?: string | undefined
  /**
   * Throws a refusal (403) unless the caller has all capabilities. Called after the job was
   * validated.
   */
  authorize(job: Job, capabilities: readonly RegisterCapability[]): void
  /**
   * Throws a refusal (403) unless the caller may mount the volumes of the job and register its
   * plugins. Only registrations call this function, after `authorize`.
   */
  authorizeVolumes(job: Job): void
  /** AccessorID of the caller's token; empty while ACLs are off. */
  readonly accessorId: string
  /** True if the caller has a management token; false while ACLs are off. */
  readonly isManagement?: boolean
  /** True if the caller uses the vendor's dialect. */
  readonly isVendor: boolean
  /** Returns a job in the spelling of the caller's dialect, if it differs from the stored one. */
  spell?(job: Job): Job
}

/**
 * Returns true if registering a job creates a version: there is no current job, or its
 * specification differs (behaviour/scheduler#versions). Plans use the same comparison. If the
 * dialect's spelling differs from the stored one, both spellings count as equal
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
  if (context.spell === undefined) return true
  // The spellings are parts of the request themselves, so they are not made within another part.
  const [before, after] = [context.spell(current), context.spell(job)]
  return world.part(() => isSpecChanged(before, after))
}

/**
 * Resolves the namespace of a request about a job: from the query, the body, the job, or `default`
 * (behaviour/scheduler#namespace). Empty strings count as missing.
 */
export function resolveNamespace(
  query: string | null | undefined,
  fromBody: string | null | undefined,
  fromJob: string | null | undefined,
): string {
  return query || fromBody || fromJob || 'default'
}

/**
 * Resolves the region of a job, which is always the region of the mock. The body and the job may
 * name it, omit it, or have `global` instead (behaviour/scheduler#conventions).
 *
 * @throws Refusal 500 for another region
 */
export function resolveRegion(
  world: World,
  fromBody: string | null | undefined,
  fromJob: string | null | undefined,
): string {
  const { region } = optionsOf(world)
  const requestedRegion = fromBody || fromJob || 'global'
  if (requestedRegion !== 'global' && requestedRegion !== region) throw refuse('region-unknown')
  return region
}

/**
 * Refuses registration, dispatch and scaling while the scheduler configuration rejects them, except
 * for management callers. While ACLs are off, nobody is refused (behaviour/scheduler#conventions;
 * behaviour/scheduler#operator).
 *
 * @throws Refusal 403
 */
export function refuseClosedRegistration(world: World, isManagement: boolean | undefined): void {
  if (!optionsOf(world).aclEnabled || isManagement === true) return
  if (!configurationOf(world).RejectJobRegistration) return
  throw refuse('registration-closed')
}
