import { accessText, type OperationAccess } from './access.ts'
import type { Method } from './operation.ts'

/**
 * Source that asks for an operation: the specification, a documented decision that completes it, or
 * only this project.
 */
type OperationEvidence = 'spec' | 'decision' | 'extension'

/** Operation as the coverage ledger lists it (behaviour/program#control-plane). */
export interface CoveredOperation {
  /** Id in the declaration and in the API's OpenAPI document. */
  readonly id: string
  /** Verb as clients send it: `GET`, `LIST`. */
  readonly verb: string
  /** Path from the origin: `/v1/sys/health`. */
  readonly path: string
  readonly summary: string
  /**
   * Rules behind the operation, from the `spec` of its declaration: `behaviour/secrets#api-kv2`.
   */
  readonly spec: string
  readonly evidence: OperationEvidence
  /** Text about the rights that the operation needs, if the API declares them. */
  readonly access?: string
}

/** Operations that an API serves. */
export interface ApiCoverage {
  readonly operations: readonly CoveredOperation[]
}

/**
 * Citation of a rule of docs/behaviour about an API. The group matches only for rules of the
 * specification.
 */
const rule = /\bbehaviour\/(?!program#)[a-z]+#(api-)?/g

/** Returns the evidence for an operation: the strongest among the rules that its `spec` cites. */
export function evidenceOf(spec: string): OperationEvidence {
  const rules = [...spec.matchAll(rule)]
  if (rules.some(([, specified]) => specified !== undefined)) return 'spec'
  return rules.length > 0 ? 'decision' : 'extension'
}

/**
 * Returns the entries of the ledger for operations that declare rights; `prefix` begins their
 * paths.
 */
export function coverOperations(
  operations: readonly (Pick<CoveredOperation, 'id' | 'path' | 'summary' | 'spec'> & {
    readonly method: Method
    readonly access: OperationAccess
  })[],
  prefix: string,
): readonly CoveredOperation[] {
  return operations.map(({ id, method, path, summary, spec, access }) => ({
    id,
    verb: method,
    path: prefix + path,
    summary,
    spec,
    evidence: evidenceOf(spec),
    access: accessText(access),
  }))
}
