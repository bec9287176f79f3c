import {
  any,
  bool,
  constant,
  floatOf,
  int,
  intOf,
  list,
  map,
  nullable,
  text,
  textOf,
  union,
  word,
} from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import type { InputOf } from '../../../state/kernel/shape/values.ts'
import { matchShape } from '../../journal/match-shapes.ts'

const positiveInt = intOf({ minimum: 1 })
const durationPair = list(text, { minItems: 2, maxItems: 2 })

/** The condition that selects, among matching requests, those to which a fault applies. */
export const whenShape = struct({
  skip: optional(described(intOf({ minimum: 0 }), 'Number of matching requests to skip first')),
  first: optional(
    described(positiveInt, 'Number of requests to affect after the skipped requests'),
  ),
  nth: optional(described(positiveInt, 'Only the n-th request')),
  every: optional(described(positiveInt, 'Every n-th request')),
  probability: optional(
    described(floatOf({ minimum: 0, maximum: 1 }), "Probability, drawn from the world's seed"),
  ),
})
export type When = InputOf<typeof whenShape>

/**
 * The action of a fault, which says how a matching request fails. `Faults.add` refuses actions that
 * exclude each other.
 */
const actionShape = struct({
  latency: optional(
    described(
      union(text, struct({ uniform: durationPair }), struct({ normal: durationPair })),
      'Real time before the answer: a Go duration, a range, or mean and deviation of a random draw',
    ),
  ),
  status: optional(described(intOf({ minimum: 200, maximum: 599 }), 'Status of the answer')),
  errors: optional(described(list(text), "Error messages, in the API's format")),
  body: optional(
    described(any, 'Body of the answer: a string is sent unchanged, other values as JSON'),
  ),
  headers: optional(map(text)),
  hang: optional(
    described(
      union(constant(true), text),
      'Sends no data for this time, or until the client disconnects or the fault is deleted',
    ),
  ),
  reset: optional(described(constant(true), 'Resets the connection')),
  truncate: optional(
    described(
      intOf({ minimum: 0 }),
      'Closes the connection after this number of bytes of the body',
    ),
  ),
  garbage: optional(described(constant(true), 'Answers 200 with bytes that are not JSON')),
  slowBody: optional(
    described(struct({ bytesPerSecond: floatOf({ exclusiveMinimum: 0 }) }), 'Sends slowly'),
  ),
})
export type Action = InputOf<typeof actionShape>

/** A fault that a caller requests (behaviour/program#faults). */
export const newFaultShape = struct({
  id: optional(textOf({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$' })),
  match: optional(matchShape),
  when: optional(whenShape),
  times: optional(described(positiveInt, 'Maximum number of applications')),
  phase: optional(
    described(
      word('before', 'afterCommit'),
      'Whether the request takes effect; by default only with truncate, garbage and slowBody',
    ),
  ),
  action: actionShape,
})
export type NewFault = InputOf<typeof newFaultShape>

/** A fault with its current counts. */
export const faultShape = struct({
  id: text,
  match: optional(matchShape),
  when: optional(whenShape),
  times: optional(int),
  phase: word('before', 'afterCommit'),
  action: actionShape,
  matched: described(int, 'Number of matching requests'),
  hits: described(int, 'Number of applications'),
  spent: described(bool, 'True if the fault will not be applied again'),
  preset: described(nullable(text), 'Preset that the fault belongs to'),
})
export type Fault = InputOf<typeof faultShape>

/** All faults of a world, in order of creation. */
export const faultsShape = struct({ faults: list(faultShape) })
