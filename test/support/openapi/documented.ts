import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { DialectName } from '../../../routes/http/declare/dialect.ts'
import { meshDocument } from '../../../routes/mesh/index.ts'
import { platformDocument } from '../../../routes/platform/openapi.ts'
import { schedulerDocument } from '../../../routes/scheduler/documents.ts'
import { secretsDialect } from '../../../routes/secrets/dialect/dialect.ts'
import { secretsDocument } from '../../../routes/secrets/documents/openapi-service.ts'
import { wrappedEnvelope } from '../../../routes/secrets/envelope/schemas.ts'
import type { JsonSchema } from '../../../state/kernel/schema.ts'
import { type RequestCheck, type RequestRules, requestCheckOf } from './documented-requests.ts'
import {
  ajvOptions,
  compilerOf,
  formats,
  operationsIn,
  withAbsoluteReferences,
} from './openapi-document.ts'
import { textTypes } from './reply-schemas.ts'
import { isIntentional } from './undocumented-requests.ts'

const documents = {
  secrets: (dialect: DialectName) => secretsDocument(secretsDialect(dialect), '0'),
  platform: (dialect: DialectName) => platformDocument(dialect, '0'),
  mesh: (dialect: DialectName) => meshDocument(dialect, '0'),
  scheduler: (dialect: DialectName) => schedulerDocument(dialect, '0'),
} as const

/** Function that returns the problem of a reply; undefined if there is none. */
type ReplyCheck = (
  id: string,
  status: number,
  payload: string,
  isText: boolean,
) => string | undefined

/** Checks by API and dialect, with their compiled schemas. All tests of a test file share them. */
const checks = new Map<string, Checks>()

interface Checks {
  readonly reply: ReplyCheck
  readonly request: RequestCheck
}

/** Request rules that the OpenAPI document cannot express, by API. */
const requestRules: Readonly<Record<keyof typeof documents, RequestRules>> = {
  secrets: { mounted: true },
  platform: {},
  mesh: { ignoresCase: true },
  scheduler: { ignoresCase: true },
}

/**
 * Makes an app compare replies, and requests that succeed, with the OpenAPI document of its API in
 * a dialect. An undeclared status, or a path, method, query or body that does not match, fails the
 * request with the reason. Requests that are refused or listed as intentional need not match.
 * Wrapped replies, streams and replies to HEAD are not compared.
 */
export function checkDocumented(
  app: FastifyInstance,
  api: keyof typeof documents,
  dialect: DialectName,
): void {
  const key = `${api} ${dialect}`
  app.addHook('onSend', async (request, reply, payload) => {
    const { operation } = request
    if (operation === undefined) return payload
    const check = checks.get(key) ?? checksOf(documents[api](dialect), requestRules[api])
    checks.set(key, check)
    if (reply.statusCode < 300) checkRequest(check.request, request, api)
    // Wrapped replies have declarations of their own (behaviour/secrets#wrapping).
    if (isWrapped(request)) return payload
    const isStream = typeof payload === 'object' && payload !== null && !Buffer.isBuffer(payload)
    if (request.method === 'HEAD' || isStream) return payload
    const isText = textTypes.test(String(reply.getHeader('content-type')))
    const problem = check.reply(operation.id, reply.statusCode, String(payload ?? ''), isText)
    if (problem !== undefined) {
      const what = `${request.method} ${request.url} answers ${reply.statusCode}`
      throw new Error(`${what}, not as the document says (${operation.id}): ${problem}`)
    }
    return payload
  })
}

/**
 * Throws if a successful request does not match the document, except for intentional differences.
 */
function checkRequest(
  check: RequestCheck,
  request: FastifyRequest,
  api: keyof typeof documents,
): void {
  const { operation, method, url } = request
  const id = operation?.id ?? ''
  const problems = check(id, request).filter((problem) => !isIntentional(api, id, problem))
  if (problems.length === 0) return
  throw new Error(
    `${method} ${url} is served, not as the document says (${id}): ${problems.join('; ')}`,
  )
}

function isWrapped({ operation }: FastifyRequest): boolean {
  return operation?.reply[200] === wrappedEnvelope
}

function checksOf(document: JsonSchema, rules: RequestRules): Checks {
  return { reply: checkOf(document), request: requestCheckOf(document, rules) }
}

/**
 * Statuses that options of a world can cause in any operation; documents list them under `default`.
 */
const commonStatuses: ReadonlySet<number> = new Set([412, 413, 429])

function checkOf(document: JsonSchema): ReplyCheck {
  const ajv = new Ajv2020({ ...ajvOptions, formats })
  ajv.addSchema({ $id: 'document', ...document })
  const compile = compilerOf(ajv)
  const operations = operationsIn(document)
  const compiled = new Map<string, ValidateFunction | null>()

  /**
   * Returns the validator of a reply; null if the body must be empty, undefined if the document
   * does not describe the status.
   */
  function validatorOf(id: string, status: number): ValidateFunction | null | undefined {
    const key = `${id} ${status}`
    const known = compiled.get(key)
    if (known !== undefined) return known
    const described = operations.get(id)
    const name = described?.responses[status] === undefined ? 'default' : String(status)
    const response = described?.responses[name]
    // A `default` response that is a failure does not describe statuses below 400.
    const isFailure = response?.$ref !== undefined
    if (response === undefined || (name === 'default' && isFailure && status < 400))
      return undefined
    const schema = schemaOf(isFailure ? resolve(document, response.$ref ?? '') : response)
    const validator = schema === undefined ? null : compile(withAbsoluteReferences(schema))
    compiled.set(key, validator)
    return validator
  }

  /**
   * Returns false for a failure that the document neither lists for this operation nor allows for
   * every operation. `validatorOf` has already rejected unknown statuses below 400.
   */
  function isDocumented(id: string, status: number): boolean {
    const { [status]: named, default: other } = operations.get(id)?.responses ?? {}
    return (
      status < 400 || commonStatuses.has(status) || named !== undefined || other?.$ref === undefined
    )
  }

  return (id, status, payload, isText) => {
    const validate = validatorOf(id, status)
    if (validate === undefined) return 'there is no such status'
    if (!isDocumented(id, status)) return 'the status is not among its `failures`'
    if (validate === null) return payload === '' ? undefined : `a body: ${payload}`
    if (payload === '' && status >= 400) return undefined
    // An empty body is not JSON, so it is validated as an empty string, which few schemas allow.
    if (validate(isText || payload === '' ? payload : JSON.parse(payload))) return undefined
    return `${ajv.errorsText(validate.errors)} in ${payload}`
  }
}

function schemaOf(response: object): JsonSchema | undefined {
  const content: object = Object(Reflect.get(response, 'content'))
  const [first] = Object.values(content)
  return first?.schema
}

function resolve(document: JsonSchema, reference: string): object {
  const steps = reference.split('/').slice(1)
  return steps.reduce<object>((at, step) => Object(Reflect.get(at, step)), document)
}
