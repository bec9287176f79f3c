import { Refusal } from '../../../state/kernel/refusal.ts'
import { bool, list } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import type { ParsedOf } from '../../../state/kernel/shape/values.ts'
import { FilterError } from '../../../state/scheduler/filter/errors.ts'
import { dataIndex } from '../../../state/scheduler/indexes.ts'
import { type Job, jobShape } from '../../../state/scheduler/job/job-shape.ts'
import { listJobs } from '../../../state/scheduler/jobs/listing.ts'
import { statusesShape } from '../../../state/scheduler/jobs/request-shapes.ts'
import { jobStatuses } from '../../../state/scheduler/jobs/statuses.ts'
import { refuse } from '../../../state/scheduler/messages.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { CachedJson } from '../../http/json-text.ts'
import { canList, within } from '../access.ts'
import { filterOf } from '../filters.ts'
import { listedNamespaces, namespacesWith } from '../listed-namespaces.ts'
import { operationsOf, type SchedulerContext } from '../operation.ts'
import { boolParameter } from '../query.ts'
import { cachedJobPage, jobListJson } from './job-page-cache.ts'
import { jobStatusShape, jobStubShape } from './reply-shapes.ts'

const operation = operationsOf({
  spec: 'behaviour/scheduler#api-jobs; behaviour/scheduler#jobs, behaviour/scheduler#filters',
})

/** Operations that list jobs. */
export const listingOperations = [
  operation.get({
    id: 'listJobs',
    path: '/jobs',
    access: canList('list-jobs'),
    summary: 'List jobs by namespace and ID; can block.',
    query: parameters({ meta: described(bool, 'Tell the meta of each job') }),
    reply: { 200: list(jobStubShape) },
    run({ context }) {
      const { world, query } = context
      return context.read(({ prefix, nextToken, perPage, filter, reverse }) => {
        const meta = boolParameter(query, 'meta') ?? false
        const namespaces = namespacesWith(context, 'list-jobs')
        const page = cachedJobPage(
          context,
          [namespaces, prefix, nextToken, perPage, filter, reverse, meta],
          () => {
            const matches = filterOf<Job>(filter, jobShape)
            const { items, nextToken: next } = listJobs(world, {
              namespaces,
              prefix,
              nextToken,
              perPage,
              reverse,
              ...(matches === undefined ? {} : { filter: matches }),
            })
            return { body: new CachedJson(jobListJson(context, items, meta)), nextToken: next }
          },
        )
        const index = Math.max(dataIndex(world, 'jobs'), dataIndex(world, 'summaries'))
        return { index, ...page }
      })
    },
  }),
  ...(['get', 'post'] as const).map((method) =>
    operation[method]({
      id: method === 'get' ? 'listJobStatuses' : 'listNamedJobStatuses',
      path: '/jobs/statuses',
      access: within(canList('read-job')),
      summary:
        method === 'get'
          ? 'Tell how jobs stand, the last changed first; can block.'
          : 'Tell how the jobs named in the body stand; can block.',
      spec: 'behaviour/scheduler#beyond',
      query: parameters({
        include_children: described(bool, 'Dispatched and periodic children too'),
      }),
      body: statusesShape,
      bodyOptional: true,
      bodyFault: (why) => refuse('statuses-unreadable', { why }),
      reply: { 200: list(jobStatusShape) },
      run({ context, body }) {
        const children = includesChildren(context)
        const input = context.hasBody ? body() : undefined
        if (input !== undefined && !input.Jobs?.length) throw refuse('statuses-of-nothing')
        return readStatuses(context, input, children)
      },
    }),
  ),
]

function readStatuses(
  context: SchedulerContext,
  input: ParsedOf<typeof statusesShape> | undefined,
  children = false,
): ReturnType<SchedulerContext['read']> {
  const { world } = context
  const includeChildren = children || input?.IncludeChildren === true
  const requested = (input?.Jobs ?? []).map(({ ID, Namespace }) => ({
    id: ID ?? '',
    namespace: Namespace || 'default',
  }))
  return context.read(({ nextToken, perPage, filter, reverse }) => {
    const namespaces = new Set(
      requested.length > 0
        ? requestedNamespaces(context, requested)
        : listedNamespaces(context, 'read-job'),
    )
    const matches = withStatusRefusals(() => filterOf<Job>(filter, jobShape))
    const page = withStatusRefusals(() =>
      jobStatuses(world, {
        namespaces,
        requested,
        includeChildren: includeChildren || requested.length > 0,
        nextToken,
        perPage,
        reverse,
        ...(matches === undefined ? {} : { filter: matches }),
      }),
    )
    return { index: statusIndex(context), body: page.items, nextToken: page.nextToken }
  })
}

/**
 * Parses the parameter. A malformed value is a 400, as in the reference, unlike for other
 * parameters.
 */
function includesChildren({ query }: SchedulerContext): boolean | undefined {
  try {
    return boolParameter(query, 'include_children')
  } catch (error) {
    throw error instanceof Refusal ? new Refusal('invalid', error.reason) : error
  }
}

/**
 * Runs `work` and turns errors in filters into a 500, as in the reference, unlike for other lists.
 */
function withStatusRefusals<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof FilterError ? new Refusal('conflict', error.reason) : error
  }
}

function requestedNamespaces(
  { caller }: SchedulerContext,
  requested: readonly { readonly namespace: string }[],
): readonly string[] {
  const namespaces = [...new Set(requested.map(({ namespace }) => namespace))]
  const readable = namespaces.filter((namespace) => caller.may(namespace, 'read-job'))
  if (readable.length === 0) throw refuse('permission-denied')
  return readable
}

function statusIndex({ world }: SchedulerContext): number {
  const kinds = ['jobs', 'allocations', 'deployments'] as const
  return Math.max(...kinds.map((kind) => dataIndex(world, kind)))
}
