import { answer, ok } from '../http/declare/operation.ts'
import { operation, spec } from './context.ts'
import { orchestratorPart } from './orchestrator-control.ts'
import {
  accountTokenRequestShape,
  accountTokenShape,
  keySetShape,
  orchestratorShape,
} from './orchestrator-shapes.ts'

/** Operations on the orchestrator of one world, which `orch` of the secrets API calls. */
export const orchestratorOperations = [
  operation({
    id: 'getOrchestrator',
    method: 'GET',
    path: '/secrets/orchestrator',
    summary:
      'List the objects that the orchestrator engines of the secrets API have created and not deleted.',
    spec,
    reply: { 200: orchestratorShape },
    run: ({ context }) => ok(context.world.part(orchestratorPart).view()),
  }),
  operation({
    id: 'getOrchestratorKeys',
    method: 'GET',
    path: '/secrets/orchestrator/keys',
    summary: "Return the key set (JWKS) that verifies the orchestrator's service account tokens.",
    spec,
    reply: { 200: keySetShape },
    run: ({ context }) => ok(context.world.part(orchestratorPart).keys()),
  }),
  operation({
    id: 'signAccountToken',
    method: 'POST',
    path: '/secrets/orchestrator/tokens',
    summary: 'Create the JWT of a service account, with which it logs in to the secrets API.',
    spec,
    body: accountTokenRequestShape,
    reply: { 201: accountTokenShape },
    run: ({ context, body }) => answer(201, context.world.part(orchestratorPart).token(body)),
  }),
]
