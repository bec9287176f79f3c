import type { ExplainedRequest } from '../http/journal-hooks/api-explanations.ts'
import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import type { RequestOutcome } from '../journal/outcome.ts'

/** One check of a request. */
export interface Step {
  readonly check: string
  readonly passed: boolean
  readonly detail?: string
}

/** Outcome of a request and its reason. */
interface Verdict {
  readonly outcome: RequestOutcome
  readonly rule: string | null
  readonly because: string
}

/**
 * Returns the recorded checks of a request, the failed one last. A request that was refused before
 * its API handled it has no recorded checks; then the rule of the refusal determines the failed
 * check.
 */
export function stepsOf(
  record: RequestRecord,
  request: ExplainedRequest,
  { outcome, rule, because }: Verdict,
): readonly Step[] {
  const { api, operation, world, checksMade, hasPassedChecks } = record
  const first: Step = { check: 'world', passed: true, detail: world.id }
  const all = api.explanations?.checks ?? []
  const checks =
    checksMade === 0
      ? all.filter(
          ({ applies, rules }) => (applies?.(request) ?? true) || rules.includes(request.rule),
        )
      : all.filter((_check, at) => (checksMade & (1 << at)) !== 0)
  const operationStep: Step = {
    check: 'operation',
    passed: true,
    ...(operation && { detail: operation.id }),
  }
  if (rule === null) {
    const passed = [
      first,
      ...checks.map(({ name }) => ({ check: name, passed: true })),
      operationStep,
    ]
    return outcome === 'served' ? passed : [first]
  }
  const fallbackCheck = outcome === 'unmatched' ? 'route' : 'operation'
  const failing =
    checksMade === 0
      ? (failingCheck(checks, [rule, request.rule]) ?? fallbackCheck)
      : hasPassedChecks
        ? fallbackCheck
        : (checks.at(-1)?.name ?? fallbackCheck)
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
