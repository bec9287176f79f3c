import { defineMachine } from '../../kernel/machine.ts'
import { instant } from '../../kernel/shape/kinds.ts'
import { partial, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'

/** Facts about a run that its next status depends on. */
export interface RunFacts {
  /** Whether another run holds the workspace, or somebody has locked it. */
  readonly isBlocked: boolean
  readonly isFetching: boolean
  readonly hasBadConfiguration: boolean
  /** Whether as many runs of the organization are under way as may be. */
  readonly isAtCapacity: boolean
  readonly planFails: boolean
  readonly applyFails: boolean
  /** Whether the plan can never be applied. */
  readonly isPlanOnly: boolean
  readonly savesPlan: boolean
  readonly autoApplies: boolean
  /** Whether the plan has changes, or an apply without changes is allowed. */
  readonly hasWork: boolean
  /** Whether an estimate of the costs is still to come. */
  readonly estimatesCost: boolean
  readonly isCancelAsked: boolean
  /** Whether the time has come at which a run that does not stop can be ended. */
  readonly mayForceCancel: boolean
}

/**
 * Events of a run. `advance` is the next step that a run takes by itself; `end` is how a site admin
 * ends it at once.
 */
export type RunEvent =
  | 'advance'
  | 'confirm'
  | 'discard'
  | 'cancel'
  | 'stop'
  | 'force-cancel'
  | 'end'

const spec = 'behaviour/platform#run-statuses'
const actions = 'behaviour/platform#run-actions'

/** Statuses in which the plan phase can end and a run can wait for a decision. */
const planEnds = ['planned', 'cost_estimated'] as const

const awaitsDecision = (run: RunFacts): boolean =>
  run.hasWork && !run.estimatesCost && !run.isPlanOnly && !run.savesPlan && !run.autoApplies

/** State machine of a run. The first move that the facts allow is taken. */
export const runMachine = defineMachine<RunFacts>()({
  name: 'run',
  states: [
    'pending',
    'fetching',
    'queuing',
    'plan_queued',
    'planning',
    'planned',
    'cost_estimating',
    'cost_estimated',
    'planned_and_finished',
    'planned_and_saved',
    'confirmed',
    'queuing_apply',
    'apply_queued',
    'applying',
    'applied',
    'errored',
    'canceled',
    'discarded',
  ],
  moves: [
    {
      on: 'advance',
      from: ['pending', 'fetching'],
      to: 'errored',
      when: (run) => !run.isBlocked && run.hasBadConfiguration,
      spec,
    },
    {
      on: 'advance',
      from: 'pending',
      to: 'fetching',
      when: (run) => !run.isBlocked && run.isFetching,
      spec,
    },
    {
      on: 'advance',
      from: ['pending', 'fetching'],
      to: 'queuing',
      when: (run) => !run.isBlocked && !run.isFetching && run.isAtCapacity,
      spec,
    },
    {
      on: 'advance',
      from: ['pending', 'fetching', 'queuing'],
      to: 'plan_queued',
      when: (run) => !run.isBlocked && !run.isFetching && !run.isAtCapacity,
      spec,
    },
    { on: 'advance', from: 'plan_queued', to: 'planning', spec },
    { on: 'advance', from: 'planning', to: 'errored', when: (run) => run.planFails, spec },
    { on: 'advance', from: 'planning', to: 'planned', spec },
    {
      on: 'advance',
      from: 'planned',
      to: 'cost_estimating',
      when: (run) => run.estimatesCost,
      spec,
    },
    { on: 'advance', from: 'cost_estimating', to: 'cost_estimated', spec },
    {
      on: 'advance',
      from: planEnds,
      to: 'planned_and_finished',
      when: (run) => run.isPlanOnly || !run.hasWork,
      spec,
    },
    {
      on: 'advance',
      from: planEnds,
      to: 'planned_and_saved',
      when: (run) => run.savesPlan,
      spec,
    },
    { on: 'advance', from: planEnds, to: 'confirmed', when: (run) => run.autoApplies, spec },
    {
      on: 'advance',
      from: 'confirmed',
      to: 'queuing_apply',
      when: (run) => run.isAtCapacity,
      spec,
    },
    {
      on: 'advance',
      from: ['confirmed', 'queuing_apply'],
      to: 'apply_queued',
      when: (run) => !run.isAtCapacity,
      spec,
    },
    { on: 'advance', from: 'apply_queued', to: 'applying', spec },
    { on: 'advance', from: 'applying', to: 'errored', when: (run) => run.applyFails, spec },
    { on: 'advance', from: 'applying', to: 'applied', spec },

    { on: 'confirm', from: planEnds, to: 'confirmed', when: awaitsDecision, spec: actions },
    { on: 'confirm', from: 'planned_and_saved', to: 'confirmed', spec: actions },
    { on: 'discard', from: planEnds, to: 'discarded', when: awaitsDecision, spec: actions },
    { on: 'discard', from: ['pending', 'planned_and_saved'], to: 'discarded', spec: actions },
    {
      on: 'cancel',
      from: 'planning',
      to: 'planning',
      when: (run) => !run.isCancelAsked,
      spec: actions,
    },
    {
      on: 'cancel',
      from: 'applying',
      to: 'applying',
      when: (run) => !run.isCancelAsked,
      spec: actions,
    },
    {
      on: 'cancel',
      from: planEnds,
      to: 'canceled',
      when: (run) => !awaitsDecision(run),
      spec: actions,
    },
    {
      on: 'cancel',
      from: [
        'pending',
        'fetching',
        'queuing',
        'plan_queued',
        'cost_estimating',
        'confirmed',
        'queuing_apply',
        'apply_queued',
      ],
      to: 'canceled',
      spec: actions,
    },
    {
      on: 'stop',
      from: ['planning', 'applying'],
      to: 'canceled',
      when: (run) => run.isCancelAsked,
      spec: actions,
    },
    {
      on: 'force-cancel',
      from: ['planning', 'applying'],
      to: 'canceled',
      when: (run) => run.isCancelAsked && run.mayForceCancel,
      spec: actions,
    },
    {
      on: 'end',
      from: [
        'pending',
        'fetching',
        'queuing',
        'plan_queued',
        'planning',
        'planned',
        'cost_estimating',
        'cost_estimated',
        'planned_and_saved',
        'confirmed',
        'queuing_apply',
        'apply_queued',
        'applying',
      ],
      to: 'canceled',
      spec: 'behaviour/platform#admin-workspaces',
    },
  ],
})

/** Status of a run (behaviour/platform#run-statuses). */
export type RunStatus = (typeof runMachine.states)[number]

/** Statuses that a run never leaves. */
export const finalStatuses: readonly string[] = [
  'applied',
  'planned_and_finished',
  'errored',
  'canceled',
  'discarded',
]

/** Times at which a run reached its statuses. Statuses that it has not reached are missing. */
export const runTimes = partial(
  struct({
    plan_queueable_at: instant,
    fetching_at: instant,
    fetched_at: instant,
    queuing_at: instant,
    plan_queued_at: instant,
    planning_at: instant,
    planned_at: instant,
    cost_estimating_at: instant,
    cost_estimated_at: instant,
    planned_and_finished_at: instant,
    planned_and_saved_at: instant,
    confirmed_at: instant,
    queuing_apply_at: instant,
    apply_queued_at: instant,
    applying_at: instant,
    applied_at: instant,
    errored_at: instant,
    canceled_at: instant,
    force_canceled_at: instant,
    discarded_at: instant,
  }),
)

/** Returns the times of a run after it went from one status to another. */
export function timesAfter(
  times: StoredOf<typeof runTimes>,
  [from, to]: readonly [RunStatus, RunStatus],
  at: number,
): StoredOf<typeof runTimes> {
  const fetched = from === 'fetching' && to !== 'errored' ? { fetched_at: at } : {}
  return { ...times, ...fetched, [`${to}_at`]: at }
}

/** Statuses of a plan and of an apply. */
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

/** Times at which a plan or an apply reached its statuses. */
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

/** Members of a plan or an apply that the run's status changes. */
interface Part {
  readonly status: PartStatus
  readonly reached: StoredOf<typeof partTimes>
}

/** Statuses that a plan and an apply take with the status of their run. */
const followingStatuses: Readonly<
  Record<'plan' | 'apply', { readonly [S in RunStatus]?: PartStatus }>
> = {
  plan: { queuing: 'queued', plan_queued: 'queued', planning: 'running', planned: 'finished' },
  apply: {
    queuing_apply: 'queued',
    apply_queued: 'queued',
    applying: 'running',
    applied: 'finished',
  },
}

/** Returns the status of a plan or an apply whose run has reached a status. */
function partStatusAfter(kind: 'plan' | 'apply', status: PartStatus, reached: RunStatus) {
  const following = followingStatuses[kind][reached]
  if (following !== undefined) return following
  if (!finalStatuses.includes(reached)) return status
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

/** Returns a plan or an apply after its run has reached a status. */
export function partAfter<P extends Part>(
  kind: 'plan' | 'apply',
  part: P,
  { status: runStatus, isForced }: { readonly status: RunStatus; readonly isForced: boolean },
  at: number,
): P {
  const status = partStatusAfter(kind, part.status, runStatus)
  if (status === part.status) return part
  const name = partTimeNames[status]
  const forced = isForced && status === 'canceled' ? { force_canceled_at: at } : {}
  const reached = { ...part.reached, ...forced, ...(name === undefined ? {} : { [name]: at }) }
  return { ...part, status, reached }
}
