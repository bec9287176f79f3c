import { ok } from '../http/declare/operation.ts'
import { operation, spec } from './context.ts'
import { meshPart } from './mesh-control.ts'
import { meshDecisionShape, meshQuestionShape } from './mesh-shapes.ts'

/** Operations on the service mesh of one world. */
export const meshOperations = [
  operation({
    id: 'decideInMesh',
    method: 'POST',
    path: '/mesh/decisions',
    summary: 'Decide whether a token has a permission in the service mesh, and name the rule.',
    spec,
    body: meshQuestionShape,
    reply: { 200: meshDecisionShape },
    run: ({ context, body }) => ok(context.world.part(meshPart).decide(body)),
  }),
]
