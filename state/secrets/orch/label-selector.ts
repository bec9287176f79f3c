import { isJsonObject, type Json } from '../../kernel/json.ts'
import { refuse } from './messages.ts'
import { readObject, StructureError } from './structured-text.ts'

/** Requirements, all of which a set of labels must meet. */
type LabelSelector = readonly Requirement[]

interface Requirement {
  readonly key: string
  readonly operator: (typeof operators)[number]
  readonly values: readonly string[]
}

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const

/**
 * Parses `allowed_orch_namespace_selector`: JSON or YAML with `matchLabels` and `matchExpressions`.
 *
 * @throws Refusal `invalid` for other strings
 */
export function parseLabelSelector(text: string): LabelSelector {
  try {
    const selector = readObject(text)
    return [
      ...labelsOf(selector['matchLabels'] ?? null),
      ...expressionsOf(selector['matchExpressions'] ?? null),
    ]
  } catch (error) {
    if (!(error instanceof StructureError)) throw error
    throw refuse('label-selector-invalid')
  }
}

/** Returns whether labels meet all requirements. Any labels meet an empty selector. */
export function matchesSelector(
  selector: LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean {
  return selector.every((requirement) => matchesRequirement(requirement, labels))
}

function matchesRequirement(
  { key, operator, values }: Requirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
  }
}

function labelsOf(value: Json): Requirement[] {
  if (value === null) return []
  if (!isJsonObject(value)) throw new StructureError('not an object')
  return Object.entries(value).map(([key, label]) => ({
    key,
    operator: 'In',
    values: [textOf(label)],
  }))
}

function expressionsOf(value: Json): Requirement[] {
  if (value === null) return []
  if (!Array.isArray(value)) throw new StructureError('not a list')
  return value.map((item) => {
    if (!isJsonObject(item)) throw new StructureError('not an object')
    const operator = operators.find((known) => known === item['operator'])
    const values = item['values'] ?? []
    if (operator === undefined || !Array.isArray(values)) throw new StructureError('not a rule')
    const needsValues = operator === 'In' || operator === 'NotIn'
    if (needsValues !== values.length > 0) throw new StructureError('wrong number of values')
    return { key: textOf(item['key'] ?? null), operator, values: values.map(textOf) }
  })
}

function textOf(value: Json): string {
  if (typeof value !== 'string') throw new StructureError('not a text')
  return value
}
