import { float, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { ScheduledJob } from '../../kernel/time/agenda.ts'
import type { World } from '../../kernel/worlds/world.ts'

/**
 * Appointments of the primary, by job and id. A secondary keeps them without acting on them: what
 * they lead to comes from the primary. Once promoted it keeps them itself.
 */
export const suspendedJobs = defineTable({
  service: 'secrets',
  name: 'replication-agenda',
  local: true,
  shape: struct({
    at: float,
    job: text,
    id: text,
  }),
})

/** Jobs whose names begin so are about a cluster's own part in replication. */
export const localJobPrefix = 'secrets.replication.'

/** Tells whether an appointment is about what replicates. */
export function isReplicated({ job }: Pick<ScheduledJob, 'job'>): boolean {
  return job.startsWith('secrets.') && !job.startsWith(localJobPrefix)
}

/** Keeps an appointment of the primary, or forgets it. */
export function storeSuspendedJob(
  world: World,
  scheduledJob: ScheduledJob,
  isScheduled: boolean,
): void {
  const key = `${scheduledJob.job}/${scheduledJob.id}`
  if (isScheduled) world.table(suspendedJobs).put(key, scheduledJob)
  else world.table(suspendedJobs).delete(key)
}

/** Takes the service's pending work off the agenda: from now on somebody else does it. */
export function suspendJobs(world: World): void {
  for (const scheduledJob of Array.from(world.agenda.all()).filter(isReplicated)) {
    world.agenda.cancel(scheduledJob.job, scheduledJob.id)
    storeSuspendedJob(world, scheduledJob, true)
  }
}

/** Puts the parked work back on the agenda; what has become due meanwhile is done at once. */
export function resumeJobs(world: World): void {
  for (const scheduledJob of [...world.table(suspendedJobs).rows()]) {
    world.agenda.schedule(scheduledJob)
  }
  world.table(suspendedJobs).deleteAll('')
}
