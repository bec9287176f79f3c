import type { Refusal } from '../../../state/kernel/refusal.ts'
import type { Change } from '../../../state/kernel/store/commits.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { OperationDeclaration } from '../declare/operation.ts'

/** A request as explanations see it: plain, and as it was when it was answered. */
export interface ExplainedRequest {
  readonly world: World
  /** As on the wire. */
  readonly method: string
  /** Below the world's prefix, as sent, without the query. */
  readonly path: string
  readonly query: Readonly<Record<string, string | readonly string[]>>
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** JSON, or text; undefined without one, and where it was not kept. */
  readonly body: unknown
  readonly operation: OperationDeclaration<string, unknown> | undefined
  /** In the API's own form; undefined for nobody it knows. */
  readonly caller: unknown
  /** The token that was shown. */
  readonly token: string | undefined
  readonly status: number | null
  /** What it was refused with; undefined where the answer was no exception. */
  readonly refusal: Refusal | undefined
  /** The rule of that, or the one that the answer named; empty without one. */
  readonly rule: string
  /** By the world's clock, in milliseconds since 1970. */
  readonly at: number
  /** The other APIs of the process. */
  readonly siblings: readonly SiblingApi[]
  /** Returns what is kept of earlier requests to the API, the latest first. */
  earlier(): readonly EarlierRequest[]
}

/** A request that was there before. */
export interface EarlierRequest {
  /** `r17` */
  readonly id: string
  /** By the world's clock, in milliseconds since 1970. */
  readonly at: number
  readonly caller: unknown
  readonly changes: readonly Change[]
}

/** An operation as clients address it. */
export interface OperationAddress {
  /** The id of the operation. */
  readonly operation: string
  /** As on the wire: `LIST`. */
  readonly method: string
  /** From the root of a world: `/v1/job/:id`; `*name` may hold slashes. */
  readonly path: string
}

/** Another API of the process. */
export interface SiblingApi {
  readonly name: string
  /** Returns where it answers, all of it; undefined while it does not listen. */
  url(): string | undefined
  /** On a shared port it has some of its paths alone. */
  readonly ownPort: boolean
  addresses(world: World): readonly OperationAddress[]
}

/** What is to be changed in a request; what is not named stays. */
export interface Amendment {
  readonly method?: string
  readonly path?: string
  /** Members of the query; undefined takes one out. */
  readonly query?: Readonly<Record<string, string | undefined>>
  /** Headers by lower-case name; undefined takes one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Returns the body instead of the one that was sent, in which secrets are their fingerprints. */
  readonly body?: (sent: unknown) => unknown
}

/** The caller's mistake behind a refusal (behaviour/program#explanations). */
export interface Diagnosis {
  /** More particular than the refusal's. */
  readonly rule?: string
  /** One sentence with the names and values at hand. */
  readonly because: string
  /** What is to be done, as one sentence. */
  readonly change?: string
  /** The request with which that is done; none where only the caller can know it. */
  readonly request?: Amendment
  /** `document › section` */
  readonly spec?: string
  /** Another API of the mock would have answered, or the other dialect. */
  readonly isMisdirected?: true
}

/** One of the checks that an API makes of its requests, in their order. */
export interface RequestCheck {
  readonly name: string
  /** The rules by which it refuses. */
  readonly rules: readonly string[]
  /** Tells whether a request comes to it; all do unless given. */
  applies?(request: ExplainedRequest): boolean
}

/** The operation that was found takes a body; one that was not found may. */
export function takesBody({ operation }: ExplainedRequest): boolean {
  return operation === undefined || operation.body !== undefined
}

/** What an API knows of its refusals. */
export interface ApiExplanations {
  /** Before the operation's own rules, which hold every rule that stands in none of them. */
  readonly checks: readonly RequestCheck[]
  /** Where its conventions are written: the spec of what no operation declares. */
  readonly spec: string
  /** Names of choices in the ledger, by the rules that follow from them. */
  readonly decisions?: Readonly<Record<string, string>>
  /** Returns its operations in a world. */
  addresses(world: World): readonly OperationAddress[]
  /** Recognizes a request that found no operation, but is nearly one that would. */
  diagnoseMisdirected?(request: ExplainedRequest): Diagnosis | undefined
  /** Says what the status of a served request tells, where it is that of a failure; its rule does not count. */
  diagnoseServed?(request: ExplainedRequest): Diagnosis | undefined
  /** Recognizes a mistake; undefined where the refusal's own words say what there is to say. */
  diagnose?(request: ExplainedRequest): Diagnosis | undefined
}
