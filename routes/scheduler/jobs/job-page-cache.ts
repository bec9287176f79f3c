import { dataIndexRow } from '../../../state/scheduler/indexes.ts'
import type { Job } from '../../../state/scheduler/job/job-shape.ts'
import { jobStub } from '../../../state/scheduler/jobs/listing.ts'
import { summaryOf } from '../../../state/scheduler/records/store.ts'
import type { CachedJson } from '../../http/json-text.ts'
import type { SchedulerContext } from '../operation.ts'
import { jobStubShape } from './reply-shapes.ts'

/** A page of the list of jobs. */
interface JobPage {
  readonly body: CachedJson
  readonly nextToken: string | undefined
}

/** The most recent page and the inputs that it depends on, apart from the rows of jobs. */
interface CachedPage {
  key: string
  counters: object | undefined
  page: JobPage | undefined
}

const emptyCache = (): CachedPage => ({ key: '', counters: undefined, page: undefined })

/**
 * Returns a page of the list of jobs. The most recent page is cached until a job or its counters
 * change.
 *
 * @param pageKey all parameters that determine the page
 */
export function cachedJobPage(
  { world, dialect }: SchedulerContext,
  pageKey: readonly unknown[],
  make: () => JobPage,
): JobPage {
  const state = dataIndexRow(world, 'jobs')
  if (state === undefined) return make()
  const counters = dataIndexRow(world, 'summaries')
  const key = JSON.stringify([dialect.name, pageKey])
  const last = world.derived(state, emptyCache)
  if (last.page !== undefined && last.key === key && last.counters === counters) return last.page
  const page = make()
  Object.assign(last, { key, counters, page })
  return page
}

/**
 * JSON of a job in lists, by the row of its counters, or by the job's own row if it has no
 * counters.
 */
type StubJsonCache = WeakMap<object, string>

/** Caches per job row, one for each representation. */
const stubCaches = {
  neutral: { plain: (): StubJsonCache => new WeakMap(), meta: (): StubJsonCache => new WeakMap() },
  vendor: { plain: (): StubJsonCache => new WeakMap(), meta: (): StubJsonCache => new WeakMap() },
}

/** Returns the JSON of jobs as lists show them, cached per pair of job and counters. */
export function jobListJson(
  context: SchedulerContext,
  jobs: readonly Job[],
  meta: boolean,
): string {
  return `[${jobs.map((job) => jobStubJson(context, job, meta)).join(',')}]`
}

function jobStubJson({ world, dialect }: SchedulerContext, job: Job, meta: boolean): string {
  const cache = world.derived(job, stubCaches[dialect.name][meta ? 'meta' : 'plain'])
  const counters = summaryOf(world, job.Namespace, job.ID)
  const cached = cache.get(counters ?? job)
  if (cached !== undefined) return cached
  // The vendor omits an empty Meta (behaviour/scheduler#jobs).
  const stub = jobStub(job, counters, { meta: meta && !(dialect.isVendor && job.Meta === null) })
  const text = JSON.stringify(dialect.value(jobStubShape, stub))
  cache.set(counters ?? job, text)
  return text
}
