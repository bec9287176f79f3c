import {
  type ApiCoverage,
  type Choice,
  type CoveredOperation,
  evidenceOf,
} from '../http/coverage.ts'
import type { Operation } from '../http/operation.ts'
import { processChoices } from './choices.ts'

/** One API in the ledger. */
export interface ServiceCoverage extends ApiCoverage {
  readonly name: string
  /** False for an API that this version does not serve: then there is nothing to list. */
  readonly served: boolean
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
 * @param services what the APIs say of themselves
 * @param operations the control plane's own
 * @param only the one service to tell of; undefined for everything
 */
export function coverageOf(
  services: readonly ServiceCoverage[],
  operations: readonly Operation<never>[],
  only?: string,
): Coverage {
  if (only !== undefined) return { services: services.filter(({ name }) => name === only) }
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
    choices: processChoices,
  }
}
