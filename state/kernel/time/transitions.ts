import { type StructShape, text, union, word } from '../shape/kinds.ts'
import { described, struct } from '../shape/members.ts'
import type { StoredOf } from '../shape/values.ts'
import { defineTable, kernelService } from '../store/table.ts'

/** Something that can be pushed from state to state by hand. */
export interface TransitionItem {
  readonly id: string
  readonly state: string
  /** The states it can be pushed to now. */
  readonly to: readonly string[]
  /** How far it has come within its state, for people. */
  readonly detail?: string
}

/** How fast things of a kind move on by themselves: at once, after a Go duration, or not at all. */
export const timingShape = described(
  union(word('immediate', 'manual'), struct({ after: text })),
  '`immediate`, `manual`, or after a Go duration',
)
export type Timing = StoredOf<typeof timingShape>

/**
 * A kind of thing that moves through states: one entry of the registry behind `/_mock/transitions`.
 * Services write `TransitionKind` (service.ts), where `W` is the world.
 */
export interface TransitionKindOf<W> {
  /** `service.thing`, as in `secrets.node`. */
  readonly kind: string
  readonly summary: string
  /** Every state that a push may name. */
  readonly targets: readonly string[]
  /** What a push to a target can say beside `to`; nothing where a target is missing. */
  readonly takes?: Readonly<Record<string, StructShape>>
  /** How fast it moves unless set otherwise; undefined when it never moves by itself. */
  readonly timing?: Timing
  /** What there is to push, in order of id. */
  items(world: W): readonly TransitionItem[]
  /**
   * Pushes one thing. `extra` holds what the caller sent beside `to`. Refuses with `absent` for an
   * unknown id and with `conflict` for a push that its state does not allow.
   */
  force(world: W, id: string, to: string, extra: Readonly<Record<string, unknown>>): void
}

/** The paces that differ from the kinds' own. */
export const timings = defineTable({
  service: kernelService,
  name: 'transitions',
  shape: struct({ pace: timingShape }),
})
