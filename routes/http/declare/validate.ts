import { createRequire } from 'node:module'
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import { memoize, memoizeByKey } from '../../../state/kernel/memoize.ts'
import type { InParts } from '../../../state/kernel/parts.ts'
import { Mistakes } from '../../../state/kernel/refusal.ts'
import { SchemaParts, type SplitSchema } from './schema-parts.ts'
import { inputSchemaOf, type ShapeOrSchema } from './shape-or-schema.ts'
import { suggestionFor } from './similarity.ts'

/** Error for an invalid request or document, with a readable line for each mistake. */
export class InputError extends Mistakes {
  constructor(problems: readonly string[], text = problems.join('; ')) {
    super(text, problems)
    this.name = 'InputError'
  }
}

/**
 * Validator of values against shapes or JSON Schemas (2020-12, with `discriminator`). `format` is
 * an annotation only.
 *
 * Schemas are compiled on first use and stay in memory, so declare them as module-level constants.
 * Nothing is loaded before the first use.
 */
export const sharedValidator = {
  /**
   * Returns the mistakes in a value; the value is not changed. After `maxProblems` mistakes, a last
   * line has the number of the remaining mistakes.
   *
   * @param name name of the value itself in the messages; values below it are named by their JSON
   *   pointer, as in `/secrets/policies/reader must be string`
   * @param path JSON pointer that precedes the pointers in the messages, for a value that is part
   *   of a larger one
   */
  check(described: ShapeOrSchema, value: unknown, name: string, path = ''): readonly string[] {
    const check = exactCheck(described)
    if (check(value)) return []
    return problemsOf(check, (pointer) => path + pointer || name)
  },
  /**
   * Compiles the schema that later checks use, part by part and with pauses. Compiling a long
   * schema takes longer than other requests should wait.
   */
  *prepare(described: ShapeOrSchema): InParts<void> {
    const { ajv } = exactValidator()
    yield
    const { parts } = splitSchema(described)
    yield
    for (const part of parts) {
      ajv.getSchema(part)
      yield
    }
    exactCheck(described)
    yield
  },
  /** Converts query parameters to their declared types and returns the mistakes in them. */
  checkQuery(
    described: ShapeOrSchema,
    query: object,
  ): { problems: readonly string[]; query: object } {
    const check = coercingCheck(described)
    // The library converts types in place, so a copy of the query is checked.
    const copy = { ...query }
    if (check(copy)) return { problems: [], query: copy }
    const subject = (pointer: string) =>
      pointer === '' ? 'the query' : `query parameter ${pointer.slice(1)}`
    return { problems: problemsOf(check, subject), query: copy }
  },
}

const ajvOptions = {
  allErrors: true,
  discriminator: true,
  // User data may have keys such as `constructor`, so only own members count.
  ownProperties: true,
  strictTypes: false,
  strictRequired: false,
  validateFormats: false,
  // Only schemas of this project are compiled. Checking them with their meta-schema would triple
  // the startup time.
  meta: false,
  validateSchema: false,
  addUsedSchema: false,
  // Optimizing the generated code takes a fifth of the time of compiling and gains nothing in V8.
  code: { optimize: false },
  // Shared parts of schemas are compiled once, instead of in each schema that refers to them.
  inlineRefs: false,
  // Verbose errors contain the rejected value and its schema.
  verbose: true,
} as const

/**
 * Loads Ajv on first use. Loading it at startup would add a third to the cold start
 * (behaviour/program#figures).
 */
function loadAjv(): typeof import('ajv/dist/2020.js') {
  return createRequire(import.meta.url)('ajv/dist/2020.js')
}

const exactValidator = memoize(() => {
  const ajv = new (loadAjv().Ajv2020)(ajvOptions)
  return { ajv, parts: new SchemaParts(({ id, schema }) => ajv.addSchema(schema, id)) }
})
const splitSchema = memoizeByKey(
  (described: ShapeOrSchema): SplitSchema => exactValidator().parts.split(inputSchemaOf(described)),
)
const exactCheck = memoizeByKey(
  (described: ShapeOrSchema): ValidateFunction =>
    exactValidator().ajv.compile(splitSchema(described).schema),
)

const coercingValidator = memoize(
  () => new (loadAjv().Ajv2020)({ ...ajvOptions, coerceTypes: 'array' }),
)
const coercingCheck = memoizeByKey(
  (described: ShapeOrSchema): ValidateFunction =>
    coercingValidator().compile(inputSchemaOf(described)),
)

