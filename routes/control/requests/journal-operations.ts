import { defer } from '../../../state/kernel/worlds/deferred.ts'
import { noContent, ok } from '../../http/declare/operation.ts'
import { VerificationError } from '../../journal/journal-queries.ts'
import { findShape, verifyShape, waitShape } from '../../journal/match-shapes.ts'
import { operation } from '../context.ts'
import { HttpProblem } from '../errors.ts'
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

/** Converts a failed assertion to an HTTP problem that includes the nearest requests. */
function asHttpProblem<T>(status: number, error: unknown): T {
  if (!(error instanceof VerificationError)) throw error
  const { message, count, nearMisses } = error
  throw new HttpProblem(status, message, {}, { count, nearMisses })
}

/** Operations on the requests to a world. */
export const journalOperations = [
  operation({
    id: 'listRequests',
    method: 'GET',
    path: '/requests',
    summary: 'List the requests that the journal keeps, oldest first.',
    spec,
    query: listingShape,
    reply: { 200: listedShape },
    run: ({ context, query }) => ok(context.world.requests.list(query)),
  }),
  operation({
    id: 'getRequest',
    method: 'GET',
    path: '/requests/:id',
    summary: 'Describe a request, its answer and its changes.',
    spec,
    reply: { 200: entryShape },
    run: ({ context, params }) => ok(context.world.requests.get(params.id)),
  }),
  operation({
    id: 'getRequestChanges',
    method: 'GET',
    path: '/requests/:id/changes',
    summary: 'Show the rows that a request changed, before and after, without redaction.',
    spec,
    reply: { 200: rowChangesShape },
    run: ({ context, params: { id } }) => ok({ request: id, changes: context.world.changesOf(id) }),
  }),
  operation({
    id: 'rewind',
    method: 'POST',
    path: '/requests/:id/rewind',
    summary: 'Restore the state before the request.',
    spec: 'behaviour/program#events',
    reply: { 204: null },
    run: ({ context, params }) => {
      context.world.rewind(params.id)
      return noContent
    },
  }),
  operation({
    id: 'clearRequests',
    method: 'DELETE',
    path: '/requests',
    summary: 'Delete every request from the journal; the numbering continues.',
    spec,
    reply: { 204: null },
    run: ({ context }) => {
      context.world.requests.clear()
      return noContent
    },
  }),
  operation({
    id: 'findRequests',
    method: 'POST',
    path: '/requests/find',
    summary: 'Find the requests that match.',
    spec,
    body: findShape,
    reply: { 200: entriesShape },
    run: ({ context, body }) => ok(context.world.requests.search(body)),
  }),
  operation({
    id: 'verifyRequests',
    method: 'POST',
    path: '/requests/verify',
    summary: 'Assert the number or the order of requests; else 422 with near misses.',
    spec,
    body: verifyShape,
    reply: { 200: verifiedShape },
    run: ({ context, body }) => {
      try {
        return ok({ verified: true, count: context.world.requests.verify(body) })
      } catch (error) {
        return asHttpProblem(422, error)
      }
    },
  }),
  operation({
    id: 'waitForRequests',
    method: 'POST',
    path: '/requests/wait',
    summary:
      'Wait in real time until the given number of requests match; else 408 with near misses.',
    spec,
    body: waitShape,
    reply: { 200: awaitedShape },
    run: ({ context, body }) =>
      defer(
        () =>
          context.world.requests.wait(body, context.connection).catch((e) => asHttpProblem(408, e)),
        (requests) => ok({ requests }),
      ),
  }),
]
