import { isJsonObject, type Json } from '../../json/json.ts'
import type { JsonSchema } from '../../kernel/schema.ts'
import { readObject, StructureError } from './structured-text.ts'
import { refuse } from './texts.ts'

/** The lists of a policy rule. */
const ruleLists = ['apiGroups', 'resources', 'resourceNames', 'verbs', 'nonResourceURLs'] as const

/** What a role of the orchestrator allows; lists that a rule does not have are left out. */
export type PolicyRule = Readonly<Partial<Record<(typeof ruleLists)[number], readonly string[]>>>

/** Shape of a `PolicyRule`. */
export const policyRuleSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    ruleLists.map((name) => [name, { type: 'array', items: { type: 'string' } }]),
  ),
}

/**
 * Reads `generated_role_rules`: JSON or YAML with a key `rules` that holds policy rules (1-secrets.md,
 * Orchestrator engine role). Further keys are passed over, as in the reference.
 *
 * @throws Refusal `invalid` for anything else, in bounded time.
 */
export function parseRoleRules(text: string): readonly PolicyRule[] {
  try {
    const rules = readObject(text)['rules']
    if (!Array.isArray(rules)) throw new StructureError('rules are missing')
    return rules.map(ruleOf)
  } catch (error) {
    if (!(error instanceof StructureError)) throw error
    throw refuse('role-rules-invalid')
  }
}

function ruleOf(value: Json): PolicyRule {
  if (!isJsonObject(value)) throw new StructureError('a rule is no object')
  return Object.fromEntries(
    ruleLists.flatMap((name) => {
      const list = Object.hasOwn(value, name) ? textsOf(value[name] ?? null) : undefined
      return list === undefined ? [] : [[name, list]]
    }),
  )
}

function textsOf(value: Json): string[] | undefined {
  if (value === null) return undefined
  if (!Array.isArray(value)) throw new StructureError('not a list')
  return value.map((item) => {
    if (typeof item !== 'string') throw new StructureError('not a text')
    return item
  })
}
