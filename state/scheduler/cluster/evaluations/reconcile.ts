import { appendAll } from '../../../kernel/lists.ts'
import type { InParts } from '../../../kernel/parts.ts'
import type { Job, TaskGroup } from '../../job/job-shape.ts'
import type { Allocation } from '../model/allocation-shapes.ts'
import { hasEnded, isTerminal } from '../model/allocation-status.ts'
import { isActiveDeployment } from '../model/deployment-machine.ts'
import type { Deployment } from '../model/placement-shapes.ts'
import { requiresReplacement } from '../placement/destructive-changes.ts'
import {
  allocationNumber,
  formatAllocationName,
  PlanBuilder,
  type ReconcileInput,
  type ReconcilePlan,
  stopDescriptions,
  zeroUpdates,
} from '../placement/plan-builder.ts'
import { type SortedAllocations, sortAllocations } from './allocation-sorting.ts'
import { allocationsToReplace, separateCanaries } from './canaries.ts'

/**
 * Maximum number of missing allocations, or of canaries, of a group that one evaluation places.
 * Missing allocations beyond the maximum are reported as unplaced.
 */
const maxPlacements = 10_000

/**
 * Computes the changes that a service or batch job needs, pausing after each group. Writes nothing.
 */
export function* reconcile(input: ReconcileInput): InParts<ReconcilePlan> {
  const plan = new PlanBuilder()
  const { job } = input
  const groups = new Map(
    (job?.Stop ? [] : (job?.TaskGroups ?? [])).map((group) => [group.Name, group]),
  )
  const byGroup = new Map<string, Allocation[]>([...groups.keys()].map((name) => [name, []]))
  for (const allocation of input.allocations) {
    const known = byGroup.get(allocation.TaskGroup)
    if (known === undefined) byGroup.set(allocation.TaskGroup, [allocation])
    else known.push(allocation)
  }
  for (const [name, allocations] of byGroup) {
    const group = groups.get(name)
    if (job === undefined || group === undefined) {
      for (const allocation of allocations.filter((one) => !isTerminal(one))) {
        plan.stopUnneeded(allocation, input.nodeConditionOf(allocation.NodeID))
      }
    } else {
      plan.desired.set(name, zeroUpdates)
      new GroupReconciler(input, job, group, plan).run(allocations)
    }
    yield
  }
  return plan
}

class GroupReconciler {
  readonly #input: ReconcileInput
  readonly #job: Job
  readonly #group: TaskGroup
  readonly #plan: PlanBuilder

  constructor(input: ReconcileInput, job: Job, group: TaskGroup, plan: PlanBuilder) {
    this.#input = input
    this.#job = job
    this.#group = group
    this.#plan = plan
  }

