import { Refusal } from '../../kernel/refusal.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'

/**
 * The work that ends a lease, as plain data: a job of the service and its id. The job runs inside
 * the transaction that ends the lease; an engine registers it with its other jobs and stores what
 * it needs in rows of its own.
 */
export interface LeaseEnd {
  /** Name of a job in the service's definition, such as `secrets.orch.revoke`. */
  readonly job: string
  readonly id: string
}

/**
 * Treatment of an engine's failure: keep the lease (`refuse`) or ignore the failure (`force`).
 */
export type RevokeMode = 'refuse' | 'force'

/**
 * Runs the work that ends a lease, at once. With `force` a refusal of the engine rolls back only
 * the engine's writes; otherwise it is rethrown.
 */
export function runLeaseEnd(world: World, end: LeaseEnd, mode: RevokeMode): void {
  const job = jobNamed(world, end.job)
  const run = () => world.write(() => job(world, { at: world.clock.now(), ...end }))
  try {
    run()
  } catch (error) {
    if (mode === 'refuse' || !(error instanceof Refusal)) throw error
  }
}

function jobNamed(world: World, name: string): JobHandler {
  for (const { jobs } of world.services) {
    const job = jobs[name]
    if (job !== undefined) return job
  }
  throw new Error(`no service knows the job ${name}, which a lease names for its end`)
}
