import { instant, text, uint, word } from '../../kernel/shape/kinds.ts'
import { partial, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { organizations } from '../organizations/organizations.ts'
import { settingsWithDefaults } from '../settings/settings.ts'
import { platformTable } from '../table.ts'
import { workspaceWithId } from '../workspaces/workspaces.ts'
import { isRunOver, type Run } from './runs.ts'

export const costEstimateAttributes = {
  status: word(
    'pending',
    'queued',
    'finished',
    'errored',
    'canceled',
    'unreachable',
    'skipped_due_to_targeting',
  ),
  resources_count: uint,
  matched_resources_count: uint,
  unmatched_resources_count: uint,
  /** Cost per month before the run, as a decimal number such as `12.5`. */
  prior_monthly_cost: text,
  /** Cost per month after the run. */
  proposed_monthly_cost: text,
  /** Proposed cost minus prior cost. */
  delta_monthly_cost: text,
}

/**
 * Times at which a cost estimate reached its statuses. Statuses that were not reached are missing.
 */
export const costEstimateTimes = partial(
  struct({
    queued_at: instant,
    finished_at: instant,
    canceled_at: instant,
    skipped_due_to_targeting_at: instant,
  }),
)

const estimateShape = struct({
  ...costEstimateAttributes,
  /** Id of the form `ce-…`. */
  id: text,
  /** Run id. */
  run: text,
  reached: costEstimateTimes,
})

/** An estimate of the monthly costs before and after a run (behaviour/platform#cost-estimates). */
export interface CostEstimate extends StoredOf<typeof estimateShape> {}

/** Cost estimates by run id. A run has at most one cost estimate. */
export const costEstimates = platformTable('cost-estimates', estimateShape, {
  secrets: 'none',
  indexes: { byId: ({ id }) => id },
})

export function costEstimateOf(world: World, run: string): CostEstimate | undefined {
  return world.table(costEstimates).get(run)
}

export function costEstimateWithId(world: World, id: string): CostEstimate | undefined {
  return world.table(costEstimates).index('byId').get(id)
}

/**
 * Returns whether the runs of a workspace get cost estimates. Both the admin settings
 * `cost-estimation` and the organization must enable cost estimates.
 */
export function estimatesCosts(world: World, workspace: string): boolean {
  if (settingsWithDefaults(world, 'cost-estimation', { enabled: false }).enabled !== true)
    return false
  const { organization = '' } = { ...workspaceWithId(world, workspace) }
  return world.table(organizations).get(organization)?.cost_estimation_enabled === true
}

/**
 * Adds a cost estimate to a run that has become planned, if estimates are enabled, and updates the
 * estimate after each later change of the run's status. Must run inside a transaction.
 */
export function updateCostEstimate(world: World, run: Run, at: number): void {
  if (run.status === 'planned' && estimatesCosts(world, run.workspace)) {
    const isTargeted = (run.target_addrs ?? []).length > 0
    const status = isTargeted ? 'skipped_due_to_targeting' : 'pending'
    putEstimate(world, newEstimate(world, run), status, at)
    return
  }
  const estimate = costEstimateOf(world, run.id)
  if (estimate === undefined) return
  const isOpen = estimate.status === 'pending' || estimate.status === 'queued'
  if (run.status === 'cost_estimating') putEstimate(world, estimate, 'queued', at)
  else if (run.status === 'cost_estimated')
    putEstimate(world, withCosts(estimate, run), 'finished', at)
  else if (isRunOver(run) && isOpen) {
    const isCanceledOrDiscarded = run.status === 'canceled' || run.status === 'discarded'
    putEstimate(world, estimate, isCanceledOrDiscarded ? 'canceled' : 'unreachable', at)
  }
}

function putEstimate(
  world: World,
  estimate: CostEstimate,
  status: CostEstimate['status'],
  at: number,
) {
  const name = `${status}_at`
  const time = Object.hasOwn(costEstimateTimes.fields, name) ? { [name]: at } : {}
  const reached = { ...estimate.reached, ...time }
  world.table(costEstimates).put(estimate.run, { ...estimate, status, reached })
}

function newEstimate(world: World, { id: run }: Run): CostEstimate {
  return {
    id: newId(world, 'ce'),
    run,
    status: 'pending',
    reached: {},
    resources_count: 0,
    matched_resources_count: 0,
    unmatched_resources_count: 0,
    prior_monthly_cost: '0.0',
    proposed_monthly_cost: '0.0',
    delta_monthly_cost: '0.0',
  }
}

/** Returns an estimate with the costs that the outcome of the run contains, or zero costs. */
function withCosts(estimate: CostEstimate, { outcome }: Run): CostEstimate {
  const { prior = '0.0', proposed = '0.0', matched = 0, unmatched = 0 } = outcome.cost ?? {}
  const delta = Number(proposed) - Number(prior)
  return {
    ...estimate,
    resources_count: matched + unmatched,
    matched_resources_count: matched,
    unmatched_resources_count: unmatched,
    prior_monthly_cost: prior,
    proposed_monthly_cost: proposed,
    delta_monthly_cost: Number.isInteger(delta)
      ? delta.toFixed(1)
      : String(Number(delta.toFixed(10))),
  }
}
