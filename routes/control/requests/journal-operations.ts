import { defer } from '../../../state/kernel/worlds/deferred.ts'
import { callsOf } from '../../http/declare/control-call.ts'
import { VerificationError } from '../../journal/journal-queries.ts'
import { findShape, verifyShape, waitShape } from '../../journal/match-shapes.ts'
import { type ControlContext, worldCalls } from '../context.ts'
import { HttpProblem } from '../errors.ts'
import { explanationShape } from './explain-shapes.ts'
import {
  awaitedShape,
  entriesShape,
  entryShape,
  listedShape,
  listingShape,
  rowChangesShape,
  verifiedShape,
} from './journal-shapes.ts'

const spec = 'behaviour/program#journal'
const call = callsOf(({ world }: ControlContext) => world.requests, spec)
const worldCall = worldCalls(spec)

/** Converts a failed assertion to an HTTP problem that includes the nearest requests. */
function asHttpProblem<T>(status: number, error: unknown): T {
  if (!(error instanceof VerificationError)) throw error
  const { message, count, nearMisses } = error
  throw new HttpProblem(status, message, {}, { count, nearMisses })
}

/** Operations on the requests to a world. */
export const journalOperations = [
  call({
    id: 'listRequests',
    route: 'GET /requests',
    summary: 'List the requests that the journal keeps, oldest first.',
    query: listingShape,
    reply: listedShape,
    run: (requests, { query }) => requests.list(query),
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
    reply: entriesShape,
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
        return asHttpProblem(422, error)
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
        () => requests.wait(body, context.connection).catch((e) => asHttpProblem(408, e)),
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
