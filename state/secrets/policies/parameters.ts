import { isJsonObject, type Json, JsonNumber } from '../../kernel/json.ts'
import type { ParameterRules, Permissions } from './rules.ts'

/**
 * Tells whether a request's parameters are within a path's rules (behaviour/secrets#system,
 * Parameters): all required ones are there; none is denied; where any are allowed by name, all are.
 */
export function parametersPermit(
  { required, denied, allowed }: Permissions,
  input: Readonly<Record<string, Json>>,
): boolean {
  if (required.length === 0 && denied.size === 0 && allowed.size === 0) return true
  const entries = Object.entries(input).map(([name, value]) => [name.toLowerCase(), value] as const)
  if (!required.every((name) => entries.some(([present]) => present === name))) return false
  if (entries.length === 0) return true
  if (denied.has('*')) return false
  if (entries.some(([name, value]) => isListed(denied, name, value) === true)) return false
  if (allowed.size === 0) return true
  const others = allowed.has('*')
  return entries.every(([name, value]) => isListed(allowed, name, value) ?? others)
}

/** Tells whether the rules mean this value of a parameter; undefined when they do not name it. */
function isListed(rules: ParameterRules, name: string, value: Json): boolean | undefined {
  const values = rules.get(name)
  if (values === undefined) return undefined
  return values.length === 0 || values.some((quoteList) => matchesValue(quoteList, value))
}

/** Texts may have a `*` at their ends; everything else is meant literally. */
function matchesValue(quoteList: Json, value: Json): boolean {
  if (typeof quoteList === 'string' && typeof value === 'string')
    return globMatches(quoteList, value)
  return isSame(quoteList, value)
}

/** Matches a text with `*` at its start, its end or both; a lone `*` means itself. */
function globMatches(glob: string, text: string): boolean {
  if (glob.length < 2) return text === glob
  const isOpenStart = glob.startsWith('*')
  const isOpenEnd = glob.endsWith('*')
  if (isOpenStart && isOpenEnd) return text.includes(glob.slice(1, -1))
  if (isOpenStart) return text.endsWith(glob.slice(1))
  return isOpenEnd ? text.startsWith(glob.slice(0, -1)) : text === glob
}

function isSame(a: Json, b: Json): boolean {
  if (a instanceof JsonNumber || b instanceof JsonNumber) return Number(a) === Number(b)
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, at) => isSame(item, b[at] ?? null))
    )
  }
  if (isJsonObject(a)) {
    if (!isJsonObject(b)) return false
    const keys = Object.keys(a)
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && isSame(a[key] ?? null, b[key] ?? null))
    )
  }
  return a === b
}
