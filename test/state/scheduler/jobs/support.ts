import type { World } from '../../../../state/kernel/worlds/world.ts'
import { decodeBody } from '../../../../state/scheduler/decoding.ts'
import type { Job } from '../../../../state/scheduler/job/job-shape.ts'
import type { RegisterContext } from '../../../../state/scheduler/jobs/context.ts'
import { registerJob } from '../../../../state/scheduler/jobs/registration.ts'
import {
  type RegisterReply,
  registerShape,
} from '../../../../state/scheduler/jobs/request-shapes.ts'
import type { SchedulerOptions } from '../../../../state/scheduler/options.ts'
import { findJob } from '../../../../state/scheduler/records/store.ts'
import { schedulerWorld } from '../../../support/scheduler/scheduler-world.ts'

/** Time of the frozen clocks in these tests, in nanoseconds. */
export const startNanoseconds = 1_767_225_600_000_000_000

/** Returns a job as a client sends it: ID `web`, one group `app` with one task. */
export function inputJob(change: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const task = { Name: 'main', Driver: 'docker', Config: { image: 'web:1' } }
  return { ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [task] }], ...change }
}

/** Returns the job of `inputJob` as a batch job with the ID `batch`. */
export function inputBatchJob(
  change: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return inputJob({ ID: 'batch', Type: 'batch', ...change })
}

/** Returns a world whose cluster is frozen, so that tests see only the effects on jobs. */
export function frozenWorld(options: Partial<SchedulerOptions> = {}): World {
  return schedulerWorld({ schedulerMode: 'frozen', ...options })
}

/** Context of a registration by a caller with all rights. */
export const anyCaller: RegisterContext = {
  authorize: () => {},
  authorizeVolumes: () => {},
  accessorId: '',
  isVendor: false,
}

/** Registers a job in the form of a client's request. */
export function register(
  world: World,
  job: unknown,
  more: Readonly<Record<string, unknown>> = {},
  context: Partial<RegisterContext> = {},
): RegisterReply {
  const request = decodeBody(JSON.stringify({ Job: job, ...more }), registerShape)
  return registerJob(world, request, { ...anyCaller, ...context })
}

/** Returns a job, which must exist. */
export function job(world: World, id: string, namespace = 'default'): Job {
  const found = findJob(world, namespace, id)
  if (found === undefined) throw new Error(`there is no job ${id}`)
  return found
}

/** Returns true if the work is refused, at once or in parts, and leaves the world unchanged. */
export async function isUnchangedBy(world: World, work: () => unknown): Promise<boolean> {
  const before = world.snapshot()
  try {
    await world.request(work)
  } catch {
    const after = world.snapshot()
    return (
      after.store.sequence === before.store.sequence &&
      JSON.stringify(after.ids) === JSON.stringify(before.ids)
    )
  }
  return false
}
