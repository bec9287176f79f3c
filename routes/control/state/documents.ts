import { appendAll } from '../../../state/kernel/lists.ts'
import { isObject, type Members } from '../../../state/kernel/objects.ts'
import { controlOptions } from '../../../state/kernel/options/control-options.ts'
import { forEachPiece, type InParts, runParts } from '../../../state/kernel/parts.ts'
import type { JsonSchema } from '../../../state/kernel/schema.ts'
import type { Row, TableDefinition } from '../../../state/kernel/store/table.ts'
import { duplicates } from '../../../state/kernel/store/table-index.ts'
import type { ScheduledJob } from '../../../state/kernel/time/agenda.ts'
import { maxRate } from '../../../state/kernel/time/clock.ts'
import { lastInstant } from '../../../state/kernel/time.ts'
import {
  documentFormat,
  kernelTables,
  retiredKernelTables,
  type StateDocument,
} from '../../../state/kernel/worlds/document.ts'
import type { ServiceDefinition } from '../../../state/kernel/worlds/service.ts'
import { suggestionFor } from '../../http/declare/similarity.ts'
import {
  InputError,
  limitProblems,
  maxProblems,
  pointerName,
  sharedValidator,
} from '../../http/declare/validate.ts'
import { problemsOfTrial } from './document-trial.ts'

/** Maximum number of mistakes in a message. The member `problems` has up to `maxProblems`. */
const maxListed = 50

/** Error for an invalid state document or invalid options, with every mistake that was found. */
export class DocumentError extends InputError {
  constructor(problems: readonly string[]) {
    const unlisted = problems.length - maxListed
    const listed =
      unlisted > 0 ? [...problems.slice(0, maxListed), `and ${unlisted} more`] : problems
    super(limitProblems(problems), listed.join('; '))
    this.name = 'DocumentError'
  }
}

export class OptionsError extends DocumentError {}

/** The tables that a part of a document may contain. */
type KnownTables = Pick<ServiceDefinition, 'tables' | 'retiredTables'>

const unsignedIntegerSchema = { type: 'integer', minimum: 0 } as const
const int32Schema = { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 } as const

/** Schema of the format version of a document. */
export const formatSchema = { type: 'integer', minimum: 1 } as const

/** Schema of an instant in milliseconds since 1970. */
const instantSchema = { type: 'integer', minimum: 0, maximum: lastInstant }
/** Schema of a difference between two instants, in milliseconds. */
const offsetSchema = { type: 'integer', minimum: -lastInstant, maximum: lastInstant }

/** Schema of the part `world` of a document. The tables of this part are checked separately. */
export const worldPartSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    clock: {
      type: 'object',
      required: ['mode'],
      discriminator: { propertyName: 'mode' },
      oneOf: [
        {
          type: 'object',
          required: ['mode', 'offset'],
          additionalProperties: false,
          properties: { mode: { const: 'real' }, offset: offsetSchema },
        },
        {
          type: 'object',
          required: ['mode', 'at'],
          additionalProperties: false,
          properties: { mode: { const: 'frozen' }, at: instantSchema },
        },
        {
          type: 'object',
          required: ['mode', 'rate', 'from', 'since'],
          additionalProperties: false,
          properties: {
            mode: { const: 'scaled' },
            rate: { type: 'number', exclusiveMinimum: 0, maximum: maxRate },
            from: instantSchema,
            since: instantSchema,
          },
        },
      ],
    },
    ids: { type: 'array', minItems: 4, maxItems: 4, items: int32Schema },
    sequence: unsignedIntegerSchema,
    indexes: { type: 'object', additionalProperties: unsignedIntegerSchema },
    tables: { type: 'object' },
  },
} as const

/**
 * Validates a state document (fixtures, or an export) against the declarations of the services;
 * every part is optional (behaviour/program#fixtures). If there are mistakes of shape, but fewer
 * than `maxProblems`, loads the other parts on trial to find mistakes of meaning as well.
 *
 * @param path position of the document within a larger document, for messages
 * @throws {DocumentError} with every mistake that was found and its JSON pointer
 */
