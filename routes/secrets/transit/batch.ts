import { isJsonObject, type Json, JsonNumber, type JsonObject } from '../../../state/kernel/json.ts'
import { refuse } from '../../../state/secrets/transit/messages.ts'

/**
 * Names of the members that the items of a batch may have: `texts` are strings, `integers` are
 * whole numbers.
 */
export interface ItemForm {
  readonly texts: readonly string[]
  readonly integers: readonly string[]
  /**
   * Required members, each with its error message. If an item lacks one, the whole batch is refused
   * with this message.
   */
  readonly required?: Readonly<Record<string, string>>
}

/**
 * An item of a batch. `text` returns an empty string for a missing member, and `integer` returns 0.
 */
export interface BatchItem {
  /** Returns whether a text member is present, even if it is empty. */
  has(name: string): boolean
  text(name: string): string
  integer(name: string): number
}

/** Wraps the string parameters of a request that has no batch as a batch item. */
export function singleItem(texts: Readonly<Record<string, string>>): BatchItem {
  return {
    has: (name) => Object.hasOwn(texts, name),
    text: (name) => texts[name] ?? '',
    integer: () => 0,
  }
}

/**
 * Parses the items of a batch (behaviour/secrets#transit-batches).
 *
 * @throws Refusal `batch-empty` for an empty list; `batch-unreadable` for a value that is not a
 *   list, for an item that is not an object, and for invalid members of items, which the refusal
 *   lists
 */
export function batchItems(input: Json, form: ItemForm): BatchItem[] {
  const unreadable = (problems: string) => refuse('batch-unreadable', { problems })
  if (!Array.isArray(input)) {
    throw unreadable(`source data must be an array or slice, got ${goType(input)}`)
  }
  const problems: string[] = []
  const items = input.map((item, at) => {
    if (!isJsonObject(item)) throw unreadable(`[${at}] expected a map, got '${goType(item)}'`)
    return readItem(item, at, form, problems)
  })
  if (problems.length > 0) throw unreadable(problems.join('\n'))
  if (items.length === 0) throw refuse('batch-empty')
  return items
}

function readItem(item: JsonObject, at: number, form: ItemForm, problems: string[]): BatchItem {
  const texts = new Map<string, string>()
  const integers = new Map<string, number>()
  const isPresent = (name: string) => Object.hasOwn(item, name) && item[name] !== null
  const mismatch = (name: string, type: string) =>
    problems.push(
      `'[${at}].${name}' expected type '${type}', got unconvertible type '${goType(item[name] ?? null)}'`,
    )
  for (const name of form.texts) {
    const value = item[name]
    const missingMessage = form.required?.[name]
    if (typeof value === 'string') texts.set(name, value)
    else if (value === undefined && missingMessage !== undefined)
      problems.push(`'[${at}].${name}' ${missingMessage}`)
    else if (isPresent(name)) mismatch(name, 'string')
  }
  for (const name of form.integers) {
    const number = integerOf(item[name])
    if (number !== undefined) integers.set(name, number)
    else if (isPresent(name)) mismatch(name, 'int')
  }
  return {
    has: (name) => texts.has(name),
    text: (name) => texts.get(name) ?? '',
    integer: (name) => integers.get(name) ?? 0,
  }
}

function integerOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined
}

/** Returns the Go type of a JSON value, as it appears in error messages. */
function goType(value: Json): string {
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return '[]interface {}'
  if (typeof value === 'number' || value instanceof JsonNumber) return 'json.Number'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'string' ? 'string' : 'map[string]interface {}'
}
