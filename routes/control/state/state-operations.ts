import { any, list, map, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import { defer } from '../../../state/kernel/worlds/deferred.ts'
import { worldCalls } from '../context.ts'
import { rowDifferenceShape, snapshotShape, stateDocumentShape } from './state-shapes.ts'

const call = worldCalls()

/** Query of an export. The query may name the request after which the state is exported. */
const pastStateQueryShape = withOthers(
  struct({
    at: optional(
      described(
        text,
        'Id of a request, for the state directly after it; the current state if left out',
      ),
    ),
  }),
  any,
)

/** World options by service. Each service validates its own options. */
const byServiceShape = map(withOthers(struct({}), any))

export const stateOperations = [
  call({
    id: 'exportState',
    route: 'GET /state',
    summary: 'Export the whole state, current or right after a request.',
    spec: 'behaviour/program#events',
    query: pastStateQueryShape,
    reply: stateDocumentShape,
    run: (world, { query }) => world.streamedState(query.at),
  }),
  call({
    id: 'importState',
    route: 'PUT /state',
    summary:
      'Replace the whole state with a document in JSON or YAML; omitted parts are reset to those of a fresh world.',
    body: stateDocumentShape,
    run: (world, { context, body }) =>
      defer(
        () => world.importStateInTurns(body, context.connection),
        () => undefined,
      ),
  }),
  call({
    id: 'exportServiceState',
    route: 'GET /state/:service',
    summary: "Export one service's part of the state, current or right after a request.",
    spec: 'behaviour/program#events',
    query: pastStateQueryShape,
    reply: struct({
      tables: described(withOthers(struct({}), any), 'Rows by table and key'),
    }),
    run: (world, { params, query }) => world.streamedServiceState(params.service, query.at),
  }),
  call({
    id: 'takeSnapshot',
    route: 'POST /snapshots',
    summary: 'Take a snapshot of the current state.',
    reply: snapshotShape,
    status: 201,
    run: (world) => world.snapshot(),
  }),
  call({
    id: 'listSnapshots',
    route: 'GET /snapshots',
    summary: "List the world's snapshots, oldest first.",
    reply: struct({ snapshots: list(snapshotShape) }),
    run: (world) => ({ snapshots: world.snapshots() }),
  }),
  call({
    id: 'restoreSnapshot',
    route: 'POST /snapshots/:id/restore',
    summary: 'Restore a snapshot, which stays available.',
    run: (world, { params }) => world.restore(params.id),
  }),
  call({
    id: 'diffSnapshot',
    route: 'GET /snapshots/:id/diff',
    summary:
      'Compare a snapshot with another snapshot, with the state after a request or with the current state.',
    spec: 'behaviour/program#events',
    query: withOthers(
      struct({
        to: optional(
          described(
            text,
            'Another snapshot, or a request, for the state directly after it; the current state if left out',
          ),
        ),
      }),
      any,
    ),
    reply: struct({
      from: text,
      to: described(text, 'A snapshot, a request, or `present`'),
      changes: list(rowDifferenceShape),
    }),
    run: (world, { params, query }) => world.diff(params.id, query.to),
  }),
  call({
    id: 'deleteSnapshot',
    route: 'DELETE /snapshots/:id',
    summary: 'Delete a snapshot.',
    run: (world, { params }) => world.dropSnapshot(params.id),
  }),
]

const optionCall = worldCalls('behaviour/program#fresh-world')

export const optionOperations = [
  optionCall({
    id: 'getOptions',
    route: 'GET /options',
    summary: 'Return world options by service, with defaults filled in.',
    reply: byServiceShape,
    run: (world) => world.options(),
  }),
  optionCall({
    id: 'changeOptions',
    route: 'PATCH /options',
    summary: 'Change the named options; unknown options and values of the wrong type are refused.',
    body: byServiceShape,
    reply: byServiceShape,
    run: (world, { body }) => {
      world.changeOptions(body)
      return world.options()
    },
  }),
]
