import { collectGarbage } from '../../../state/scheduler/operator/garbage-collection.ts'
import { reconcileSummaries } from '../../../state/scheduler/operator/reconcile-summaries.ts'
import { requiresAnyOf } from '../access.ts'
import { operation } from '../operation.ts'

const spec = 'behaviour/scheduler#operator'

/** Operations that trigger maintenance work of the servers. */
export const systemOperations = [
  operation({
    id: 'collectGarbage',
    method: 'PUT',
    path: '/system/gc',
    access: requiresAnyOf('management'),
    summary: 'Forget dead jobs, and evaluations, allocations, deployments and nodes that are over.',
    spec,
    run: ({ context }) =>
      context.readUnindexed(() => {
        collectGarbage(context.world)
        return undefined
      }),
  }),
  operation({
    id: 'reconcileSummaries',
    method: 'PUT',
    path: '/system/reconcile/summaries',
    access: requiresAnyOf('management'),
    summary: 'Count the allocations and children of all jobs anew.',
    spec,
    run: ({ context }) =>
      context.readUnindexed(() => {
        reconcileSummaries(context.world)
        return undefined
      }),
  }),
]
