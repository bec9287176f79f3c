import { quoteGo } from '../../go/text.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { writtenIndex } from '../indexes.ts'
import type { Job } from '../job/job-shape.ts'
import { refuse } from '../messages.ts'
import { findJobVersion } from '../records/store.ts'
import { setStable } from '../records/versions.ts'
import type { StableRequest } from './request-shapes.ts'

/**
 * Marks a version of a job as stable or not stable (behaviour/scheduler#versions and
 * behaviour/scheduler#beyond).
 *
 * @throws Refusal 400 when the body and the path do not name one job, 500 when there is no such
 * version
 */
export function markStable(
  world: World,
  namespace: string,
  pathId: string,
  request: StableRequest,
): { readonly Index: number } {
  const id = requireMatchingId(request.JobID, pathId)
  const version = request.JobVersion ?? 0
  requireVersion(world, namespace, id, version)
  world.write(() => setStable(world, namespace, id, version, request.Stable ?? false))
  return { Index: writtenIndex(world) }
}

/** Returns the job ID on which body and path agree. */
export function requireMatchingId(bodyId: string | null, pathId: string): string {
  if (bodyId === null || bodyId === '') throw refuse('named-job-unspecified')
  if (bodyId !== pathId) throw refuse('job-id-mismatch')
  return bodyId
}

/** Returns a stored version of a job. */
export function requireVersion(world: World, namespace: string, id: string, version: number): Job {
  const current = findJobVersion(world, namespace, id, version)
  if (current !== undefined) return current
  throw refuse('job-version-not-found', {
    job: quoteGo(id),
    namespace: quoteGo(namespace),
    version,
  })
}
