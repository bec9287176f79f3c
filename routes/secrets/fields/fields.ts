import { quoteGo } from '../../../state/go/text.ts'
import type { Json, JsonObject } from '../../../state/kernel/json.ts'
import type { Refusal } from '../../../state/kernel/refusal.ts'
import { fieldFact } from '../dialect/vendor-names.ts'
import { refuse } from '../texts.ts'
import { type Headers, weakHeaders } from './header-field.ts'
import {
  formatGoValue,
  WeakTypeError,
  weakBoolean,
  weakInteger,
  weakIntegers,
  weakList,
  weakMap,
  weakPairs,
  weakPositiveSeconds,
  weakSeconds,
  weakString,
  weakStrings,
} from './weak-types.ts'

interface Described {
  readonly description: string
  /** Only documents: what a missing field means is the operation's to answer, in its own words. */
  readonly required?: true
}

/** Text; with `lower` in lower case. Numbers keep their literal, true is `1` and false `0`. */
interface StringField extends Described {
  readonly type: 'string'
  readonly format?: 'lower'
  readonly default?: string
}

/**
 * A whole number. With `duration` seconds from a Go duration, a number of seconds or of days (`2d`),
 * below zero refused; `signed-duration` allows that.
 */
interface IntegerField extends Described {
  readonly type: 'integer'
  readonly format?: 'duration' | 'signed-duration'
  readonly default?: number
}

interface BooleanField extends Described {
  readonly type: 'boolean'
  readonly default?: boolean
}

/**
 * A list: of trimmed texts when `items` are strings, of whole numbers when they are integers (both
 * also from a comma string), of anything when there is no `items`.
 */
type ArrayField = StringsField | IntegersField | ListField

interface StringsField extends Described {
  readonly type: 'array'
  readonly items: { readonly type: 'string' }
  readonly default?: readonly string[]
}

interface IntegersField extends Described {
  readonly type: 'array'
  readonly items: { readonly type: 'integer' }
  readonly default?: readonly number[]
}

interface ListField extends Described {
  readonly type: 'array'
  readonly items?: never
  readonly default?: readonly Json[]
}

/** Any object; with `key-value` text by key, also from `k=v` texts; with `header` HTTP headers. */
interface ObjectField extends Described {
  readonly type: 'object'
  readonly format?: 'key-value' | 'header'
  readonly default?: { readonly [key: string]: never }
}

/**
 * How a path declares one of its fields: a property of a JSON Schema, so that OpenAPI and help can
 * show it as it is. It says what clients should send; conversion also takes what the weakly typed
 * service takes (1-secrets-decisions.md section 0, Weak typing).
 */
export type FieldSchema = StringField | IntegerField | BooleanField | ArrayField | ObjectField

/** The fields of a path by name. */
export type FieldSchemas = { readonly [name: string]: FieldSchema }

/** What a field converts to. */
export type FieldValue<S extends FieldSchema> = S extends StringField
  ? string
  : S extends IntegerField
    ? number
    : S extends BooleanField
      ? boolean
      : S extends StringsField
        ? string[]
        : S extends IntegersField
          ? number[]
          : S extends ListField
            ? Json[]
            : S extends { readonly format: 'key-value' }
              ? { [key: string]: string }
              : S extends { readonly format: 'header' }
                ? Headers
                : JsonObject

/** Converted fields: those with a default are always there, others when the request has them. */
export type FieldValues<F extends FieldSchemas> = {
  [N in keyof F as F[N] extends { readonly default: unknown } ? N : never]: FieldValue<F[N]>
} & {
  [N in keyof F as F[N] extends { readonly default: unknown } ? never : N]?: FieldValue<F[N]>
}

/** A field that does not convert (1-secrets-decisions.md section 1, Field not convertible). */
export class FieldError extends Error {
  /** What is wrong, without what the service says before it. */
  readonly fault: Refusal

  constructor(field: string, value: Json, why: string) {
    const named = fieldFact(quoteGo(field).slice(1, -1))
    const fault = refuse('field-unconvertible', { value: formatGoValue(value), field: named, why })
    super(fault.message)
    this.name = 'FieldError'
    this.fault = fault
  }
}

/** What the service answers; paths with an existence check find the fault earlier. */
export function fieldRefused({ fault }: FieldError, existenceCheck: boolean): Refusal {
  return existenceCheck ? fault : refuse('field-validation-failed', { fault: fault.said })
}

type Convert = (value: Json) => unknown

function converterOf(schema: FieldSchema): Convert {
  switch (schema.type) {
    case 'string':
      return schema.format === 'lower' ? (value) => weakString(value).toLowerCase() : weakText
    case 'integer':
      if (schema.format === 'duration') return weakPositiveSeconds
      return schema.format === 'signed-duration' ? weakSeconds : weakNumber
    case 'boolean':
      return weakBoolean
    case 'array':
      if (schema.items === undefined) return weakList
      return schema.items.type === 'string' ? weakStrings : weakIntegers
    case 'object':
      if (schema.format === 'key-value') return weakPairs
      return schema.format === 'header' ? weakHeaders : weakMap
  }
}

const weakText: Convert = (value) => weakString(value)
const weakNumber: Convert = (value) => weakInteger(value)

/** A fresh default each time: what a request got is its own to keep. */
function defaultOf(schema: FieldSchema): (() => unknown) | undefined {
  const { default: value } = schema
  if (value === undefined) return undefined
  if (schema.type === 'array' || schema.type === 'object') return () => structuredClone(value)
  return () => value
}

/**
 * Makes the conversion for a path's fields, once where the path is declared. The result reads the
 * declared fields out of a request's, in the order of the declaration, and passes over all others.
 * null is the type's zero value; for durations it is the same as no value.
 *
 * @throws FieldError (the result does) for the first field that does not convert.
 */
export function compileFields<const F extends FieldSchemas>(
  fields: F,
): (input: Readonly<JsonObject>) => FieldValues<F> {
  const plan = Object.entries(fields).map(([name, schema]) => ({
    name,
    convert: converterOf(schema),
    nullIsAbsent: schema.type === 'integer' && schema.format !== undefined,
    fallback: defaultOf(schema),
  }))
  return (input) => {
    const values: Record<string, unknown> = {}
    for (const { name, convert, nullIsAbsent, fallback } of plan) {
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
    // Each value has the type of its converter, which the compiler cannot follow through the loop.
    return values as FieldValues<F>
  }
}

/** Converts fields once; what answers requests keeps the result of `compileFields` instead. */
export function convertFields<const F extends FieldSchemas>(
  fields: F,
  input: Readonly<JsonObject>,
): FieldValues<F> {
  return compileFields(fields)(input)
}

/** A field that takes a list of texts. */
export const texts = (description: string) =>
  ({ type: 'array', items: { type: 'string' }, description }) as const

/** A field that takes a duration; handlers get whole seconds, never fewer than 0. */
export const duration = (description: string) =>
  ({ type: 'integer', format: 'duration', description }) as const

/** The same for one that may be negative. */
export const signedDuration = (description: string) =>
  ({ type: 'integer', format: 'signed-duration', description }) as const
