import { float, int, list, map, nullable, text, word } from '../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../state/kernel/shape/members.ts'
import type { StoredOf } from '../../state/kernel/shape/values.ts'
import { nearestShape } from '../explain/explain-shapes.ts'
import { reactions } from './client-reaction.ts'

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
      unseen: described(list(int), 'Documented statuses that were never returned'),
    }),
  ),
  faults: list(
    struct({
      fault: described(text, 'Id of a fault that was applied'),
      preset: nullable(text),
      request: text,
      next: described(word(...reactions), 'Reaction of the client'),
      retries: described(int, 'Number of identical requests until one was served'),
      afterMs: described(nullable(float), 'Real time before the first retry; null without a retry'),
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

/** Activity in a world since its journal was cleared (behaviour/program#reports). */
export type Report = StoredOf<typeof reportShape>
