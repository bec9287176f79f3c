import { memoizeByKey } from '../../state/kernel/memoize.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import { addressesOf, becauseOf, nearestOf } from '../explain/explanation.ts'
import type { Nearest } from '../explain/nearest.ts'
import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import { ruleOf } from '../journal/diagnosis.ts'
import { redactedPath } from '../journal/entry.ts'
import { type Fingerprint, fingerprintOf } from '../journal/fingerprint.ts'
import type { Journal } from '../journal/journal.ts'
import { outcomeOf } from '../journal/outcome.ts'
import { type ClientReaction, reactionTo } from './client-reaction.ts'
import type { DocumentedStatuses } from './documented-statuses.ts'

/** Operation that was used. */
export interface UsedOperation {
  readonly service: string
  readonly operation: string
  readonly calls: number
  /** Number of answers per status. */
  readonly statuses: Readonly<Record<string, number>>
  /** Documented statuses that were never sent. */
  readonly unseen: readonly number[]
}

/** Applied fault and the client's reaction. */
export interface AppliedFault extends ClientReaction {
  readonly fault: string
  readonly preset: string | null
  readonly request: string
}

/** Members of an existing fault that a report reads. */
interface CurrentFault {
  readonly id: string
  readonly preset: string | null
  readonly matched: number
  readonly hits: number
}

/** Fault that was never applied. */
export interface IdleFault {
  readonly fault: string
  readonly preset: string | null
  /** Number of matching requests; 0 suggests a mistake in `match`. */
  readonly matched: number
}

/** Refused request. */
export interface RefusedRequest {
  readonly request: string
  readonly operation: string | null
  readonly status: number | null
  readonly rule: string | null
  readonly because: string
}

/** Request that matches no operation. */
export interface UnmatchedRequest {
  readonly request: string
  readonly method: string
  readonly path: string
  readonly nearest: readonly Nearest[]
}

/** Activity in a world since its journal was cleared (behaviour/program#reports). */
export interface Report {
  readonly world: string
  /** Number of requests in the journal. */
  readonly requests: number
  readonly operations: readonly UsedOperation[]
  readonly faults: readonly AppliedFault[]
  readonly unapplied: readonly IdleFault[]
  readonly refused: readonly RefusedRequest[]
  readonly unmatched: readonly UnmatchedRequest[]
  readonly leftBehind: LeftBehind
}

/** Credentials that clients received and did not revoke. */
export interface LeftBehind {
  /** Accessors of tokens. */
  readonly tokens: readonly string[]
  /** Ids of leases. */
  readonly leases: readonly string[]
}

/** Builds the report of a world, without its leftovers. */
export function reportOn(
  world: World,
  journal: Journal,
  faults: readonly CurrentFault[],
  documented: DocumentedStatuses,
): Omit<Report, 'leftBehind'> {
  const records = [...journal.records()]
  const fingerprint = fingerprintOf(world.seed)
  const addresses = memoizeByKey((api: RequestRecord['api']) => addressesOf({ api, world }))
  return {
    world: world.id,
    requests: records.length,
    operations: operationsOf(records, documented),
    faults: faultsOf(records),
    unapplied: faults.filter(isIdle).map(idleOf),
    refused: records.filter(isRefused).map((record) => refusedOf(record, fingerprint)),
    unmatched: records.filter(isUnmatched).map((record) => ({
      request: record.id,
      method: record.method,
      path: redactedPath(record, fingerprint),
      nearest: nearestOf(record, addresses(record.api)),
    })),
  }
}

const isIdle = ({ hits }: CurrentFault): boolean => hits === 0
const idleOf = ({ id, preset, matched }: CurrentFault): IdleFault => ({
  fault: id,
  preset,
  matched,
})
const isRefused = (record: RequestRecord): boolean => outcomeOf(record) === 'refused'
const isUnmatched = (record: RequestRecord): boolean => outcomeOf(record) === 'unmatched'

/** Returns the used operations, sorted by service and operation. */
function operationsOf(
  records: readonly RequestRecord[],
  documented: DocumentedStatuses,
): UsedOperation[] {
  const used = new Map<string, RequestRecord[]>()
  for (const record of records) {
    if (record.operation === undefined) continue
    const key = `${record.api.name}/${record.operation.id}`
    used.set(key, [...(used.get(key) ?? []), record])
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

function faultsOf(records: readonly RequestRecord[]): AppliedFault[] {
  return records.flatMap((record, at) => {
    const { fault } = record
    if (fault === undefined) return []
    const preset = record.faults.find(({ id }) => id === fault)?.preset ?? null
    return [{ fault, preset, request: record.id, ...reactionTo(record, records.slice(at + 1)) }]
  })
}

function refusedOf(record: RequestRecord, fingerprint: Fingerprint): RefusedRequest {
  return {
    request: record.id,
    operation: record.operation?.id ?? null,
    status: record.status,
    rule: ruleOf(record),
    because: becauseOf(record, fingerprint) ?? '',
  }
}
