import { FilterError } from '../../../state/filter/errors.ts'
import { greatest } from '../../../state/kernel/lists.ts'
import { Refusal } from '../../../state/kernel/refusal.ts'
import { bool, list } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import type { ParsedOf } from '../../../state/kernel/shape/values.ts'
import { dataIndex, dataIndexRow } from '../../../state/scheduler/indexes.ts'
import { type Job, jobShape } from '../../../state/scheduler/job/job-shape.ts'
import { jobStub, listJobs } from '../../../state/scheduler/jobs/listing.ts'
import { statusesShape } from '../../../state/scheduler/jobs/request-shapes.ts'
import { jobStatuses } from '../../../state/scheduler/jobs/statuses.ts'
import { refuse } from '../../../state/scheduler/messages.ts'
import { summaryOf } from '../../../state/scheduler/records/store.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { CachedJson } from '../../http/json-text.ts'
import { requiresListCapability, within } from '../access.ts'
import { operationsOf, type SchedulerContext } from '../operation.ts'
import { boolParameter } from '../query.ts'
import { compileListFilter, listedNamespaces, namespacesWith } from '../reads.ts'
import { jobStatusShape, jobStubShape } from './reply-shapes.ts'

interface JobPage {
  readonly body: CachedJson
  readonly nextToken: string | undefined
}

/**
 * The most recent page of the job list. The page depends on its key, on the rows of jobs and on
 * their counters.
 */
interface CachedPage {
  key: string
  counters: object | undefined
  page: JobPage | undefined
}

const createPageCache = (): CachedPage => ({ key: '', counters: undefined, page: undefined })

/**
 * Returns a page of the list of jobs. The most recent page is cached until a job or its counters
 * change.
 *
 * @param pageKey all parameters that determine the page
 */
function cachedJobPage(
  { world, dialect }: SchedulerContext,
  pageKey: readonly unknown[],
  makePage: () => JobPage,
): JobPage {
  const jobsIndexRow = dataIndexRow(world, 'jobs')
  if (jobsIndexRow === undefined) return makePage()
  const counters = dataIndexRow(world, 'summaries')
  const key = JSON.stringify([dialect.name, pageKey])
  const cached = world.derived(jobsIndexRow, createPageCache)
  if (cached.page !== undefined && cached.key === key && cached.counters === counters)
    return cached.page
  const page = makePage()
  Object.assign(cached, { key, counters, page })
  return page
}

/**
 * Cache of the JSON of one job in lists. The key is the row of the job's counters, or the job's row
 * if the job has no counters.
 */
type StubJsonCache = WeakMap<object, string>

/**
 * Functions that create a job's caches, by dialect. `meta` is for lists that include the metadata
 * of jobs, `plain` for other lists.
 */
const stubCaches = {
  neutral: { plain: (): StubJsonCache => new WeakMap(), meta: (): StubJsonCache => new WeakMap() },
  vendor: { plain: (): StubJsonCache => new WeakMap(), meta: (): StubJsonCache => new WeakMap() },
}

/**
 * Returns the JSON of jobs in the form that lists use. The JSON is cached for each pair of job and
 * counters.
 */
export function jobListJson(
  context: SchedulerContext,
  jobs: readonly Job[],
  includesMeta: boolean,
): string {
  return `[${jobs.map((job) => jobStubJson(context, job, includesMeta)).join(',')}]`
}

function jobStubJson(
  { world, dialect }: SchedulerContext,
  job: Job,
  includesMeta: boolean,
): string {
  const cache = world.derived(job, stubCaches[dialect.name][includesMeta ? 'meta' : 'plain'])
  const counters = summaryOf(world, job.Namespace, job.ID)
  const cached = cache.get(counters ?? job)
  if (cached !== undefined) return cached
  // The vendor leaves out an empty Meta.
  const stub = jobStub(job, counters, {
    meta: includesMeta && !(dialect.isVendor && job.Meta === null),
  })
  const text = JSON.stringify(dialect.renameMembers(jobStubShape, stub))
  cache.set(counters ?? job, text)
  return text
}

const operation = operationsOf({
  spec: 'behaviour/scheduler#api-jobs; behaviour/scheduler#jobs, behaviour/scheduler#filters',
})

export const listingOperations = [
  operation.get('listJobs', '/jobs', {
    access: requiresListCapability('list-jobs'),
    summary: 'List jobs by namespace and ID; can block.',
    query: parameters({ meta: described(bool, 'Whether to include the meta of each job') }),
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
            const matches = compileListFilter<Job>(filter, jobShape)
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
    operation[method](
      method === 'get' ? 'listJobStatuses' : 'listNamedJobStatuses',
      '/jobs/statuses',
      {
        access: within(requiresListCapability('read-job')),
        summary:
          method === 'get'
            ? 'List the status of jobs, most recently changed first; can block.'
            : 'Return the statuses of the jobs named in the body; can block.',
        spec: 'behaviour/scheduler#beyond',
        ...(method === 'post' ? { refusesPut: true } : {}),
        query: parameters({
          include_children: described(bool, 'Whether to include dispatched and periodic children'),
        }),
        body: statusesShape,
        bodyOptional: true,
        bodyError: (why) => refuse('statuses-unreadable', { why }),
        reply: { 200: list(jobStatusShape) },
        run({ context, body }) {
          const queryIncludesChildren = parseIncludeChildren(context)
          const input = context.hasBody ? body() : undefined
          if (input !== undefined && !input.Jobs?.length) throw refuse('statuses-of-nothing')
          return readStatuses(context, input, queryIncludesChildren)
        },
      },
    ),
  ),
]

function readStatuses(
  context: SchedulerContext,
  input: ParsedOf<typeof statusesShape> | undefined,
  queryIncludesChildren = false,
): ReturnType<SchedulerContext['read']> {
  const { world } = context
  const includeChildren = queryIncludesChildren || input?.IncludeChildren === true
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
    const matches = withStatusRefusals(() => compileListFilter<Job>(filter, jobShape))
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
 * Parses `include_children`. As in the reference, a malformed value is refused with 400 instead of
 * the usual 500.
 */
function parseIncludeChildren({ query }: SchedulerContext): boolean | undefined {
  try {
    return boolParameter(query, 'include_children')
  } catch (error) {
    throw error instanceof Refusal ? new Refusal('invalid', error.reason) : error
  }
}

/**
 * Runs `work` and rethrows an error in a filter as a refusal (500). As in the reference, the status
 * is not the 400 of other lists.
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
  return greatest(kinds.map((kind) => dataIndex(world, kind)))
}
