import { createRequire } from 'node:module'
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import { memoize } from '../../../state/kernel/memoize.ts'
import { Mistakes } from '../../../state/kernel/refusal.ts'
import { inputSchemaOf, type ShapeOrSchema } from './shape-or-schema.ts'
import { suggestionFor } from './similarity.ts'

/** Tells what of a request or a document was wrong, one readable line for each mistake. */
export class InputError extends Mistakes {
  constructor(problems: readonly string[], text = problems.join('; ')) {
    super(text, problems)
    this.name = 'InputError'
  }
}

/**
 * Checks values against shapes, or JSON Schemas (2020-12, with `discriminator`). They are compiled on
 * first use and found again by their object, so declare them as module-level constants and share one
 * validator per process. `format` is an annotation only.
 */
export interface Validator {
  /**
   * Returns what is wrong with a value, all of it; the value stays as it is.
   *
   * @param name what the value itself is called in the lines; what lies below it is called by its
   *   JSON pointer, as in `/secrets/policies/reader must be string`
   * @param path a JSON pointer to put in front, for a value that is part of a larger one
   */
  check(described: ShapeOrSchema, value: unknown, name: string, path?: string): readonly string[]
  /** The same for the parameters of a query string, which turn into what they are said to be. */
  checkQuery(
    described: ShapeOrSchema,
    query: object,
  ): { problems: readonly string[]; query: object }
}

/** Makes a validator; costs nothing before its first use. */
export function createValidator(): Validator {
  const exact = memoize(() => new (loadAjv().Ajv2020)(options))
  const coercing = memoize(() => new (loadAjv().Ajv2020)({ ...options, coerceTypes: 'array' }))
  const checks = new WeakMap<ShapeOrSchema, ValidateFunction>()
  const queryChecks = new WeakMap<ShapeOrSchema, ValidateFunction>()
  return {
    check(described, value, name, path = '') {
      const check = compileOnce(checks, exact, described)
      if (check(value)) return []
      return problemsOf(check, (pointer) => path + pointer || name)
    },
    checkQuery(described, query) {
      const check = compileOnce(queryChecks, coercing, described)
      // Coercion writes into its argument.
      const copy = { ...query }
      if (check(copy)) return { problems: [], query: copy }
      const subject = (pointer: string) =>
        pointer === '' ? 'the query' : `query parameter ${pointer.slice(1)}`
      return { problems: problemsOf(check, subject), query: copy }
    },
  }
}

const options = {
  allErrors: true,
  discriminator: true,
  // User data may have keys such as `constructor`; only own members count.
  ownProperties: true,
  strictTypes: false,
  strictRequired: false,
  validateFormats: false,
  // Schemas are ours; checking them against their meta-schema would triple the cost of a start.
  meta: false,
  validateSchema: false,
  addUsedSchema: false,
  // Errors tell what there is beside what is wrong.
  verbose: true,
} as const

/** Loaded on first use: it would add a third to the cold start (behaviour/program#figures). */
function loadAjv(): typeof import('ajv/dist/2020.js') {
  return createRequire(import.meta.url)('ajv/dist/2020.js')
}

function compileOnce(
  candidates: WeakMap<ShapeOrSchema, ValidateFunction>,
  ajv: () => Ajv2020,
  described: ShapeOrSchema,
): ValidateFunction {
  const found = candidates.get(described)
  if (found !== undefined) return found
  const made = ajv().compile(inputSchemaOf(described))
  candidates.set(described, made)
  return made
}

/** So many mistakes are told: nobody reads more, and finding words for each takes its time. */
export const maxProblems = 1000

/** The first of many mistakes, and how many more there are. */
export function limitProblems(problems: readonly string[]): readonly string[] {
  const others = problems.length - maxProblems
  return others > 0 ? [...problems.slice(0, maxProblems), `${others} more mistakes`] : problems
}

/** Keywords that only repeat what the errors below them say. */
const redundant = new Set(['if', 'propertyNames'])

function problemsOf(
  { errors }: ValidateFunction,
  subject: (pointer: string) => string,
): readonly string[] {
  const all = (errors ?? []).slice(0, maxProblems)
  const others = (errors?.length ?? 0) - all.length
  const specific = withoutAlternatives(all.filter(({ keyword }) => !redundant.has(keyword)))
  const lines = (specific.length > 0 ? specific : all).map((error) => describe(error, subject))
  return [...new Set(lines), ...(others > 0 ? [`${others} more mistakes`] : [])]
}

/**
 * Leaves out what the alternatives say that a value was not meant as: where one of them took its
 * type, only its mistakes count; where none did, one line names all types.
 */
function withoutAlternatives(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  return errors
    .filter(({ keyword }) => keyword === 'anyOf')
    .reduce<readonly ErrorObject[]>((left, either) => {
      const inside = left.filter((error) => error.schemaPath.startsWith(`${either.schemaPath}/`))
      const typeMismatches = inside.filter(
        ({ keyword, instancePath }) => keyword === 'type' && instancePath === either.instancePath,
      )
      const kept = left.filter((error) => error !== either && !typeMismatches.includes(error))
      if (typeMismatches.length < inside.length) return kept
      const type = typeMismatches.flatMap(({ params }) => params['type'])
      return [...kept, { ...either, keyword: 'type', params: { type } }]
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
      return `${subject(path)} must be one of ${values(params['allowedValues'])}${suggestionText(data, params['allowedValues'])}`
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

/** Names what was perhaps meant. */
function suggestionText(value: unknown, candidates: unknown): string {
  if (typeof value !== 'string' || !Array.isArray(candidates)) return ''
  const suggestion = suggestionFor(
    value,
    candidates.filter((each) => typeof each === 'string'),
  )
  return suggestion === undefined ? '' : `; did you mean ${suggestion}?`
}

function values(allowed: unknown): string {
  return Array.isArray(allowed) ? allowed.map((value) => JSON.stringify(value)).join(', ') : ''
}

/** A member's name as a part of a JSON pointer (RFC 6901). */
export function pointerName(name: unknown): string {
  return String(name).replaceAll('~', '~0').replaceAll('/', '~1')
}
