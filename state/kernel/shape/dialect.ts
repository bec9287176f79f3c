import { setMember } from '../json.ts'
import { isObject } from '../objects.ts'
import type { ListShape, MapShape, Shape, StructShape, WordShape } from './kinds.ts'

/** Spelling of names: the specification's, or the vendor's. */
export type DialectName = 'neutral' | 'vendor'

/** Returns a word in the spelling of a dialect. */
export function wordIn({ vendor }: WordShape, word: string, dialect: DialectName): string {
  if (dialect === 'neutral' || vendor === undefined || !Object.hasOwn(vendor, word)) return word
  return vendor[word] ?? word
}

/**
 * Translates a value of a shape into a dialect: members, words and texts declared with
 * `translatedText` belong to the API and take the vendor's names. What callers chose, such as keys
 * of maps and other texts, stays unchanged.
 */
export function toDialect(value: unknown, shape: Shape, dialect: DialectName): unknown {
  return dialect === 'neutral' ? value : vendorValue(value, shape)
}

function vendorValue(value: unknown, shape: Shape): unknown {
  if (value === null || value === undefined) return value
  switch (shape.kind) {
    case 'nullable':
      return vendorValue(value, shape.to)
    case 'list':
      return Array.isArray(value) ? vendorList(value, shape) : value
    case 'map':
      return vendorMap(value, shape)
    case 'struct':
      return vendorStruct(value, shape)
    case 'union':
      return vendorUnion(value, shape.of)
    case 'text':
      return typeof value === 'string' ? (shape.translate?.(value) ?? value) : value
    case 'word':
      return typeof value === 'string' ? wordIn(shape, value, 'vendor') : value
    default:
      return value
  }
}

function vendorList(items: readonly unknown[], { of, orderedBy }: ListShape): unknown[] {
  const translated = items.map((item) => vendorValue(item, of))
  if (orderedBy === undefined) return translated
  // Translated names may sort differently.
  return translated.sort((a, b) => Buffer.compare(textOf(a, orderedBy), textOf(b, orderedBy)))
}

function textOf(item: unknown, name: string): Buffer {
  return Buffer.from(isObject(item) ? String(item[name]) : '')
}

function vendorMap(value: unknown, { of, keys }: MapShape): unknown {
  if (!isObject(value)) return value
  const translated: Record<string, unknown> = {}
  for (const [key, each] of Object.entries(value)) {
    setMember(translated, keys?.translate?.(key) ?? key, vendorValue(each, of))
  }
  return translated
}

function vendorStruct(value: unknown, declared: StructShape): unknown {
  if (!isObject(value)) return value
  const shape = declared.vendorAs?.(value) ?? declared
  const translated: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    if (shape.vendorSparse === true && isEmpty(member)) continue
    const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined
    const of = field?.shape ?? shape.others
    setMember(
      translated,
      field?.vendor ?? name,
      of === undefined ? member : vendorValue(member, of),
    )
  }
  return translated
}

/**
 * Translates a value of a union by the first shape that fits. Texts and maps contain no names of
 * the API.
 */
function vendorUnion(value: unknown, of: readonly Shape[]): unknown {
  const shape = of.find((each) => {
    if (each.kind === 'word') return each.words.some((word) => word === value)
    if (each.kind === 'list') return Array.isArray(value)
    return each.kind === 'struct' && hasOnly(each, value)
  })
  return shape === undefined ? value : vendorValue(value, shape)
}

function hasOnly({ fields }: StructShape, value: unknown): boolean {
  return isObject(value) && Object.keys(value).every((name) => Object.hasOwn(fields, name))
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0
  return value === null || value === '' || value === 0 || value === false
}
