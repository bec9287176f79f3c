import { any, bool, list, text, textOf, word } from '../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../state/kernel/shape/members.ts'
import type { StoredOf } from '../../state/kernel/shape/values.ts'
import { evidenceOf } from '../http/declare/coverage.ts'
import type { Operation } from '../http/declare/operation.ts'
import { type Choices, choiceEvidence } from './choices.ts'

/**
 * Returns the shape of a query for `/_mock/coverage`. The parameter `service` may name one of the
 * services.
 */
export function coverageQueryShape(services: readonly string[]) {
  const service = described(word(...services), 'Only this service')
  return withOthers(struct({ service: optional(service) }), any)
}

const operationsShape = list(
  struct({
    id: described(text, "The operationId of the API's OpenAPI document"),
    verb: described(text, 'Method that clients send'),
    path: described(text, 'Path, for mounts as in a fresh world'),
    summary: text,
    spec: described(text, 'Citation of the rules that specify the operation'),
    evidence: word('spec', 'decision', 'extension'),
    access: optional(described(text, 'Required rights, if the API declares them')),
  }),
)

const choicesShape = list(
  struct({
    id: textOf({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' }),
    about: described(text, 'Question that the choice answers'),
    choice: described(text, 'Decision of this program'),
    evidence: described(
      word(...choiceEvidence),
      'For a gap, the specification asks for more than is implemented',
    ),
    where: described(text, 'Section that says nothing, or that asks for more'),
  }),
)

/** Shape of the list of all operations and choices, which `/_mock/coverage` returns. */
export const coverageShape = struct({
  services: list(
    struct({ name: text, served: bool, operations: operationsShape, choices: choicesShape }),
  ),
  control: optional(
    described(
      struct({ operations: operationsShape }),
      'The control plane itself; left out if one service is requested',
    ),
  ),
  choices: optional(
    described(choicesShape, 'Choices for all services; left out if one service is requested'),
  ),
})
/**
 * The list that `/_mock/coverage` returns: every operation and every named choice, each with its
 * evidence. If the request names a service, the list contains only the part about this service. An
 * API that this version does not serve has no operations.
 */
export type Coverage = StoredOf<typeof coverageShape>
/** The part of a `Coverage` that concerns one API. */
export type ServiceCoverage = Coverage['services'][number]

/** Path prefix of the control plane. */
const prefix = '/_mock'

/**
 * Builds the list of operations and choices.
 *
 * @param apis operations of each API
 * @param operations operations of the control plane
 * @param choices named choices of each API and of the process
 * @param only name of the service whose part is returned; undefined for the whole list
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
