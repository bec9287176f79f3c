/**
 * Sends random requests (valid, broken and hostile) to all APIs and the control plane. Exits with 1
 * if a reply violates a rule: `npm run fuzz -- [--requests N] [--seed N] [--dialect
 * neutral|vendor|both] [--minutes N]`, or the variables N, SEED, DIALECT and MINUTES.
 */
import { apiNames } from '../../src/api-names.ts'
import { controlTarget } from './control-target.ts'
import { type Finding, fuzz } from './fuzz.ts'
import { readOptions } from './options.ts'
import { apiTarget, type Target } from './target.ts'

const { requests, seed, dialects, minutes } = readOptions(process.argv.slice(2), process.env)
const end = Date.now() + minutes * 60_000
const print = (line: string) => process.stdout.write(`${line}\n`)

const makers: (() => Promise<Target>)[] = dialects.flatMap((dialect) => [
  ...apiNames.map((name) => () => apiTarget(name, dialect)),
  () => controlTarget(dialect),
])
const each = Math.ceil(requests / makers.length)
print(`seed ${seed}, ${each} requests to each of ${makers.length} targets`)

/**
 * Prints findings, grouped by kind. Called after each target, so that an interrupted run has
 * printed its findings.
 */
function printFindings(findings: readonly Finding[]): void {
  const byKind = new Map<string, Finding[]>()
  for (const finding of findings) {
    const kind = `${finding.target}: ${finding.what.replace(/\d+/g, 'N').slice(0, 60)} ${finding.request.method} ${finding.request.url
      .split('?')[0]
      ?.replace(/[0-9a-f-]{8,}/g, '…')
      .slice(0, 60)}`
    byKind.set(kind, [...(byKind.get(kind) ?? []), finding])
  }
  for (const [kind, [first, ...others]] of byKind) {
    print(`\n${kind}${others.length > 0 ? ` (and ${others.length} more)` : ''}`)
    print(`  ${first?.what}`)
    print(`  ${JSON.stringify(first?.request).slice(0, 800)}`)
    print(`  ${first?.answer.slice(0, 1500)}`)
  }
}

let found = 0
for (const make of makers) {
  const begun = performance.now()
  const target = await make()
  const outcome = await fuzz(target, { requests: each, seed, stop: () => Date.now() > end })
  await target.close()
  found += outcome.findings.length
  const statuses = [...outcome.statuses].sort(([a], [b]) => a - b).map((pair) => pair.join(': '))
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  print(
    `${target.name}: ${outcome.requests} requests in ${seconds} s; longest ${Math.round(outcome.longest)} ms; ${statuses.join(', ')}`,
  )
  if (outcome.heap.length > 0) print(`  heap after each round, MB: ${outcome.heap.join(' ')}`)
  printFindings(outcome.findings)
}

print(found === 0 ? 'nothing found' : `${found} findings`)
process.exitCode = found === 0 ? 0 : 1
