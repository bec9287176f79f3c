import type { JsonObject } from '../../state/kernel/json.ts'
import type { Found } from '../http/routing.ts'
import type { SecretsOperation, SecretsPlace } from './operation.ts'
import type { Outcome } from './outcome.ts'
import { say } from './texts.ts'
import { neutralField } from './vendor-names.ts'

/**
 * Remarks on parameters that were not used (1-secrets-decisions.md section 1, Unknown parameters).
 * Like the reference, a path knows the fields of all its operations. Names come back as they were
 * sent.
 */
export function withParameterWarnings(
  outcome: Outcome,
  operation: SecretsOperation,
  { place, params }: Found<SecretsOperation>,
  sent: JsonObject,
): Outcome {
  const hasWarnings = outcome.kind === 'envelope' || outcome.kind === 'spread'
  if (!hasWarnings || operation.anyFields) return outcome
  const ignored: string[] = []
  const replaced: string[] = []
  for (const name of Object.keys(sent)) {
    if (Object.hasOwn(params, name)) {
      if (sent[name] !== null) replaced.push(name)
    } else if (!knowsField(place, neutralField(name))) ignored.push(name)
  }
  if (ignored.length === 0 && replaced.length === 0) return outcome
  const warnings = [...(outcome.warnings ?? [])]
  if (ignored.length > 0) {
    warnings.push(say('parameters-ignored', { names: ignored.sort().join(' ') }))
  }
  if (replaced.length > 0) {
    warnings.push(say('parameters-replaced', { names: replaced.sort().join(' ') }))
  }
  return { ...outcome, warnings }
}

function knowsField({ operations }: SecretsPlace, name: string): boolean {
  for (const { fields } of operations.values()) if (Object.hasOwn(fields, name)) return true
  return false
}
