import {
  any,
  constant,
  float,
  floatOf,
  int,
  intOf,
  list,
  nullable,
  tagged,
  text,
  union,
  word,
} from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import type { InputOf, StoredOf } from '../../../state/kernel/shape/values.ts'
import { maxRate } from '../../../state/kernel/time/clock.ts'
import { instant } from '../../http/declare/shape-or-schema.ts'

const optionalStart = optional(described(instant, 'Current time if left out'))

export const clockSettingShape = tagged(
  'mode',
  struct({ mode: constant('real') }),
  struct({ mode: constant('frozen'), at: optionalStart }),
  struct({
    mode: constant('scaled'),
    rate: described(floatOf({ exclusiveMinimum: 0, maximum: maxRate }), 'World seconds per second'),
    at: optionalStart,
  }),
)
/** A clock setting in a request: `real`, `frozen` or `scaled`. Times are in RFC 3339. */
export type ClockRequest = InputOf<typeof clockSettingShape>

const dueShape = struct({ at: instant, kind: text, id: text })
/**
 * A job that is scheduled or has run, with its time in RFC 3339, its kind (`service.job`) and its
 * id.
 */
export type Due = StoredOf<typeof dueShape>

const pendingShape = struct({
  ...dueShape.fields,
  to: optional(
    described(text, 'New state of the object, for a transition that happens without a job'),
  ),
})
/** A scheduled job, or a transition that happens at an instant without a job. */
export type Pending = StoredOf<typeof pendingShape>

const more = optional(
  described(
    constant(true),
    'True if the clock stopped early: at the limit, or because of a request to stop',
  ),
)

export const clockShape = struct({
  mode: word('real', 'frozen', 'scaled'),
  now: instant,
  offset: optional(described(float, 'Milliseconds ahead of the wall clock, for real clocks')),
  rate: optional(described(float, 'World seconds per second, for scaled clocks')),
  next: described(nullable(dueShape), 'Next scheduled job'),
  more,
})
/** The clock of a world in a reply. Times are in RFC 3339. */
export type ClockView = StoredOf<typeof clockShape>

/** Query of the list of pending work. */
export const dueQueryShape = withOthers(
  struct({
    limit: optional(described(intOf({ minimum: 0, maximum: 100_000 }), 'Default: 100')),
  }),
  any,
)

/** Scheduled jobs and transitions without a job, earliest first, and the total number of both. */
export const dueListShape = struct({
  due: list(pendingShape),
  total: described(int, 'Number of jobs and transitions, regardless of the limit'),
})
export type DueList = StoredOf<typeof dueListShape>

/** Request to advance the clock: the duration, and the maximum number of jobs. */
export const advanceShape = struct({
  by: described(
    union(text, floatOf({ minimum: 0 })),
    'A Go duration such as 1h30m, or milliseconds',
  ),
  limit: optional(
    described(
      intOf({ minimum: 1, maximum: 1_000_000 }),
      'Maximum number of jobs to run, after which the clock stops; default 100000',
    ),
  ),
})

/** The time after an advance, the jobs that ran, and whether the clock stopped early. */
export const advancedShape = struct({
  now: instant,
  fired: described(list(dueShape), 'Jobs that ran, in order'),
  more,
})
export type Advanced = StoredOf<typeof advancedShape>
