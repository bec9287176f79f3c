import {
  any,
  bool,
  constant,
  int,
  intOf,
  list,
  map,
  text,
  textOf,
  union,
  word,
} from '../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../state/kernel/shape/members.ts'
import type { InputOf } from '../../state/kernel/shape/values.ts'
import { outcomes } from './outcome.ts'

const pattern = struct({ matches: described(text, 'Regular expression (RE2), not anchored') })
const absent = struct({ absent: constant(true) })
const textMatch = union(text, pattern, absent)

const status = intOf({ minimum: 100, maximum: 599 })

/**
 * Matcher of requests, for the journal and for faults (behaviour/program#journal). A request
 * matches if it has all properties that the matcher contains.
 */
export const matchShape = struct({
  service: optional(text),
  operation: optional(described(text, 'An operationId')),
  method: optional(described(union(text, list(text, { minItems: 1 })), 'Method as sent')),
  path: optional(
    described(
      textOf({ minLength: 1, pattern: '^(?!.*\\*{3})[/*]' }),
      "Path below the world's prefix; `*` matches any text within a segment, `**` across segments",
    ),
  ),
  query: optional(map(textMatch)),
  headers: optional(described(map(textMatch), 'Header names in any case')),
  body: optional(
    described(
      any,
      'Text, `{matches}`, `{absent: true}`, or part of the JSON: some members of objects, complete lists, `{contains}` for part of a list or text',
    ),
  ),
  status: optional(union(status, list(status, { minItems: 1 }))),
  outcome: optional(word(...outcomes)),
  caller: optional(described(text, 'A fingerprint, a plain token or a name')),
})
export type Match = InputOf<typeof matchShape>

const count = intOf({ minimum: 0 })

/** A search in the journal: a matcher, and the maximum number of requests. */
export const findShape = struct({ match: optional(matchShape), limit: optional(count) })

/** The expected number of requests. */
const countShape = struct({
  exactly: optional(count),
  atLeast: optional(count),
  atMost: optional(count),
})
export type Count = InputOf<typeof countShape>

/** An assertion about the number or the order of requests. */
export const verifyShape = struct({
  match: optional(matchShape),
  count: optional(described(countShape, 'At least one if left out')),
  sequence: optional(
    described(list(matchShape, { minItems: 1 }), 'Requests in their expected order'),
  ),
  strict: optional(
    described(bool, 'No other requests to the services of the sequence were received in between'),
  ),
})
export type Verification = InputOf<typeof verifyShape>

/** Requests to wait for: a matcher, the number of requests, and the time limit. */
export const waitShape = struct({
  match: optional(matchShape),
  count: optional(described(intOf({ minimum: 1 }), '1 if left out')),
  timeout: optional(
    described(union(text, int), 'Limit in real time: a Go duration, or milliseconds; default 5s'),
  ),
})

/** A request that almost matches, and its differences. */
export const nearMissShape = struct({
  request: text,
  distance: described(int, 'Number of differences'),
  differences: list(
    struct({
      at: described(text, 'A JSON pointer into the entry'),
      expected: any,
      actual: any,
    }),
  ),
})
