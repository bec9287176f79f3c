import { tellAftermath, tellStatuses } from './markdown.ts'
import type { Report } from './report.ts'

/** One thing that a report tells, as CI systems show tests. */
interface Case {
  /** Where it belongs: a service. */
  readonly group: string
  readonly name: string
  /** Undefined for what went well. */
  readonly failure?: { readonly type: string; readonly message: string }
}

/** Cases of one kind. */
interface Suite {
  readonly name: string
  readonly cases: readonly Case[]
  /** Lines for those who want to know more. */
  readonly output?: readonly string[]
}

/**
 * Writes a report as JUnit XML, in the order and with the attributes that the common schemas ask for.
 * What went wrong fails: refused and unmatched requests, faults after which the client gave up, and
 * what is left behind.
 *
 * @param at the world's time, RFC 3339
 */
export function junitOf(report: Report, at: string): string {
  const suites = suitesOf(report).map((suite, place) => writeSuite(suite, place, report, at))
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('')}</testsuites>\n`
}

function suitesOf({ operations, faults, refused, unmatched, leftBehind }: Report): Suite[] {
  return [
    {
      name: 'operations',
      cases: operations.map(({ service, operation }) => ({ group: service, name: operation })),
      output: operations.map(
        ({ service, operation, statuses, unseen }) =>
          `${service} ${operation}: ${tellStatuses(statuses)}; not seen: ${unseen.join(', ')}`,
      ),
    },
    suiteOf('faults', 'no fault was applied', [
      ...faults.map(({ fault, request, ...aftermath }) => ({
        group: 'faults',
        name: `${fault} (${request})`,
        ...(aftermath.next === 'gaveUp'
          ? { failure: { type: 'gave-up', message: `the client ${tellAftermath(aftermath)}` } }
          : {}),
      })),
    ]),
    suiteOf('refused', 'no request was refused', [
      ...refused.map(({ request, operation, status, rule, because }) => ({
        group: 'refused',
        name: `${operation ?? 'no operation'} (${request})`,
        failure: { type: `${rule}`, message: `${status}: ${because}` },
      })),
    ]),
    suiteOf('unmatched', 'every request found an operation', [
      ...unmatched.map(({ request, method, path, nearest }) => ({
        group: 'unmatched',
        name: `${method} ${path} (${request})`,
        failure: {
          type: 'unmatched',
          message: `perhaps meant: ${nearest.map((each) => `${each.method} ${each.path}`).join(', ')}`,
        },
      })),
    ]),
    suiteOf('leftBehind', 'nothing is left behind', [
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

/** A suite that passes by one case where there is nothing to tell: some systems refuse empty ones. */
function suiteOf(name: string, calm: string, cases: readonly Case[]): Suite {
  return { name, cases: cases.length > 0 ? cases : [{ group: name, name: calm }] }
}

function writeSuite(
  { name, cases, output = [] }: Suite,
  place: number,
  { world, requests }: Report,
  at: string,
): string {
  const failures = cases.filter(({ failure }) => failure !== undefined).length
  const attributes = {
    id: place,
    package: world,
    name,
    // The schemas take neither a fraction nor a zone.
    timestamp: at.slice(0, 'yyyy-mm-ddThh:mm:ss'.length),
    hostname: 'localhost',
    tests: cases.length,
    failures,
    errors: 0,
    time: 0,
  }
  return [
    `  <testsuite${attributesText(attributes)}>\n`,
    `    <properties><property${attributesText({ name: 'requests', value: requests })}/></properties>\n`,
    ...cases.map(writeCase),
    `    <system-out>${escaped(output.join('\n'))}</system-out>\n`,
    '    <system-err></system-err>\n  </testsuite>\n',
  ].join('')
}

function writeCase({ group, name, failure }: Case): string {
  const begin = `    <testcase${attributesText({ classname: group, name, time: 0 })}`
  if (failure === undefined) return `${begin}/>\n`
  const { message } = failure
  return `${begin}><failure${attributesText(failure)}>${escaped(message)}</failure></testcase>\n`
}

function attributesText(attributes: Readonly<Record<string, string | number>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join('')
}

/** Text for XML 1.0, which cannot hold every character. */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
