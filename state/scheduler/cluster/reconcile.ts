import type { Job, TaskGroup } from '../job/job-shape.ts'
import type { Allocation } from './allocation-shapes.ts'
import { type Sorted, sortAllocations } from './allocation-sorting.ts'
import { goneOf, partCanaries } from './canaries.ts'
import { isActiveDeployment } from './deployment-machine.ts'
import type { Deployment } from './placement-shapes.ts'
import {
  allocationName,
  indexOfName,
  noUpdates,
  PlanBuilder,
  type Reconciled,
  type Situation,
  stopDescriptions,
} from './plan-builder.ts'
import { hasEnded, isTerminal } from './standing.ts'
import { mustReplace } from './task-changes.ts'

/** So many of a group are tried in one evaluation: what else is missing waits, as what has no place does. */
const mostTried = 10_000

/** Reconciles a service or batch job. Writes nothing. */
export function reconcile(situation: Situation): Reconciled {
  const plan = new PlanBuilder()
  const { job } = situation
  const groups = new Map(
    (job?.Stop ? [] : (job?.TaskGroups ?? [])).map((group) => [group.Name, group]),
  )
  const byGroup = new Map<string, Allocation[]>([...groups.keys()].map((name) => [name, []]))
  for (const allocation of situation.allocations) {
    const known = byGroup.get(allocation.TaskGroup)
    if (known === undefined) byGroup.set(allocation.TaskGroup, [allocation])
    else known.push(allocation)
  }
  for (const [name, allocations] of byGroup) {
    const group = groups.get(name)
    if (job === undefined || group === undefined) {
      for (const allocation of allocations.filter((one) => !isTerminal(one))) {
        plan.drop(allocation, situation.conditionOf(allocation.NodeID))
      }
    } else {
      plan.desired.set(name, noUpdates)
      new GroupReconciler(situation, job, group, plan).run(allocations)
    }
  }
  return plan
}

class GroupReconciler {
  readonly #situation: Situation
  readonly #job: Job
  readonly #group: TaskGroup
  readonly #plan: PlanBuilder

  constructor(situation: Situation, job: Job, group: TaskGroup, plan: PlanBuilder) {
    this.#situation = situation
    this.#job = job
    this.#group = group
    this.#plan = plan
  }

  run(allocations: readonly Allocation[]): void {
    const sorted = sortAllocations(this.#situation, this.#job, allocations)
    const { others, canaries, stale } = partCanaries(sorted, this.#placedCanaries)
    this.#plan.unknown.push(...others.away, ...canaries.away, ...sorted.silent)
    for (const allocation of stale) {
      this.#plan.drop(allocation, this.#situation.conditionOf(allocation.NodeID))
    }
    const kept = this.#stopExcess(others)
    const destructive = this.#update(kept)
    const stays = new Set([...kept, ...canaries.kept])
    for (const allocation of destructive) stays.delete(allocation)
    this.#plan.later.push(...sorted.later.filter((allocation) => stays.has(allocation)))
    const wantsCanaries = this.#placeCanaries(destructive, canaries)
    this.#place(others, kept)
    this.#replace(destructive, kept, canaries.kept, wantsCanaries)
    this.#rollOut(allocations, destructive, kept)
  }

  #isCurrent({ Job: job }: Allocation): boolean {
    return (
      job?.CreateIndex === this.#job.CreateIndex && job.JobModifyIndex === this.#job.JobModifyIndex
    )
  }

  /** The deployment of this version, while it is under way. */
  get #active(): Deployment | undefined {
    const { deployment } = this.#situation
    return deployment !== undefined && isActiveDeployment(deployment) ? deployment : undefined
  }

