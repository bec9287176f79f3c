/** Who asks for an operation: the specification, the decisions that complete it, or nobody else. */
type OperationEvidence = 'spec' | 'decision' | 'extension'

/** An operation as the coverage ledger lists it (behaviour/program#control-plane). */
export interface CoveredOperation {
  /** As its declaration and the API's OpenAPI document call it. */
  readonly id: string
  /** As clients send it: `GET`, `LIST`. */
  readonly verb: string
  /** From the origin: `/v1/sys/health`. */
  readonly path: string
  readonly summary: string
  /** The rules behind it, as its declaration says: `behaviour/secrets#api-kv2`. */
  readonly spec: string
  readonly evidence: OperationEvidence
  /** Says which rights it takes, where an API declares them. */
  readonly access?: string
}

/** The operations that an API serves. */
export interface ApiCoverage {
  readonly operations: readonly CoveredOperation[]
}

/** Rules of docs/behaviour about the APIs; the group is there in those of the specification. */
const rule = /\bbehaviour\/(?!program#)[a-z]+#(api-)?/g

/** The evidence that a declaration's `spec` gives: the strongest of the rules that it names. */
export function evidenceOf(spec: string): OperationEvidence {
  const rules = [...spec.matchAll(rule)]
  if (rules.some(([, specified]) => specified !== undefined)) return 'spec'
  return rules.length > 0 ? 'decision' : 'extension'
}
