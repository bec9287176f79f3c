import { instant, nullable, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { isBlank } from '../names.ts'
import { ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'
import { invalidAttributes, violation } from '../violations.ts'
import type { Run } from './runs.ts'

const commentShape = struct({
  /** Id of the form `wsc-…`. */
  id: text,
  run: text,
  /** Id of the run event that records the comment. */
  event: text,
  body: text,
})

/**
 * A comment that a user added to a run, directly or with an action (behaviour/platform#run-events).
 */
export interface RunComment extends StoredOf<typeof commentShape> {}

/** Comments by `<run id>/<number>`, in creation order. */
export const runComments = platformTable('run-comments', commentShape, {
  secrets: 'none',
  indexes: { byId: ({ id }) => id },
})

const commentRows = ownedRows(runComments, 'run')

/**
 * `commentsOf` returns the comments of a run in creation order; `commentWithId` returns one
 * comment.
 */
export const { of: commentsOf, withId: commentWithId } = commentRows

export const runEventAttributes = {
  /** `created`, the name of a reached status, or another action such as `commented`. */
  action: text,
  description: nullable(text),
  created_at: instant,
}

const eventShape = struct({
  ...runEventAttributes,
  /** Id of the form `re-…`. */
  id: text,
  run: text,
  /** User id. */
  actor: text,
  /** Comment id; null if the event records no comment. */
  comment: nullable(text),
})

/** A record of a status or an action in the history of a run (behaviour/platform#run-events). */
export interface RunEventRow extends StoredOf<typeof eventShape> {}

/** Run events by `<run id>/<number>`, in creation order. */
export const runEvents = platformTable('run-events', eventShape, {
  secrets: 'none',
  indexes: { byId: ({ id }) => id },
})

const eventRows = ownedRows(runEvents, 'run')

/** `eventsOf` returns the events of a run in creation order; `eventWithId` returns one event. */
export const { of: eventsOf, withId: eventWithId } = eventRows

export function addRunEvent(
  world: World,
  { id: run }: Pick<Run, 'id'>,
  event: Pick<RunEventRow, 'action' | 'actor' | 'created_at'> &
    Partial<Pick<RunEventRow, 'description' | 'comment'>>,
): RunEventRow {
  const id = newId(world, 're')
  return eventRows.put(world, { description: null, comment: null, ...event, id, run })
}

/**
 * Adds a comment to a run, and an event that records the comment. Throws 422 for a blank comment.
 */
export function addComment(
  world: World,
  { id: run }: Pick<Run, 'id'>,
  body: string,
  actor: string,
): RunComment {
  if (isBlank(body)) throw invalidAttributes([violation('body', 'blank')])
  return world.write(() => {
    const id = newId(world, 'wsc')
    const created_at = world.clock.now()
    const { id: event } = addRunEvent(
      world,
      { id: run },
      { action: 'commented', actor, created_at, comment: id },
    )
    return commentRows.put(world, { id, run, event, body })
  })
}
