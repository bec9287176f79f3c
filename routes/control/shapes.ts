import {
  any,
  bool,
  constant,
  float,
  floatOf,
  int,
  intOf,
  list,
  map,
  nullable,
  tagged,
  text,
  textOf,
  union,
  word,
} from '../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../state/kernel/shape/members.ts'
import type { InputOf, StoredOf } from '../../state/kernel/shape/values.ts'
import { maxRate } from '../../state/kernel/time/clock.ts'
import { nearMissShape } from '../journal/match-shapes.ts'

/** Shapes of the control plane's bodies (behaviour/program#control-plane): validation, types and OpenAPI come from them. */

/** Time in RFC 3339. */
export const instant = textOf({ format: 'date-time' })

/** Object whose members are validated elsewhere. */
const anyObject = withOthers(struct({}), any)

/** Failure in the format of RFC 9457. */
export const problemShape = struct({
  type: constant('about:blank'),
  title: described(text, 'Meaning of the status'),
  status: int,
  detail: text,
  requestId: described(text, 'Id of the request in the log'),
  problems: optional(
    described(list(text), 'One line per mistake in the input, beginning with its position'),
  ),
  count: optional(described(int, 'Number of matching requests')),
  nearMisses: optional(described(list(nearMissShape), 'Nearest requests')),
})

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

/** Description of the process and one of its worlds. */
export const infoShape = struct({
  name: text,
  version: text,
  dialect: text,
  world: text,
  seed: described(text, "Seed of the world's ids and fingerprints"),
  ports: map(int),
  services: map(withOthers(struct({ url: text }), any)),
})

/** World. */
export const worldShape = struct({
  id: text,
  basePath: described(text, 'Prefix of every API path; empty for `default`'),
  info: infoShape,
})

const worldOverviewShape = struct({
  id: text,
  basePath: text,
  dialect: described(text, 'Dialect of its APIs'),
  madeAt: described(instant, 'Time of creation, in real time'),
  requests: described(int, 'Number of requests in its journal'),
  clock: struct({ mode: word('real', 'frozen', 'scaled'), now: instant }),
})
export type WorldOverview = StoredOf<typeof worldOverviewShape>

/** All worlds, oldest first. */
export const worldListShape = struct({ worlds: list(worldOverviewShape) })

/** State of a world right after a request was answered. */
const pastShape = struct({
  world: optional(described(text, 'Default: `default`')),
  request: described(text, 'Id of a request in the journal of that world'),
})
export type PastState = InputOf<typeof pastShape>

const namedWorldMembers = {
  seed: optional(described(textOf({ minLength: 1 }), 'Seed of its ids')),
  clock: optional(
    union(
      described(text, 'In the syntax of `--clock`: `frozen@2026-01-02T03:04:05Z`'),
      clockSettingShape,
    ),
  ),
  from: optional(
    described(
      union(text, pastShape),
      'A snapshot, or a world in its current state or as a request left it',
    ),
  ),
  options: optional(described(anyObject, 'World options by service')),
  fixtures: optional(described(anyObject, 'A state document, or any part of one')),
  listen: optional(
    described(
      union(bool, map(intOf({ minimum: 0, maximum: 65535 }))),
      'Separate listeners: all, or ports by API and for `combined`; 0 is any free port',
    ),
  ),
  ttl: optional(
    described(
      union(text, floatOf({ exclusiveMinimum: 0 })),
      'Real time without requests after which the world ends: a Go duration or milliseconds',
    ),
  ),
}

/** Members of a new world whose path contains its id. */
export const namedWorldShape = struct(namedWorldMembers)

/** Members of a new world. */
export const newWorldShape = struct({
  id: optional(described(text, 'Generated if left out')),
  ...namedWorldMembers,
})

/** Settings of a new world; all of them are optional. */
export interface NewWorld extends Omit<InputOf<typeof newWorldShape>, 'options' | 'fixtures'> {
  /** World options by service, which each service validates. */
  readonly options?: object
  /** State document, which is validated separately. */
  readonly fixtures?: object
}

/** Part of a world that can be reset. */
const resetPart = word('state', 'faults', 'journal', 'clock', 'ids', 'transitions')
export type ResetWhat = StoredOf<typeof resetPart>

/** Names of the parts to reset. */
export const resetShape = struct({
  what: optional(described(list(resetPart), 'Default: everything')),
})

/** Retained snapshot. */
export const snapshotShape = struct({
  id: text,
  world: text,
  takenAt: described(instant, "Time on the world's clock"),
  sequence: described(int, "Position in the world's change feed"),
})

/** Retained snapshots of a world, oldest first. */
export const snapshotListShape = struct({ snapshots: list(snapshotShape) })

/**
 * Query of a comparison; `to` may be the present, another snapshot or the state after a request.
 */
export const diffQueryShape = withOthers(
  struct({
    to: optional(
      described(text, 'Another snapshot, or a request (right after it); default: the present'),
    ),
  }),
  any,
)

/** Query of an export; the request decides the moment of the exported state. */
export const momentQueryShape = withOthers(
  struct({
    at: optional(
      described(text, 'Id of a request, for the state right after it; default: the present'),
    ),
  }),
  any,
)

/** Row before and after a change. */
export const rowDifferenceShape = struct({
  table: described(text, 'service.table'),
  key: text,
  before: optional(described(anyObject, 'Missing if the row was added')),
  after: optional(described(anyObject, 'Missing if the row was deleted')),
})

/** Changes by table and key. */
export const diffShape = struct({
  from: text,
  to: described(text, 'A snapshot, a request, or `present`'),
  changes: list(rowDifferenceShape),
})

/** Any state document; the OpenAPI document shows the services' declarations instead. */
export const stateDocumentShape = withOthers(struct({}), any)

/** Part of a state document that belongs to one service. */
export const serviceDocumentShape = struct({
  tables: described(anyObject, 'Rows by table and key'),
})

/** World options by service; each service validates its own. */
export const byServiceShape = map(anyObject)
