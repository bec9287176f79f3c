import type { World } from '../../../kernel/worlds/world.ts'
import type { Job } from '../../job/job-shape.ts'
import { jobKey } from '../../keys.ts'
import { findJob, isLauncher } from '../../records/store.ts'
import { jobs } from '../../records/tables.ts'
import { createEvaluation, hasPendingEvaluation } from '../model/evaluations.ts'
import type { Node } from '../model/node-shapes.ts'
import type { Evaluation } from '../model/placement-shapes.ts'
import { allAllocationsOnNode } from '../model/tables.ts'
import { matchesDatacenters } from '../placement/feasibility.ts'

/**
 * Creates and returns evaluations after a change of a node: one for each job with allocations on
 * the node, except sysbatch jobs, and one for each system job that may run on the node
 * (behaviour/scheduler#node-endpoints). Must run inside a transaction.
 *
 * @param evenIfPending true to include jobs that have a pending `node-update` evaluation already
 */
export function evaluateNode(
  world: World,
  node: Node,
  { evenIfPending }: { readonly evenIfPending: boolean },
): readonly Evaluation[] {
  const affectedJobs = new Map<string, Job>()
  const checkedJobs = new Set<string>()
  for (const { Namespace, JobID } of allAllocationsOnNode(world, node.ID)) {
    const key = jobKey(Namespace, JobID)
    const job = checkedJobs.has(key) ? undefined : findJob(world, Namespace, JobID)
    checkedJobs.add(key)
    // As in the reference, a change of a node does not evaluate sysbatch jobs.
    if (job !== undefined && job.Type !== 'sysbatch') affectedJobs.set(key, job)
  }
  // A scan of all jobs is acceptable, because nodes change rarely.
  for (const [key, job] of world.table(jobs).entries()) {
    if (job.Type === 'system' && !job.Stop && !isLauncher(job) && mayRunOn(job, node)) {
      affectedJobs.set(key, job)
    }
  }
  const jobsToEvaluate = [...affectedJobs.values()].filter(
    ({ Namespace, ID }) =>
      evenIfPending || !hasPendingEvaluation(world, Namespace, ID, 'node-update'),
  )
  return jobsToEvaluate.map((job) =>
    createEvaluation(world, {
      job,
      triggeredBy: 'node-update',
      nodeId: node.ID,
      nodeModifyIndex: node.ModifyIndex,
    }),
  )
}

function mayRunOn({ NodePool, Datacenters }: Job, node: Node): boolean {
  const isInPool = NodePool === 'all' || NodePool === node.NodePool
  return isInPool && matchesDatacenters(node.Datacenter, Datacenters)
}
