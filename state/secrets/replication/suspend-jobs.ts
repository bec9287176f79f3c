import { float, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { ScheduledJob } from '../../kernel/time/agenda.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { secretsTable } from '../table.ts'

/**
 * The primary's scheduled jobs, by job and id. A secondary stores them without running them, since
 * their effects arrive from the primary; after a promotion it runs them itself.
 */
export const suspendedJobs = secretsTable(
  'replication-agenda',
  struct({
    at: float,
    job: text,
    id: text,
  }),
  { local: true },
)

/** Prefix of the jobs that concern only this cluster's replication. */
export const localJobPrefix = 'secrets.replication.'

/** Returns whether a job replicates. */
export function isReplicated({ job }: Pick<ScheduledJob, 'job'>): boolean {
  return job.startsWith('secrets.') && !job.startsWith(localJobPrefix)
}

/** Stores a scheduled job of the primary, or deletes a cancelled one. */
export function storeSuspendedJob(
  world: World,
  scheduledJob: ScheduledJob,
  isScheduled: boolean,
): void {
  const key = `${scheduledJob.job}/${scheduledJob.id}`
  if (isScheduled) world.table(suspendedJobs).put(key, scheduledJob)
  else world.table(suspendedJobs).delete(key)
}

/** Moves the replicated jobs from the agenda into the table: this cluster no longer runs them. */
export function suspendJobs(world: World): void {
  for (const scheduledJob of Array.from(world.agenda.all()).filter(isReplicated)) {
    world.agenda.cancel(scheduledJob.job, scheduledJob.id)
    storeSuspendedJob(world, scheduledJob, true)
  }
}

/** Puts the suspended jobs back on the agenda; overdue jobs run at once. */
export function resumeJobs(world: World): void {
  for (const scheduledJob of [...world.table(suspendedJobs).rows()]) {
    world.agenda.schedule(scheduledJob)
  }
  world.table(suspendedJobs).deleteAll('')
}
