import { any, bool, list, text, textOf, word } from '../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../state/kernel/shape/members.ts'
import { choiceEvidence } from './choices.ts'

/** Shapes of the coverage ledger (behaviour/program#control-plane). */

/** Returns the shape of a query for the whole ledger or for one of these services. */
export function coverageQueryShape(services: readonly string[]) {
  const service = described(word(...services), 'Only this service')
  return withOthers(struct({ service: optional(service) }), any)
}

const operationsShape = list(
  struct({
    id: described(text, "The operationId of the API's OpenAPI document"),
    verb: described(text, 'As clients send it'),
    path: described(text, 'Path, for mounts as in a fresh world'),
    summary: text,
    spec: described(text, 'Citation of the rules that specify it'),
    evidence: word('spec', 'decision', 'extension'),
    access: optional(described(text, 'Required rights, if the API declares them')),
  }),
)

const choicesShape = list(
  struct({
    id: textOf({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' }),
    about: described(text, 'Question that the choice answers'),
    choice: described(text, 'Answer of this program'),
    evidence: described(
      word(...choiceEvidence),
      'For a gap, the specification asks for more than is implemented',
    ),
    where: described(text, 'Section that is silent, or asks for more'),
  }),
)

/** Ledger of operations and choices. */
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
