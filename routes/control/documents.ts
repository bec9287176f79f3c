import type { Appointment } from '../../state/kernel/agenda.ts'
import { kernelTables, type StateDocument } from '../../state/kernel/document.ts'
import type { JsonSchema } from '../../state/kernel/schema.ts'
import type { ServiceDefinition } from '../../state/kernel/service.ts'
import type { TableDefinition } from '../../state/kernel/table.ts'
import { createValidator, InputError, pointerName, type Validator } from '../http/validate.ts'

/** More lines help nobody. */
const longestList = 50

/** A state document or options that cannot be taken, with every mistake that was found. */
export class DocumentError extends InputError {
  constructor(problems: readonly string[]) {
    const more = problems.length - longestList
    super(more > 0 ? [...problems.slice(0, longestList), `and ${more} more`] : problems)
    this.name = 'DocumentError'
  }
}

type Plain = Readonly<Record<string, unknown>>

const whole = { type: 'integer', minimum: 0 } as const
const stateMember = { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 } as const

/** The part of a document that belongs to no service; its tables are checked apart. */
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
          properties: { mode: { const: 'real' }, offset: { type: 'integer' } },
        },
        {
          type: 'object',
          required: ['mode', 'at'],
          additionalProperties: false,
          properties: { mode: { const: 'frozen' }, at: whole },
        },
        {
          type: 'object',
          required: ['mode', 'rate', 'from', 'since'],
          additionalProperties: false,
          properties: {
            mode: { const: 'scaled' },
            rate: { type: 'number', exclusiveMinimum: 0 },
            from: whole,
            since: whole,
          },
        },
      ],
    },
    ids: { type: 'array', minItems: 4, maxItems: 4, items: stateMember },
    sequence: whole,
    indexes: { type: 'object', additionalProperties: whole },
    tables: { type: 'object' },
  },
} as const

/**
 * Checks a state document (fixtures, or an export) against what the services declare; any part may
 * be left out (DESIGN section 6).
 *
 * @param validator the process's own, where there is one already
 * @param path where the document stands in a larger one, for messages
 * @throws {DocumentError} naming every mistake by its JSON pointer
 */
export function checkDocument(
  services: readonly ServiceDefinition[],
  document: unknown,
  validator: Validator = createValidator(),
  path = '',
): StateDocument {
  const check = new Check(services, validator)
  if (check.document(document, path)) return document
  throw new DocumentError(check.problems)
}

/**
 * Checks world options by service; unknown and ill-typed ones are refused (DESIGN section 6).
 *
 * @param validator the process's own, where there is one already
 * @param path where the options stand in a larger document, for messages
 * @throws {DocumentError} naming every mistake by its JSON pointer
 */
export function checkOptions(
  services: readonly ServiceDefinition[],
  options: unknown,
  validator: Validator = createValidator(),
  path = '',
): Readonly<Record<string, object>> {
  const check = new Check(services, validator)
  if (check.options(options, path)) return options
  throw new DocumentError(check.problems)
}

class Check {
  readonly problems: string[] = []
  readonly #services: readonly ServiceDefinition[]
  readonly #validator: Validator

  constructor(services: readonly ServiceDefinition[], validator: Validator) {
    this.#services = services
    this.#validator = validator
  }

