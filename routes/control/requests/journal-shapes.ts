import {
  any,
  bool,
  float,
  int,
  intOf,
  list,
  map,
  nullable,
  text,
  union,
  word,
} from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import { instant } from '../../http/declare/shape-or-schema.ts'
import { outcomes } from '../../journal/outcome.ts'
import { rowDifferenceShape } from '../state/state-shapes.ts'

/** Shapes of the journal (behaviour/program#journal). */

const texts = union(text, list(text))

/** Request as the journal shows it. */
export const entryShape = struct({
  id: text,
  world: text,
  sequence: described(int, "Position of the world's event feed before the request"),
  at: described(instant, "Time on the world's clock"),
  service: text,
  operation: described(nullable(text), "The operationId of the API's OpenAPI document"),
  method: described(text, 'Method as sent'),
  path: described(text, "Below the world's prefix, without the query"),
  query: map(texts),
  headers: described(map(text), 'Names in lower case'),
  body: optional(described(any, 'JSON, text, or `{bytes, sha256}` of a large one')),
  caller: nullable(
    struct({
      id: described(text, 'Fingerprint of the token'),
      name: optional(text),
      policies: optional(described(list(text), 'Names of policies or roles')),
    }),
  ),
  status: described(nullable(int), 'Null if no answer was sent'),
  responseHeaders: map(text),
  responseBody: optional(any),
  durationMs: described(float, 'Real time'),
  committed: described(bool, 'Whether the request changed anything'),
  index: described(struct({ before: int, after: int }), 'Index of the service'),
  changes: list(
    struct({ table: described(text, 'service.table'), key: text, kind: word('put', 'delete') }),
  ),
  fault: described(nullable(text), 'Id of the fault that was applied'),
  outcome: word(...outcomes),
  rule: described(
    nullable(text),
    'Rule by which it was refused, in kebab case; null if it was served',
  ),
})

/** Changes of a request to rows. */
export const rowChangesShape = struct({ request: text, changes: list(rowDifferenceShape) })

/** Filter of a listing. */
export const listingShape = withOthers(
  struct({
    after: optional(described(text, 'Only requests after this one')),
    limit: optional(intOf({ minimum: 0 })),
    outcome: optional(word(...outcomes)),
    service: optional(text),
  }),
  any,
)

/** Requests, oldest first. */
export const entriesShape = struct({
  requests: list(entryShape),
  total: described(int, 'Number of requests that pass the filters'),
})

/** Requests, oldest first, with the number of dropped ones. */
export const listedShape = struct({
  ...entriesShape.fields,
  dropped: described(int, 'Number of requests dropped since the journal was cleared'),
})

/** Result of a successful verification. */
export const verifiedShape = struct({
  verified: bool,
  count: described(int, 'Number of matching requests; for a sequence, the number of its steps'),
})

/** Requests that a wait returned. */
export const awaitedShape = struct({ requests: list(entryShape) })
