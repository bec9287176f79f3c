import type { World } from '../../kernel/worlds/world.ts'
import type { Job } from '../job/job-shape.ts'
import { jobKey, namespacePrefix } from '../keys.ts'
import type { JobSummary } from '../records/shapes.ts'
import { isParameterized, isPeriodic } from '../records/store.ts'
import { jobs } from '../records/tables.ts'

/** Conditions, order and page size of a job list. */
export interface JobListQuery {
  /** Namespaces in which the caller may list jobs, sorted by `sortNamespaces`. */
  readonly namespaces: readonly string[]
  /** Prefix of the job IDs. */
  readonly prefix?: string
  /**
   * Returns true for the jobs to list. If the filter throws, the listing ends and the exception
   * reaches the caller.
   */
  readonly filter?: (job: Job) => boolean
  /** First entry of the page, as `<namespace>.<id>`. */
  readonly nextToken?: string
  /** Number of entries per page; 0 means unlimited. */
  readonly perPage?: number
  readonly reverse?: boolean
}

interface Page<Item> {
  readonly items: readonly Item[]
  /** First entry of the next page; undefined on the last page. */
  readonly nextToken: string | undefined
}

/**
 * Returns a page of jobs, ordered by namespace and ID (behaviour/scheduler#list-jobs). The page
 * size counts only entries that match prefix and filter. If the job in the token no longer exists,
 * the page starts with the next job.
 */
export function listJobs(world: World, query: JobListQuery): Page<Job> {
  const { filter = () => true, perPage = 0 } = query
  const items: Job[] = []
  for (const job of jobsFrom(world, query)) {
    if (!filter(job)) continue
    if (perPage > 0 && items.length === perPage) return { items, nextToken: pageToken(job) }
    items.push(job)
  }
  return { items, nextToken: undefined }
}

function pageToken({ Namespace, ID }: Job): string {
  return `${Namespace}.${ID}`
}

function* jobsFrom(
  world: World,
  { namespaces, prefix = '', nextToken = '', reverse = false }: JobListQuery,
): Generator<Job, void, undefined> {
  const table = world.table(jobs)
  for (const namespace of reverse ? namespaces.toReversed() : namespaces) {
    const start = startIdIn(namespace, nextToken, reverse)
    if (start === undefined) continue
    const keyPrefix = jobKey(namespace, prefix)
    const from = start === '' ? undefined : jobKey(namespace, start)
    const entries = reverse
      ? table.entriesReversed(keyPrefix, from)
      : table.entries(keyPrefix, from)
    for (const [, job] of entries) yield job
  }
}

/**
 * Returns the ID at which a page starts within a namespace: empty to include the whole namespace,
 * undefined to skip the namespace. In a token, the first dot ends the namespace, because namespaces
 * contain no dots. Namespaces are compared by their key prefixes, so pages neither skip nor repeat
 * jobs if one namespace is a prefix of another.
 */
function startIdIn(namespace: string, token: string, reverse: boolean): string | undefined {
  if (token === '') return ''
  const [tokenNamespace = '', id = ''] = token.split(/\.(.*)/s)
  if (tokenNamespace === namespace) return reverse && id === '' ? undefined : id
  const isBefore = namespacePrefix(namespace) < namespacePrefix(tokenNamespace)
  return isBefore === reverse ? '' : undefined
}

/** Returns namespaces in the order of the keys of the job table. */
export function sortNamespaces(namespaces: Iterable<string>): readonly string[] {
  return [...namespaces].sort((a, b) => (namespacePrefix(a) < namespacePrefix(b) ? -1 : 1))
}

/**
 * Converts a job to its list stub (behaviour/scheduler#api-job).
 * @param meta true to include the job's Meta
 */
export function jobStub(job: Job, counters: JobSummary | undefined, { meta = false } = {}) {
  return {
    ID: job.ID,
    ParentID: job.ParentID,
    Name: job.Name,
    Namespace: job.Namespace,
    Datacenters: job.Datacenters,
    NodePool: job.NodePool,
    Multiregion: job.Multiregion,
    Type: job.Type,
    Priority: job.Priority,
    Periodic: isPeriodic(job),
    ParameterizedJob: isParameterized(job),
    Stop: job.Stop,
    Status: job.Status,
    StatusDescription: job.StatusDescription,
    JobSummary: counters ?? null,
    CreateIndex: job.CreateIndex,
    ModifyIndex: job.ModifyIndex,
    JobModifyIndex: job.JobModifyIndex,
    SubmitTime: job.SubmitTime,
    ...(meta ? { Meta: job.Meta } : {}),
  }
}
