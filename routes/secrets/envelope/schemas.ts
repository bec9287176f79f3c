import {
  any,
  bool,
  constant,
  type Field,
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
import {
  described,
  optional,
  secret,
  struct,
  withOthers,
} from '../../../state/kernel/shape/members.ts'

/**
 * Top-level members of every envelope, in the order in which they are sent
 * (behaviour/secrets#api-envelope).
 */
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

/** Declaration of an envelope member that is always present. */
type Member = Shape | ReturnType<typeof secret>

/**
 * Returns the shape of an envelope in which some members have more specific shapes. Other members
 * are allowed at the top level.
 */
function envelopeWith(changes: Readonly<Record<string, Member>>): Shape {
  return withOthers(
    struct({
      request_id: text,
      lease_id: text,
      renewable: bool,
      lease_duration: described(int, 'Seconds'),
      data: nullable(map(any)),
      wrap_info: nullable(map(any)),
      warnings: described(nullable(list(text)), 'Warnings about a request that succeeded'),
      auth: constant(null),
      ...changes,
    }),
    any,
  )
}

/**
 * Returns the shape of an envelope whose `data` has the given shape
 * (behaviour/secrets#api-envelope).
 */
export function envelopeOf(data: Shape): Shape {
  return envelopeWith({ data })
}

/** Returns the shape of an envelope whose `data` has the given members. */
export function structEnvelope(members: Readonly<Record<string, Shape | Field>>): Shape {
  return envelopeOf(struct(members))
}

/**
 * Returns the `reply` declaration of an operation whose only success is 200. `members` are the
 * members of `data`.
 */
export function enveloped(members: Readonly<Record<string, Shape | Field>>) {
  return { 200: structEnvelope(members) }
}

/**
 * Returns the schema of a reply whose form depends on the dialect: either `body` without an
 * envelope, or `referenceData` in an envelope. The envelope may repeat the members of the data at
 * the top level.
 */
export function dialectBodySchema(body: Shape, referenceData: Shape = body): Shape {
  return union(body, envelopeOf(referenceData))
}

/** Returns the envelope of a 404 that contains data (behaviour/secrets#body-kinds). */
function notFoundEnvelope(data: Shape): Shape {
  return envelopeWith({ data, errors: list(any, { maxItems: 0 }) })
}

/** Returns the schema of a 404 that may contain data. Without data, the body is a plain error. */
export function deletedEnvelope(data: Shape): Shape {
  return union(notFoundEnvelope(data), errorSchema)
}

const auth = withOthers(
  struct({
    client_token: secret(text),
    accessor: text,
    policies: described(nullable(list(text)), 'Null while the login requires a second factor'),
    metadata: nullable(map(text)),
    lease_duration: described(int, 'Seconds'),
    renewable: bool,
    entity_id: text,
    token_type: text,
    orphan: bool,
    mfa_requirement: described(
      nullable(
        struct({
          mfa_request_id: secret(text),
          mfa_constraints: map(
            struct({
              any: list(struct({ type: text, id: text, uses_passcode: bool, name: text })),
            }),
          ),
        }),
      ),
      'Second factors that the login requires',
    ),
    num_uses: int,
  }),
  any,
)

/** The envelope of a login or a new token. */
export const authEnvelope = envelopeWith({ data: constant(null), auth })

/** The envelope of a login whose `data` is an empty object. */
export const dataAuthEnvelope = envelopeWith({ data: map(any), auth })

/** The envelope that replaces 204 if there are warnings. */
export const warningEnvelope = envelopeWith({ data: constant(null) })

/** The envelope that replaces a wrapped reply (behaviour/secrets#wrapping). */
export const wrappedEnvelope = envelopeWith({
  request_id: constant(''),
  data: constant(null),
  wrap_info: struct({
    token: secret(described(text, 'Token with one use, which reads the wrapped reply')),
    accessor: text,
    ttl: described(intOf({ minimum: 1 }), 'Seconds'),
    creation_time: textOf({ format: 'date-time' }),
    creation_path: described(text, 'Path of the request whose reply is wrapped'),
    wrapped_accessor: optional(
      described(
        text,
        'Accessor of the token in the wrapped reply. Without a token, empty, or absent in the vendor dialect',
      ),
    ),
  }),
})

/** The envelope of a list that contains information about each name. */
export const keyInfoEnvelope = structEnvelope({ keys: list(text), key_info: map(any) })

/** The envelope of a list that contains only names, in `data.keys`. */
export const keysEnvelope = envelopeOf(withOthers(struct({ keys: list(text) }), any))

/** The usual body of a failure: `{errors: array of string}` (behaviour/secrets#api-errors). */
export const errorSchema: Shape = withOthers(struct({ errors: list(text) }), any)
