import { defer } from '../../../state/kernel/worlds/deferred.ts'
import { callsOf } from '../../http/declare/control-call.ts'
import type { ControlContext } from '../context.ts'
import {
  advancedShape,
  advanceShape,
  clockSettingShape,
  clockShape,
  dueListShape,
  dueQueryShape,
} from './clock-shapes.ts'
import {
  forcedTransitionShape,
  timingsShape,
  transitionedShape,
  transitionsShape,
} from './transition-shapes.ts'

const clockCall = callsOf(({ world }: ControlContext) => world.clock)

export const clockOperations = [
  clockCall({
    id: 'getClock',
    route: 'GET /clock',
    summary: 'Describe the clock: its mode, the time and the next scheduled job.',
    reply: clockShape,
    run: (clock) => clock.view(),
  }),
  clockCall({
    id: 'listDue',
    route: 'GET /clock/due',
    summary:
      'List the scheduled jobs, and the transitions that time causes without a job, in order.',
    query: dueQueryShape,
    reply: dueListShape,
    run: (clock, { query }) => clock.due(query.limit),
  }),
  clockCall({
    id: 'setClock',
    route: 'PUT /clock',
    summary: 'Set the clock and run the jobs that become due.',
    body: clockSettingShape,
    reply: clockShape,
    run: (clock, { context, body }) =>
      defer(
        () => clock.setInTurns(body, context.connection),
        (view) => view,
      ),
  }),
  clockCall({
    id: 'advanceClock',
    route: 'POST /clock/advance',
    summary: 'Advance the clock and run the jobs that become due.',
    body: advanceShape,
    reply: advancedShape,
    run: (clock, { context, body: { by, limit } }) =>
      defer(
        () => clock.advanceInTurns(by, limit, context.connection),
        (advanced) => advanced,
      ),
  }),
]

const transitionCall = callsOf(({ world }: ControlContext) => world.transitions)

export const transitionOperations = [
  transitionCall({
    id: 'getTransitions',
    route: 'GET /transitions',
    summary: 'List the kinds of transitions, their timing, and the possible forced transitions.',
    reply: transitionsShape,
    run: (transitions) => ({ kinds: transitions.list() }),
  }),
  transitionCall({
    id: 'setPaces',
    route: 'PUT /transitions',
    summary: 'Set the timing of the named kinds of transitions; other kinds keep their timing.',
    body: timingsShape,
    reply: transitionsShape,
    run: (transitions, { body }) => {
      transitions.setPaces(body)
      return { kinds: transitions.list() }
    },
  }),
  transitionCall({
    id: 'push',
    route: 'POST /transitions/:kind/*id',
    summary: 'Force one object into a state; some states need members in addition to `to`.',
    body: forcedTransitionShape,
    reply: transitionedShape,
    run: (transitions, { params: { kind, id }, body: { to, ...extra } }) => ({
      kind,
      id,
      item: transitions.push(kind, id, to, extra) ?? null,
    }),
  }),
]
