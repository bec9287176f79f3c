import { any, map, text, word } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import { defer } from '../../../state/kernel/worlds/deferred.ts'
import { answer, noContent, ok } from '../../http/declare/operation.ts'
import { LongJson } from '../../http/long-json.ts'
import {
  forcedTransitionShape,
  timingsShape,
  transitionedShape,
  transitionsShape,
} from '../clock/transition-shapes.ts'
import { operation, spec } from '../context.ts'
import {
  advancedShape,
  advanceShape,
  byServiceShape,
  clockSettingShape,
  clockShape,
  diffQueryShape,
  diffShape,
  dueListShape,
  dueQueryShape,
  infoShape,
  momentQueryShape,
  resetShape,
  serviceDocumentShape,
  snapshotListShape,
  snapshotShape,
  stateDocumentShape,
} from '../shapes.ts'
import { environmentFormats, writeEnvironment } from './environment.ts'

/** Output format of an environment. */
const environmentQueryShape = withOthers(
  struct({ format: optional(described(word(...environmentFormats), 'Default: sh')) }),
  any,
)

/** Operations on one world, for the world of the request and below `/worlds/{id}`. */
export const worldOperations = [
  operation({
    id: 'getInfo',
    method: 'GET',
    path: '/info',
    summary: 'Describe the process, with its current addresses and credentials.',
    spec: 'behaviour/program#fresh-world',
    reply: { 200: infoShape },
    run: ({ context }) => ok(context.world.info(context.origin)),
  }),
  operation({
    id: 'getEnvironment',
    method: 'GET',
    path: '/env',
    summary:
      'Return the environment variables for clients of the world: as sh (default), dotenv, json or github.',
    spec: 'behaviour/program#worlds-for-clients',
    query: environmentQueryShape,
    reply: { 200: map(text) },
    alternativeMediaTypes: ['text/plain'],
    run: ({ context: { world, origin }, query: { format = 'sh' } }) => {
      const environment = world.env(origin)
      return ok(format === 'json' ? environment : writeEnvironment(environment, format))
    },
  }),
  operation({
    id: 'reset',
    method: 'POST',
    path: '/reset',
    summary: 'Reset the world to its fixtures, completely or in parts.',
    spec,
    body: resetShape,
    reply: { 204: null },
    run: ({ context, body }) => {
      context.world.reset(body.what)
      return noContent
    },
  }),
  operation({
    id: 'exportState',
    method: 'GET',
    path: '/state',
    summary: 'Export the whole state, current or right after a request.',
    spec: 'behaviour/program#events',
    query: momentQueryShape,
    reply: { 200: stateDocumentShape },
    run: ({ context, query }) => ok(new LongJson(context.world.state(query.at))),
  }),
  operation({
    id: 'importState',
    method: 'PUT',
    path: '/state',
    summary: 'Replace the whole state; omitted parts are as in a fresh world.',
    spec,
    body: stateDocumentShape,
    reply: { 204: null },
    run: ({ context, body }) => {
      context.world.importState(body)
      return noContent
    },
  }),
  operation({
    id: 'exportServiceState',
    method: 'GET',
    path: '/state/:service',
    summary: "Export one service's part of the state, current or right after a request.",
    spec: 'behaviour/program#events',
    query: momentQueryShape,
    reply: { 200: serviceDocumentShape },
    run: ({ context, params, query }) =>
      ok(new LongJson(context.world.serviceState(params.service, query.at))),
  }),
  operation({
    id: 'takeSnapshot',
    method: 'POST',
    path: '/snapshots',
    summary: 'Take a snapshot of the current state.',
    spec,
    reply: { 201: snapshotShape },
    run: ({ context }) => answer(201, context.world.snapshot()),
  }),
  operation({
    id: 'listSnapshots',
    method: 'GET',
    path: '/snapshots',
    summary: "List the world's snapshots, oldest first.",
    spec,
    reply: { 200: snapshotListShape },
    run: ({ context }) => ok({ snapshots: context.world.snapshots() }),
  }),
  operation({
    id: 'restoreSnapshot',
    method: 'POST',
    path: '/snapshots/:id/restore',
    summary: 'Restore a snapshot, which stays available.',
    spec,
    reply: { 204: null },
    run: ({ context, params }) => {
      context.world.restore(params.id)
      return noContent
    },
  }),
  operation({
    id: 'diffSnapshot',
    method: 'GET',
    path: '/snapshots/:id/diff',
    summary:
      'Compare a snapshot with another one, with the state after a request or with the present.',
    spec: 'behaviour/program#events',
    query: diffQueryShape,
    reply: { 200: diffShape },
    run: ({ context, params, query }) => ok(context.world.diff(params.id, query.to)),
  }),
  operation({
    id: 'deleteSnapshot',
    method: 'DELETE',
    path: '/snapshots/:id',
    summary: 'Delete a snapshot.',
    spec,
    reply: { 204: null },
    run: ({ context, params }) => {
      context.world.dropSnapshot(params.id)
      return noContent
    },
  }),
  operation({
    id: 'getClock',
    method: 'GET',
    path: '/clock',
    summary: 'Describe the clock: its mode, the time and the next scheduled job.',
    spec,
    reply: { 200: clockShape },
    run: ({ context }) => ok(context.world.clock.view()),
  }),
  operation({
    id: 'listDue',
    method: 'GET',
    path: '/clock/due',
    summary: 'List the scheduled jobs, in order.',
    spec,
    query: dueQueryShape,
    reply: { 200: dueListShape },
    run: ({ context, query }) => ok(context.world.clock.due(query.limit)),
  }),
  operation({
    id: 'setClock',
    method: 'PUT',
    path: '/clock',
    summary: 'Set the clock and run the jobs that become due.',
    spec,
    body: clockSettingShape,
    reply: { 200: clockShape },
    run: ({ context, body }) =>
      defer(() => context.world.clock.setInTurns(body, context.connection), ok),
  }),
  operation({
    id: 'advanceClock',
    method: 'POST',
    path: '/clock/advance',
    summary: 'Advance the clock and run the jobs that become due.',
    spec,
    body: advanceShape,
    reply: { 200: advancedShape },
    run: ({ context, body: { by, limit } }) =>
      defer(() => context.world.clock.advanceInTurns(by, limit, context.connection), ok),
  }),
  operation({
    id: 'getOptions',
    method: 'GET',
    path: '/options',
    summary: 'Return world options by service, with defaults filled in.',
    spec: 'behaviour/program#fresh-world',
    reply: { 200: byServiceShape },
    run: ({ context }) => ok(context.world.options()),
  }),
  operation({
    id: 'changeOptions',
    method: 'PATCH',
    path: '/options',
    summary: 'Change the named options; unknown and ill-typed ones are refused.',
    spec: 'behaviour/program#fresh-world',
    body: byServiceShape,
    reply: { 200: byServiceShape },
    run: ({ context, body }) => {
      context.world.changeOptions(body)
      return ok(context.world.options())
    },
  }),
  operation({
    id: 'getTransitions',
    method: 'GET',
    path: '/transitions',
    summary: 'List the kinds of transitions, their timing, and the possible forced transitions.',
    spec,
    reply: { 200: transitionsShape },
    run: ({ context }) => ok({ kinds: context.world.transitions.list() }),
  }),
  operation({
    id: 'setPaces',
    method: 'PUT',
    path: '/transitions',
    summary: 'Set the timing of the named kinds; the others keep theirs.',
    spec,
    body: timingsShape,
    reply: { 200: transitionsShape },
    run: ({ context, body }) => {
      context.world.transitions.setPaces(body)
      return ok({ kinds: context.world.transitions.list() })
    },
  }),
  operation({
    id: 'push',
    method: 'POST',
    path: '/transitions/:kind/:id',
    summary: 'Force one object into a state; some states need members in addition to `to`.',
    spec,
    body: forcedTransitionShape,
    reply: { 200: transitionedShape },
    run: ({ context, params: { kind, id }, body: { to, ...extra } }) => {
      const item = context.world.transitions.push(kind, id, to, extra)
      return ok({ kind, id, item: item ?? null })
    },
  }),
]
