import { type ApiCoverage, type CoveredOperation, evidenceOf } from '../http/declare/coverage.ts'
import type { Operation } from '../http/declare/operation.ts'
import type { Choice, Choices } from './choices.ts'

/** One API in the ledger. */
export interface ServiceCoverage extends ApiCoverage {
  readonly name: string
  /** False for an API that this version does not serve: then there is nothing to list. */
  readonly served: boolean
  readonly choices: readonly Choice[]
}

/** The ledger of `/_mock/coverage`: every operation and every named choice with its evidence. */
export interface Coverage {
  readonly services: readonly ServiceCoverage[]
  /** The control plane's own operations. Left out when one service is asked for. */
  readonly control?: { readonly operations: readonly CoveredOperation[] }
  /**
   * Choices that hold for all services: kernel, worlds, control plane, process. Left out as
   * `control` is.
   */
  readonly choices?: readonly Choice[]
}

/** Where the control plane begins. */
const prefix = '/_mock'

/**
 * Puts the ledger together.
 *
 * @param apis the operations of each API
 * @param operations the control plane's own
 * @param choices the named choices of each API and of the process
 * @param only the one service to return; undefined for everything
 */
export function coverageOf(
  apis: readonly Omit<ServiceCoverage, 'choices'>[],
  operations: readonly Operation<never>[],
  choices: Choices,
  only?: string,
): Coverage {
  const services = apis
    .filter(({ name }) => only === undefined || name === only)
    .map((api) => ({ ...api, choices: choices.get(api.name) ?? [] }))
  if (only !== undefined) return { services }
  return {
    services,
    control: {
      operations: operations.map(({ id, method, path, summary, spec }) => ({
        id,
        verb: method,
        path: prefix + path,
        summary,
        spec,
        evidence: evidenceOf(spec),
      })),
    },
    choices: choices.get('process') ?? [],
  }
}
