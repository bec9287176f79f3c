import { instant } from '../../kernel/shape/kinds.ts'
import { partial, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { finalRunStatuses, type RunStatus } from './run-machine.ts'

/** All statuses of a plan or an apply. */
export const partStatuses = [
  'pending',
  'queued',
  'running',
  'finished',
  'errored',
  'canceled',
  'unreachable',
] as const

type PartStatus = (typeof partStatuses)[number]

/**
 * Times at which a plan or an apply reached its statuses. Statuses that were not reached are
 * missing.
 */
export const partTimes = partial(
  struct({
    pending_at: instant,
    queued_at: instant,
    started_at: instant,
    finished_at: instant,
    errored_at: instant,
    canceled_at: instant,
    force_canceled_at: instant,
  }),
)

/** Members of a plan or an apply that depend on the run's status. */
interface Part {
  readonly status: PartStatus
  readonly reached: StoredOf<typeof partTimes>
}

/**
 * New status of the plan and the apply when the run enters a status. A run status that is not
 * listed changes the plan or the apply only if the run status is final.
 */
const partStatusByRunStatus: Readonly<
  Record<'plan' | 'apply', { readonly [S in RunStatus]?: PartStatus }>
> = {
  plan: { queuing: 'queued', plan_queued: 'queued', planning: 'running', planned: 'finished' },
  apply: {
    queuing_apply: 'queued',
    apply_queued: 'queued',
    applying: 'running',
    post_apply_running: 'finished',
    applied: 'finished',
  },
}

/** Returns the status of a plan or an apply after its run has entered a status. */
function partStatusAfter(kind: 'plan' | 'apply', status: PartStatus, reached: RunStatus) {
  const nextPartStatus = partStatusByRunStatus[kind][reached]
  if (nextPartStatus !== undefined) return nextPartStatus
  if (!finalRunStatuses.includes(reached)) return status
  if (status === 'pending' || status === 'queued') return 'unreachable'
  if (status === 'running' && (reached === 'errored' || reached === 'canceled')) return reached
  return status
}

const partTimeNames: { readonly [S in PartStatus]?: string } = {
  pending: 'pending_at',
  queued: 'queued_at',
  running: 'started_at',
  finished: 'finished_at',
  errored: 'errored_at',
  canceled: 'canceled_at',
}

/**
 * Returns a plan or an apply, with its new status and the time of the change, after its run has
 * entered a status. Returns `part` itself if its status does not change.
 */
export function partAfter<P extends Part>(
  kind: 'plan' | 'apply',
  part: P,
  { status: runStatus, isForced }: { readonly status: RunStatus; readonly isForced: boolean },
  at: number,
): P {
  const status = partStatusAfter(kind, part.status, runStatus)
  if (status === part.status) return part
  const name = partTimeNames[status]
  const forceCancelTime = isForced && status === 'canceled' ? { force_canceled_at: at } : {}
  const reached = {
    ...part.reached,
    ...forceCancelTime,
    ...(name === undefined ? {} : { [name]: at }),
  }
  return { ...part, status, reached }
}
