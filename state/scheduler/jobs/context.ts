import type { World } from '../../kernel/worlds/world.ts'
import type { Job } from '../job/job-shape.ts'
import { refuse } from '../messages.ts'
import { configurationOf } from '../operator/configuration.ts'
import { optionsOf } from '../options.ts'

/** A right that a caller must have in the namespace of a job (behaviour/scheduler#auth). */
type RegisterCapability = 'submit-job' | 'policy-override'

/** Returns what registering or planning needs. */
export function requiredCapabilities(
  policyOverride: boolean | null | undefined,
): readonly RegisterCapability[] {
  return policyOverride === true ? ['submit-job', 'policy-override'] : ['submit-job']
}

/** Who registers, and how. */
export interface RegisterContext {
  /** The ID in the path, where the path has one. */
  readonly pathId?: string | undefined
  /** `?namespace=`, where it is given. */
  readonly queryNamespace?: string | undefined
  /** Throws 403 unless the caller may do all of this; called once the job is known to be valid. */
  authorize(job: Job, capabilities: readonly RegisterCapability[]): void
  /** AccessorID of the caller's token; empty without ACLs. */
  readonly accessorId: string
  /** The caller holds a management token; false without ACLs. */
  readonly isManagement?: boolean
  /** The dialect of the caller is the vendor's. */
  readonly isVendor: boolean
  /** A specification as the caller reads it, where names in it are other ones than those stored. */
  renderSpec?(spec: Partial<Job>): unknown
}

/**
 * The namespace that a request about a job is for: the query's, the body's, the job's, `default`
 * (behaviour/scheduler#namespace). Empty texts count as not given.
 */
export function resolveNamespace(
  query: string | null | undefined,
  fromBody: string | null | undefined,
  fromJob: string | null | undefined,
): string {
  return query || fromBody || fromJob || 'default'
}

/**
 * The region of a job: this one, which the body, the job or nothing may name; `global` is any
 * (behaviour/scheduler#conventions).
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
 * Refuses registration, dispatch and scaling while the scheduler is configured so, to callers who are
 * not management; with ACLs off nobody is refused (behaviour/scheduler#conventions; behaviour/scheduler#operator).
 *
 * @throws Refusal 403
 */
export function refuseClosedRegistration(world: World, isManagement: boolean | undefined): void {
  if (!optionsOf(world).aclEnabled || isManagement === true) return
  if (!configurationOf(world).RejectJobRegistration) return
  throw refuse('registration-closed')
}
