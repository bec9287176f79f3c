import type { JsonSchema } from '../../../state/kernel/schema.ts'

/** Members that every envelope has at top level, in order (1-secrets.md, Response envelope). */
export const envelopeKeys = [
  'request_id',
  'lease_id',
  'renewable',
  'lease_duration',
  'data',
  'wrap_info',
  'warnings',
  'auth',
] as const

const warningsSchema: JsonSchema = {
  type: ['array', 'null'],
  items: { type: 'string' },
  description: 'Remarks that do not make the request fail',
}

const authSchema: JsonSchema = {
  type: 'object',
  required: [
    'client_token',
    'accessor',
    'policies',
    'metadata',
    'lease_duration',
    'renewable',
    'entity_id',
    'token_type',
    'orphan',
    'mfa_requirement',
    'num_uses',
  ],
}

function envelopeWith(changes: Record<string, unknown>, more: Record<string, unknown> = {}) {
  return {
    type: 'object',
    required: envelopeKeys,
    properties: {
      request_id: { type: 'string' },
      lease_id: { type: 'string' },
      renewable: { type: 'boolean' },
      lease_duration: { type: 'integer', description: 'Seconds' },
      data: { type: ['object', 'null'] },
      wrap_info: { type: ['object', 'null'] },
      warnings: warningsSchema,
      auth: { type: 'null' },
      ...changes,
    },
    ...more,
  } satisfies JsonSchema
}

/** The envelope around a payload (1-secrets.md, Response envelope). */
export function envelopeOf(data: JsonSchema): JsonSchema {
  return envelopeWith({ data })
}

/**
 * The body of an outcome made by `spread`: bare, or with the reference's data in an envelope and
 * beside it.
 */
export function spreadOf(body: JsonSchema, referenceData: JsonSchema = body): JsonSchema {
  return { anyOf: [body, envelopeOf(referenceData)] }
}

/** The envelope of a 404 that still carries data (1-secrets-decisions.md section 1, SPEC>REF). */
export function absentEnvelopeOf(data: JsonSchema): JsonSchema {
  return envelopeWith({ data, errors: { type: 'array', maxItems: 0 } })
}

/** The envelope of a login or a new token. */
export const authEnvelope: JsonSchema = envelopeWith({ data: { type: 'null' }, auth: authSchema })

/** The envelope that stands for 204 when there are warnings. */
export const warningEnvelope: JsonSchema = envelopeWith({ data: { type: 'null' } })

/** The envelope that stands for a wrapped reply (1-secrets-decisions.md section 1, Wrapping). */
export const wrappedEnvelope: JsonSchema = envelopeWith({
  request_id: { const: '' },
  data: { type: 'null' },
  wrap_info: {
    type: 'object',
    required: ['token', 'accessor', 'ttl', 'creation_time', 'creation_path', 'wrapped_accessor'],
    additionalProperties: false,
    properties: {
      token: { type: 'string', description: 'Can be used once' },
      accessor: { type: 'string' },
      ttl: { type: 'integer', minimum: 1, description: 'Seconds' },
      creation_time: { type: 'string', format: 'date-time' },
      creation_path: { type: 'string', description: 'The path whose reply it is' },
      wrapped_accessor: {
        type: 'string',
        description: 'Accessor of the token in the reply; empty without one',
      },
    },
  },
})

/** `data.keys`, for lists. */
export const keysEnvelope: JsonSchema = envelopeOf({
  type: 'object',
  required: ['keys'],
  properties: { keys: { type: 'array', items: { type: 'string' } } },
})

/** Any failure: `{errors: array of string}` (1-secrets.md, Errors 1). */
export const errorSchema: JsonSchema = {
  type: 'object',
  required: ['errors'],
  properties: { errors: { type: 'array', items: { type: 'string' } } },
}
