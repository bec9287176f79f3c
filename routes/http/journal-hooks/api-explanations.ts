import type { Refusal } from '../../../state/kernel/refusal.ts'
import type { Change } from '../../../state/kernel/store/commits.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { OperationDeclaration } from '../declare/operation.ts'

/** Plain copy of a request at the time it was answered, as explanations use it. */
export interface ExplainedRequest {
  readonly world: World
  /** Method as sent. */
  readonly method: string
  /** Path as sent, without the world's prefix and the query. */
  readonly path: string
  readonly query: Readonly<Record<string, string | readonly string[]>>
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** JSON, text, or undefined if there was no body or it was not kept. */
  readonly body: unknown
  readonly operation: OperationDeclaration<string, unknown> | undefined
  /** Caller in the API's own representation; undefined if unknown to the API. */
  readonly caller: unknown
  /** Token that the request carried. */
  readonly token: string | undefined
  readonly status: number | null
  /** Refusal that ended the request; undefined if the request was answered without an exception. */
  readonly refusal: Refusal | undefined
  /** Rule of the refusal, or the rule that the answer named; empty if neither exists. */
  readonly rule: string
  /** Instant on the world's clock, in milliseconds since 1970. */
  readonly at: number
  /** Other APIs of the process. */
  readonly siblings: readonly SiblingApi[]
  /** Returns the recorded earlier requests to the API, latest first. */
  earlier(): readonly EarlierRequest[]
}

/** Earlier request to the same API. */
export interface EarlierRequest {
  /** Request id, such as `r17`. */
  readonly id: string
  /** Instant on the world's clock, in milliseconds since 1970. */
  readonly at: number
  readonly caller: unknown
  readonly changes: readonly Change[]
}

/** Method and path at which clients reach an operation. */
export interface OperationAddress {
  /** Id of the operation. */
  readonly operation: string
  /** Method as sent: `LIST`. */
  readonly method: string
  /** Path from the root of a world: `/v1/job/:id`; `*name` may contain slashes. */
  readonly path: string
}

/** API of the same process that a request may have been meant for. */
export interface SiblingApi {
  readonly name: string
  /** Returns the base URL of the API; undefined while it does not listen. */
  url(): string | undefined
  /** True if the API has its own port; on a shared port it owns only some paths. */
  readonly ownPort: boolean
  addresses(world: World): readonly OperationAddress[]
}

/** Changes to a request that fix a mistake; everything else stays. */
export interface Amendment {
  readonly method?: string
  readonly path?: string
  /** Query parameters to set; undefined removes one. */
  readonly query?: Readonly<Record<string, string | undefined>>
  /** Headers to set, by lower-case name; undefined removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Returns the corrected body for the body as sent, in which fingerprints replace secrets. */
  readonly body?: (sent: unknown) => unknown
}

/** Mistake of the caller that caused a refusal (behaviour/program#explanations). */
export interface Diagnosis {
  /** Rule that is more specific than the rule of the refusal. */
  readonly rule?: string
  /** One sentence about the cause, with the names and values of the request. */
  readonly because: string
  /** One sentence that says what the caller should do. */
  readonly change?: string
  /** Corrected request; absent if only the caller can know it. */
  readonly request?: Amendment
  /** Cited section: `document › section`. */
  readonly spec?: string
  /** Set if another API of the mock, or the other dialect, would have served the request. */
  readonly isMisdirected?: true
}

/** One check of requests to an API, in the order of the checks. */
export interface RequestCheck {
  readonly name: string
  /** Rules of the refusals that this check throws. */
  readonly rules: readonly string[]
  /** Returns true if the check is made for a request; absent if it always is. */
  applies?(request: ExplainedRequest): boolean
}

/** Returns true if the operation takes a body; a request without an operation may have one. */
export function takesBody({ operation }: ExplainedRequest): boolean {
  return operation === undefined || operation.body !== undefined
}

/** Explanations of an API's refusals. */
export interface ApiExplanations {
  /**
   * Checks before the operation's own rules; a rule that no check lists counts as the operation's.
   */
  readonly checks: readonly RequestCheck[]
  /** Citation of the API's conventions, for rules that no operation declares. */
  readonly spec: string
  /** Names of choices in the ledger, by the rules that follow from them. */
  readonly decisions?: Readonly<Record<string, string>>
  /** Returns the addresses of all operations of the API in a world. */
  addresses(world: World): readonly OperationAddress[]
  /** Recognizes a request that matched no operation but nearly matches one. */
  diagnoseMisdirected?(request: ExplainedRequest): Diagnosis | undefined
  /**
   * Diagnoses a served request whose status is that of a failure. The rule of the diagnosis is
   * ignored.
   */
  diagnoseServed?(request: ExplainedRequest): Diagnosis | undefined
  /** Recognizes a mistake; returns undefined if the refusal's message already says everything. */
  diagnose?(request: ExplainedRequest): Diagnosis | undefined
}
