import { any, list, map, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import { timingShape } from '../../../state/kernel/time/transitions.ts'

/** Paces by kind. */
export const timingsShape = map(timingShape)

const transitionItemShape = struct({
  id: text,
  state: text,
  to: described(list(text), 'Where it can be pushed now'),
  detail: optional(described(text, 'How far it has come within its state')),
})

/** Every kind of thing that moves, with the things there are. */
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

/** Where to push a thing; what else that needs is beside it. */
export const forcedTransitionShape = withOthers(
  struct({ to: described(text, 'The state to push to') }),
  any,
)

/** The thing after the push. */
export const transitionedShape = struct({
  kind: text,
  id: text,
  item: described(nullable(transitionItemShape), 'Null when it is gone'),
})
