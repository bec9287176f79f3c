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
  requests: described(int, 'So many the journal has'),
  operations: list(
    struct({
      service: text,
      operation: described(text, "The operationId of the API's OpenAPI document"),
      calls: int,
      statuses: described(map(int), 'How often each was sent'),
      unseen: described(list(int), 'Documented statuses that were not sent'),
    }),
  ),
  faults: list(
    struct({
      fault: described(text, 'Of one that was applied: its id'),
      preset: nullable(text),
      request: text,
      next: described(word(...reactions), 'What the client did next'),
      retries: described(int, 'So often the same request came again, until it was served'),
      afterMs: described(nullable(float), 'Real time before the first of them; null without one'),
    }),
  ),
  unapplied: list(
    struct({
      fault: described(text, 'Of one that is there and was never applied: its id'),
      preset: nullable(text),
      matched: described(int, 'So many requests it matched'),
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
    tokens: described(list(text), 'Accessors of tokens that nobody revoked'),
    leases: described(list(text), 'Ids of leases that nobody ended'),
  }),
})
