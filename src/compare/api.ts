import type { ApiName } from '../api-names.ts'
import type { Fixtures, WorldOptions } from '../resources.ts'
import type { Draw } from './draw.ts'
import type { Answer, Capture, ComparedRequest, Target } from './request.ts'

/** One way in which the answers to a request differ. */
export interface Difference {
  /** Names it, so that the same is told once: operation, place and, for statuses, both. */
  readonly kind: string
  readonly request: ComparedRequest
  readonly left: unknown
  readonly right: unknown
}

/** A difference that is meant, or that nobody can mend. */
export interface KnownDifference {
  /** Fits the kind. */
  readonly kind: RegExp
  /** Fits what both answered as JSON, where the kind alone says too little. */
  readonly told?: RegExp
  readonly reason: string
}

/** The manner in which an API tells what two servers cannot have in common. */
export interface Speech {
  /** Stands for a member that servers draw; undefined for one that is compared. */
  drawn(name: string, value: unknown): string | undefined
  /** Members of answers that are not compared: they are of another edition. */
  readonly omitted?: ReadonlySet<string>
  /** Kinds of texts that servers draw, and what stands for them. */
  readonly cleared: readonly (readonly [kind: RegExp, instead: string])[]
}

/** The token of a comparison's own: how it is asked for, where it is told, and how it goes. */
export interface OwnToken {
  ask(target: Target): Promise<Answer>
  readonly token: readonly string[]
  end(token: string, answer: Answer): ComparedRequest
}

/** An API as it is compared: how it is spoken, what it is asked, and what is known of it. */
export interface ComparedApi extends Speech {
  readonly name: ApiName
  /** Carries tokens. */
  readonly tokenHeader: string
  /** The root token of mocks. */
  readonly token: string
  /** How mocks are set up for comparing. */
  readonly setUp: { readonly options: WorldOptions; readonly fixtures?: Fixtures }
  readonly captures: readonly Capture[]
  /** Makes sequences of so many requests at most. */
  sequences(longest: number): Draw<readonly ComparedRequest[]>
  /** Requests before and after each sequence, so that it finds nothing of the one before. */
  readonly before: readonly ComparedRequest[]
  readonly after: readonly ComparedRequest[]
  /** A token that all of it is done with, where there is one. */
  readonly begin?: OwnToken
  /** Waits until what a request started is done. */
  settle?(target: Target, request: ComparedRequest): Promise<void>
  /** Removes what a sequence left, where requests said beforehand cannot name it. */
  clear?(target: Target, answers: readonly Answer[]): Promise<void>
  /** Members of bodies that are never left out. */
  readonly kept?: ReadonlySet<string>
  readonly known: readonly KnownDifference[]
}
