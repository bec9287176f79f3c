import { ok } from '../../http/declare/operation.ts'
import { operation } from '../context.ts'
import { explanationShape } from './explain-shapes.ts'

/** Operations that explain requests. */
export const explainOperations = [
  operation({
    id: 'explainRequest',
    method: 'GET',
    path: '/explain/:id',
    summary: 'Explain the answer of a request, and which request would have passed.',
    spec: 'behaviour/program#explanations',
    reply: { 200: explanationShape },
    run: ({ context, params }) => ok(context.world.explain(params.id)),
  }),
]
