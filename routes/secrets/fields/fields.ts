import { isBase64 } from '../../../state/go/base64.ts'
import { quoteGo } from '../../../state/go/text.ts'
import { formatGoValue } from '../../../state/json/go-value.ts'
import { JsonError, parseJson } from '../../../state/json/json.ts'
import {
  isJsonObject,
  type Json,
  JsonNumber,
  type JsonObject,
  setMember,
} from '../../../state/kernel/json.ts'
import type { Refusal } from '../../../state/kernel/refusal.ts'
import type { Field, Shape } from '../../../state/kernel/shape/kinds.ts'
import { fieldNameParam } from '../dialect/vendor-names.ts'
import { refuse } from '../messages.ts'
import {
  parseMap,
  parseWeakPairs,
  WeakTypeError,
  weakBoolean,
  weakFloat,
  weakInteger,
  weakIntegers,
  weakList,
  weakMap,
  weakNonNegativeSeconds,
  weakSeconds,
  weakString,
  weakStrings,
  weakUnsplitStrings,
} from './weak-types.ts'

/** Header values by canonical name (`Content-Type`). */
type Headers = { [name: string]: string[] }

/**
 * Converts a value to headers. The value is a list of `name:value`, or an object whose members are
 * strings, numbers or lists of these. The object may also be sent as JSON text or in base64. Throws
 * a `WeakTypeError` for other values.
 */
function weakHeaders(value: Json): Headers {
  const map = parseMap(value) ?? (typeof value === 'string' ? decodeMap(value) : undefined)
  const headers: Headers = {}
  if (map) {
    for (const [name, values] of Object.entries(map)) {
      for (const text of headerValues(name, values)) addHeader(headers, name, text)
    }
    return headers
  }
  for (const pair of weakList(value)) {
    const text = typeof pair === 'string' ? pair : ''
    const colon = text.indexOf(':')
    if (colon < 1) throw new WeakTypeError(`invalid key pair ${quoteGo(text)}`)
    addHeader(headers, text.slice(0, colon), text.slice(colon + 1))
  }
  return headers
}

function decodeMap(text: string): { [name: string]: Json } {
  if (text === '') throw new WeakTypeError("'data' being decoded is nil")
  const json = isBase64(text) ? Buffer.from(text, 'base64').toString() : text
  try {
    const value = parseJson(json)
    if (value === null) return {}
    if (isJsonObject(value)) return value
    throw new WeakTypeError(
      `json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`,
    )
  } catch (error) {
    if (error instanceof JsonError) throw new WeakTypeError(error.message)
    throw error
  }
}

function jsonKind(value: Json): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'string') return 'string'
  return typeof value === 'boolean' ? 'bool' : 'number'
}

function headerValues(name: string, values: Json): string[] {
  if (!Array.isArray(values)) {
    const text = headerText(values)
    if (text !== undefined) return [text]
    throw new WeakTypeError(`unrecognized type for ${formatAsText(values)}`)
  }
  return values.map((value) => {
    const text = headerText(value)
    if (text !== undefined) return text
    const formatted = formatGoValue(values)
    throw new WeakTypeError(`received non-string value for header key:${name}, val:${formatted}`)
  })
}

function headerText(value: Json): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || value instanceof JsonNumber) return String(value)
  return undefined
}

/**
 * Formats a value as Go's `%s` does: null becomes `%!s(<nil>)`, and true becomes `%!s(bool=true)`.
 */
function formatAsText(value: Json): string {
  if (value === null) return '%!s(<nil>)'
  return typeof value === 'boolean' ? `%!s(bool=${value})` : formatGoValue(value)
}

const headerNamePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

function addHeader(headers: Headers, name: string, value: string): void {
  const canonical = headerNamePattern.test(name)
    ? name.toLowerCase().replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())
    : name
  const known = Object.hasOwn(headers, canonical) ? headers[canonical] : undefined
  if (known) known.push(value)
  else setMember(headers, canonical, [value])
}

/** Declaration of a field: its shape, optionally with its presence and default. */
export type FieldSchema = Shape | Field

export type FieldSchemas = { readonly [name: string]: FieldSchema }

export interface FieldInfo {
  readonly shape: Shape
  readonly description: string
  /**
   * True if API documents mark the field as required. The conversion does not check this: the
   * operation itself refuses a request without the field.
   */
  readonly required: boolean
  readonly default: unknown
}

/**
 * Returns the properties of a field. A field that is only a shape is optional and has no default.
 */
export function fieldInfo(field: FieldSchema): FieldInfo {
  if (!('presence' in field)) {
    const { description = '' } = field
    return { shape: field, description, required: false, default: undefined }
  }
  const { shape, presence, description = shape.description ?? '', default: defaultValue } = field
  return { shape, description, required: presence === 'sent', default: defaultValue }
}

type ShapeOf<F> = F extends { readonly shape: infer S; readonly presence: unknown } ? S : F

