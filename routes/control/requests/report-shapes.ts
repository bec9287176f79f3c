import {
  any,
  float,
  int,
  list,
  map,
  nullable,
  text,
  word,
} from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import { reactions } from '../../report/client-reaction.ts'
import { nearestShape } from './explain-shapes.ts'

/** Format of a report. */
export const reportQueryShape = withOthers(
  struct({ format: optional(described(word('json', 'markdown', 'junit'), 'Default: json')) }),
  any,
)

/** Activity in a world since its journal was cleared (behaviour/program#reports). */
export const reportShape = struct({
  world: text,
  requests: described(int, 'Number of requests in the journal'),
  operations: list(
    struct({
      service: text,
      operation: described(text, "The operationId of the API's OpenAPI document"),
      calls: int,
      statuses: described(map(int), 'Number of answers by status'),
      unseen: described(list(int), 'Documented statuses that were never sent'),
    }),
  ),
  faults: list(
    struct({
      fault: described(text, 'Id of a fault that was applied'),
      preset: nullable(text),
      request: text,
      next: described(word(...reactions), 'Reaction of the client'),
      retries: described(int, 'Number of identical requests until one was served'),
      afterMs: described(nullable(float), 'Real time before the first retry; null without one'),
    }),
  ),
  unapplied: list(
    struct({
      fault: described(text, 'Id of an existing fault that was never applied'),
      preset: nullable(text),
      matched: described(int, 'Number of matching requests'),
    }),
  ),
  refused: list(
    struct({
      request: text,
      operation: nullable(text),
      status: nullable(int),
      rule: nullable(text),
      because: described(text, 'One sentence'),
    }),
  ),
  unmatched: list(struct({ request: text, method: text, path: text, nearest: nearestShape })),
  leftBehind: struct({
    tokens: described(list(text), 'Accessors of tokens that were not revoked'),
    leases: described(list(text), 'Ids of leases that were not ended'),
  }),
})
