import { Ajv, type ValidateFunction } from 'ajv'
import type { FastifyInstance } from 'fastify'
import { errorSchema } from '../../routes/secrets/schemas.ts'
import type { JsonSchema } from '../../state/kernel/schema.ts'

const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/

/**
 * Makes an app check every reply against the schema that its operation declares: a reply that does
 * not fit, or a status that is not declared, fails the request with the reason.
 */
export function checkReplies(app: FastifyInstance): void {
  const ajv = new Ajv({ strict: false, allErrors: true, formats: { 'date-time': timestamp } })
  const compiled = new Map<JsonSchema, ValidateFunction>()
  const validatorOf = (schema: JsonSchema) => {
    const validator = compiled.get(schema) ?? ajv.compile(schema)
    compiled.set(schema, validator)
    return validator
  }
  app.addHook('onSend', async (request, reply, payload) => {
    const status = reply.statusCode
    const declared = request.operation?.reply
    if (declared === undefined) return payload
    const otherwise = request.operation?.replyOtherwise
    const schema = declared[status] ?? otherwise ?? (status >= 400 ? errorSchema : undefined)
    const what = `${request.method} ${request.url} answers ${status}`
    if (schema === undefined && !(status in declared)) throw new Error(`${what}: not declared`)
    if (schema === undefined) {
      if (payload) throw new Error(`${what}: declared without a body`)
      return payload
    }
    if (request.method === 'HEAD') return payload
    const validate = validatorOf(schema)
    if (!validate(JSON.parse(String(payload)))) {
      throw new Error(`${what}: ${ajv.errorsText(validate.errors)} in ${String(payload)}`)
    }
    return payload
  })
}
