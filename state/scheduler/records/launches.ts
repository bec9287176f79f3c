import { least } from '../../kernel/lists.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type CronSchedule, parseCron } from '../job/cron.ts'
import type { Job } from '../job/job-shape.ts'
import type { Periodic } from '../job/scheduling-shapes.ts'
import { jobKey } from '../keys.ts'
import { isParameterized } from './store.ts'

/**
 * Agenda job that launches children of periodic jobs. The ids of the job are results of `jobKey`.
 */
export const launchJobName = 'scheduler.periodic'

/** Returns true if the schedule of a job launches children at present. */
export function launchesAutomatically(job: Job): boolean {
  return job.Periodic?.Enabled === true && !job.Stop && !isParameterized(job)
}

/**
 * Returns the next launch after an instant, both in milliseconds since 1970; undefined if there is
 * none.
 */
export function nextLaunch(world: World, periodic: Periodic, after: number): number | undefined {
  const launchTimes = world.derived(periodic, schedulesOf).flatMap(({ next }) => next(after) ?? [])
  return launchTimes.length === 0 ? undefined : least(launchTimes)
}

function schedulesOf({ Spec, Specs, TimeZone }: Periodic): readonly CronSchedule[] {
  const specs = [Spec, ...(Specs ?? [])].filter((spec) => spec !== '')
  return specs.map((spec) => parseCron(spec, TimeZone))
}

/**
 * Schedules, reschedules or cancels the next launch of a job (behaviour/scheduler#periodic). Must
 * run inside a transaction, after the job is written.
 */
export function scheduleLaunch(world: World, job: Job, after = world.clock.now()): void {
  const id = jobKey(job.Namespace, job.ID)
  const { Periodic } = job
  const at =
    Periodic !== null && launchesAutomatically(job) ? nextLaunch(world, Periodic, after) : undefined
  if (at === undefined) world.agenda.cancel(launchJobName, id)
  else world.agenda.schedule({ at, job: launchJobName, id })
}

/** Cancels the next launch of a job. Must run inside a transaction. */
export function cancelLaunch(world: World, { Namespace, ID }: Job): void {
  world.agenda.cancel(launchJobName, jobKey(Namespace, ID))
}