export function checkDocument(
  services: readonly ServiceDefinition[],
  document: unknown,
  path = '',
): StateDocument {
  return runParts(checkDocumentInParts(services, document, path))
}

/** Validates a state document as `checkDocument` does, with pauses. */
export function* checkDocumentInParts(
  services: readonly ServiceDefinition[],
  document: unknown,
  path = '',
): InParts<StateDocument> {
  const check = new DocumentChecker(services)
  yield* check.checkDocument(document, path)
  const { problems } = check
  // Without a problem, the document has the declared shape.
  if (problems.length === 0) return document as StateDocument
  const isWorthTrying = isObject(document) && problems.length < maxProblems
  const refused = isWorthTrying ? yield* problemsOfTrial(services, document, problems, path) : []
  throw new DocumentError([...problems, ...refused])
}

/**
 * Validates world options by service; unknown options and values of a wrong type are refused
 * (behaviour/program#fresh-world).
 *
 * @param path position of the options within a larger document, for messages
 * @throws {OptionsError} with every mistake and its JSON pointer
 */
export function checkOptions(
  services: readonly ServiceDefinition[],
  options: unknown,
  path = '',
): Readonly<Record<string, object>> {
  const check = new DocumentChecker(services)
  if (check.checkOptions(options, path)) return options
  throw new OptionsError(check.problems)
}

class DocumentChecker {
  readonly problems: string[] = []
  readonly #services: readonly ServiceDefinition[]

  constructor(services: readonly ServiceDefinition[]) {
    this.#services = services
  }

