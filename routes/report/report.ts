import { memoizeByKey } from '../../state/kernel/memoize.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import { addressesOf, becauseOf, nearestOf } from '../explain/explanation.ts'
import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import { ruleOf } from '../journal/diagnosis.ts'
import { redactedPath } from '../journal/entry.ts'
import { type Fingerprint, fingerprintOf } from '../journal/fingerprint.ts'
import type { Journal } from '../journal/journal.ts'
import { outcomeOf } from '../journal/outcome.ts'
import { reactionTo } from './client-reaction.ts'
import type { DocumentedStatuses } from './documented-statuses.ts'
import type { Report } from './report-shapes.ts'

/** The credentials that clients received and did not revoke. */
export type LeftBehind = Report['leftBehind']

/** Members of an existing fault that a report reads. */
interface CurrentFault {
  readonly id: string
  readonly preset: string | null
  readonly matched: number
  readonly hits: number
}

/**
 * Builds the report on all requests of a world's journal, without the credentials that were left
 * behind.
 * @param fingerprint function for the placeholders of secrets; default: that of the world's journal
 */
export function reportOn(
  world: World,
  journal: Journal,
  faults: readonly CurrentFault[],
  documented: DocumentedStatuses,
  fingerprint = fingerprintOf(world.seed),
): Omit<Report, 'leftBehind'> {
  const records = [...journal.records()]
  return runWithoutPauses(reportParts(world, records, faults, documented, fingerprint))
}

/** Runs a generator to its end without pauses, and returns its result. */
export function runWithoutPauses<T>(work: Generator<unknown, T, undefined>): T {
  for (;;) {
    const part = work.next()
    if (part.done === true) return part.value
  }
}

/**
 * Builds the report on some requests of a world, without the credentials that were left behind.
 * Yields after each request that a fault was applied to, or that was refused or unmatched, because
 * its entry takes long to build.
 */
export function* reportParts(
  world: World,
  records: readonly RequestRecord[],
  faults: readonly CurrentFault[],
  documented: DocumentedStatuses,
  fingerprint: Fingerprint,
): Generator<void, Omit<Report, 'leftBehind'>, undefined> {
  const addresses = memoizeByKey((api: RequestRecord['api']) => addressesOf({ api, world }))
  const head = {
    world: world.id,
    requests: records.length,
    operations: operationsOf(records, documented),
    unapplied: faults.filter(isUnapplied).map(unappliedFaultEntry),
  }
  const applied: Report['faults'][number][] = []
  const refused: Report['refused'][number][] = []
  const unmatched: Report['unmatched'][number][] = []
  for (const [at, record] of records.entries()) {
    if (record.fault !== undefined) {
      applied.push(appliedFaultEntry(record, record.fault, records.slice(at + 1)))
      yield
    }
    if (isRefused(record)) refused.push(refusedRequestEntry(record, fingerprint))
    else if (isUnmatched(record)) {
      unmatched.push({
        request: record.id,
        method: record.method,
        path: redactedPath(record, fingerprint),
        nearest: nearestOf(record, fingerprint, addresses(record.api)),
      })
    } else continue
    yield
  }
  return { ...head, faults: applied, refused, unmatched }
}

const isUnapplied = ({ hits }: CurrentFault): boolean => hits === 0
const unappliedFaultEntry = ({
  id,
  preset,
  matched,
}: CurrentFault): Report['unapplied'][number] => ({
  fault: id,
  preset,
  matched,
})
const isRefused = (record: RequestRecord): boolean => outcomeOf(record) === 'refused'
const isUnmatched = (record: RequestRecord): boolean => outcomeOf(record) === 'unmatched'

/** Returns the used operations, sorted by service and operation. */
function operationsOf(records: readonly RequestRecord[], documented: DocumentedStatuses) {
  const used = new Map<string, RequestRecord[]>()
  for (const record of records) {
    if (record.operation === undefined) continue
    const key = `${record.api.name}/${record.operation.id}`
    const calls = used.get(key)
    if (calls === undefined) used.set(key, [record])
    else calls.push(record)
  }
  return [...used]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, calls]) => {
      const [service = '', operation = ''] = key.split('/')
      const statuses: Record<string, number> = {}
      for (const { status } of calls) {
        if (status !== null) statuses[status] = (statuses[status] ?? 0) + 1
      }
      const unseen = documented(service, operation).filter(
        (status) => statuses[status] === undefined,
      )
      return { service, operation, calls: calls.length, statuses, unseen }
    })
}

function appliedFaultEntry(
  record: RequestRecord,
  fault: string,
  later: readonly RequestRecord[],
): Report['faults'][number] {
  const preset = record.faults.find(({ id }) => id === fault)?.preset ?? null
  return { fault, preset, request: record.id, ...reactionTo(record, later) }
}

function refusedRequestEntry(
  record: RequestRecord,
  fingerprint: Fingerprint,
): Report['refused'][number] {
  return {
    request: record.id,
    operation: record.operation?.id ?? null,
    status: record.status,
    rule: ruleOf(record),
    because: becauseOf(record, fingerprint) ?? '',
  }
}
