import { compareBytewise } from '../../json/json.ts'
import { constraintName, free, isConvertible, type Spend } from './types.ts'
import type { HclType } from './values.ts'

type Attributes = Extract<HclType, { kind: 'object' }>['attributes']

/** Why values of one type cannot be converted to another, in the reference's words. */
export function mismatch(got: HclType, want: HclType, spend: Spend = free): string {
  if (typeof got === 'string' || typeof want === 'string') return required(want)
  if (got.kind === 'object' && want.kind === 'object') {
    return mismatchOfObjects(got.attributes, want.attributes, spend)
  }
  if (!('of' in want)) return required(want)
  const { kind, of } = want
  if ('of' in got) {
    if ((kind === 'map') !== (got.kind === 'map')) return required(want)
    return `incorrect ${kind} element type: ${mismatch(got.of, of, spend)}`
  }
  if ((kind === 'map') !== (got.kind === 'object')) return required(want)
  if (of === 'any') return `all ${kind} elements must have the same type`
  const items: readonly (readonly [string, HclType])[] =
    got.kind === 'tuple'
      ? got.items.map((type, index) => [String(index), type])
      : sorted(got.attributes).map(([name, { type }]) => [JSON.stringify(name), type])
  const wrong = items.find(([, type]) => !isConvertible(type, of, spend))
  if (wrong === undefined) return `all elements must be ${constraintName(of)}`
  return `element ${wrong[0]}: ${mismatch(wrong[1], of, spend)}`
}

function required(want: HclType): string {
  return `${constraintName(want)} required`
}

function mismatchOfObjects(got: Attributes, want: Attributes, spend: Spend): string {
  const missing: string[] = []
  let wrong: string | undefined
  for (const [name, { type, optional }] of sorted(want)) {
    const found = got.get(name)
    if (found !== undefined) {
      if (wrong === undefined && !isConvertible(found.type, type, spend)) {
        wrong = `attribute ${JSON.stringify(name)}: ${mismatch(found.type, type, spend)}`
      }
    } else if (!optional) {
      missing.push(JSON.stringify(name))
    }
  }
  const last = missing.pop()
  if (last === undefined) return wrong ?? 'incorrect object attributes'
  if (missing.length === 0) return `attribute ${last} is required`
  const comma = missing.length > 1 ? ',' : ''
  return `attributes ${missing.join(', ')}${comma} and ${last} are required`
}

function sorted<V>(map: ReadonlyMap<string, V>): [string, V][] {
  return [...map].sort(([a], [b]) => compareBytewise(a, b))
}
