import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { FastifyRequest } from 'fastify'
import type { JsonSchema } from '../../../state/kernel/schema.ts'
import {
  ajvOptions,
  type DocumentedOperation,
  formats,
  operationsIn,
  withAbsoluteReferences,
} from './openapi-document.ts'

/** Properties of an API's requests that a schema cannot express. */
export interface RequestRules {
  /** True if the beginning of a path depends on the mounts of the world. */
  readonly mounted?: boolean
  /** True if names of members ignore case (behaviour/scheduler#conventions). */
  readonly ignoresCase?: boolean
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required?: boolean
  readonly style?: string
  readonly explode?: boolean
  readonly schema: JsonSchema
}

/** Function that returns all problems of a request that was served. */
export type RequestCheck = (id: string, request: FastifyRequest) => readonly string[]

/** Request methods that each documented method covers. */
const methods: Readonly<Record<string, readonly string[]>> = {
  get: ['GET', 'HEAD', 'LIST'],
  put: ['PUT'],
  post: ['POST', 'PUT'],
  patch: ['PATCH'],
  delete: ['DELETE'],
}

/**
 * Returns a function that compares requests with a document: path and method are those of the
 * operation, query parameters are declared and have the right type, and the body matches its
 * schema.
 */
export function requestCheckOf(document: JsonSchema, rules: RequestRules): RequestCheck {
  const options = { ...ajvOptions, formats }
  const exact = new Ajv2020(options)
  const coercing = new Ajv2020({ ...options, coerceTypes: true })
  for (const ajv of [exact, coercing]) ajv.addSchema({ $id: 'document', ...document })
  const operations = operationsIn(document)
  const compiled = new Map<unknown, ValidateFunction>()

  function validatorOf(ajv: Ajv2020, schema: JsonSchema): ValidateFunction {
    const validate = compiled.get(schema) ?? ajv.compile(withAbsoluteReferences(schema))
    compiled.set(schema, validate)
    return validate
  }

  function pathProblem(
    { path: place, method, tags }: DocumentedOperation,
    request: FastifyRequest,
  ) {
    const below = rules.mounted === true ? place.slice(`/${tags?.[0]}`.length) : place
    const [sent = ''] = request.url.split('?', 1)
    const pattern = patternOf(below, rules)
    const path = decodePath(sent)
    // The path of a list may lack its trailing slash.
    if (!pattern.test(path) && !pattern.test(`${path}/`)) return `the path is not ${place}`
    return methods[method]?.includes(request.method) === true
      ? undefined
      : `the method is not ${method}`
  }

  function queryProblems({ parameters }: DocumentedOperation, request: FastifyRequest): string[] {
    const known = new Map(
      (parameters as readonly Parameter[])
        .filter((each) => each.in === 'query')
        .map((each) => [each.name, each]),
    )
    const [, search = ''] = /\?(.*)$/s.exec(request.url) ?? []
    return [...new URLSearchParams(search)].flatMap(([name, text]) => {
      const parameter = known.get(name)
      if (parameter === undefined) return [`the query parameter ${name} is unknown`]
      // An optional parameter without a value counts as missing.
      if (text === '' && parameter.required !== true) return []
      const isList = parameter.explode === false
      const value = { value: isList ? text.split(',') : text }
      const validate = validatorOf(coercing, wrapSchema(parameter))
      return validate(value) ? [] : [`${name}=${text}: ${coercing.errorsText(validate.errors)}`]
    })
  }

  const wrappers = new Map<Parameter, JsonSchema>()

  /**
   * Returns the schema of an object that has the parameter as a member, because the validator
   * converts a scalar only inside an object.
   */
  function wrapSchema(parameter: Parameter): JsonSchema {
    const created = wrappers.get(parameter) ?? {
      type: 'object',
      properties: { value: parameter.schema },
    }
    wrappers.set(parameter, created)
    return created
  }

  function bodyProblem({ body }: DocumentedOperation, request: FastifyRequest): string | undefined {
    const text = textOf(request.body)
    if (text === '') {
      return body?.required === true ? 'the body is missing' : undefined
    }
    if (body === undefined) return `a body, where there is none: ${text}`
    const [first] = Object.entries(body.content)
    // A body of raw bytes or a body that the API ignores need not be JSON.
    if (
      first === undefined ||
      ['application/octet-stream', 'application/ocsp-request', '*/*'].includes(first[0])
    )
      return
    const schema = first[1].schema
    const sent = readBody(text, request.headers['content-type'])
    if (sent === undefined) return `the body is not one JSON value: ${text}`
    const value = rules.ignoresCase === true ? withSchemaCase(schema, sent, document) : sent
    const validate = validatorOf(exact, schema)
    return validate(value) ? undefined : `the body: ${exact.errorsText(validate.errors)} in ${text}`
  }

  return (id, request) => {
    const operation = operations.get(id)
    if (operation === undefined) return ['there is no such operation']
    return [
      pathProblem(operation, request),
      ...queryProblems(operation, request),
      bodyProblem(operation, request),
    ].filter((problem) => problem !== undefined)
  }
}

function patternOf(path: string, { mounted }: RequestRules): RegExp {
  const parts = path.split(/(\{[^}]+\})/).map((part) =>
    // Parameters match any text here, including slashes; the API checks them when it reads them.
    part.startsWith('{') ? '.*' : part.replace(/[.*+?^$()|[\]\\]/g, '\\$&'),
  )
  const start = mounted === true ? '.*' : '(?:/[^/]+)*?'
  return new RegExp(`^${start}${parts.join('').replace(/\/$/, '/?')}/?$`, 's')
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function textOf(body: unknown): string {
  if (Buffer.isBuffer(body)) return body.toString('utf8')
  return typeof body === 'string' ? body : ''
}

/** Returns the JSON value of a body, or the fields of a form; undefined for any other string. */
function readBody(text: string, contentType: string | undefined): unknown {
  if (contentType?.startsWith('application/x-www-form-urlencoded') && !/^\s*[{[]/.test(text)) {
    return Object.fromEntries(new URLSearchParams(text))
  }
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Returns a value whose members have the names in the schema, where the names differ only in case.
 */
function withSchemaCase(schema: unknown, value: unknown, document: JsonSchema): unknown {
  const at = resolveReference(schema, document)
  if (Array.isArray(value)) {
    return value.map((item) => withSchemaCase(Reflect.get(at, 'items'), item, document))
  }
  if (typeof value !== 'object' || value === null) return value
  const members: object = Object(Reflect.get(at, 'properties'))
  const names = new Map(Object.keys(members).map((name) => [name.toLowerCase(), name]))
  const further: unknown = Reflect.get(at, 'additionalProperties')
  return Object.fromEntries(
    Object.entries(value).map(([sent, each]) => {
      const name = Object.hasOwn(members, sent) ? sent : names.get(sent.toLowerCase())
      const inner: unknown = name === undefined ? further : Reflect.get(members, name)
      return [name ?? sent, withSchemaCase(inner, each, document)]
    }),
  )
}

function resolveReference(schema: unknown, document: JsonSchema): object {
  const reference: unknown = Reflect.get(Object(schema), '$ref')
  if (typeof reference !== 'string') return Object(schema)
  const steps = reference.split('/').slice(1)
  return steps.reduce<object>((at, step) => Object(Reflect.get(at, step)), document)
}