  /** Nothing new is made of a version whose deployment failed or is paused (behaviour/scheduler#deployments). */
  get #isHeld(): boolean {
    const status = this.#situation.deployment?.Status
    return status === 'failed' || status === 'paused'
  }

  /** IDs of the canaries of the version that is being rolled out, until they are promoted. */
  get #placedCanaries(): ReadonlySet<string> {
    const state = this.#active?.TaskGroups?.[this.#group.Name]
    return new Set(state === undefined || state.Promoted ? [] : state.PlacedCanaries)
  }

  /** Stops what is too much, the highest numbers first; returns the rest. */
  #stopExcess({ kept, migrating, rescheduled, away }: Sorted): Allocation[] {
    // What is lost is made up for only where something is missing then.
    const others = migrating.length + rescheduled.length + away.length
    const room = Math.max(0, this.#group.Count - others)
    const byNeed = this.#byNeed(kept)
    const replacements = new Set(byNeed.slice(0, room).map(({ NextAllocation }) => NextAllocation))
    for (const allocation of byNeed.slice(room)) {
      // What a batch job has done stays as it is; what failed is given up.
      if (!isTerminal(allocation) || allocation.ClientStatus === 'failed') {
        // What made up for an allocation goes when that is heard of again.
        const isSpare = replacements.has(allocation.ID)
        this.#plan.drop(allocation, 'fine', isSpare ? stopDescriptions.reconnected : undefined)
      }
    }
    return byNeed.slice(0, room)
  }

  /** In the order in which to keep: one for each number, of the current version, the low ones first. */
  #byNeed(allocations: readonly Allocation[]): Allocation[] {
    const sorted = allocations.toSorted(
      (a, b) =>
        indexOfName(a.Name) - indexOfName(b.Name) ||
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

  /** Sorts what stays by what a new version means for it; returns what has to be replaced. */
  #update(kept: readonly Allocation[]): Allocation[] {
    const destructive: Allocation[] = []
    for (const allocation of kept) {
      const name = this.#group.Name
      const before = allocation.Job
      if (this.#isCurrent(allocation) || before === null) this.#plan.count(name, 'Ignore')
      else if (mustReplace(before, this.#job, name)) destructive.push(allocation)
      else if (hasEnded(allocation)) this.#plan.count(name, 'Ignore')
      else {
        this.#plan.inPlace.push(allocation)
        this.#plan.count(name, 'InPlaceUpdate')
      }
    }
    return destructive
  }

  get #strategy(): TaskGroup['Update'] {
    const update = this.#group.Update
    return this.#job.Type === 'service' && update !== null && update.MaxParallel > 0 ? update : null
  }

  /** Puts canaries beside what has to be replaced; says whether replacing waits for them. */
  #placeCanaries(destructive: readonly Allocation[], canaries: Sorted): boolean {
    const wanted = this.#strategy?.Canary ?? 0
    const state = this.#active?.TaskGroups?.[this.#group.Name]
    const waits = wanted > 0 && destructive.length > 0 && !state?.Promoted
    const room = waits && !this.#isHeld ? Math.max(0, wanted - canaries.kept.length) : 0
    const gone = goneOf(canaries)
    gone.forEach(([previous, description], position) => {
      this.#makeUpFor(previous, description, position < room, true)
    })
    const taken = [...canaries.kept, ...gone.map(([previous]) => previous)]
    for (const name of this.#freeNames(Math.min(room - gone.length, mostTried), taken)) {
      this.#plan.placements.push({ group: this.#group, name, canary: true })
      this.#plan.count(this.#group.Name, 'Canary')
    }
    return waits
  }

  #freeNames(count: number, taken: readonly Allocation[]): string[] {
    const used = new Set(taken.map(({ Name }) => indexOfName(Name)))
    const names: string[] = []
    for (let index = 0; names.length < count; index++) {
      if (!used.has(index)) names.push(allocationName(this.#job.ID, this.#group.Name, index))
    }
    return names
  }

  /** Makes up for what is lost, leaves its node or failed, and for what is missing. */
  #place(sorted: Sorted, kept: readonly Allocation[]): void {
    const group = this.#group
    const gone = goneOf(sorted)
    const room = Math.max(0, group.Count - kept.length)
    gone.forEach(([previous, description], position) => {
      this.#makeUpFor(previous, description, position < room)
    })
    if (this.#isHeld) return
    const missing = Math.max(0, room - gone.length)
    const names = this.#freeNames(Math.min(missing, mostTried), [
      ...kept,
      ...gone.map(([previous]) => previous),
    ])
    for (const [at, name] of names.entries()) {
      const times = at + 1 === mostTried ? missing - at : 1
      this.#plan.placements.push({ group, name, ...(times > 1 ? { times } : {}) })
    }
    if (missing > 0) this.#plan.count(group.Name, 'Place', missing)
  }

  #makeUpFor(previous: Allocation, description: string, isWanted: boolean, canary = false): void {
    const group = this.#group
    const isLost = description === stopDescriptions.lost
    const isMigrated = description === stopDescriptions.migrated
    if (description !== '') {
      const why = isWanted || isLost ? description : stopDescriptions.notNeeded
      this.#plan.stop(previous, why, isLost ? 'lost' : undefined)
      if (!isWanted || !isMigrated) this.#plan.count(group.Name, 'Stop')
    }
    if (!isWanted) return
    this.#plan.count(group.Name, canary ? 'Canary' : isMigrated ? 'Migrate' : 'Place')
    this.#plan.placements.push({
      group,
      name: previous.Name,
      previous,
      ...(description === stopDescriptions.rescheduled ? { rescheduled: true } : {}),
      ...(canary ? { canary } : {}),
    })
  }

  /** Replaces MaxParallel at a time; all at once without an update strategy. */
  #replace(
    destructive: readonly Allocation[],
    kept: readonly Allocation[],
    canaries: readonly Allocation[],
    waits: boolean,
  ): void {
    const limit = waits ? 0 : this.#limit([...kept, ...canaries])
    const now = destructive.slice(0, limit)
    for (const allocation of now) {
      this.#plan.count(this.#group.Name, 'DestructiveUpdate')
      this.#plan.placements.push({
        group: this.#group,
        name: allocation.Name,
        previous: allocation,
        replaces: allocation,
      })
    }
    const left = destructive.length - now.length
    if (left > 0) {
      this.#plan.count(this.#group.Name, 'Ignore', left)
      this.#plan.waits = true
    }
  }

  #limit(current: readonly Allocation[]): number {
    const strategy = this.#strategy
    if (strategy === null) return Number.POSITIVE_INFINITY
    if (this.#isHeld) return 0
    let limit = strategy.MaxParallel
    for (const { DeploymentID, DeploymentStatus } of current) {
      if (this.#active === undefined || DeploymentID !== this.#active.ID) continue
      if (DeploymentStatus?.Healthy === false) return 0
      if (DeploymentStatus?.Healthy !== true) limit -= 1
    }
    return Math.max(0, limit)
  }

  /** A deployment starts with the first placement of a version, or when something changes. */
  #rollOut(
    allocations: readonly Allocation[],
    destructive: readonly Allocation[],
    kept: readonly Allocation[],
  ): void {
    const strategy = this.#strategy
    if (strategy === null || this.#group.Count === 0 || this.#situation.deployment !== undefined) {
      return
    }
    const hadAny = allocations.some((allocation) => this.#isCurrent(allocation))
    const changes = destructive.length > 0 || kept.some((one) => this.#plan.inPlace.includes(one))
    if (hadAny && !changes) return
    this.#plan.rollout.push({
      group: this.#group,
      desiredTotal: this.#group.Count,
      desiredCanaries: destructive.length > 0 ? strategy.Canary : 0,
    })
  }
}
