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

const optionalStart = optional(described(instant, 'Default: now'))

/** Clock setting in requests. */
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
/** Clock setting in requests: `real`, `frozen` or `scaled`; times in RFC 3339. */
export type ClockRequest = InputOf<typeof clockSettingShape>

/** Scheduled job. */
const dueShape = struct({ at: instant, kind: text, id: text })
/** Job that is due or has run: its time in RFC 3339, its kind (`service.job`) and its id. */
export type Due = StoredOf<typeof dueShape>

const more = optional(
  described(
    constant(true),
    'The clock stopped before its goal, at the limit or because it was stopped',
  ),
)

/** Clock in responses. */
export const clockShape = struct({
  mode: word('real', 'frozen', 'scaled'),
  now: instant,
  offset: optional(described(float, 'Milliseconds ahead of the wall clock, for real clocks')),
  rate: optional(described(float, 'World seconds per second, for scaled clocks')),
  next: described(nullable(dueShape), 'Next scheduled job'),
  more,
})
/** Clock of a world as the control plane shows it; times in RFC 3339. */
export type ClockView = StoredOf<typeof clockShape>

/** Limits of a listing of scheduled jobs. */
export const dueQueryShape = withOthers(
  struct({
    limit: optional(described(intOf({ minimum: 0, maximum: 100_000 }), 'Default: 100')),
  }),
  any,
)

/** Scheduled jobs, in order. */
export const dueListShape = struct({
  due: list(dueShape),
  total: described(int, 'Number of scheduled jobs, regardless of the limit'),
})
export type DueList = StoredOf<typeof dueListShape>

/** Duration by which to advance the clock. */
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

/** Time after the advance, and the jobs that ran. */
export const advancedShape = struct({
  now: instant,
  fired: described(list(dueShape), 'Jobs that ran, in order'),
  more,
})
export type Advanced = StoredOf<typeof advancedShape>
