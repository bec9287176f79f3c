import {
  any,
  bool,
  int,
  list,
  map,
  nullable,
  text,
  word,
} from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import { outcomes } from '../../journal/outcome.ts'

/** Operations that were probably meant. */
export const nearestShape = list(
  struct({ operation: text, method: text, path: text, differences: list(text) }),
)

/** Explanation of a request's answer (behaviour/program#explanations). */
export const explanationShape = struct({
  id: described(text, 'Of the request'),
  request: struct({
    method: described(text, 'As on the wire'),
    path: described(text, "Below the world's prefix, without the query"),
  }),
  status: described(nullable(int), 'Null when none was sent'),
  outcome: word(...outcomes),
  rule: described(nullable(text), 'In kebab case, and stable; null when it was served'),
  because: described(text, 'One sentence'),
  spec: described(text, 'Document and section'),
  decision: described(nullable(text), 'The name of a choice of /coverage'),
  steps: described(
    list(struct({ check: text, passed: bool, detail: optional(text) })),
    'The checks in the order in which they were made; one that failed is the last',
  ),
  nearest: described(nearestShape, 'At most 3, of unmatched requests and wrong verbs'),
  wouldPass: nullable(
    struct({
      change: described(text, 'What is to be done'),
      request: optional(
        struct({
          method: text,
          path: described(text, "Below the world's prefix, with the query"),
          headers: optional(map(text)),
          body: optional(any),
        }),
      ),
    }),
  ),
})
