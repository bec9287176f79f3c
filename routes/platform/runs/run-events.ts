import { constant, text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { users } from '../../../state/platform/accounts/users.ts'
import { requireFound } from '../../../state/platform/messages.ts'
import {
  addComment,
  commentsOf,
  commentWithId,
  eventsOf,
  eventWithId,
  type RunComment,
  type RunEventRow,
  runEventAttributes,
} from '../../../state/platform/runs/run-events.ts'
import { runWithId } from '../../../state/platform/runs/runs.ts'
import type { RequiredRight } from '../../../state/platform/workspaces/right-levels.ts'
import { ok } from '../../http/declare/operation.ts'
import { userResource, userShape } from '../accounts/users.ts'
import {
  attributeRenderer,
  openQuery,
  optionalMembers,
  strictText,
} from '../json-api/attributes.ts'
import { inclusionsOf } from '../json-api/include.ts'
import {
  linkedRelation,
  linkedRelationOf,
  optionalRelationOf,
  type Resource,
  relationOf,
  resourceShape,
  selfLink,
  unpagedListOf,
  withExtraFields,
} from '../json-api/resource.ts'
import { operationsOn, type Scope } from '../operation.ts'
import { findRunFor, requireWorkspace } from './run-scope.ts'

const renderer = attributeRenderer(runEventAttributes)
const noTarget = { 'target-id': null }

export const commentShape = resourceShape('comments', struct({ body: text }), {
  relationships: struct({ 'run-event': linkedRelationOf('run-events') }),
  links: selfLink,
})

export const eventShape = resourceShape(
  'run-events',
  struct({ ...renderer.shape.fields, 'target-id': constant(null) }),
  {
    relationships: struct({
      run: relationOf('runs'),
      target: optionalRelationOf('runs'),
      actor: relationOf('users'),
      comment: optionalRelationOf('comments'),
    }),
    links: selfLink,
  },
)

export function commentResource({ id, body, event }: RunComment): Resource {
  return {
    id,
    type: 'comments',
    attributes: { body },
    relationships: { 'run-event': linkedRelation('run-events', event) },
    links: { self: `/api/v2/comments/${id}` },
  }
}

export function eventResource(event: RunEventRow): Resource {
  const { id, run, actor, comment } = event
  return {
    id,
    type: 'run-events',
    attributes: { ...renderer.render(event), ...noTarget },
    relationships: {
      run: { data: { id: run, type: 'runs' } },
      target: { data: null },
      actor: { data: { id: actor, type: 'users' } },
      comment: { data: comment === null ? null : { id: comment, type: 'comments' } },
    },
    links: { self: `/api/v2/run-events/${id}` },
  }
}

const inclusions = inclusionsOf<RunEventRow>(
  {
    actor: {
      find({ actor }, { world, caller }) {
        const user = world.table(users).get(actor)
        return user === undefined ? [] : [userResource(world, user, caller)]
      },
    },
    comment: {
      find({ comment }, { world }) {
        const found = commentWithId(world, comment ?? '')
        return found === undefined ? [] : [commentResource(found)]
      },
    },
  },
  [userShape, commentShape],
)

/**
 * Returns a function that finds an object of a run in the path. The function throws 404 unless the
 * caller has the given right on the workspace of the run, and 401 if the organization does not
 * accept the caller's kind of token.
 */
function findRowOfRun<Row extends { readonly run: string }>(
  parameter: string,
  find: (world: Scope['world'], id: string) => Row | undefined,
  right: RequiredRight = { runs: 'read' },
): (scope: Scope) => Row {
  return (scope) => {
    const row = requireFound(find(scope.world, scope.params[parameter] ?? ''))
    requireWorkspace(scope, requireFound(runWithId(scope.world, row.run)).workspace, right)
    return row
  }
}

const spec = 'behaviour/platform#run-events'
const commentRendering = { shape: commentShape, render: commentResource }

const onRun = operationsOn('caller', findRunFor({ runs: 'read' }), spec)
const onPlannableRun = operationsOn('caller', findRunFor({ runs: 'plan' }), spec)
const onComment = operationsOn('caller', findRowOfRun('comment_id', commentWithId), spec)
const onEvent = operationsOn('caller', findRowOfRun('run_event_id', eventWithId), spec)

export const runEventOperations = [
  onRun('GET', '/runs/:run_id/comments', {
    id: 'listComments',
    summary: 'List the comments on a run, oldest first.',
    reply: { 200: unpagedListOf(commentShape) },
    run: ({ context: { world, subject } }) =>
      ok({ data: commentsOf(world, subject.id).map(commentResource) }),
  }),
  onPlannableRun.document('POST', '/runs/:run_id/comments', commentRendering, {
    id: 'createComment',
    summary: 'Comment on a run.',
    body: { type: 'comments', attributes: optionalMembers({ body: strictText }) },
    run: ({ context: { world, subject, caller }, body }) =>
      addComment(world, subject, body().attributes.body ?? '', caller.user.id),
  }),
  onComment.document('GET', '/comments/:comment_id', commentRendering, {
    id: 'readComment',
    summary: 'Read a comment.',
    run: ({ context }) => context.subject,
  }),
  onRun('GET', '/runs/:run_id/run-events', {
    id: 'listRunEvents',
    summary: 'List the events of a run, oldest first.',
    query: openQuery(inclusions.query),
    failures: [400],
    reply: { 200: withExtraFields(unpagedListOf(eventShape), inclusions.shape) },
    run: ({ context, query }) => {
      const included = inclusions.read(query.include, context)
      const events = eventsOf(context.world, context.subject.id)
      const data = events.map((event) => included.add(event, eventResource(event)))
      return ok({ data, ...included.members() })
    },
  }),
  onEvent('GET', '/run-events/:run_event_id', {
    id: 'readRunEvent',
    summary: 'Read an event of a run.',
    ...inclusions.readOperation(eventShape, eventResource),
  }),
]
