import { instant, nullable, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { nextKey } from '../creation-order.ts'
import { newId } from '../ids.ts'
import { isBlank } from '../names.ts'
import { invalidAttributes, violation } from '../violations.ts'
import type { Run } from './runs.ts'

const commentShape = struct({
  /** Id of the form `wsc-…`. */
  id: text,
  run: text,
  /** Id of the event that records the comment. */
  event: text,
  body: text,
})

/** A comment on a run (behaviour/platform#run-events). */
export interface RunComment extends StoredOf<typeof commentShape> {}

/** Comments by `<run>/<number>`, in creation order. */
export const runComments = defineTable({
  service: 'platform',
  name: 'run-comments',
  secrets: 'none',
  shape: commentShape,
  indexes: { byId: ({ id }) => id },
})

/** Attributes of an event of a run as the API returns them. */
export const runEventAttributes = {
  /** `created`, a status that the run reached, or what else happened to it. */
  action: text,
  description: nullable(text),
  created_at: instant,
}

const eventShape = struct({
  ...runEventAttributes,
  /** Id of the form `re-…`. */
  id: text,
  run: text,
  /** Id of the user who caused the event. */
  actor: text,
  /** Id of the comment that the event records. */
  comment: nullable(text),
})

/** An event in the life of a run (behaviour/platform#run-events). */
export interface RunEventRow extends StoredOf<typeof eventShape> {}

/** Events by `<run>/<number>`, in creation order. */
export const runEvents = defineTable({
  service: 'platform',
  name: 'run-events',
  secrets: 'none',
  shape: eventShape,
  indexes: { byId: ({ id }) => id },
})

/** Records an event of a run. Must run inside a transaction. */
export function addRunEvent(
  world: World,
  { id: run }: Pick<Run, 'id'>,
  event: Pick<RunEventRow, 'action' | 'actor' | 'created_at'> &
    Partial<Pick<RunEventRow, 'description' | 'comment'>>,
): RunEventRow {
  const table = world.table(runEvents)
  const row = { description: null, comment: null, ...event, id: newId(world, 're'), run }
  table.put(nextKey(table, `${run}/`), row)
  return row
}

/** Returns the events of a run, oldest first. */
export function eventsOf(world: World, run: string): RunEventRow[] {
  return Array.from(world.table(runEvents).rows(`${run}/`))
}

/** Returns the comments on a run, oldest first. */
export function commentsOf(world: World, run: string): RunComment[] {
  return Array.from(world.table(runComments).rows(`${run}/`))
}

/** Returns the comment with this id, if it exists. */
export function commentWithId(world: World, id: string): RunComment | undefined {
  return world.table(runComments).index('byId').get(id)
}

/** Returns the event with this id, if it exists. */
export function eventWithId(world: World, id: string): RunEventRow | undefined {
  return world.table(runEvents).index('byId').get(id)
}

/** Adds a comment to a run, and an event that records it. Refuses a blank comment with 422. */
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
    const table = world.table(runComments)
    const comment = { id, run, event, body }
    table.put(nextKey(table, `${run}/`), comment)
    return comment
  })
}
