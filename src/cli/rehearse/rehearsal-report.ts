import { type Case, writeSuites } from '../../../routes/report/junit-suites.ts'
import { greatest } from '../../../state/kernel/lists.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'

/** Result of running the command with one failure. */
export interface Trial {
  readonly preset: string
  /**
   * Null if the preset cannot be applied in this world, or if it affected no request and the
   * command succeeded. Such trials are not counted.
   */
  readonly survived: boolean | null
  /**
   * Reason why the command did not survive, or why the trial is not counted; null if the command
   * survived.
   */
  readonly reason: string | null
  readonly hits: number
  readonly retries: number
  readonly durationMs: number
  /**
   * Name of the trace file in the folder of the report; only present if the command did not survive
   * the failure.
   */
  readonly trace?: string
}

export interface Rehearsal {
  readonly command: readonly string[]
  /** Run of the command without failures. */
  readonly undisturbed: {
    readonly requests: number
    readonly durationMs: number
    /** Reason why this run failed; missing if the run succeeded. */
    readonly reason?: string
    /** Name of the trace file of this run; missing if there is no trace. */
    readonly trace?: string | undefined
  }
  readonly trials: readonly Trial[]
  /** Number of counted trials in which the command succeeded. */
  readonly survived: number
  readonly tried: number
  readonly percent: number
  /** Minimum percentage; the rehearsal fails below it. */
  readonly failUnder: number
  readonly passed: boolean
}

export function summarizeRehearsal(
  results: Pick<Rehearsal, 'command' | 'undisturbed' | 'trials' | 'failUnder'>,
): Rehearsal {
  const tried = results.trials.filter(({ survived }) => survived !== null)
  const survived = tried.filter((trial) => trial.survived === true).length
  const percent = tried.length === 0 ? 100 : Math.round((survived / tried.length) * 1000) / 10
  const passed =
    results.undisturbed.reason === undefined && survived * 100 >= results.failUnder * tried.length
  return { ...results, survived, tried: tried.length, percent, passed }
}

/** Reason for a trial whose failure affected no request. */
export const notUsedReason = 'not used: no request met this failure'

const headings = ['preset', 'survived', 'requests hit', 'retries seen', 'duration'] as const

function tableCells({
  preset,
  survived,
  reason,
  hits,
  retries,
  durationMs,
}: Trial): readonly string[] {
  if (survived === null) {
    return [preset, reason === notUsedReason ? 'not used' : 'not tried', '-', '-', '-']
  }
  return [preset, survived ? 'yes' : 'no', `${hits}`, `${retries}`, formatSeconds(durationMs)]
}

export function formatSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`
}

/** Returns the table that the command prints. */
export function tableText({ trials }: Rehearsal): string {
  const rows = [headings, ...trials.map(tableCells)]
  const widths = headings.map((_, at) => greatest(rows.map((row) => row[at]?.length ?? 0)))
  return rows
    .map((row) => `${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('')
}

/** Returns a summary of the rehearsal in one sentence. */
export function summaryLine({ survived, tried, percent, failUnder }: Rehearsal): string {
  return `${survived} of ${tried} survived: ${percent} % (${failUnder} % required)`
}

export function rehearsalMarkdown(rehearsal: Rehearsal): string {
  const { command, undisturbed, trials } = rehearsal
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const reasonLine = (name: string, { reason, trace }: Pick<Trial, 'trace'> & { reason: string }) =>
    `- ${name}: ${reason}${trace === undefined ? '' : ` ([trace](${trace}))`}`
  const { reason: failure, trace } = undisturbed
  const reasons = [
    ...(failure === undefined
      ? []
      : [
          reasonLine('without faults', {
            reason: failure,
            ...(trace === undefined ? {} : { trace }),
          }),
        ]),
    ...trials.flatMap(({ reason, ...trial }) =>
      reason === null ? [] : [reasonLine(`\`${trial.preset}\``, { ...trial, reason })],
    ),
  ]
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

/**
 * Formats the rehearsal as JUnit XML: a test for each preset and, if the run without faults failed,
 * a failed test for that run.
 */
export function rehearsalJunit({ command, undisturbed, trials }: Rehearsal, now: number): string {
  const cases = [...undisturbedCases(undisturbed), ...trials.map(junitCase)]
  return writeSuites([{ name: 'rehearsal', cases }], {
    subject: command.join(' '),
    at: formatTimestamp(now),
    properties: { requests: undisturbed.requests },
  })
}

/** Returns a failed test case for the run without faults; an empty list if that run succeeded. */
function undisturbedCases({ reason, trace, durationMs }: Rehearsal['undisturbed']): Case[] {
  if (reason === undefined) return []
  const failure = { type: 'failed', message: withTrace(reason, trace) }
  return [{ group: 'rehearsal', name: 'without faults', seconds: durationMs / 1000, failure }]
}

function withTrace(reason: string, trace: string | undefined): string {
  return trace === undefined ? reason : `${reason}; trace: ${trace}`
}

function junitCase({ preset, survived, reason, durationMs, trace }: Trial): Case {
  const [service = ''] = preset.split('-')
  const testCase = { group: `rehearsal.${service}`, name: preset, seconds: durationMs / 1000 }
  if (survived === true || reason === null) return testCase
  if (survived === null) return { ...testCase, skipped: reason }
  return { ...testCase, failure: { type: 'not-survived', message: withTrace(reason, trace) } }
}
