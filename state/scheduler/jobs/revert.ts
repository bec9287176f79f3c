import { quoteGo } from '../../go/text.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import { findJob } from '../records/store.ts'
import { findSource } from '../records/submissions.ts'
import type { RegisterContext } from './context.ts'
import { registerCanonical } from './registration.ts'
import type { RegisterReply, RevertRequest } from './request-shapes.ts'
import { requireMatchingId, requireVersion } from './stable.ts'

/**
 * Registers a copy of an earlier version, with its source, as the next version, not stable
 * (behaviour/scheduler#versions and behaviour/scheduler#beyond).
 *
 * @throws Refusal 400 when body and path do not name one job, 500 if the job cannot be reverted to
 * the version, and the refusals of a registration
 */
export function revertJob(
  world: World,
  namespace: string,
  pathId: string,
  request: RevertRequest,
  context: RegisterContext,
): RegisterReply {
  const id = requireMatchingId(request.JobID, pathId)
  const version = request.JobVersion ?? 0
  const current = findJob(world, namespace, id)
  if (current === undefined) throw refuse('revert-job-not-found', { job: quoteGo(id) })
  if (current.Version === version) throw refuse('revert-to-current')
  const earlierVersion = requireVersion(world, namespace, id, version)
  const { EnforcePriorVersion } = request
  if (EnforcePriorVersion !== null && EnforcePriorVersion !== current.Version) {
    throw refuse('revert-version-other', {
      version: current.Version,
      enforced: EnforcePriorVersion,
    })
  }
  return registerCanonical(world, { ...earlierVersion, VersionTag: null }, context, {
    enforcedIndex: EnforcePriorVersion === null ? undefined : current.JobModifyIndex,
    source: findSource(world, earlierVersion, version),
  })
}
