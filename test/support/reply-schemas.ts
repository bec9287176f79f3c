import { Readable } from 'node:stream'
import { Ajv, type ValidateFunction } from 'ajv'
import type { FastifyInstance } from 'fastify'
import { answeredSchema, type Described } from '../../routes/http/described.ts'
import { errorSchema } from '../../routes/secrets/envelope/schemas.ts'
import type { JsonSchema } from '../../state/kernel/schema.ts'
import type { Spelling } from '../../state/kernel/shape/dialect.ts'

const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/

/**
 * Makes an app check every reply against the schema that its operation declares: a reply that does
 * not fit, or a status that is not declared, fails the request with the reason. `failure` is the shape
 * of bodies from 400 on, the secrets API's by default; `name` gives the names of fields in the app's
 * dialect, `spelling` is whose words shapes are told in.
 */
export function checkReplies(
  app: FastifyInstance,
  failure: Described = errorSchema,
  name: (neutral: string) => string = (neutral) => neutral,
  spelling: Spelling = 'neutral',
): void {
  const ajv = new Ajv({ strict: false, allErrors: true, formats: { 'date-time': timestamp } })
  const compiled = new Map<Described, ValidateFunction>()
  const validatorOf = (described: Described) => {
    const validator =
      compiled.get(described) ?? ajv.compile(withNames(answeredSchema(described, spelling), name))
    compiled.set(described, validator)
    return validator
  }
  app.addHook('onSend', async (request, reply, payload) => {
    // A stream ends when somebody leaves; tests look at its lines.
    if (payload instanceof Readable) return payload
    const status = reply.statusCode
    const declared = request.operation?.reply
    if (declared === undefined) return payload
    const otherwise = request.operation?.replyOtherwise
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
    const validate = validatorOf(schema)
    const isText = String(reply.getHeader('content-type')).startsWith('text/plain')
    if (!validate(isText ? String(payload) : JSON.parse(String(payload)))) {
      throw new Error(`${what}: ${ajv.errorsText(validate.errors)} in ${String(payload)}`)
    }
    return payload
  })
}

/** A schema with other names of properties, all the way down. */
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
