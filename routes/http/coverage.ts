/** Who asks for an operation: the specification, the decisions that complete it, or nobody else. */
type OperationEvidence = 'spec' | 'decision' | 'extension'

/** An operation as the coverage ledger lists it (DESIGN section 7). */
export interface CoveredOperation {
  /** As its declaration and the API's OpenAPI document call it. */
  readonly id: string
  /** As clients send it: `GET`, `LIST`. */
  readonly verb: string
  /** From the origin: `/v1/sys/health`. */
  readonly path: string
  readonly summary: string
  /** Where it is specified, as its declaration says. */
  readonly spec: string
  readonly evidence: OperationEvidence
  /** Says which rights it takes, where an API declares them. */
  readonly access?: string
}

/**
 * Why something is a choice of this program. `decided here`: the specification and its decisions are
 * silent. `extension`: there is no such thing in the service that is played. `gap`: they ask for more
 * than is done.
 */
type ChoiceEvidence = 'decided here' | 'extension' | 'gap'

/** A choice that neither specification nor decisions make (DESIGN section 1). */
export interface Choice {
  /** Kebab case; never changes its meaning, so that it can be cited. */
  readonly id: string
  /** The question. */
  readonly about: string
  /** This program's answer. */
  readonly choice: string
  readonly evidence: ChoiceEvidence
  /** The section that is silent or, of a gap, that asks for more. */
  readonly where: string
}

/** The operations that an API serves, and the choices of this project behind them. */
export interface ApiCoverage {
  readonly operations: readonly CoveredOperation[]
  readonly choices: readonly Choice[]
}

/** Specifications by their file names; the group is there in those of decisions. */
const specFile = /\b\d[a-z]?-[a-z-]*?(-decisions)?\.md\b/g

/** The evidence that a declaration's `spec` gives: the strongest of the documents that it names. */
export function evidenceOf(spec: string): OperationEvidence {
  const files = [...spec.matchAll(specFile)]
  if (files.some(([, decisions]) => decisions === undefined)) return 'spec'
  return files.length > 0 ? 'decision' : 'extension'
}