  *checkDocument(document: unknown, path: string): InParts<void> {
    if (!this.#checkObject(document, path, 'the document')) return
    for (const [name, part] of Object.entries(document)) {
      const memberPath = `${path}/${pointerName(name)}`
      const service = this.#services.find((known) => known.name === name)
      if (name === 'format') this.#checkFormat(part, memberPath)
      else if (name === 'world') yield* this.#checkWorld(part, memberPath)
      else if (name === 'options') this.checkOptions(part, memberPath)
      else if (service !== undefined) yield* this.#checkService(service, part, memberPath)
      else this.#reportUnknown(memberPath, ['format', 'world', 'options', ...this.#names()])
    }
  }

  checkOptions(options: unknown, path: string): options is Readonly<Record<string, object>> {
    if (!this.#checkObject(options, path, 'the options')) return false
    for (const [name, values] of Object.entries(options)) {
      const memberPath = `${path}/${pointerName(name)}`
      const known = [...this.#services.map((service) => service.options), controlOptions]
      const definition = known.find(({ service }) => service === name)
      if (definition !== undefined) this.#checkSchema(definition.schema, values, memberPath)
      else this.#reportUnknown(memberPath, [...this.#names(), controlOptions.service])
    }
    return this.problems.length === 0
  }

  /**
   * Adds a mistake if the format is invalid, or if only a later version of the program knows it.
   */
  #checkFormat(format: unknown, path: string): void {
    const before = this.problems.length
    this.#checkSchema(formatSchema, format, path)
    if (this.problems.length > before || Number(format) <= documentFormat) return
    this.problems.push(
      `${path} is ${format}: a later version has written the document; this one reads format ${documentFormat}`,
    )
  }

  *#checkService(service: ServiceDefinition, part: unknown, path: string): InParts<void> {
    if (!this.#checkObject(part, path)) return
    for (const [name, value] of Object.entries(part)) {
      const memberPath = `${path}/${pointerName(name)}`
      const shortForm = Object.hasOwn(service.fixtures, name) ? service.fixtures[name] : undefined
      if (name === 'tables') yield* this.#checkTables(service, value, memberPath)
      else if (shortForm !== undefined) {
        yield* sharedValidator.prepare(shortForm)
        this.#checkSchema(shortForm, value, memberPath)
      } else this.#reportUnknown(memberPath, ['tables', ...Object.keys(service.fixtures)])
      yield
    }
  }

  *#checkWorld(part: unknown, path: string): InParts<void> {
    yield* sharedValidator.prepare(worldPartSchema)
    this.#checkSchema(worldPartSchema, part, path)
    if (!isObject(part)) return
    for (const service of isObject(part['indexes']) ? Object.keys(part['indexes']) : []) {
      if (this.#names().includes(service)) continue
      this.#reportUnknown(`${path}/indexes/${pointerName(service)}`, this.#names())
    }
    if (!isObject(part['tables'])) return
    const before = this.problems.length
    const known = { tables: kernelTables, retiredTables: retiredKernelTables }
    yield* this.#checkTables(known, part['tables'], `${path}/tables`)
    if (this.problems.length === before) this.#checkAgenda(part['tables'], `${path}/tables`)
  }

  *#checkTables(known: KnownTables, tables: unknown, path: string): InParts<void> {
    if (!this.#checkObject(tables, path)) return
    for (const [name, rows] of Object.entries(tables)) {
      const memberPath = `${path}/${pointerName(name)}`
      const definition = known.tables.find((table) => table.name === name)
      if (definition !== undefined) yield* this.#checkRows(definition, rows, memberPath)
      else if (known.retiredTables?.includes(name) !== true) {
        const names = known.tables.map((table) => table.name)
        this.#reportUnknown(memberPath, names)
      }
    }
  }

  *#checkRows(definition: TableDefinition, rows: unknown, path: string): InParts<void> {
    if (!this.#checkObject(rows, path)) return
    const before = this.problems.length
    if (Object.keys(rows).length > 0) yield* sharedValidator.prepare(definition.schema)
    yield* forEachPiece(Object.entries(rows), (entries) => {
      for (const [key, row] of entries) {
        this.#checkSchema(definition.schema, row, `${path}/${pointerName(key)}`)
      }
    })
    if (this.problems.length > before) return
    const valid = Object.entries(rows) as [string, Row][]
    for (const { index, indexKey, keys } of yield* duplicates(definition, valid)) {
      const [first, second] = keys.map((key) => `${path}/${pointerName(key)}`)
      this.problems.push(`${second} has the same place as ${first}: ${index} ${indexKey}`)
    }
  }

  /** Adds a mistake for each scheduled job without an existing handler. */
  #checkAgenda(tables: Members, path: string): void {
    const jobs = new Set(this.#services.flatMap((service) => Object.keys(service.jobs)))
    for (const [key, row] of entriesOf(tables['agenda'])) {
      const { job } = row as ScheduledJob
      if (!jobs.has(job)) this.#reportUnknown(`${path}/agenda/${pointerName(key)}/job`)
    }
  }

  #names(): readonly string[] {
    return this.#services.map(({ name }) => name)
  }

  #checkObject(value: unknown, path: string, name = path): value is Members {
    if (isObject(value)) return true
    this.problems.push(`${path || name} must be object`)
    return false
  }

  #checkSchema(schema: JsonSchema, value: unknown, path: string): void {
    appendAll(this.problems, sharedValidator.check(schema, value, path, path))
  }

  #reportUnknown(path: string, known?: readonly string[]): void {
    // Problems beyond `maxProblems` are only counted and never shown, so the path is sufficient.
    if (this.problems.length >= maxProblems) {
      this.problems.push(path)
      return
    }
    const name = path.slice(path.lastIndexOf('/') + 1)
    const suggestion = known && suggestionFor(name, known)
    const names = known === undefined ? '' : `; known are ${known.join(', ')}`
    const suggestionText = suggestion === undefined ? names : `; did you mean ${suggestion}?`
    this.problems.push(`${path} is unknown${suggestionText}`)
  }
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : []
}
