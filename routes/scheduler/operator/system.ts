import { collectGarbage } from '../../../state/scheduler/operator/garbage-collection.ts'
import { reconcileSummaries } from '../../../state/scheduler/operator/reconcile-summaries.ts'
import { requiresAnyOf } from '../access.ts'
import { operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#operator' })

/** Operations that trigger maintenance work of the servers. */
export const systemOperations = [
  operation.put({
    id: 'collectGarbage',
    path: '/system/gc',
    access: requiresAnyOf('management'),
    summary: 'Forget dead jobs, and evaluations, allocations, deployments and nodes that are over.',
    run: ({ context }) =>
      context.readUnindexed(() => {
        collectGarbage(context.world)
        return undefined
      }),
  }),
  operation.put({
    id: 'reconcileSummaries',
    path: '/system/reconcile/summaries',
    access: requiresAnyOf('management'),
    summary: 'Count the allocations and children of all jobs anew.',
    run: ({ context }) =>
      context.readUnindexed(() => {
        reconcileSummaries(context.world)
        return undefined
      }),
  }),
]
