import { compareBytewise } from '../../json/json.ts'
import { noCharge, type Spend } from './types.ts'
import { type HclSequence, type HclValue, isMapping, isNumber, isSequence } from './values.ts'

/** Returns whether two values have the same type and are equal. */
export function equalValues(one: HclValue, other: HclValue, spend: Spend = noCharge): boolean {
  spend(1)
  if (one === other) return true
  if (isSequence(one)) {
    return (
      isSequence(other) &&
      one.kind === other.kind &&
      one.items.length === other.items.length &&
      one.items.every((item, index) => equalValues(item, other.items[index] ?? null, spend))
    )
  }
  if (!isMapping(one) || !isMapping(other)) return false
  if (one.kind !== other.kind || one.entries.size !== other.entries.size) return false
  return [...one.entries].every(([key, item]) => {
    const found = other.entries.get(key)
    return found !== undefined && equalValues(item, found, spend)
  })
}

/**
 * Returns the set of these values without duplicates. Numbers are sorted by size, strings by their
 * bytes and collections by their content; false precedes true, and nulls come last.
 */
export function setOf(items: Iterable<HclValue>, spend: Spend = noCharge): HclSequence {
  const distinct = new Map<string, HclValue>()
  for (const item of items) {
    const key = valueKey(item, spend)
    if (!distinct.has(key)) distinct.set(key, item)
  }
  const ordered = [...distinct].sort(([keyA, a], [keyB, b]) => {
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : 0
    if (typeof a === 'string' && typeof b === 'string') return compareBytewise(a, b)
    return compareBytewise(keyA, keyB)
  })
  return { kind: 'set', items: ordered.map(([, item]) => item) }
}

/** Returns a key that is equal for equal values and differs for different values of one type. */
export function valueKey(value: HclValue, spend: Spend = noCharge): string {
  spend(1)
  if (value === null) return '~'
  switch (typeof value) {
    case 'string':
      spend(value.length)
      return JSON.stringify(value)
    case 'number':
    case 'bigint':
      return String(value)
    case 'boolean':
      return value ? 'T' : 'F'
  }
  if (isSequence(value)) {
    const items = value.items.map((item) => `${valueKey(item, spend)};`).join('')
    return value.kind === 'tuple' ? `<${items}>` : `[${items}]`
  }
  const entries = [...value.entries].sort(([a], [b]) => compareBytewise(a, b))
  const members = entries.map(([key, item]) => `${valueKey(key, spend)}:${valueKey(item, spend)};`)
  return value.kind === 'object' ? `<${members.join('')}>` : `{${members.join('')}}`
}
