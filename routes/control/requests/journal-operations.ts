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
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import { defer } from '../../../state/kernel/worlds/deferred.ts'
import { explanationShape } from '../../explain/explain-shapes.ts'
import { callsOf } from '../../http/declare/control-call.ts'
import { instant } from '../../http/declare/shape-or-schema.ts'
import { VerificationError } from '../../journal/journal-queries.ts'
import { findShape, verifyShape, waitShape } from '../../journal/match-shapes.ts'
import { outcomes } from '../../journal/outcome.ts'
import { type ControlContext, worldCalls } from '../context.ts'
import { HttpProblem } from '../errors.ts'
import { rowDifferenceShape } from '../state/state-shapes.ts'

/** Value of a query parameter in the journal; a list if the parameter was repeated. */

const queryValue = union(text, list(text))

const entryShape = struct({
  id: text,
  world: text,
  sequence: described(int, "Position of the world's event feed before the request"),
  at: described(instant, "Time on the world's clock"),
  service: text,
  operation: described(nullable(text), "The operationId of the API's OpenAPI document"),
  method: described(text, 'Method as sent'),
  path: described(text, "Below the world's prefix, without the query"),
  query: map(queryValue),
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
    'Name of the rule that refused the request, in kebab case; null if the request was served',
  ),
})

/** The changes that a request made to rows. */
const rowChangesShape = struct({ request: text, changes: list(rowDifferenceShape) })

/**
 * Filters of a list of requests. Unknown filters are refused, because ignoring a filter would list
 * too many requests.
 */
const listQueryShape = struct({
  after: optional(described(text, 'Only requests after this one')),
  limit: optional(intOf({ minimum: 0 })),
  outcome: optional(word(...outcomes)),
  service: optional(text),
})

/** Requests, oldest first, and the number of all requests that pass the filters. */
const foundRequestsShape = struct({
  requests: list(entryShape),
  total: described(int, 'Number of requests that pass the filters'),
})

/** Requests, oldest first, and the number of requests that the journal has dropped. */
const requestListShape = struct({
  ...foundRequestsShape.fields,
  dropped: described(int, 'Number of requests dropped since the journal was cleared'),
})

/** Requests that have no answer yet, oldest first. */
const openRequestsShape = struct({
  requests: list(
    struct({
      id: text,
      service: text,
      method: described(text, 'Method as sent'),
      path: described(text, "Below the world's prefix, without the query"),
      at: described(instant, "Arrival time on the world's clock"),
      ageMs: described(int, 'Age in real time'),
      worldAgeMs: described(int, "Age on the world's clock"),
    }),
  ),
})

/**
 * Reply to a successful verification. A failed verification gets a problem as its reply (RFC 9457).
 */
const verifiedShape = struct({
  verified: bool,
  count: described(int, 'Number of matching requests; for a sequence, the number of its steps'),
})

/** The matching requests after a successful wait. */
const awaitedShape = struct({ requests: list(entryShape) })

const spec = 'behaviour/program#journal'
const call = callsOf(({ world }: ControlContext) => world.requests, spec)
const worldCall = worldCalls(spec)

/**
 * Throws a failed verification or wait as an HTTP problem, which includes the number of matching
 * requests and the requests that nearly match. Throws other errors unchanged.
 */
function throwAsHttpProblem(status: number, error: unknown): never {
  if (!(error instanceof VerificationError)) throw error
  const { message, count, nearMisses } = error
  throw new HttpProblem(status, message, {}, { count, nearMisses })
}

export const journalOperations = [
  call({
    id: 'listRequests',
    route: 'GET /requests',
    summary: 'List the requests that the journal keeps, oldest first.',
    query: listQueryShape,
    reply: requestListShape,
    run: (requests, { query }) => requests.list(query),
  }),
  call({
    id: 'listOpenRequests',
    route: 'GET /requests/open',
    summary: 'List the requests that have no answer yet, such as blocking reads, oldest first.',
    reply: openRequestsShape,
    run: (requests) => ({ requests: requests.open() }),
  }),
  call({
    id: 'getRequest',
    route: 'GET /requests/:id',
    summary: 'Describe a request, its answer and its changes.',
    reply: entryShape,
    run: (requests, { params }) => requests.get(params.id),
  }),
  worldCall({
    id: 'getRequestChanges',
    route: 'GET /requests/:id/changes',
    summary: 'Show the rows that a request changed, before and after, without redaction.',
    reply: rowChangesShape,
    run: (world, { params: { id } }) => ({ request: id, changes: world.changesOf(id) }),
  }),
  worldCall({
    id: 'rewind',
    route: 'POST /requests/:id/rewind',
    summary: 'Restore the state before the request.',
    spec: 'behaviour/program#events',
    run: (world, { params }) => world.rewind(params.id),
  }),
  call({
    id: 'clearRequests',
    route: 'DELETE /requests',
    summary: 'Delete every request from the journal; the numbering continues.',
    run: (requests) => requests.clear(),
  }),
  call({
    id: 'findRequests',
    route: 'POST /requests/find',
    summary: 'Find the requests that match.',
    body: findShape,
    reply: foundRequestsShape,
    run: (requests, { body }) => requests.search(body),
  }),
  call({
    id: 'verifyRequests',
    route: 'POST /requests/verify',
    summary: 'Assert the number or the order of requests; else 422 with near misses.',
    body: verifyShape,
    reply: verifiedShape,
    run: (requests, { body }) => {
      try {
        return { verified: true, count: requests.verify(body) }
      } catch (error) {
        return throwAsHttpProblem(422, error)
      }
    },
  }),
  call({
    id: 'waitForRequests',
    route: 'POST /requests/wait',
    summary:
      'Wait in real time until the given number of requests match; else 408 with near misses.',
    body: waitShape,
    reply: awaitedShape,
    run: (requests, { context, body }) =>
      defer(
        () => requests.wait(body, context.connection).catch((e) => throwAsHttpProblem(408, e)),
        (found) => ({ requests: found }),
      ),
  }),
  worldCall({
    id: 'explainRequest',
    route: 'GET /explain/:id',
    summary: 'Explain the answer of a request, and which request would have passed.',
    spec: 'behaviour/program#explanations',
    reply: explanationShape,
    run: (world, { params }) => world.explain(params.id),
  }),
]