  document(document: unknown, path: string): document is StateDocument {
    if (!this.#isPlain(document, path, 'the document')) return false
    for (const [name, part] of Object.entries(document)) {
      const below = `${path}/${pointerName(name)}`
      const service = this.#services.find((known) => known.name === name)
      if (name === 'world') this.#world(part, below)
      else if (name === 'options') this.options(part, below)
      else if (service !== undefined) this.#service(service, part, below)
      else this.#unknown(below, ['world', 'options', ...this.#names()])
    }
    return this.problems.length === 0
  }

  options(options: unknown, path: string): options is Readonly<Record<string, object>> {
    if (!this.#isPlain(options, path, 'the options')) return false
    for (const [name, values] of Object.entries(options)) {
      const below = `${path}/${pointerName(name)}`
      const service = this.#services.find((known) => known.name === name)
      if (service === undefined) this.#unknown(below, this.#names())
      else this.#schema(service.options.schema, values, below)
    }
    return this.problems.length === 0
  }

  #service(service: ServiceDefinition, part: unknown, path: string): void {
    if (!this.#isPlain(part, path)) return
    for (const [name, value] of Object.entries(part)) {
      const below = `${path}/${pointerName(name)}`
      const shortForm = Object.hasOwn(service.fixtures, name) ? service.fixtures[name] : undefined
      if (name === 'tables') this.#tables(service.tables, value, below)
      else if (shortForm !== undefined) this.#schema(shortForm, value, below)
      else this.#unknown(below, ['tables', ...Object.keys(service.fixtures)])
    }
  }

  #world(part: unknown, path: string): void {
    this.#schema(worldPartSchema, part, path)
    if (!isPlain(part)) return
    for (const service of isPlain(part['indexes']) ? Object.keys(part['indexes']) : []) {
      if (this.#names().includes(service)) continue
      this.#unknown(`${path}/indexes/${pointerName(service)}`, this.#names())
    }
    if (!isPlain(part['tables'])) return
    const before = this.problems.length
    this.#tables(kernelTables, part['tables'], `${path}/tables`)
    if (this.problems.length === before) this.#agenda(part['tables'], `${path}/tables`)
  }

  #tables(definitions: readonly TableDefinition[], tables: unknown, path: string): void {
    if (!this.#isPlain(tables, path)) return
    for (const [name, rows] of Object.entries(tables)) {
      const below = `${path}/${pointerName(name)}`
      const definition = definitions.find((known) => known.name === name)
      if (definition === undefined) {
        const names = definitions.map((known) => known.name)
        this.#unknown(below, names)
      } else if (this.#isPlain(rows, below)) {
        for (const [key, row] of Object.entries(rows)) {
          this.#schema(definition.schema, row, `${below}/${pointerName(key)}`)
        }
      }
    }
  }

  /** Pending work is kept in two tables that have to agree, and names jobs that have to exist. */
  #agenda(tables: Plain, path: string): void {
    const byTime = entriesOf(tables['agenda'])
    const byName = entriesOf(tables['agenda-names'])
    const jobs = new Set(this.#services.flatMap((service) => Object.keys(service.jobs)))
    const names = new Map(byName.map(([name, row]) => [name, (row as { key: string }).key]))
    for (const [key, row] of byTime) {
      const { job, id } = row as Appointment
      const below = `${path}/agenda/${pointerName(key)}`
      if (!jobs.has(job)) this.#unknown(`${below}/job`)
      if (names.get(`${job}/${id}`) !== key) {
        this.problems.push(`${below} has no entry in agenda-names`)
      }
    }
    const keys = new Set(byTime.map(([key]) => key))
    for (const [name, key] of names) {
      if (keys.has(key)) continue
      this.problems.push(`${path}/agenda-names/${pointerName(name)} has no entry in agenda`)
    }
  }

  #names(): readonly string[] {
    return this.#services.map(({ name }) => name)
  }

  #isPlain(value: unknown, path: string, name = path): value is Plain {
    if (isPlain(value)) return true
    this.problems.push(`${path || name} must be object`)
    return false
  }

  #schema(schema: JsonSchema, value: unknown, path: string): void {
    this.problems.push(...this.#validator.check(schema, value, path, path))
  }

  #unknown(path: string, known?: readonly string[]): void {
    const remedy = known === undefined ? '' : `; known are ${known.join(', ')}`
    this.problems.push(`${path} is unknown${remedy}`)
  }
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function entriesOf(value: unknown): [string, unknown][] {
  return isPlain(value) ? Object.entries(value) : []
}
