import { Refusal } from '../../kernel/refusal.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'

/**
 * The work that ends a lease, as plain data: one of the service's jobs and what it is for. The job
 * runs inside the transaction that ends the lease, with `id` as its appointment's id; an engine
 * registers it with its other jobs and keeps what it needs in rows of its own.
 */
export interface LeaseEnd {
  /** Name of a job in the service's definition, such as `secrets.orch.revoke`. */
  readonly job: string
  readonly id: string
}

/**
 * The treatment of the engine's failures: one keeps the lease (`refuse`) or is passed over
 * (`force`).
 */
export type RevokeMode = 'refuse' | 'force'

/**
 * Does what has to happen when a lease ends, at once. With `force` a refusal of the engine undoes only
 * what the engine did; otherwise it is thrown on.
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
