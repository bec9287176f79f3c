import { Readable } from 'node:stream'
import { Ajv, type ValidateFunction } from 'ajv'
import type { FastifyInstance } from 'fastify'
import { replySchemaOf, type ShapeOrSchema } from '../../../routes/http/declare/shape-or-schema.ts'
import { errorSchema } from '../../../routes/secrets/envelope/schemas.ts'
import type { JsonSchema } from '../../../state/kernel/schema.ts'
import type { DialectName } from '../../../state/kernel/shape/dialect.ts'
import { ajvOptions, compilerOf } from './openapi-document.ts'

/** Pattern of the content types of bodies that are not JSON. */
export const textTypes = /^(?:text\/plain|application\/(?:x-gzip|(?:pkix|pem|x-pem|ocsp)-))/

const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/

/** Shape of error replies in APIs whose errors are a line of text. */
export const textFailure: ShapeOrSchema = { type: 'string' }

/**
 * Function that returns the mismatch between a value and its declaration; undefined if there is
 * none.
 */
type ReplyProblem = (described: ShapeOrSchema, value: unknown) => string | undefined

/**
 * Validators by the function that converts names, then by the dialect of the shapes. All apps share
 * the validators.
 */
const validators = new Map<(neutral: string) => string, Map<DialectName, ReplyProblem>>()

const unchangedName = (neutral: string) => neutral

/**
 * Makes an app check replies against the declared schema: a mismatch, or an undeclared status,
 * fails the request with the reason. Streams and the bodies of replies to HEAD are not checked.
 * `failure` is the shape of bodies from status 400 on that the operation does not declare, by
 * default that of the secrets API. `name` converts neutral field names to the app's dialect; pass
 * the same function on every call, because it is the key of the cache of compiled validators.
 * `spelling` is the dialect in which the shapes are written.
 */
export function checkReplies(
  app: FastifyInstance,
  failure: ShapeOrSchema = errorSchema,
  name: (neutral: string) => string = unchangedName,
  spelling: DialectName = 'neutral',
): void {
  const problemOf = replyValidator(name, spelling)
  app.addHook('onSend', async (request, reply, payload) => {
    // A stream only ends when its client leaves; tests check its lines.
    if (payload instanceof Readable) return payload
    const status = reply.statusCode
    const declared = request.operation?.reply
    if (declared === undefined) return payload
    const otherwise = request.operation?.defaultReply
    const fallback = otherwise ?? (status >= 400 ? failure : undefined)
    const isWithoutBody = declared[status] === null && !payload
    const schema = isWithoutBody ? undefined : (declared[status] ?? fallback)
    const what = `${request.method} ${request.url} answers ${status}`
    if (schema === undefined && !(status in declared)) throw new Error(`${what}: not declared`)
    if (schema === undefined) {
      if (payload) throw new Error(`${what}: declared without a body`)
      return payload
    }
    const isStream = typeof payload === 'object' && payload !== null && !Buffer.isBuffer(payload)
    if (request.method === 'HEAD' || isStream) return payload
    const isText = textTypes.test(String(reply.getHeader('content-type')))
    const text = String(payload ?? '')
    // An empty body is not JSON, so it is validated as an empty string, which few schemas allow.
    const problem = problemOf(schema, isText || text === '' ? text : JSON.parse(text))
    if (problem !== undefined) throw new Error(`${what}: ${problem} in ${String(payload)}`)
    return payload
  })
}

function replyValidator(name: (neutral: string) => string, spelling: DialectName): ReplyProblem {
  const spellings = validators.get(name) ?? new Map<DialectName, ReplyProblem>()
  validators.set(name, spellings)
  const validator = spellings.get(spelling) ?? compileReplyValidator(name, spelling)
  spellings.set(spelling, validator)
  return validator
}

function compileReplyValidator(
  name: (neutral: string) => string,
  spelling: DialectName,
): ReplyProblem {
  const ajv = new Ajv({ ...ajvOptions, formats: { 'date-time': timestamp } })
  const compile = compilerOf(ajv)
  const compiled = new WeakMap<ShapeOrSchema, ValidateFunction>()
  return (described, value) => {
    const validate =
      compiled.get(described) ?? compile(withNames(replySchemaOf(described, spelling), name))
    compiled.set(described, validate)
    return validate(value) ? undefined : ajv.errorsText(validate.errors)
  }
}

/** Returns a schema with the names of properties converted at every depth. */
function withNames(schema: JsonSchema, name: (neutral: string) => string): JsonSchema {
  const renamed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(renamed)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([keyword, part]) => {
        if (keyword === 'required' && Array.isArray(part)) return [keyword, part.map(name)]
        if (keyword !== 'properties') return [keyword, renamed(part)]
        const properties = Object.entries(part).map(([key, each]) => [name(key), renamed(each)])
        return [keyword, Object.fromEntries(properties)]
      }),
    )
  }
  return renamed(schema) as JsonSchema
}
