import type { ExplainedRequest } from '../http/journal-hooks/api-explanations.ts'
import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
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
  request: ExplainedRequest,
  { outcome, rule, because }: Verdict,
): readonly Step[] {
  const first: Step = { check: 'world', passed: true, detail: world.id }
  const checks = (api.explanations?.checks ?? []).filter(
    ({ applies, rules }) => (applies?.(request) ?? true) || rules.includes(request.rule),
  )
  const operationStep: Step = {
    check: 'operation',
    passed: true,
    ...(operation && { detail: operation.id }),
  }
  if (rule === null) {
    const all = [first, ...checks.map(({ name }) => ({ check: name, passed: true })), operationStep]
    return outcome === 'served' ? all : [first]
  }
  const fallbackCheck = outcome === 'unmatched' ? 'route' : 'operation'
  const failing = failingCheck(checks, [rule, request.rule]) ?? fallbackCheck
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
