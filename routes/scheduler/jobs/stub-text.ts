import type { Job } from '../../../state/scheduler/job/job-shape.ts'
import { stubOf } from '../../../state/scheduler/jobs/listing.ts'
import { summaryOf } from '../../../state/scheduler/jobs/store.ts'
import type { SchedulerContext } from '../operation.ts'
import { jobStubShape } from './reply-shapes.ts'

/** JSON of a job's stub by the row of its counters, or by the job's own where it has none. */
type StubTexts = WeakMap<object, string>

/** What is derived from a job's row, for each way to show it. */
const ways = {
  neutral: { plain: (): StubTexts => new WeakMap(), meta: (): StubTexts => new WeakMap() },
  vendor: { plain: (): StubTexts => new WeakMap(), meta: (): StubTexts => new WeakMap() },
}

/** Gives the JSON of a job as lists show it, written once for each pair of job and counters. */
export function stubText(context: SchedulerContext, job: Job, meta: boolean): string {
  const { world, dialect } = context
  const texts = world.derived(job, ways[dialect.name][meta ? 'meta' : 'plain'])
  const counters = summaryOf(world, job.Namespace, job.ID)
  const known = texts.get(counters ?? job)
  if (known !== undefined) return known
  // The vendor leaves an empty Meta out (3b-scheduler-decisions.md section 2).
  const stub = stubOf(job, counters, { meta: meta && !(dialect.isVendor && job.Meta === null) })
  const text = JSON.stringify(dialect.value(jobStubShape, stub))
  texts.set(counters ?? job, text)
  return text
}
