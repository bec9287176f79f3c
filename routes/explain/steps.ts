import type { Asked } from '../http/explains.ts'
import type { RequestRecord } from '../http/visit.ts'
import type { RequestOutcome } from '../journal/outcome.ts'

/** One check of a request. */
export interface Step {
  readonly check: string
  readonly passed: boolean
  readonly detail?: string
}

/** What became of a request, and why. */
interface Verdict {
  readonly outcome: RequestOutcome
  readonly rule: string | null
  readonly because: string
}

/**
 * The checks that were made, worked out from where the refusal belongs: nothing is noted of them
 * while a request is answered.
 */
export function stepsOf(
  { api, operation, world }: RequestRecord,
  asked: Asked,
  { outcome, rule, because }: Verdict,
): readonly Step[] {
  const first: Step = { check: 'world', passed: true, detail: world.id }
  const checks = (api.explains?.checks ?? []).filter(
    ({ applies, rules }) => (applies?.(asked) ?? true) || rules.includes(asked.rule),
  )
  const own: Step = { check: 'operation', passed: true, ...(operation && { detail: operation.id }) }
  if (rule === null) {
    const all = [first, ...checks.map(({ name }) => ({ check: name, passed: true })), own]
    return outcome === 'served' ? all : [first]
  }
  const usual = outcome === 'unmatched' ? 'route' : 'operation'
  const failing = failingCheck(checks, [rule, asked.rule]) ?? usual
  const at = checks.findIndex(({ name }) => name === failing)
  const before = at < 0 ? checks : checks.slice(0, at)
  return [
    first,
    ...before.map(({ name }) => ({ check: name, passed: true })),
    { check: failing, passed: false, detail: because },
  ]
}

function failingCheck(
  checks: readonly { name: string; rules: readonly string[] }[],
  rules: readonly string[],
) {
  return checks.find((check) => rules.some((rule) => check.rules.includes(rule)))?.name
}
