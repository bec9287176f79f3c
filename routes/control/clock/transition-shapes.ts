import { any, list, map, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import { timingShape } from '../../../state/kernel/time/transitions.ts'

export const timingsShape = map(timingShape)

const transitionItemShape = struct({
  id: text,
  state: text,
  to: described(list(text), 'States that can be forced now'),
  detail: optional(described(text, 'Progress within the state')),
})

/** All kinds of objects that have states, with the existing objects of each kind. */
export const transitionsShape = struct({
  kinds: list(
    struct({
      kind: text,
      summary: text,
      targets: list(text),
      takes: optional(
        described(
          map(map(any)),
          'JSON Schemas, by target, of the members that a forced transition accepts in addition to `to`',
        ),
      ),
      pace: timingShape,
      items: list(transitionItemShape),
    }),
  ),
})

/**
 * Request for a forced transition. `to` is the target state; the other members depend on the kind
 * and the target.
 */
export const forcedTransitionShape = withOthers(
  struct({ to: described(text, 'Target state') }),
  any,
)

/** An object after a forced transition. */
export const transitionedShape = struct({
  kind: text,
  id: text,
  item: described(nullable(transitionItemShape), 'Null if the object no longer exists'),
})
