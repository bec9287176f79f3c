import type { Message } from '../../../state/kernel/message.ts'
import type { Refusal } from '../../../state/kernel/refusal.ts'
import type { Change } from '../../../state/kernel/store/commits.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { OperationDeclaration } from '../declare/operation.ts'

/** A plain copy of a request at the time of its answer, for explanations. */
export interface ExplainedRequest {
  readonly world: World
  /** Method in the spelling of the request. */
  readonly method: string
  /** Path in the spelling of the request, without the world's prefix and without the query. */
  readonly path: string
  readonly query: Readonly<Record<string, string | readonly string[]>>
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Body as JSON or text; undefined if there was no body or the journal did not keep the body. */
  readonly body: unknown
  readonly operation: OperationDeclaration<string, unknown> | undefined
  /** The caller in the API's own representation; undefined if the API does not know the caller. */
  readonly caller: unknown
  /** Token as sent; undefined if the request had none. */
  readonly token: string | undefined
  readonly status: number | null
  /**
   * The refusal that ended the request; undefined if the request was answered without an exception.
   */
  readonly refusal: Refusal | undefined
  /** Rule of the refusal, or the rule that the answer named; empty if there is neither. */
  readonly rule: string
  /**
   * Message of the refusal, or the reason that the operation noted; undefined if there is neither.
   */
  readonly reason: Message | undefined
  /** Instant of the request on the world's clock, in milliseconds since 1970. */
  readonly at: number
  /** The other APIs of the process. */
  readonly siblings: readonly SiblingApi[]
  /** Returns the earlier requests to the API that were recorded, latest first. */
  earlier(): readonly EarlierRequest[]
}

/** An earlier request to the same API. */
interface EarlierRequest {
  /** Request id, such as `r17`. */
  readonly id: string
  /** Instant of the request on the world's clock, in milliseconds since 1970. */
  readonly at: number
  readonly caller: unknown
  readonly changes: readonly Change[]
}

/** The method and the path at which clients reach an operation. */
export interface OperationAddress {
  /** Id of the operation. */
  readonly operation: string
  /** Method that clients send, such as `LIST`. */
  readonly method: string
  /** Path from the root of a world, such as `/v1/job/:id`. `*name` may match slashes. */
  readonly path: string
}

/** An API of the same process to which the caller may have meant to send a request. */
export interface SiblingApi {
  readonly name: string
  /** Returns the base URL of the API; undefined while the API does not listen. */
  url(): string | undefined
  /** True if the API has its own port. On a shared port, the API owns only some paths. */
  readonly hasDedicatedPort: boolean
  addresses(world: World): readonly OperationAddress[]
}

/** Changes to a request that correct a mistake. Everything else stays unchanged. */
export interface Amendment {
  readonly method?: string
  readonly path?: string
  /** Query parameters to set; undefined removes a parameter. */
  readonly query?: Readonly<Record<string, string | undefined>>
  /** Headers to set, by lower-case name; undefined removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /**
   * Returns the corrected body. `sent` is the body of the request, with fingerprints in place of
   * secrets.
   *
   * @param fingerprintOf returns the fingerprint of a secret that the corrected body contains
   */
  readonly body?: (sent: unknown, fingerprintOf: (secret: string) => string) => unknown
}

/** Request that avoids a refusal, for refusals whose diagnosis contains no request. */
export interface Correction {
  /**
   * One sentence that says what the caller can do. Left out if the request does what the diagnosis
   * advises.
   */
  readonly change?: string
  readonly request: Amendment
}

/** The mistake of a caller that caused a refusal (behaviour/program#explanations). */
export interface Diagnosis {
  /** A rule that is more specific than the rule of the refusal. */
  readonly rule?: string
  /** One sentence about the cause, with the names and values of the request. */
  readonly because: string
  /** One sentence that says what the caller should do. */
  readonly change?: string
  /**
   * The corrected request; undefined if only the caller can know the correction, or if the API's
   * `correct` returns the corrected request.
   */
  readonly request?: Amendment
  /**
   * Section of the documentation that the explanation cites, such as `behaviour/secrets#mounts`.
   */
  readonly spec?: string
  /** Present if another API of the mock, or the other dialect, would have served the request. */
  readonly isMisdirected?: true
}

/** A check that requests to an API must pass. The checks run in a fixed order. */
export interface RequestCheck {
  readonly name: string
  /** Rules of the refusals that this check throws. */
  readonly rules: readonly string[]
  /**
   * Returns true if the check applies to a request. Without this function, the check applies to all
   * requests.
   */
  applies?(request: ExplainedRequest): boolean
}

/** Returns true if the operation of the request takes a body, or if no operation matched. */
export function takesBody({ operation }: ExplainedRequest): boolean {
  return operation === undefined || operation.body !== undefined
}

/** Data and functions with which an API explains its refusals. */
export interface ApiExplanations {
  /**
   * The checks before the rules of the operation. A rule that no check lists belongs to the
   * operation.
   */
  readonly checks: readonly RequestCheck[]
  /** Citation of the API's conventions, which applies to rules that no operation declares. */
  readonly spec: string
  /** Names of the choices in the ledger, by the rules that follow from them. */
  readonly choicesByRule?: Readonly<Record<string, string>>
  /** Returns the addresses of all operations of the API in a world. */
  addresses(world: World): readonly OperationAddress[]
  /**
   * Returns the mistake in a request that matched no operation but almost matches one; undefined if
   * no operation is similar.
   */
  diagnoseMisdirected?(request: ExplainedRequest): Diagnosis | undefined
  /**
   * Returns a diagnosis of a request whose operation ran without a refusal but answered with a
   * failure status. Returns undefined if the API cannot explain the status. The rule of the
   * diagnosis is ignored.
   */
  diagnoseServed?(request: ExplainedRequest): Diagnosis | undefined
  /**
   * Returns the mistake that caused a refusal; undefined if the refusal's message is sufficient.
   */
  diagnose?(request: ExplainedRequest): Diagnosis | undefined
  /**
   * Returns a request that avoids a refusal whose diagnosis contains no request; undefined if the
   * API knows no such request, null if no request can avoid the refusal.
   *
   * @param rule rule by which the explanation names the refusal
   */
  correct?(request: ExplainedRequest, rule: string): Correction | null | undefined
}