type Kind<K> = { readonly kind: K }
type ListOf<K> = { readonly kind: 'list'; readonly of: Kind<K> }
type MapOf<K> = { readonly kind: 'map'; readonly of: Kind<K> }

/** The type to which a shape converts values. */
type ConvertedTo<S> =
  S extends Kind<'text'>
    ? string
    : S extends Kind<'int' | 'float'>
      ? number
      : S extends Kind<'bool'>
        ? boolean
        : S extends ListOf<'text'>
          ? string[]
          : S extends ListOf<'int'>
            ? number[]
            : S extends ListOf<'any'>
              ? Json[]
              : S extends MapOf<'text'>
                ? { [key: string]: string }
                : S extends MapOf<'list'>
                  ? Headers
                  : S extends MapOf<'any'>
                    ? JsonObject
                    : never

/** The type to which a field converts values. */
type FieldValue<F> = ConvertedTo<ShapeOf<F>>

/**
 * Converted fields by name. A field with a default is always present; other fields are present only
 * if the request has them.
 */
export type FieldValues<F extends FieldSchemas> = {
  [N in keyof F as F[N] extends { readonly default: unknown } ? N : never]: FieldValue<F[N]>
} & {
  [N in keyof F as F[N] extends { readonly default: unknown } ? never : N]?: FieldValue<F[N]>
}

/** Error for a field that cannot be converted (behaviour/secrets#refusals). */
export class FieldError extends Error {
  /** The refusal without the prefix that the service adds. */
  readonly refusal: Refusal

  constructor(field: string, value: Json, why: string) {
    const refusal = refuse('field-unconvertible', {
      value: formatGoValue(value),
      field: fieldNameParam(quoteGo(field).slice(1, -1)),
      why,
    }).withDetails({ field })
    super(refusal.message)
    this.name = 'FieldError'
    this.refusal = refusal
  }
}

/**
 * Returns the refusal for an invalid field. The message has a prefix, except on paths with an
 * existence check.
 */
export function toRefusal({ refusal }: FieldError, hasExistenceCheck: boolean): Refusal {
  return hasExistenceCheck
    ? refusal
    : refuse('field-validation-failed', { problem: refusal.reason }).withDetails(refusal.details)
}

type Convert = (value: Json) => unknown

function converterOf(shape: Shape): Convert {
  switch (shape.kind) {
    case 'text':
      return shape.format === 'lower' ? (value) => weakString(value).toLowerCase() : weakText
    case 'int':
      if (shape.format === 'duration') return weakNonNegativeSeconds
      return shape.format === 'signed-duration' ? weakSeconds : weakNumber
    case 'float':
      return weakFloat
    case 'bool':
      return weakBoolean
    case 'list':
      if (shape.of.kind === 'any') return weakList
      if (shape.of.kind !== 'text') return weakIntegers
      return shape.of.format === 'whole' ? weakUnsplitStrings : weakStrings
    case 'map':
      if (shape.of.kind === 'any') return weakMap
      return shape.of.kind === 'text' ? parseWeakPairs : weakHeaders
    default:
      throw new Error(`fields have no ${shape.kind}`)
  }
}

const weakText: Convert = (value) => weakString(value)
const weakNumber: Convert = (value) => weakInteger(value)

/**
 * Returns a function that creates a field's default value for each request, because handlers may
 * change the value. Returns undefined for a field without a default.
 */
function defaultOf({ shape, default: value }: FieldInfo): (() => unknown) | undefined {
  if (value === undefined) return undefined
  if (shape.kind === 'list' || shape.kind === 'map') return () => structuredClone(value)
  return () => value
}

/**
 * Compiles the conversion of an operation's fields. The conversion reads the declared fields in the
 * order of the declaration and ignores all others. Null stands for the zero value of the type; for
 * durations, null counts as a missing value.
 *
 * @throws FieldError (thrown by the conversion) for the first field that cannot be converted
 */
export function compileFields<const F extends FieldSchemas>(
  fields: F,
): (input: Readonly<JsonObject>) => FieldValues<F> {
  const fieldPlans = Object.entries<FieldSchema>(fields).map(([name, field]) => {
    const info = fieldInfo(field)
    const { shape } = info
    return {
      name,
      convert: converterOf(shape),
      nullIsAbsent: shape.kind === 'int' && shape.format !== undefined,
      fallback: defaultOf(info),
    }
  })
  return (input) => {
    const values: Record<string, unknown> = {}
    for (const { name, convert, nullIsAbsent, fallback } of fieldPlans) {
      const value = Object.hasOwn(input, name) ? input[name] : undefined
      if (value === undefined || (value === null && nullIsAbsent)) {
        if (fallback) values[name] = fallback()
        continue
      }
      try {
        values[name] = convert(value)
      } catch (error) {
        if (error instanceof WeakTypeError) throw new FieldError(name, value, error.message)
        throw error
      }
    }
    // The cast is safe, because each converter returns the type of its field. The compiler cannot
    // infer this from the loop.
    return values as FieldValues<F>
  }
}
