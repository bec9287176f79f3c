import { type Case, writeSuites } from '../../../routes/report/junit-suites.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'

/** How the command took one failure. */
export interface Trial {
  readonly preset: string
  /** Null where the failure cannot be in such a world. */
  readonly survived: boolean | null
  /** Why it did not survive, or was not tried. */
  readonly reason: string | null
  readonly hits: number
  readonly retries: number
  readonly durationMs: number
}

/** A rehearsal that is over. */
export interface Rehearsal {
  readonly command: readonly string[]
  /** The run without a failure. */
  readonly undisturbed: { readonly requests: number; readonly durationMs: number }
  readonly trials: readonly Trial[]
  /** Of those that were tried. */
  readonly survived: number
  readonly tried: number
  readonly percent: number
  /** Fewer percent fail. */
  readonly failUnder: number
  readonly passed: boolean
}

/** Sums a rehearsal up. */
export function summarizeRehearsal(
  results: Pick<Rehearsal, 'command' | 'undisturbed' | 'trials' | 'failUnder'>,
): Rehearsal {
  const tried = results.trials.filter(({ survived }) => survived !== null)
  const survived = tried.filter((trial) => trial.survived === true).length
  const percent = tried.length === 0 ? 100 : Math.round((survived / tried.length) * 1000) / 10
  const passed = survived * 100 >= results.failUnder * tried.length
  return { ...results, survived, tried: tried.length, percent, passed }
}

const headings = ['preset', 'survived', 'requests hit', 'retries seen', 'duration'] as const

function tableCells({ preset, survived, hits, retries, durationMs }: Trial): readonly string[] {
  if (survived === null) return [preset, 'not tried', '-', '-', '-']
  return [preset, survived ? 'yes' : 'no', `${hits}`, `${retries}`, formatSeconds(durationMs)]
}

/** Real time as people read it. */
export function formatSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`
}

/** The table that the command prints. */
export function tableText({ trials }: Rehearsal): string {
  const rows = [headings, ...trials.map(tableCells)]
  const widths = headings.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  return rows
    .map((row) => `${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('')
}

/** One sentence about all of it. */
export function summaryLine({ survived, tried, percent, failUnder }: Rehearsal): string {
  return `${survived} of ${tried} survived: ${percent} % (${failUnder} % required)`
}

/** The rehearsal as Markdown. */
export function rehearsalMarkdown(rehearsal: Rehearsal): string {
  const { command, undisturbed, trials } = rehearsal
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const reasons = trials.flatMap(({ preset, reason }) =>
    reason === null ? [] : [`- \`${preset}\`: ${reason}`],
  )
  return [
    '# Rehearsal',
    '',
    `\`${command.join(' ')}\`, without faults: ${undisturbed.requests} requests in ${formatSeconds(undisturbed.durationMs)}. ${summaryLine(rehearsal)}.`,
    '',
    row(headings),
    row(headings.map(() => '---')),
    ...trials.map((trial) => row(tableCells(trial))),
    ...(reasons.length > 0 ? ['', ...reasons] : []),
    '',
  ].join('\n')
}

/** The rehearsal as JUnit XML: a test for each preset. */
export function rehearsalJunit({ command, undisturbed, trials }: Rehearsal, now: number): string {
  return writeSuites([{ name: 'rehearsal', cases: trials.map(junitCase) }], {
    subject: command.join(' '),
    at: formatTimestamp(now),
    properties: { requests: undisturbed.requests },
  })
}

function junitCase({ preset, survived, reason, durationMs }: Trial): Case {
  const [service = ''] = preset.split('-')
  const testCase = { group: `rehearsal.${service}`, name: preset, seconds: durationMs / 1000 }
  if (survived === true || reason === null) return testCase
  if (survived === null) return { ...testCase, skipped: reason }
  return { ...testCase, failure: { type: 'not-survived', message: reason } }
}
