import type { World } from '../../kernel/worlds/world.ts'
import { allAllocationsOf } from '../cluster/allocations/allocations.ts'
import { recountSummary } from '../cluster/model/job-summaries.ts'
import { childrenOf } from '../records/store.ts'
import { jobs } from '../records/tables.ts'

/**
 * Counts the allocations of all jobs, and the children of those that launch others, anew
 * (behaviour/scheduler#operator).
 */
export function reconcileSummaries(world: World): void {
  world.write(() => {
    for (const job of Array.from(world.table(jobs).rows())) {
      const { Namespace, ID, CreateIndex } = job
      // Those of an earlier job under the ID do not count for this one.
      const jobAllocations = allAllocationsOf(world, Namespace, ID).filter(
        (allocation) => allocation.Job?.CreateIndex === CreateIndex,
      )
      recountSummary(world, job, jobAllocations, childrenOf(world, Namespace, ID))
    }
  })
}
