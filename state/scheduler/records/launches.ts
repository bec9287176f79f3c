import { least } from '../../kernel/lists.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type CronSchedule, parseCron } from '../job/cron.ts'
import type { Job } from '../job/job-shape.ts'
import type { Periodic } from '../job/scheduling-shapes.ts'
import { jobKey } from '../keys.ts'
import { isParameterized } from './store.ts'

/**
 * Name of the agenda job that launches a periodic job. The job's key in the agenda is a result of
 * `jobKey`.
 */
export const launchJobName = 'scheduler.periodic'

/**
 * Returns true if a job has an enabled schedule, is not stopped, and is not launched by dispatch
 * requests.
 */
export function launchesAutomatically(job: Job): boolean {
  return job.Periodic?.Enabled === true && !job.Stop && !isParameterized(job)
}

/**
 * Returns the first launch after a time, or undefined if no launch follows. Times are milliseconds
 * since 1970.
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
 * Schedules the next launch of a job (behaviour/scheduler#periodic). Cancels a scheduled launch if
 * the job does not launch automatically or no launch follows. Must run inside a transaction, after
 * the job is written.
 */
export function scheduleLaunch(world: World, job: Job, after = world.clock.now()): void {
  const id = jobKey(job.Namespace, job.ID)
  const { Periodic } = job
  const at =
    Periodic !== null && launchesAutomatically(job) ? nextLaunch(world, Periodic, after) : undefined
  if (at === undefined) world.agenda.cancel(launchJobName, id)
  else world.agenda.schedule({ at, job: launchJobName, id })
}

export function cancelLaunch(world: World, { Namespace, ID }: Job): void {
  world.agenda.cancel(launchJobName, jobKey(Namespace, ID))
}
