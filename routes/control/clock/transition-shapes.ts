import { any, list, map, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import { timingShape } from '../../../state/kernel/time/transitions.ts'

/** Timings by kind. */
export const timingsShape = map(timingShape)

const transitionItemShape = struct({
  id: text,
  state: text,
  to: described(list(text), 'Where it can be pushed now'),
  detail: optional(described(text, 'How far it has come within its state')),
})

/** All kinds of objects with states, and the existing objects. */
export const transitionsShape = struct({
  kinds: list(
    struct({
      kind: text,
      summary: text,
      targets: list(text),
      takes: optional(
        described(map(map(any)), 'By target: a JSON Schema of what a push can say beside `to`'),
      ),
      pace: timingShape,
      items: list(transitionItemShape),
    }),
  ),
})

/** Target state of a forced transition; further members depend on the kind. */
export const forcedTransitionShape = withOthers(
  struct({ to: described(text, 'The state to push to') }),
  any,
)

/** Object after a forced transition. */
export const transitionedShape = struct({
  kind: text,
  id: text,
  item: described(nullable(transitionItemShape), 'Null when it is gone'),
})
