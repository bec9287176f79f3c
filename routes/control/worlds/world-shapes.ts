import {
  any,
  bool,
  floatOf,
  int,
  intOf,
  list,
  map,
  text,
  textOf,
  union,
  word,
} from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import type { InputOf, StoredOf } from '../../../state/kernel/shape/values.ts'
import { instant } from '../../http/declare/shape-or-schema.ts'
import { clockSettingShape } from '../clock/clock-shapes.ts'

/**
 * Object of any content, for options and fixtures. `checkOptions` and `checkDocument` validate
 * them.
 */
const anyObject = withOthers(struct({}), any)

/** A description of the process and of one of its worlds. */
export const infoShape = struct({
  name: text,
  version: text,
  dialect: text,
  world: text,
  seed: described(text, "Seed of the world's ids and fingerprints"),
  ports: map(int),
  services: map(withOthers(struct({ url: text }), any)),
})

export const worldShape = struct({
  id: text,
  basePath: described(text, 'Prefix of every API path; empty for `default`'),
  info: infoShape,
})

const worldOverviewShape = struct({
  id: text,
  basePath: text,
  dialect: described(text, 'Dialect of its APIs'),
  madeAt: described(instant, 'Creation time, in real time'),
  requests: described(int, 'Number of requests in its journal'),
  clock: struct({ mode: word('real', 'frozen', 'scaled'), now: instant }),
})
export type WorldOverview = StoredOf<typeof worldOverviewShape>

/** All worlds, oldest first. */
export const worldListShape = struct({ worlds: list(worldOverviewShape) })

/** Reference to the state of a world right after a request was answered. */
const pastStateReferenceShape = struct({
  world: optional(described(text, '`default` if left out')),
  request: described(text, 'Id of a request in the journal of the world'),
})
export type PastStateReference = InputOf<typeof pastStateReferenceShape>

const namedWorldMembers = {
  seed: optional(described(textOf({ minLength: 1 }), "Seed of the world's ids")),
  clock: optional(
    union(
      described(text, 'In the syntax of `--clock`: `frozen@2026-01-02T03:04:05Z`'),
      clockSettingShape,
    ),
  ),
  from: optional(
    described(
      union(text, pastStateReferenceShape),
      'A snapshot, or a world: in its current state, or in the state after a request',
    ),
  ),
  options: optional(described(anyObject, 'World options by service')),
  fixtures: optional(described(anyObject, 'A state document, or any part of one')),
  listen: optional(
    described(
      union(bool, map(intOf({ minimum: 0, maximum: 65535 }))),
      'Separate listeners: all, or ports by API and for `combined`; 0 means any free port',
    ),
  ),
  ttl: optional(
    described(
      union(text, floatOf({ exclusiveMinimum: 0 })),
      'Real time without requests after which the world ends: a Go duration or milliseconds',
    ),
  ),
}

/** The members of a request that creates a world and has the world's id in its path. */
export const namedWorldShape = struct(namedWorldMembers)

/** The members of a request that creates a world and may have the world's id in its body. */
export const newWorldShape = struct({
  id: optional(described(text, 'Generated if left out')),
  ...namedWorldMembers,
})

/** The settings of a new world. All of them are optional. */
export interface NewWorld extends Omit<InputOf<typeof newWorldShape>, 'options' | 'fixtures'> {
  /** World options by service. Each service validates its own options. */
  readonly options?: object
  /** State document, which is validated separately. */
  readonly fixtures?: object
}

/** A part of a world that can be reset. */
const resetPart = word('state', 'faults', 'journal', 'clock', 'ids', 'transitions')
export type ResetWhat = StoredOf<typeof resetPart>

export const resetShape = struct({
  what: optional(described(list(resetPart), 'Everything if left out')),
})
