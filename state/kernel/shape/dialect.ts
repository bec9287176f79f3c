import { setMember } from '../json.ts'
import { isObject } from '../objects.ts'
import type { ListShape, MapShape, Shape, StructShape, WordShape } from './kinds.ts'
import type { StoredOf } from './values.ts'

/** Spelling of names: the specification's, or the vendor's. */
export type DialectName = 'neutral' | 'vendor'

/** Returns a word in the spelling of a dialect. */
export function wordIn({ vendor }: WordShape, word: string, dialect: DialectName): string {
  if (dialect === 'neutral' || vendor === undefined || !Object.hasOwn(vendor, word)) return word
  return vendor[word] ?? word
}

/**
 * Translates a value of a shape into a dialect: members, words and strings declared with
 * `translatedText` belong to the API and take the vendor's names. Map keys and all other strings
 * are chosen by callers and stay unchanged.
 */
export function toDialect(value: unknown, shape: Shape, dialect: DialectName): unknown {
  return dialect === 'neutral' ? value : vendorValue(value, shape)
}

/**
 * Translates the words and strings of a value into the vendor's spelling, and keeps the names of
 * its members.
 */
export function toVendorSpelling<const S extends StructShape>(
  value: StoredOf<S>,
  shape: S,
): StoredOf<S> {
  return vendorValue(value, shape, true) as StoredOf<S>
}

function vendorValue(value: unknown, shape: Shape, keepsNames = false): unknown {
  if (value === null || value === undefined) return value
  switch (shape.kind) {
    case 'nullable':
      return vendorValue(value, shape.to, keepsNames)
    case 'list':
      return Array.isArray(value) ? vendorList(value, shape, keepsNames) : value
    case 'map':
      return vendorMap(value, shape, keepsNames)
    case 'struct':
      return vendorStruct(value, shape, keepsNames)
    case 'union':
      return vendorUnion(value, shape.of, keepsNames)
    case 'text':
      return typeof value === 'string' ? (shape.translate?.(value) ?? value) : value
    case 'word':
      return typeof value === 'string' ? wordIn(shape, value, 'vendor') : value
    default:
      return value
  }
}

function vendorList(
  items: readonly unknown[],
  { of, orderedBy }: ListShape,
  keepsNames: boolean,
): unknown[] {
  const translated = items.map((item) => vendorValue(item, of, keepsNames))
  if (orderedBy === undefined) return translated
  // Translated names may sort differently.
  return translated.sort((a, b) => Buffer.compare(textOf(a, orderedBy), textOf(b, orderedBy)))
}

function textOf(item: unknown, name: string): Buffer {
  return Buffer.from(isObject(item) ? String(item[name]) : '')
}

function vendorMap(value: unknown, { of, keys }: MapShape, keepsNames: boolean): unknown {
  if (!isObject(value)) return value
  const translated: Record<string, unknown> = {}
  for (const [key, each] of Object.entries(value)) {
    setMember(translated, keys?.translate?.(key) ?? key, vendorValue(each, of, keepsNames))
  }
  return translated
}

function vendorStruct(value: unknown, declared: StructShape, keepsNames: boolean): unknown {
  if (!isObject(value)) return value
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
      of === undefined ? member : vendorValue(member, of, keepsNames),
    )
  }
  return translated
}

/**
 * Translates a value of a union by the first shape that fits. Values that only fit a string or a
 * map are returned unchanged, because they contain no names of the API.
 */
function vendorUnion(value: unknown, of: readonly Shape[], keepsNames: boolean): unknown {
  const shape = of.find((each) => {
    if (each.kind === 'word') return each.words.some((word) => word === value)
    if (each.kind === 'list') return Array.isArray(value)
    return each.kind === 'struct' && hasOnly(each, value)
  })
  return shape === undefined ? value : vendorValue(value, shape, keepsNames)
}

function hasOnly({ fields }: StructShape, value: unknown): boolean {
  return isObject(value) && Object.keys(value).every((name) => Object.hasOwn(fields, name))
}

/**
 * Returns true if a value is empty as in Go: a zero value, a list or map without entries, or an
 * object whose members are all empty. An object behind a pointer is not empty.
 */
function isEmpty(value: unknown, shape?: Shape): boolean {
  if (typeof value === 'object' && value !== null) {
    const members: readonly unknown[] = Object.values(value)
    return shape?.kind === 'struct' ? members.every((each) => isEmpty(each)) : members.length === 0
  }
  return value === null || value === '' || value === 0 || value === false
}
