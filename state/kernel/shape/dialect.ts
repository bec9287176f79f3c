import { setMember } from '../json.ts'
import { isObject } from '../objects.ts'
import type { InParts } from '../parts.ts'
import type { ListShape, MapShape, Shape, StructShape, WordShape } from './kinds.ts'
import type { StoredOf } from './values.ts'

/** Spelling of names: the specification's, or the vendor's. */
export type DialectName = 'neutral' | 'vendor'

/** Returns a word in the spelling of a dialect. Most words have one spelling in both dialects. */
export function wordInDialect({ vendor }: WordShape, word: string, dialect: DialectName): string {
  if (dialect === 'neutral' || vendor === undefined || !Object.hasOwn(vendor, word)) return word
  return vendor[word] ?? word
}

/**
 * Returns a value of a shape in a dialect. In the vendor dialect, members, words and strings
 * declared with `translatedText` have the vendor's names. Members that only the neutral dialect has
 * are left out, and so are the empty members of an object that the vendor keeps sparse. Ordered
 * lists are sorted again. Map keys stay unchanged unless their shape translates them. All other
 * strings are chosen by callers and stay unchanged.
 */
export function toDialect(value: unknown, shape: Shape, dialect: DialectName): unknown {
  return dialect === 'neutral' ? value : vendorValue(value, shape)
}

/**
 * Returns a value in a dialect as `toDialect` does, with a pause after each item of a long list or
 * map.
 */
export function* toDialectInParts(
  value: unknown,
  shape: Shape,
  dialect: DialectName,
): InParts<unknown> {
  return dialect === 'neutral' ? value : yield* translateInParts(value, shape, {})
}

/**
 * Returns a value with its words and strings in the vendor's spelling. Members keep their neutral
 * names. Pauses after each item of a long list or map.
 */
export function* toVendorSpelling<const S extends StructShape>(
  value: StoredOf<S>,
  shape: S,
): InParts<StoredOf<S>> {
  return (yield* translateInParts(value, shape, { keepsNames: true })) as StoredOf<S>
}

interface TranslationOptions {
  /** True if members keep their neutral names. */
  readonly keepsNames?: boolean
  /**
   * Translations of the items of long lists and maps, by item. The items were translated earlier,
   * with pauses.
   */
  readonly translatedValues?: ReadonlyMap<object, unknown>
}

/** Number of items up to which a list or map is translated without a pause. */
const longListLength = 20

function* translateInParts(
  value: unknown,
  shape: Shape,
  options: TranslationOptions,
): InParts<unknown> {
  const translatedValues = new Map<object, unknown>()
  for (const [item, of] of itemsOfLongLists(value, shape)) {
    translatedValues.set(item, vendorValue(item, of, options))
    yield
  }
  return vendorValue(value, shape, { ...options, translatedValues })
}

/**
 * Yields the objects in the outermost lists and maps of more than `longListLength` items, with
 * their shapes.
 */
function* itemsOfLongLists(value: unknown, shape: Shape): Generator<[object, Shape]> {
  if (shape.kind === 'nullable') yield* itemsOfLongLists(value, shape.to)
  if (shape.kind === 'list' || shape.kind === 'map') {
    const items = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []
    for (const item of items) {
      if (items.length <= longListLength) yield* itemsOfLongLists(item, shape.of)
      else if (typeof item === 'object' && item !== null) yield [item, shape.of]
    }
  }
  if (shape.kind !== 'struct' || !isObject(value)) return
  for (const [name, field] of Object.entries(shape.fields)) {
    yield* itemsOfLongLists(value[name], field.shape)
  }
}

function vendorValue(value: unknown, shape: Shape, options: TranslationOptions = {}): unknown {
  if (value === null || value === undefined) return value
  if (typeof value === 'object' && options.translatedValues?.has(value))
    return options.translatedValues.get(value)
  switch (shape.kind) {
    case 'nullable':
      return vendorValue(value, shape.to, options)
    case 'list':
      return Array.isArray(value) ? vendorList(value, shape, options) : value
    case 'map':
      return vendorMap(value, shape, options)
    case 'struct':
      return vendorStruct(value, shape, options)
    case 'union':
      return vendorUnion(value, shape.of, options)
    case 'text':
      return typeof value === 'string' ? (shape.translate?.(value) ?? value) : value
    case 'word':
      return typeof value === 'string' ? wordInDialect(shape, value, 'vendor') : value
    default:
      return value
  }
}

function vendorList(
  items: readonly unknown[],
  { of, orderedBy }: ListShape,
  options: TranslationOptions,
): unknown[] {
  const translated = items.map((item) => vendorValue(item, of, options))
  if (orderedBy === undefined) return translated
  // Translated names may sort in another order.
  const itemsWithSortKeys = translated.map((item) => ({ item, name: sortKeyOf(item, orderedBy) }))
  return itemsWithSortKeys.sort((a, b) => Buffer.compare(a.name, b.name)).map(({ item }) => item)
}

function sortKeyOf(item: unknown, name: string): Buffer {
  return Buffer.from(isObject(item) ? String(item[name]) : '')
}

function vendorMap(value: unknown, { of, keys }: MapShape, options: TranslationOptions): unknown {
  if (!isObject(value)) return value
  const translated: Record<string, unknown> = {}
  for (const [key, each] of Object.entries(value)) {
    setMember(translated, keys?.translate?.(key) ?? key, vendorValue(each, of, options))
  }
  return translated
}

function vendorStruct(value: unknown, declared: StructShape, options: TranslationOptions): unknown {
  if (!isObject(value)) return value
  const { keepsNames = false } = options
  const shape = declared.vendorAs?.(value) ?? declared
  const translated: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined
    if (!keepsNames) {
      if (field?.isNeutralOnly === true) continue
      if (shape.vendorSparse === true && isEmpty(member, field?.shape)) continue
    }
    const of = field?.shape ?? shape.others
    setMember(
      translated,
      (keepsNames ? undefined : field?.vendor) ?? name,
      of === undefined ? member : vendorValue(member, of, options),
    )
  }
  return translated
}

/**
 * Translates a value of a union by the first shape that fits. A value that fits no shape of a word,
 * list or object contains no names of the API, so it is returned unchanged.
 */
function vendorUnion(value: unknown, of: readonly Shape[], options: TranslationOptions): unknown {
  const shape = of.find((each) => {
    if (each.kind === 'word') return each.words.some((word) => word === value)
    if (each.kind === 'list') return Array.isArray(value)
    return each.kind === 'struct' && hasOnly(each, value)
  })
  return shape === undefined ? value : vendorValue(value, shape, options)
}

function hasOnly({ fields }: StructShape, value: unknown): boolean {
  return isObject(value) && Object.keys(value).every((name) => Object.hasOwn(fields, name))
}

/**
 * Returns true if a value is empty as in Go: a zero value, a list or map without entries, or an
 * object whose members are all empty. An object behind a pointer, which has the kind `nullable`, is
 * not empty if it has members.
 */
function isEmpty(value: unknown, shape?: Shape): boolean {
  if (typeof value === 'object' && value !== null) {
    const members: readonly unknown[] = Object.values(value)
    return shape?.kind === 'struct' ? members.every((each) => isEmpty(each)) : members.length === 0
  }
  return value === null || value === '' || value === 0 || value === false
}
