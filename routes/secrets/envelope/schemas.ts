import {
  any,
  bool,
  constant,
  int,
  intOf,
  list,
  map,
  nullable,
  type Shape,
  text,
  textOf,
  union,
} from '../../../state/kernel/shape/kinds.ts'
import { described, secret, struct, withOthers } from '../../../state/kernel/shape/members.ts'

/** Members that every envelope has at top level, in order (behaviour/secrets#api-envelope). */
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

/** A member that is there whatever it holds. */
type Member = Shape | ReturnType<typeof secret>

/** An envelope in which some members are known better; others may stand at its top level too. */
function envelopeWith(changes: Readonly<Record<string, Member>>): Shape {
  return withOthers(
    struct({
      request_id: text,
      lease_id: text,
      renewable: bool,
      lease_duration: described(int, 'Seconds'),
      data: nullable(map(any)),
      wrap_info: nullable(map(any)),
      warnings: described(nullable(list(text)), 'Remarks that do not make the request fail'),
      auth: constant(null),
      ...changes,
    }),
    any,
  )
}

/** The envelope around a payload (behaviour/secrets#api-envelope). */
export function envelopeOf(data: Shape): Shape {
  return envelopeWith({ data })
}

/**
 * The body of an outcome made by `spread`: bare, or with the reference's data in an envelope and
 * beside it.
 */
export function dialectBodySchema(body: Shape, referenceData: Shape = body): Shape {
  return union(body, envelopeOf(referenceData))
}

/** The envelope of a 404 that still carries data (behaviour/secrets#body-kinds). */
function notFoundEnvelope(data: Shape): Shape {
  return envelopeWith({ data, errors: list(any, { maxItems: 0 }) })
}

/** A 404 that carries data when there is any, and is a plain error otherwise. */
export function deletedEnvelope(data: Shape): Shape {
  return union(notFoundEnvelope(data), errorSchema)
}

const auth = withOthers(
  struct({
    client_token: secret(text),
    accessor: text,
    policies: list(text),
    metadata: nullable(map(text)),
    lease_duration: described(int, 'Seconds'),
    renewable: bool,
    entity_id: text,
    token_type: text,
    orphan: bool,
    mfa_requirement: constant(null),
    num_uses: int,
  }),
  any,
)

/** The envelope of a login or a new token. */
export const authEnvelope = envelopeWith({ data: constant(null), auth })

/** The envelope that stands for 204 when there are warnings. */
export const warningEnvelope = envelopeWith({ data: constant(null) })

/** The envelope that stands for a wrapped reply (behaviour/secrets#wrapping). */
export const wrappedEnvelope = envelopeWith({
  request_id: constant(''),
  data: constant(null),
  wrap_info: struct({
    token: secret(described(text, 'Can be used once')),
    accessor: text,
    ttl: described(intOf({ minimum: 1 }), 'Seconds'),
    creation_time: textOf({ format: 'date-time' }),
    creation_path: described(text, 'The path whose reply it is'),
    wrapped_accessor: described(text, 'Accessor of the token in the reply; empty without one'),
  }),
})

/** `data.keys`, for lists. */
export const keysEnvelope = envelopeOf(withOthers(struct({ keys: list(text) }), any))

/** Any failure: `{errors: array of string}` (behaviour/secrets#api-errors). */
export const errorSchema: Shape = withOthers(struct({ errors: list(text) }), any)
