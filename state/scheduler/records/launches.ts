import type { World } from '../../kernel/worlds/world.ts'
import { type CronSchedule, parseCron } from '../job/cron.ts'
import type { Job } from '../job/job-shape.ts'
import type { Periodic } from '../job/scheduling-shapes.ts'
import { jobKey } from '../keys.ts'
import { isParameterized } from './store.ts'

/** The agenda's job that launches children of periodic jobs; its ids are `jobKey`s. */
export const launchJobName = 'scheduler.periodic'

/** Tells whether the clock launches children of a job now. */
export function launchesAutomatically(job: Job): boolean {
  return job.Periodic?.Enabled === true && !job.Stop && !isParameterized(job)
}

/**
 * The first instant after another, both in milliseconds since 1970, at which a job is launched;
 * undefined when its expressions name no more.
 */
export function nextLaunch(world: World, periodic: Periodic, after: number): number | undefined {
  const launchTimes = world.derived(periodic, schedulesOf).flatMap(({ next }) => next(after) ?? [])
  return launchTimes.length === 0 ? undefined : Math.min(...launchTimes)
}

function schedulesOf({ Spec, Specs, TimeZone }: Periodic): readonly CronSchedule[] {
  const specs = [Spec, ...(Specs ?? [])].filter((spec) => spec !== '')
  return specs.map((spec) => parseCron(spec, TimeZone))
}

/**
 * Makes, moves or calls off the appointment of a job's next launch (behaviour/scheduler#periodic).
 * Call inside `world.write`, after the job was written.
 */
export function scheduleLaunch(world: World, job: Job, after = world.clock.now()): void {
  const id = jobKey(job.Namespace, job.ID)
  const { Periodic } = job
  const at =
    Periodic !== null && launchesAutomatically(job) ? nextLaunch(world, Periodic, after) : undefined
  if (at === undefined) world.agenda.cancel(launchJobName, id)
  else world.agenda.schedule({ at, job: launchJobName, id })
}

/** Calls the next launch of a job off. Call inside `world.write`. */
export function cancelLaunch(world: World, { Namespace, ID }: Job): void {
  world.agenda.cancel(launchJobName, jobKey(Namespace, ID))
}
