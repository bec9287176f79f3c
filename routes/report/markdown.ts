import type { ClientReaction } from './client-reaction.ts'
import type { Report } from './report-shapes.ts'

export function markdownOf(report: Report): string {
  const { world, requests, operations, faults, unapplied, refused, unmatched, leftBehind } = report
  const parts = [
    `# World ${code(world)}\n\n${formatCount(requests, 'request')}.`,
    section(
      'Operations',
      ['Service', 'Operation', 'Calls', 'Statuses', 'Not seen'],
      [
        ...operations.map(({ service, operation, calls, statuses, unseen }) => [
          service,
          code(operation),
          String(calls),
          formatStatuses(statuses),
          unseen.join(', '),
        ]),
      ],
    ),
    section(
      'Faults',
      ['Request', 'Fault', 'Preset', 'Reaction of the client'],
      [
        ...faults.map(({ request, fault, preset, ...reaction }) => [
          request,
          code(fault),
          preset ?? '',
          describeReaction(reaction),
        ]),
        ...unapplied.map((entry) => [
          '',
          code(entry.fault),
          entry.preset ?? '',
          describeUnapplied(entry),
        ]),
      ],
    ),
    section(
      'Refused',
      ['Request', 'Operation', 'Status', 'Rule', 'Because'],
      [
        ...refused.map(({ request, operation, status, rule, because }) => [
          request,
          operation === null ? '' : code(operation),
          String(status),
          rule ?? '',
          because,
        ]),
      ],
    ),
    section(
      'Unmatched',
      ['Request', 'Sent', 'Nearest'],
      [
        ...unmatched.map(({ request, method, path, nearest }) => [
          request,
          code(`${method} ${path}`),
          nearest.map((each) => code(`${each.method} ${each.path}`)).join(', '),
        ]),
      ],
    ),
    section(
      'Left behind',
      ['Kind', 'Name'],
      [
        ...leftBehind.tokens.map((accessor) => ['token', code(accessor)]),
        ...leftBehind.leases.map((id) => ['lease', code(id)]),
      ],
    ),
  ]
  return `${parts.join('\n\n')}\n`
}

/** Formats the number of answers with each status: `200 (3 times), 404 (once)`. */
export function formatStatuses(statuses: Readonly<Record<string, number>>): string {
  return Object.entries(statuses)
    .map(([status, count]) => `${status} (${count === 1 ? 'once' : `${count} times`})`)
    .join(', ')
}

export function describeReaction({ next, retries, afterMs }: ClientReaction): string {
  if (next === 'gaveUp') return 'gave up'
  if (next === 'carriedOn') return 'continued with other requests'
  return `retried${retries === 1 ? 'once' : `${retries} times`}, first after ${afterMs} ms`
}

/** Describes why an existing fault was never applied. */
export function describeUnapplied({ matched }: Report['unapplied'][number]): string {
  const why =
    matched === 0
      ? 'no request matched'
      : `${formatCount(matched, 'request')} matched, none was due`
  return `never applied: ${why}`
}

/** Formats a count: `1 request`, `2 requests`. */
function formatCount(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`
}

function section(title: string, headings: readonly string[], rows: readonly string[][]): string {
  if (rows.length === 0) return `## ${title}\n\nNone.`
  const lines = [headings, headings.map(() => '---'), ...rows.map((row) => row.map(cell))]
  return `## ${title}\n\n${lines.map((line) => `| ${line.join(' | ')} |`).join('\n')}`
}

/** Escapes a text for a cell of a Markdown table. White space becomes a single space. */
function cell(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|')
}

function code(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``
}
