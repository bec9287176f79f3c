import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Case, writeSuites } from '../../../routes/report/junit-suites.ts'
import { formatTimestamp, wallClock } from '../../../state/kernel/time.ts'
import { ConfigError, reasonOf } from '../../config-error.ts'
import { type ComparedRequest, formatRequest } from './request.ts'
import type { SearchResult } from './search.ts'
import type { Finding } from './shrink.ts'

interface Comparison extends SearchResult {
  readonly service: string
  readonly dialect: string
  /** Address of the server, without credentials. */
  readonly against: string
  readonly seed: string
  /** Requests before each sequence. */
  readonly before: readonly ComparedRequest[]
}

/** Formats a finding: its kind, the requests, and both replies to the last one. */
function findingLines({ kind, requests, left, right }: Finding): readonly string[] {
  return [
    kind,
    ...requests.map((request) => `  ${formatRequest(request)}`),
    `    mock:   ${JSON.stringify(left)}`,
    `    server: ${JSON.stringify(right)}`,
  ]
}

/** Returns a summary of the comparison in one sentence. */
function summaryLine({ findings, known, tried, seed }: Comparison): string {
  const kinds = findings.length === 1 ? '1 kind' : `${findings.length} kinds`
  const others = known.length === 0 ? '' : `, and ${known.length} known`
  return `${tried} sequences with seed ${seed}: ${kinds} of differences${others}`
}

/**
 * Returns the output of the command: each finding, the known differences with their reasons, and a
 * summary.
 */
export function comparisonText(comparison: Comparison): string {
  const { findings, known } = comparison
  const parts = [
    ...findings.map((finding) => findingLines(finding).join('\n')),
    ...known.map(({ kind, reason, times }) => `known, ${times} times: ${kind}\n  ${reason}`),
    summaryLine(comparison),
  ]
  return `${parts.join('\n\n')}\n`
}

function comparisonMarkdown(comparison: Comparison): string {
  const { service, dialect, against, findings, known, before } = comparison
  const block = (lines: readonly string[]) => ['```text', ...lines, '```', '']
  const setUpHeading = before.length === 0 ? [] : ['Each sequence begins with:', '']
  return [
    `# Comparison of ${service}`,
    '',
    `With ${against}, dialect ${dialect}. ${summaryLine(comparison)}.`,
    '',
    ...setUpHeading,
    ...(before.length === 0 ? [] : block(before.map(formatRequest))),
    ...findings.flatMap((finding) => [
      `## ${finding.kind}`,
      '',
      ...block(findingLines(finding).slice(1)),
    ]),
    ...(known.length === 0 ? [] : ['## Known', '']),
    ...known.map(({ kind, reason, times }) => `- \`${kind}\` (${times} times): ${reason}`),
    '',
  ].join('\n')
}

/**
 * Formats the comparison as JUnit XML. Each kind of difference is a failed test, or a skipped one
 * if the difference is known. Without findings, there is one passing test.
 */
function comparisonJunit({ service, against, seed, tried, findings, known }: Comparison): string {
  const group = `comparison.${service}`
  const cases: readonly Case[] = [
    ...findings.map((finding) => ({
      group,
      name: finding.kind,
      failure: { type: 'difference', message: findingLines(finding).slice(1).join('\n') },
    })),
    ...known.map(({ kind, reason }) => ({ group, name: kind, skipped: reason })),
    ...(findings.length === 0 ? [{ group, name: 'no other differences' }] : []),
  ]
  return writeSuites([{ name: 'comparison', cases }], {
    subject: against,
    at: formatTimestamp(wallClock()),
    properties: { seed, sequences: tried },
  })
}

function comparisonJson({ findings, ...summary }: Comparison): string {
  const differences = findings.map(({ kind, requests, left, right }) => ({
    ...{ kind, requests, mock: left, server: right },
  }))
  return `${JSON.stringify({ ...summary, differences }, null, 2)}\n`
}

/**
 * Writes the report as Markdown, JUnit XML and JSON into a folder, which is created if missing.
 *
 * @throws {ConfigError} if the folder is not writable
 */
export function writeReports(flag: string, folder: string, comparison: Comparison): void {
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'comparison.md'), comparisonMarkdown(comparison))
    writeFileSync(join(folder, 'comparison.xml'), comparisonJunit(comparison))
    writeFileSync(join(folder, 'comparison.json'), comparisonJson(comparison))
  } catch (error) {
    throw new ConfigError(`--${flag}: cannot write to ${folder} (${reasonOf(error)})`)
  }
}
