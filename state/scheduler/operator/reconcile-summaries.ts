import type { World } from '../../kernel/worlds/world.ts'
import { allAllocationsOf } from '../cluster/allocations/allocations.ts'
import { recountSummary } from '../cluster/model/job-summaries.ts'
import { childrenOf } from '../records/store.ts'
import { jobs } from '../records/tables.ts'

/**
 * Rebuilds the summary of every job from the job's allocations and children
 * (behaviour/scheduler#operator).
 */
export function reconcileSummaries(world: World): void {
  world.write(() => {
    for (const job of Array.from(world.table(jobs).rows())) {
      const { Namespace, ID, CreateIndex } = job
      // Allocations of an earlier job with the same ID are not counted.
      const jobAllocations = allAllocationsOf(world, Namespace, ID).filter(
        (allocation) => allocation.Job?.CreateIndex === CreateIndex,
      )
      recountSummary(world, job, jobAllocations, childrenOf(world, Namespace, ID))
    }
  })
}