  run(allocations: readonly Allocation[]): void {
    const sorted = sortAllocations(this.#input, this.#job, allocations)
    const { nonCanaries, canaries, staleCanaries } = separateCanaries(sorted, this.#placedCanaries)
    appendAll(this.#plan.unknown, nonCanaries.disconnected)
    appendAll(this.#plan.unknown, canaries.disconnected)
    appendAll(this.#plan.unknown, sorted.disconnectedUnreplaced)
    for (const allocation of staleCanaries) {
      this.#plan.stopUnneeded(allocation, this.#input.nodeConditionOf(allocation.NodeID))
    }
    const kept = this.#stopExcess(nonCanaries)
    // As in the reference, `Ignore` counts canaries as well as unchanged allocations.
    this.#plan.count(this.#group.Name, 'Ignore', canaries.kept.length)
    const destructiveUpdates = this.#findDestructive(kept)
    const staying = new Set([...kept, ...canaries.kept])
    for (const allocation of destructiveUpdates) staying.delete(allocation)
    appendAll(
      this.#plan.delayed,
      sorted.delayed.filter((allocation) => staying.has(allocation)),
    )
    const waitsForCanaries = this.#placeCanaries(destructiveUpdates, canaries)
    this.#placeMissing(nonCanaries, kept)
    this.#replaceDestructive(destructiveUpdates, kept, canaries.kept, waitsForCanaries)
    this.#startRollout(allocations, destructiveUpdates, kept)
  }

  #isCurrent({ Job: job }: Allocation): boolean {
    return (
      job?.CreateIndex === this.#job.CreateIndex && job.JobModifyIndex === this.#job.JobModifyIndex
    )
  }

  /**
   * Deployment of the job's current version; undefined if the version has no deployment or the
   * deployment has ended.
   */
  get #activeDeployment(): Deployment | undefined {
    const { deployment } = this.#input
    return deployment !== undefined && isActiveDeployment(deployment) ? deployment : undefined
  }

  /**
   * True if the deployment of the current version failed or is paused. Evaluations then only place
   * replacements of lost, failed and migrating allocations (behaviour/scheduler#deployments).
   */
  get #isPlacementBlocked(): boolean {
    const status = this.#input.deployment?.Status
    return status === 'failed' || status === 'paused'
  }

  /** IDs of the unpromoted canaries of the current rollout. */
  get #placedCanaries(): ReadonlySet<string> {
    const state = this.#activeDeployment?.TaskGroups?.[this.#group.Name]
    return new Set(state === undefined || state.Promoted ? [] : state.PlacedCanaries)
  }

  /**
   * Stops the allocations that exceed the count: first those with a duplicate number, then those
   * with the highest numbers. Returns the other allocations.
   */
  #stopExcess({ kept, migrating, rescheduled, disconnected }: SortedAllocations) {
    // Lost allocations do not count here. Lost allocations are replaced only while the group is
    // below its count, so no kept allocation has to stop for them.
    const otherCount = migrating.length + rescheduled.length + disconnected.length
    const openSlots = Math.max(0, Number(this.#group.Count) - otherCount)
    const sortedAllocations = this.#sortByKeepPriority(kept)
    const replacements = new Set(
      sortedAllocations.slice(0, openSlots).map(({ NextAllocation }) => NextAllocation),
    )
    for (const allocation of sortedAllocations.slice(openSlots)) {
      // Completed allocations of a batch job stay unchanged. Failed allocations are stopped, so
      // that nothing replaces them.
      if (!isTerminal(allocation) || allocation.ClientStatus === 'failed') {
        // If the allocation replaced one that has reconnected and is kept, the description of the
        // stop mentions the reconnection.
        const isReplacement = replacements.has(allocation.ID)
        this.#plan.stopUnneeded(
          allocation,
          'fine',
          isReplacement ? stopDescriptions.reconnected : undefined,
        )
      }
    }
    return sortedAllocations.slice(0, openSlots)
  }

  /**
   * Returns allocations in the order in which they are kept: first one allocation for each number,
   * by ascending number, and then the duplicates. Of several allocations with one number, an
   * allocation of the current version is first.
   */
  #sortByKeepPriority(allocations: readonly Allocation[]): Allocation[] {
    const sorted = allocations.toSorted(
      (a, b) =>
        allocationNumber(a.Name) - allocationNumber(b.Name) ||
        Number(this.#isCurrent(b)) - Number(this.#isCurrent(a)) ||
        a.CreateIndex - b.CreateIndex,
    )
    const seen = new Set<string>()
    const first: Allocation[] = []
    const second: Allocation[] = []
    for (const allocation of sorted) {
      if (seen.has(allocation.Name)) second.push(allocation)
      else first.push(allocation)
      seen.add(allocation.Name)
    }
    return [...first, ...second]
  }

  /**
   * Counts the effect of the new version on each kept allocation, and returns the allocations that
   * must be replaced.
   */
  #findDestructive(kept: readonly Allocation[]): Allocation[] {
    const destructiveUpdates: Allocation[] = []
    for (const allocation of kept) {
      const name = this.#group.Name
      const before = allocation.Job
      if (this.#isCurrent(allocation) || before === null) this.#plan.count(name, 'Ignore')
      else if (requiresReplacement(before, this.#job, name)) destructiveUpdates.push(allocation)
      else if (hasEnded(allocation)) this.#plan.count(name, 'Ignore')
      else {
        this.#plan.inPlace.push(allocation)
        this.#plan.count(name, 'InPlaceUpdate')
      }
    }
    return destructiveUpdates
  }

  get #updateStrategy(): TaskGroup['Update'] {
    const update = this.#group.Update
    return this.#job.Type === 'service' && update !== null && update.MaxParallel > 0 ? update : null
  }

  /**
   * Places canaries, which run alongside the allocations to replace. Returns true if the
   * replacements must wait until the canaries are promoted.
   */
  #placeCanaries(destructiveUpdates: readonly Allocation[], canaries: SortedAllocations): boolean {
    const canaryCount = Number(this.#updateStrategy?.Canary ?? 0)
    const state = this.#activeDeployment?.TaskGroups?.[this.#group.Name]
    const waitsForPromotion = canaryCount > 0 && destructiveUpdates.length > 0 && !state?.Promoted
    const openSlots =
      waitsForPromotion && !this.#isPlacementBlocked
        ? Math.max(0, canaryCount - canaries.kept.length)
        : 0
    const replacementPairs = allocationsToReplace(canaries)
    replacementPairs.forEach(([previous, description], position) => {
      this.#placeReplacement(previous, description, position < openSlots, true)
    })
    const namedAllocations = [...canaries.kept, ...replacementPairs.map(([previous]) => previous)]
    for (const name of this.#unusedNames(
      Math.min(openSlots - replacementPairs.length, maxPlacements),
      namedAllocations,
    )) {
      this.#plan.placements.push({ group: this.#group, name, isCanary: true })
      this.#plan.count(this.#group.Name, 'Canary')
    }
    return waitsForPromotion
  }

  #unusedNames(count: number, taken: readonly Allocation[]): string[] {
    const used = new Set(taken.map(({ Name }) => allocationNumber(Name)))
    const names: string[] = []
    for (let index = 0; names.length < count; index++) {
      if (!used.has(index)) names.push(formatAllocationName(this.#job.ID, this.#group.Name, index))
    }
    return names
  }

  #placeMissing(sorted: SortedAllocations, kept: readonly Allocation[]): void {
    const group = this.#group
    const replacementPairs = allocationsToReplace(sorted)
    const openSlots = Math.max(0, Number(group.Count) - kept.length)
    replacementPairs.forEach(([previous, description], position) => {
      this.#placeReplacement(previous, description, position < openSlots)
    })
    if (this.#isPlacementBlocked) return
    const missing = Math.max(0, openSlots - replacementPairs.length)
    const names = this.#unusedNames(Math.min(missing, maxPlacements), [
      ...kept,
      ...replacementPairs.map(([previous]) => previous),
    ])
    for (const [at, name] of names.entries()) {
      const count = at + 1 === maxPlacements ? missing - at : 1
      this.#plan.placements.push({ group, name, ...(count > 1 ? { count } : {}) })
    }
    if (missing > 0) this.#plan.count(group.Name, 'Place', missing)
  }

