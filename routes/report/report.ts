import { oncePer } from '../../state/kernel/once.ts'
import type { World } from '../../state/kernel/world.ts'
import { addressesOf, becauseOf, nearestOf } from '../explain/explanation.ts'
import type { Nearest } from '../explain/nearest.ts'
import type { Visit } from '../http/visit.ts'
import { ruleOf } from '../journal/diagnosis.ts'
import { shownPath } from '../journal/entry.ts'
import { type Fingerprint, fingerprintOf } from '../journal/fingerprint.ts'
import type { Journal } from '../journal/journal.ts'
import { outcomeOf } from '../journal/outcome.ts'
import { type Aftermath, aftermathOf } from './aftermath.ts'
import type { StatusesOf } from './documented.ts'

/** An operation that was used. */
export interface UsedOperation {
  readonly service: string
  readonly operation: string
  readonly calls: number
  /** How often each was sent. */
  readonly statuses: Readonly<Record<string, number>>
  /** Statuses that the API's document has of it and that were not sent. */
  readonly unseen: readonly number[]
}

/** A fault that was applied, and what the client did next. */
export interface AppliedFault extends Aftermath {
  readonly fault: string
  readonly preset: string | null
  readonly request: string
}

/** A fault that is there, as far as a report looks at it. */
interface StandingFault {
  readonly id: string
  readonly preset: string | null
  readonly matched: number
  readonly hits: number
}

/** A fault that is there and was never applied. */
export interface IdleFault {
  readonly fault: string
  readonly preset: string | null
  /** So many requests it matched; 0 where its `match` may be mistaken. */
  readonly matched: number
}

/** A request that was refused. */
export interface RefusedRequest {
  readonly request: string
  readonly operation: string | null
  readonly status: number | null
  readonly rule: string | null
  readonly because: string
}

/** A request that no operation takes. */
export interface UnmatchedRequest {
  readonly request: string
  readonly method: string
  readonly path: string
  readonly nearest: readonly Nearest[]
}

/** What happened in a world since its journal was cleared (behaviour/program#reports). */
export interface Report {
  readonly world: string
  /** So many the journal has. */
  readonly requests: number
  readonly operations: readonly UsedOperation[]
  readonly faults: readonly AppliedFault[]
  readonly unapplied: readonly IdleFault[]
  readonly refused: readonly RefusedRequest[]
  readonly unmatched: readonly UnmatchedRequest[]
  readonly leftBehind: {
    /** Accessors. */
    readonly tokens: readonly string[]
    /** Ids. */
    readonly leases: readonly string[]
  }
}

/** Reports on a world, but for what is left behind in it. */
export function reportOn(
  world: World,
  journal: Journal,
  faults: readonly StandingFault[],
  documented: StatusesOf,
): Omit<Report, 'leftBehind'> {
  const visits = [...journal.visits()]
  const fingerprint = fingerprintOf(world.seed)
  const addresses = oncePer((api: Visit['api']) => addressesOf({ api, world }))
  return {
    world: world.id,
    requests: visits.length,
    operations: operationsOf(visits, documented),
    faults: faultsOf(visits),
    unapplied: faults.filter(isIdle).map(idleOf),
    refused: visits.filter(isRefused).map((visit) => refusedOf(visit, fingerprint)),
    unmatched: visits.filter(isUnmatched).map((visit) => ({
      request: visit.id,
      method: visit.method,
      path: shownPath(visit, fingerprint),
      nearest: nearestOf(visit, addresses(visit.api)),
    })),
  }
}

const isIdle = ({ hits }: StandingFault): boolean => hits === 0
const idleOf = ({ id, preset, matched }: StandingFault): IdleFault => ({
  fault: id,
  preset,
  matched,
})
const isRefused = (visit: Visit): boolean => outcomeOf(visit) === 'refused'
const isUnmatched = (visit: Visit): boolean => outcomeOf(visit) === 'unmatched'

/** In the order of services and operations. */
function operationsOf(visits: readonly Visit[], documented: StatusesOf): UsedOperation[] {
  const used = new Map<string, Visit[]>()
  for (const visit of visits) {
    if (visit.operation === undefined) continue
    const key = `${visit.api.name}/${visit.operation.id}`
    used.set(key, [...(used.get(key) ?? []), visit])
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

function faultsOf(visits: readonly Visit[]): AppliedFault[] {
  return visits.flatMap((visit, at) => {
    const { fault } = visit
    if (fault === undefined) return []
    const preset = visit.faults.find(({ id }) => id === fault)?.preset ?? null
    return [{ fault, preset, request: visit.id, ...aftermathOf(visit, visits.slice(at + 1)) }]
  })
}

function refusedOf(visit: Visit, fingerprint: Fingerprint): RefusedRequest {
  return {
    request: visit.id,
    operation: visit.operation?.id ?? null,
    status: visit.status,
    rule: ruleOf(visit),
    because: becauseOf(visit, fingerprint) ?? '',
  }
}
