import { accessText, type OperationAccess } from './access.ts'
import type { Method } from './operation.ts'

/**
 * The basis of an operation: the specification, a documented decision where the specification is
 * silent, or an extension by this project.
 */
type OperationEvidence = 'spec' | 'decision' | 'extension'

/** An operation in the coverage ledger (behaviour/program#declared-once). */
export interface CoveredOperation {
  /** Id of the operation in its declaration and in the OpenAPI document of the API. */
  readonly id: string
  /** Verb that clients send, such as `GET` or `LIST`. */
  readonly verb: string
  /** Path from the root of the server, such as `/v1/sys/health`. */
  readonly path: string
  readonly summary: string
  /**
   * Citation of the rules that specify the operation, from the `spec` of its declaration, such as
   * `behaviour/secrets#api-kv2`.
   */
  readonly spec: string
  readonly evidence: OperationEvidence
  /**
   * Rights that the operation needs, formatted for documents; undefined if the API declares no
   * rights.
   */
  readonly access?: string
}

export interface ApiCoverage {
  readonly operations: readonly CoveredOperation[]
}

/**
 * Pattern of a citation of a rule about an API in docs/behaviour. The group matches only if the
 * rule comes from the specification.
 */
const ruleCitation = /\bbehaviour\/(?!program#)[a-z]+#(api-)?/g

/**
 * Returns `spec` if the citation names a rule that comes from the specification, `decision` if the
 * citation names another rule about an API, and `extension` for any other citation.
 */
export function evidenceOf(spec: string): OperationEvidence {
  const rules = [...spec.matchAll(ruleCitation)]
  if (rules.some(([, specified]) => specified !== undefined)) return 'spec'
  return rules.length > 0 ? 'decision' : 'extension'
}

/**
 * Converts operations to entries of the coverage ledger.
 *
 * @param prefix beginning of the paths of the operations
 */
export function coverOperations(
  operations: readonly (Pick<CoveredOperation, 'id' | 'path' | 'summary' | 'spec'> & {
    readonly method: Method
    readonly access?: OperationAccess
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
    ...(access !== undefined && { access: accessText(access) }),
  }))
}
