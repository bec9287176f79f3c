import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import { type Suite, writeSuites } from './junit-suites.ts'
import { describeReaction, describeUnapplied, formatStatuses } from './markdown.ts'
import type { Report } from './report-shapes.ts'

/**
 * Formats a report as JUnit XML. Failed cases are requests that were refused or unmatched, faults
 * after which the client gave up, and credentials that were left behind.
 *
 * @param at the world's time in RFC 3339
 * @param records records of the report's requests, for their durations
 */
export function junitOf(report: Report, at: string, records: Iterable<RequestRecord>): string {
  const { world, requests } = report
  const suites = suitesOf(report, durationsOf(records))
  return writeSuites(suites, { subject: world, at, properties: { requests } })
}

/**
 * Returns durations in seconds of real time: by request id, and as a total by `service/operation`.
 */
function durationsOf(records: Iterable<RequestRecord>): ReadonlyMap<string, number> {
  const seconds = new Map<string, number>()
  for (const { id, api, operation, duration } of records) {
    seconds.set(id, duration / 1000)
    if (operation === undefined) continue
    const key = `${api.name}/${operation.id}`
    seconds.set(key, (seconds.get(key) ?? 0) + duration / 1000)
  }
  return seconds
}

function suitesOf(
  { operations, faults, unapplied, refused, unmatched, leftBehind }: Report,
  durations: ReadonlyMap<string, number>,
): Suite[] {
  const duration = (key: string) => ({ seconds: durations.get(key) ?? 0 })
  return [
    {
      name: 'operations',
      cases: operations.map(({ service, operation }) => ({
        group: service,
        name: operation,
        ...duration(`${service}/${operation}`),
      })),
      output: operations.map(
        ({ service, operation, statuses, unseen }) =>
          `${service} ${operation}: ${formatStatuses(statuses)}; not seen: ${unseen.join(', ')}`,
      ),
    },
    suiteOf('faults', 'no fault was applied', [
      ...faults.map(({ fault, request, ...reaction }) => ({
        group: 'faults',
        name: `${fault} (${request})`,
        ...duration(request),
        ...(reaction.next === 'gaveUp'
          ? { failure: { type: 'gave-up', message: `the client ${describeReaction(reaction)}` } }
          : {}),
      })),
      ...unapplied.map((entry) => ({
        group: 'faults',
        name: `${entry.fault} (${describeUnapplied(entry)})`,
      })),
    ]),
    suiteOf('refused', 'no request was refused', [
      ...refused.map(({ request, operation, status, rule, because }) => ({
        group: 'refused',
        name: `${operation ?? 'no operation'} (${request})`,
        ...duration(request),
        failure: { type: `${rule}`, message: `${status}: ${because}` },
      })),
    ]),
    suiteOf('unmatched', 'every request found an operation', [
      ...unmatched.map(({ request, method, path, nearest }) => ({
        group: 'unmatched',
        name: `${method} ${path} (${request})`,
        ...duration(request),
        failure: {
          type: 'unmatched',
          message: `perhaps meant: ${nearest.map((each) => `${each.method} ${each.path}`).join(', ')}`,
        },
      })),
    ]),
    suiteOf('leftBehind', 'no token or lease is left behind', [
      ...leftBehind.tokens.map((accessor) => ({
        group: 'leftBehind',
        name: `token ${accessor}`,
        failure: { type: 'token', message: 'was never revoked' },
      })),
      ...leftBehind.leases.map((id) => ({
        group: 'leftBehind',
        name: `lease ${id}`,
        failure: { type: 'lease', message: 'was never ended' },
      })),
    ]),
  ]
}

/**
 * Returns a suite with the given cases. Without cases, the suite contains one passing case, because
 * some CI systems reject empty suites.
 */
function suiteOf(name: string, passedName: string, cases: Suite['cases']): Suite {
  return { name, cases: cases.length > 0 ? cases : [{ group: name, name: passedName }] }
}
