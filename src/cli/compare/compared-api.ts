import type { ApiName } from '../../api-names.ts'
import type { Fixtures, WorldOptions } from '../../embedding/world-types.ts'
import type { ValueGenerator } from './generators.ts'
import type { Answer, ComparedRequest, ReplyVariable, Target } from './request.ts'

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
  readonly answers?: RegExp
  readonly reason: string
}

/** The manner in which an API tells what two servers cannot have in common. */
export interface NormalizationRules {
  /** Stands for a member that servers draw; undefined for one that is compared. */
  placeholderFor(name: string, value: unknown): string | undefined
  /** Members of answers that are not compared: they are of another edition. */
  readonly ignoredMembers?: ReadonlySet<string>
  /** Kinds of texts that servers draw, and what stands for them. */
  readonly replacements: readonly (readonly [kind: RegExp, instead: string])[]
}

/** The token of a comparison's own: how it is asked for, where it is told, and how it goes. */
export interface ComparisonToken {
  create(target: Target): Promise<Answer>
  readonly token: readonly string[]
  revocation(token: string, answer: Answer): ComparedRequest
}

/** An API as it is compared: how it is spoken, what it is asked, and what is known of it. */
export interface ComparedApi extends NormalizationRules {
  readonly name: ApiName
  /** Carries tokens. */
  readonly tokenHeader: string
  /** The root token of mocks. */
  readonly token: string
  /** How mocks are set up for comparing. */
  readonly setUp: { readonly options: WorldOptions; readonly fixtures?: Fixtures }
  readonly variables: readonly ReplyVariable[]
  /** Makes sequences of so many requests at most. */
  sequences(maxRequests: number): ValueGenerator<readonly ComparedRequest[]>
  /** Requests before and after each sequence, so that it finds nothing of the one before. */
  readonly before: readonly ComparedRequest[]
  readonly after: readonly ComparedRequest[]
  /** A token that all of it is done with, where there is one. */
  readonly comparisonToken?: ComparisonToken
  /** Waits until what a request started is done. */
  waitForCompletion?(target: Target, request: ComparedRequest): Promise<void>
  /** Removes what a sequence left, where requests said beforehand cannot name it. */
  cleanUp?(target: Target, answers: readonly Answer[]): Promise<void>
  /** Members of bodies that are never left out. */
  readonly requiredMembers?: ReadonlySet<string>
  readonly known: readonly KnownDifference[]
}