  #placeReplacement(
    previous: Allocation,
    description: string,
    isNeeded: boolean,
    isCanary = false,
  ) {
    const group = this.#group
    const isLost = description === stopDescriptions.lost
    const isMigrated = description === stopDescriptions.migrated
    if (description !== '') {
      const why = isNeeded || isLost ? description : stopDescriptions.notNeeded
      this.#plan.stop(previous, why, isLost ? 'lost' : undefined)
      if (!isNeeded || !isMigrated) this.#plan.count(group.Name, 'Stop')
    }
    if (!isNeeded) return
    this.#plan.count(group.Name, isCanary ? 'Canary' : isMigrated ? 'Migrate' : 'Place')
    this.#plan.placements.push({
      group,
      name: previous.Name,
      previous,
      ...(description === stopDescriptions.rescheduled ? { isRescheduled: true } : {}),
      ...(isCanary ? { isCanary } : {}),
    })
  }

  /**
   * Replaces at most `#replaceLimit` of the allocations that the new version cannot update in
   * place. While `waitsForPromotion` is true, replaces no allocations.
   */
  #replaceDestructive(
    destructive: readonly Allocation[],
    kept: readonly Allocation[],
    canaries: readonly Allocation[],
    waitsForPromotion: boolean,
  ): void {
    const limit = waitsForPromotion ? 0 : this.#replaceLimit([...kept, ...canaries])
    const replaced = destructive.slice(0, limit)
    for (const allocation of replaced) {
      this.#plan.count(this.#group.Name, 'DestructiveUpdate')
      this.#plan.placements.push({
        group: this.#group,
        name: allocation.Name,
        previous: allocation,
        replaces: allocation,
      })
    }
    const remainingCount = destructive.length - replaced.length
    if (remainingCount > 0) {
      this.#plan.count(this.#group.Name, 'Ignore', remainingCount)
      this.#plan.hasPendingReplacements = true
    }
  }

  #replaceLimit(current: readonly Allocation[]): number {
    const strategy = this.#updateStrategy
    if (strategy === null) return Number.POSITIVE_INFINITY
    if (this.#isPlacementBlocked) return 0
    let limit = Number(strategy.MaxParallel)
    for (const { DeploymentID, DeploymentStatus } of current) {
      if (this.#activeDeployment === undefined || DeploymentID !== this.#activeDeployment.ID)
        continue
      if (DeploymentStatus?.Healthy === false) return 0
      if (DeploymentStatus?.Healthy !== true) limit -= 1
    }
    return Math.max(0, limit)
  }

  /**
   * Plans a deployment of the group if the group has an update strategy and a count above 0, and
   * the version has no deployment. If the version has allocations already, the deployment is
   * planned only if allocations must be replaced or updated.
   */
  #startRollout(
    allocations: readonly Allocation[],
    destructive: readonly Allocation[],
    kept: readonly Allocation[],
  ): void {
    const strategy = this.#updateStrategy
    if (strategy === null || this.#group.Count === 0 || this.#input.deployment !== undefined) {
      return
    }
    const hasCurrentAllocations = allocations.some((allocation) => this.#isCurrent(allocation))
    const hasChanges =
      destructive.length > 0 || kept.some((one) => this.#plan.inPlace.includes(one))
    if (hasCurrentAllocations && !hasChanges) return
    this.#plan.rollout.push({
      group: this.#group,
      desiredTotal: this.#group.Count,
      desiredCanaries: destructive.length > 0 ? strategy.Canary : 0,
    })
  }
}
