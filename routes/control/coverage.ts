import { type ApiCoverage, type CoveredOperation, evidenceOf } from '../http/declare/coverage.ts'
import type { Operation } from '../http/declare/operation.ts'
import type { Choice, Choices } from './choices.ts'

/** API in the ledger. */
export interface ServiceCoverage extends ApiCoverage {
  readonly name: string
  /** False for an API that this version does not serve: then its lists are empty. */
  readonly served: boolean
  readonly choices: readonly Choice[]
}

/** Ledger of `/_mock/coverage`: every operation and every named choice with its evidence. */
export interface Coverage {
  readonly services: readonly ServiceCoverage[]
  /** Operations of the control plane. Left out if one service is requested. */
  readonly control?: { readonly operations: readonly CoveredOperation[] }
  /**
   * Choices that hold for all services: kernel, worlds, control plane, process. Left out if one
   * service is requested.
   */
  readonly choices?: readonly Choice[]
}

/** Path prefix of the control plane. */
const prefix = '/_mock'

/**
 * Builds the ledger.
 *
 * @param apis operations of each API
 * @param operations operations of the control plane
 * @param choices named choices of each API and of the process
 * @param only service to return; undefined for everything
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