/**
 * Maximum number of mistakes in a message. Nobody reads more of them, and formatting each one takes
 * time.
 */
export const maxProblems = 1000

/**
 * Returns the first mistakes of a long list, followed by a line with the number of the remaining
 * mistakes. Returns a shorter list unchanged.
 */
export function limitProblems(problems: readonly string[]): readonly string[] {
  const others = problems.length - maxProblems
  return others > 0 ? [...problems.slice(0, maxProblems), `${others} more mistakes`] : problems
}

/** Schema keywords whose errors only repeat the errors of their subschemas. */
const redundantKeywords = new Set(['if', 'propertyNames'])

function problemsOf({ errors }: ValidateFunction, subject: (pointer: string) => string) {
  const all = (errors ?? []).slice(0, maxProblems)
  const others = (errors?.length ?? 0) - all.length
  const specificErrors = withoutAlternatives(
    all.filter(({ keyword }) => !redundantKeywords.has(keyword)),
  )
  const lines = (specificErrors.length > 0 ? specificErrors : all).map((error) =>
    describe(error, subject),
  )
  return [...new Set(lines), ...(others > 0 ? [`${others} more mistakes`] : [])]
}

/**
 * Removes type errors of alternatives that the caller did not mean. If one alternative accepts the
 * type of the value, the type errors of the other alternatives are left out. Otherwise one error
 * that names all types replaces the type errors.
 */
function withoutAlternatives(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  return errors
    .filter(({ keyword }) => keyword === 'anyOf')
    .reduce<readonly ErrorObject[]>((remaining, unionError) => {
      const inside = remaining.filter(
        (error) =>
          error.schemaPath.startsWith(`${unionError.schemaPath}/`) &&
          `${error.instancePath}/`.startsWith(`${unionError.instancePath}/`),
      )
      const typeMismatches = inside.filter(
        ({ keyword, instancePath }) =>
          keyword === 'type' && instancePath === unionError.instancePath,
      )
      const kept = remaining.filter(
        (error) => error !== unionError && !typeMismatches.includes(error),
      )
      if (typeMismatches.length < inside.length) return kept
      const type = typeMismatches.flatMap(({ params }) => params['type'])
      return [...kept, { ...unionError, keyword: 'type', params: { type } }]
    }, errors)
}

function describe(error: ErrorObject, subject: (pointer: string) => string): string {
  const { instancePath: path, keyword, params, propertyName, message = 'is wrong' } = error
  const { data, parentSchema } = error
  if (propertyName !== undefined) {
    return `${subject(`${path}/${pointerName(propertyName)}`)} is named wrongly: it ${message}`
  }
  switch (keyword) {
    case 'additionalProperties':
      return (
        `${subject(`${path}/${pointerName(params['additionalProperty'])}`)} is unknown` +
        suggestionText(
          params['additionalProperty'],
          Object.keys(parentSchema?.['properties'] ?? {}),
        )
      )
    case 'required':
      return `${subject(`${path}/${pointerName(params['missingProperty'])}`)} is missing`
    case 'enum':
      return `${subject(path)} must be one of ${formatValues(params['allowedValues'])}${suggestionText(data, params['allowedValues'])}`
    case 'type':
      return `${subject(path)} must be ${[params['type']].flat().join(' or ')}`
    case 'const':
      return `${subject(path)} must be ${JSON.stringify(params['allowedValue'])}`
    case 'discriminator': {
      const tag = `${path}/${pointerName(params['tag'])}`
      return params['tagValue'] === undefined
        ? `${subject(tag)} is missing`
        : `${subject(tag)} has the unknown value ${JSON.stringify(params['tagValue'])}`
    }
    default:
      return `${subject(path)} ${message}`
  }
}

/**
 * Formats a suggestion of the candidate that the caller probably meant. Returns an empty string if
 * no candidate is similar.
 */
function suggestionText(value: unknown, candidates: unknown): string {
  if (typeof value !== 'string' || !Array.isArray(candidates)) return ''
  const suggestion = suggestionFor(
    value,
    candidates.filter((each) => typeof each === 'string'),
  )
  return suggestion === undefined ? '' : `; did you mean ${suggestion}?`
}

function formatValues(allowed: unknown): string {
  return Array.isArray(allowed) ? allowed.map((value) => JSON.stringify(value)).join(', ') : ''
}

/** Returns the name of a member in the form that JSON pointers contain (RFC 6901). */
export function pointerName(name: unknown): string {
  return String(name).replaceAll('~', '~0').replaceAll('/', '~1')
}
