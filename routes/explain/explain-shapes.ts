import { any, bool, int, list, map, nullable, text, word } from '../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../state/kernel/shape/members.ts'
import { outcomes } from '../journal/outcome.ts'

/** Operations that the caller probably meant. */
export const nearestShape = list(
  struct({ operation: text, method: text, path: text, differences: list(text) }),
)

/** The explanation of the answer to a request (behaviour/program#explanations). */
export const explanationShape = struct({
  id: described(text, 'Id of the request'),
  request: struct({
    method: described(text, 'Method as sent'),
    path: described(text, "Path below the world's prefix, without the query"),
  }),
  status: described(nullable(int), 'Null if no answer was sent'),
  outcome: word(...outcomes),
  rule: described(nullable(text), 'Stable name in kebab case; null if the request was served'),
  because: described(text, 'One sentence'),
  spec: described(text, 'Document and section'),
  decision: described(nullable(text), 'Name of a choice of /coverage'),
  steps: described(
    list(struct({ check: text, passed: bool, detail: optional(text) })),
    'Checks in the order in which they were made; a failed check is the last',
  ),
  nearest: described(nearestShape, 'At most 3, for unmatched requests and wrong verbs'),
  wouldPass: nullable(
    struct({
      change: described(text, 'What the caller should do'),
      request: optional(
        struct({
          method: text,
          path: described(text, "Path below the world's prefix, with the query"),
          headers: optional(map(text)),
          body: optional(any),
        }),
      ),
    }),
  ),
})
