import { isJsonObject, type Json } from '../../kernel/json.ts'
import { list, text } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { refuse } from './messages.ts'
import { readObject, StructureError } from './structured-text.ts'

/** A policy rule of the orchestrator's RBAC. Members that are left out are empty. */
export const policyRuleShape = struct({
  apiGroups: optional(list(text)),
  resources: optional(list(text)),
  resourceNames: optional(list(text)),
  verbs: optional(list(text)),
  nonResourceURLs: optional(list(text)),
})

export interface PolicyRule extends StoredOf<typeof policyRuleShape> {}

const ruleLists = Object.keys(policyRuleShape.fields)

/**
 * Parses `generated_role_rules`: a JSON or YAML object whose key `rules` contains a list of policy
 * rules (behaviour/secrets#api-orch). Ignores other keys, as in the reference.
 *
 * @throws Refusal `invalid` for other strings, and for texts that would take too long to parse
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
  if (!isJsonObject(value)) throw new StructureError('a rule is not an object')
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
