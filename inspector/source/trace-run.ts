import type { Trace } from '../../routes/trace/trace.ts'
import { formatMilliseconds } from '../pure/text.ts'
import type { RunDescription } from './source.ts'

/** Describes the run of a trace for the banner. */
export function describeRun({ run, version, unattributed, controlCalls }: Trace): RunDescription {
  const { test, command, exitCode, startedAt, writtenAt, flags, fixtures, dialect } = run
  const duration = formatMilliseconds(Date.parse(writtenAt) - Date.parse(startedAt))
  const title =
    test !== undefined
      ? `${test.title} (${test.file}): ${test.result}`
      : command.length > 0
        ? `${command.join(' ')}: ${exitCode === null ? 'no exit code' : `exit code ${exitCode}`}`
        : 'Requested from a running server'
  const addresses = Object.entries(run.addresses).map(([name, address]) => `${name}=${address}`)
  const details = [
    ...(test?.error === undefined ? [] : [test.error.text, test.error.at ?? '']),
    `Began ${startedAt}, took ${duration}; infra-understudy ${version}, dialect ${dialect}`,
    flags.length === 0 ? '' : `Flags: ${flags.join(' ')}`,
    fixtures.length === 0 ? '' : `Fixtures: ${fixtures.join(', ')}`,
    addresses.length === 0 ? '' : `Addresses: ${addresses.join(' ')}`,
  ]
  return {
    title,
    details: details.filter((line) => line !== ''),
    failed: test?.result === 'failed' || (exitCode ?? 0) !== 0,
    warning: run.keepsValues
      ? 'This trace holds secrets: it was written with --trace-values.'
      : undefined,
    unattributed,
    controlCalls,
  }
}
