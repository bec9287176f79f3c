import { type StructShape, text, union, word } from '../shape/kinds.ts'
import { described, struct } from '../shape/members.ts'
import type { StoredOf } from '../shape/values.ts'
import { defineTable, kernelService } from '../store/table.ts'

/** An object whose state can be forced. */
export interface TransitionItem {
  readonly id: string
  readonly state: string
  /** States that the object can be forced into now. */
  readonly to: readonly string[]
  /** Progress within the state, in words for people. */
  readonly detail?: string
}

/** Speed of a kind's automatic transitions: at once, after a Go duration, or never (`manual`). */
export const timingShape = described(
  union(word('immediate', 'manual'), struct({ after: text })),
  '`immediate`, `manual`, or after a Go duration',
)
export type Timing = StoredOf<typeof timingShape>

/**
 * A change of state that happens when the clock reaches an instant, without a job of the agenda.
 */
export interface PendingTransition {
  /** Instant of the change, in milliseconds since 1970. */
  readonly at: number
  readonly id: string
  /** State that the object will have. */
  readonly to: string
}

export interface PendingTransitions {
  /** Number of transitions, which is known without iterating over `inOrder`. */
  readonly total: number
  /** The transitions in the order of their instants, computed one by one during the iteration. */
  readonly inOrder: Iterable<PendingTransition>
}

/**
 * One kind of object that moves through states: an entry of the registry behind
 * `/_mock/transitions`. Services write `TransitionKind` (service.ts), where `W` is the world.
 */
export interface TransitionKindOf<W> {
  /** `service.thing`, as in `secrets.node`. */
  readonly kind: string
  readonly summary: string
  /** States that a forced transition of this kind may name. */
  readonly targets: readonly string[]
  /**
   * Parameters of a forced transition other than `to`, by target. A target without an entry has no
   * such parameters.
   */
  readonly takes?: Readonly<Record<string, StructShape>>
  /** Default timing; undefined if objects of this kind never move by themselves. */
  readonly timing?: Timing
  /** Returns the objects of this kind, in order of id. */
  items(world: W): readonly TransitionItem[]
  /**
   * Returns the upcoming changes that the clock alone causes, without a job of the agenda. Left out
   * if every change of this kind has a job.
   */
  pending?(world: W): PendingTransitions
  /**
   * Forces one object into a state. `extra` contains the parameters other than `to`. Refuses with
   * `absent` for an unknown id and with `conflict` for a transition that the current state does not
   * allow.
   */
  force(world: W, id: string, to: string, extra: Readonly<Record<string, unknown>>): void
}

/** Timings that differ from the kinds' defaults; the keys are the names of kinds. */
export const timings = defineTable({
  service: kernelService,
  name: 'transitions',
  secrets: 'none',
  shape: struct({ pace: timingShape }),
})
