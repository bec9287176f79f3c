import { any, bool, list, text, textOf, word } from '../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../state/kernel/shape/members.ts'
import { choiceEvidence } from './choices.ts'

/** Shapes of the coverage ledger (behaviour/program#control-plane). */

/** Returns the shape of a query for the whole ledger or for one of these services. */
export function coverageQueryShape(services: readonly string[]) {
  const service = described(word(...services), 'The only one to tell of')
  return withOthers(struct({ service: optional(service) }), any)
}

const operationsShape = list(
  struct({
    id: described(text, "The operationId of the API's OpenAPI document"),
    verb: described(text, 'As clients send it'),
    path: described(text, 'At the mounts of a fresh world, where there are mounts'),
    summary: text,
    spec: described(text, 'Where it is specified'),
    evidence: word('spec', 'decision', 'extension'),
    access: optional(described(text, 'The rights it takes, where the API declares them')),
  }),
)

const choicesShape = list(
  struct({
    id: textOf({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' }),
    about: described(text, 'What the question is'),
    choice: described(text, 'What this program does'),
    evidence: described(
      word(...choiceEvidence),
      'Of a gap, the specification asks for more than is done',
    ),
    where: described(text, 'The section that is silent, or asks for more'),
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
      'The control plane itself; left out when one service is asked for',
    ),
  ),
  choices: optional(
    described(choicesShape, 'What holds for all services; left out when one service is asked for'),
  ),
})
