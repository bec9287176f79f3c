import type { Allocation } from '../model/allocation-shapes.ts'
import { hasEnded, isOutdated, isTerminal } from '../model/allocation-status.ts'
import { requiresReplacement } from '../placement/destructive-changes.ts'
import type { Placer } from '../placement/placer.ts'
import {
  formatAllocationName,
  PlanBuilder,
  type ReconcileInput,
  type ReconcilePlan,
  stopDescriptions,
} from '../placement/plan-builder.ts'

/**
 * Computes the changes that a system or sysbatch job needs: every feasible node gets one allocation
 * of each group. The name of each allocation ends in `[0]` (behaviour/scheduler#nodes). Writes
 * nothing.
 */
export function reconcileSystem(input: ReconcileInput, placer: Placer | undefined): ReconcilePlan {
  const { job, allocations, nodeConditionOf } = input
  const plan = new PlanBuilder()
  const groups = new Map(
    (job?.Stop ? [] : (job?.TaskGroups ?? [])).map((group) => [group.Name, group]),
  )
  const satisfiedSlots = new Set<string>()
  const finishedBySlot = new Map<string, Allocation>()
  for (const allocation of allocations) {
    const group = groups.get(allocation.TaskGroup)
    const condition = nodeConditionOf(allocation.NodeID)
    const slot = `${allocation.NodeID} ${allocation.TaskGroup}`
    if (isTerminal(allocation)) {
      if (hasCompleted(allocation, input)) {
        satisfiedSlots.add(slot)
        plan.count(allocation.TaskGroup, 'Ignore')
      } else if (hasFinishedBefore(allocation, input)) {
        const other = finishedBySlot.get(slot)
        if (other === undefined || other.CreateIndex < allocation.CreateIndex)
          finishedBySlot.set(slot, allocation)
      }
      continue
    }
    const node = placer?.nodes.find(({ ID }) => ID === allocation.NodeID)
    if (job === undefined || group === undefined) plan.stopUnneeded(allocation, condition)
    else if (condition === 'down' || condition === 'disconnected') {
      plan.stop(allocation, stopDescriptions.lost, 'lost')
      plan.count(group.Name, 'Stop')
    } else if (allocation.DesiredTransition.Migrate) {
      plan.stop(allocation, stopDescriptions.tainted)
      plan.count(group.Name, 'Stop')
    } else if (condition === 'closed') {
      plan.count(group.Name, 'Ignore')
    } else if (node === undefined) plan.stopUnneeded(allocation, condition)
    else if (placer?.infeasibility(group, node) !== undefined) {
      if (allocation.Job === null || allocation.Job.JobModifyIndex === job.JobModifyIndex) {
        plan.stopUnneeded(allocation, condition)
      } else {
        plan.stop(allocation, stopDescriptions.updated)
        plan.count(group.Name, 'DestructiveUpdate')
      }
    } else {
      satisfiedSlots.add(slot)
      const before = allocation.Job
      if (before === null || before.JobModifyIndex === job.JobModifyIndex) {
        plan.count(group.Name, 'Ignore')
      } else if (requiresReplacement(before, job, group.Name)) {
        plan.count(group.Name, 'DestructiveUpdate')
        plan.placements.push({
          group,
          name: allocation.Name,
          previous: allocation,
          replaces: allocation,
          nodeId: node.ID,
        })
      } else {
        plan.count(group.Name, 'InPlaceUpdate')
        plan.inPlace.push(allocation)
      }
    }
  }
  if (job === undefined || placer === undefined) return plan
  for (const group of groups.values()) {
    plan.count(group.Name, 'Place', 0)
    if (group.Count === 0) continue
    for (const node of placer.nodes) {
      if (satisfiedSlots.has(`${node.ID} ${group.Name}`)) continue
      if (placer.infeasibility(group, node) !== undefined) continue
      const name = formatAllocationName(job.ID, group.Name, 0)
      const previous = finishedBySlot.get(`${node.ID} ${group.Name}`)
      const before = previous?.Job
      if (previous !== undefined && before != null) {
        if (requiresReplacement(before, job, group.Name)) {
          plan.count(group.Name, 'DestructiveUpdate')
          plan.placements.push({ group, name, previous, replaces: previous, nodeId: node.ID })
        } else plan.count(group.Name, 'InPlaceUpdate')
        continue
      }
      const latest = input.latestEnded(node.ID, name)
      plan.count(group.Name, 'Place')
      plan.placements.push({
        group,
        name,
        nodeId: node.ID,
        ...(latest === undefined ? {} : { previous: latest }),
      })
    }
  }
  return plan
}

/**
 * Returns true if an allocation of this version of a sysbatch job has run to its end, successfully
 * or not, so that its node needs no other allocation.
 */
function hasCompleted(allocation: Allocation, { job }: ReconcileInput): boolean {
  return (
    job?.Type === 'sysbatch' &&
    hasEnded(allocation) &&
    allocation.DesiredStatus === 'run' &&
    allocation.ClientStatus !== 'lost' &&
    !isOutdated(job, allocation)
  )
}

/**
 * Returns true if a terminal allocation belongs to an earlier version of a sysbatch job and ended
 * without a request to stop.
 */
function hasFinishedBefore(allocation: Allocation, { job }: ReconcileInput): boolean {
  return (
    job?.Type === 'sysbatch' &&
    allocation.DesiredStatus === 'run' &&
    allocation.Job?.CreateIndex === job.CreateIndex &&
    allocation.JobVersion < job.Version
  )
}
