import type { ApiName } from '../../api-names.ts'
import type { Fixtures, WorldOptions } from '../../embedding/world-types.ts'
import type { ValueGenerator } from './generators.ts'
import type { Answer, ComparedRequest, ReplyVariable, Target } from './request.ts'

/** Difference between the replies of two servers to a request. */
export interface Difference {
  /**
   * Kind of the difference: the operation, the status of the reply and the path of the differing
   * member. If the statuses differ, the kind is the operation with both statuses. Each kind is
   * reported once.
   */
  readonly kind: string
  readonly request: ComparedRequest
  readonly left: unknown
  readonly right: unknown
}

/** Difference that is intended, or that cannot be fixed. */
export interface KnownDifference {
  /** Pattern that the kind of a difference must match. */
  readonly kind: RegExp
  /**
   * Pattern that each of the two replies, as JSON, must match. Undefined if the kind alone is
   * specific enough.
   */
  readonly answers?: RegExp
  readonly reason: string
}

/** Rules that remove values which necessarily differ between two servers. */
export interface NormalizationRules {
  /** Returns a placeholder for a generated member; undefined for a member that is compared. */
  placeholderFor(name: string, value: unknown): string | undefined
  /** Members of replies that are not compared, such as those of another edition. */
  readonly ignoredMembers?: ReadonlySet<string>
  /** Patterns of texts that may differ between servers, with their replacements. */
  readonly replacements: readonly (readonly [pattern: RegExp, placeholder: string])[]
}

/**
 * Requests that create and revoke the token of a comparison, and the place of the token in the
 * reply.
 */
export interface ComparisonToken {
  create(target: Target): Promise<Answer>
  readonly tokenPath: readonly string[]
  revocation(token: string, answer: Answer): ComparedRequest
}

/** API under comparison: its protocol, its requests and its known differences. */
export interface ComparedApi extends NormalizationRules {
  readonly name: ApiName
  /** Header that carries tokens. */
  readonly tokenHeader: string
  /** Header that asks for a wrapped reply; undefined if the API does not wrap replies. */
  readonly wrapTtlHeader?: string
  /** Root token of the mock. */
  readonly token: string
  /** Options and fixtures of the mock for a comparison. */
  readonly setUp: { readonly options: WorldOptions; readonly fixtures?: Fixtures }
  readonly variables: readonly ReplyVariable[]
  /** Returns a generator of sequences with at most `maxRequests` random requests. */
  sequences(maxRequests: number): ValueGenerator<readonly ComparedRequest[]>
  /** Requests before each sequence, which isolate the sequence from the previous one. */
  readonly before: readonly ComparedRequest[]
  /** Requests after each sequence, which remove the objects of the sequence. */
  readonly after: readonly ComparedRequest[]
  /** Requests for the token of the whole comparison; if undefined, the root token is used. */
  readonly comparisonToken?: ComparisonToken
  /** Waits, up to a limit, until the work that a request started is done. */
  waitForCompletion?(target: Target, request: ComparedRequest): Promise<void>
  /** Removes objects that a sequence created and that the requests in `after` do not remove. */
  cleanUp?(target: Target, answers: readonly Answer[]): Promise<void>
  /** Members that shrinking must not remove from the bodies of requests. */
  readonly requiredMembers?: ReadonlySet<string>
  readonly known: readonly KnownDifference[]
}
