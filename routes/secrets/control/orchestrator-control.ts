import {
  type AccountToken,
  type AccountTokenRequest,
  issueAccountToken,
} from '../../../state/secrets/orch/account-tokens.ts'
import { type OrchPublicKey, publicKeys } from '../../../state/secrets/orch/tokens.ts'
import { type OrchestratorView, orchestratorView } from '../../../state/secrets/orch/view.ts'
import { ControlPart, partCalls } from '../../http/declare/control-call.ts'
import {
  accountTokenRequestShape,
  accountTokenShape,
  keySetShape,
  orchestratorShape,
} from './orchestrator-shapes.ts'

/** Simulated orchestrator behind the engine and the login method `orch` of the secrets API. */
export class OrchestratorControl extends ControlPart {
  /**
   * Returns the engines that connect to the orchestrator, and every object that they created and
   * have not deleted.
   */
  view(): OrchestratorView {
    return orchestratorView(this.world)
  }

  /** Returns the key set that verifies service account tokens; empty before the first token. */
  keys(): { readonly keys: readonly OrchPublicKey[] } {
    return { keys: publicKeys(this.world) }
  }

  /**
   * Returns a signed JWT of a service account, such as a pod finds in its token file, for logins
   * with the method `orch` (behaviour/secrets#orch-login-review). The token is dated by the world's
   * clock; an account always has the same uid.
   *
   * @throws {InputError} for an invalid time
   * @throws Refusal `absent` for an account that the option `orchMissingAccounts` removes
   */
  token(request: AccountTokenRequest): AccountToken {
    this.check(accountTokenRequestShape, request)
    return issueAccountToken(this.world, request)
  }
}

const call = partCalls(OrchestratorControl)

/** Control calls about the simulated orchestrator of one world. */
export const orchestratorCalls = [
  call({
    id: 'getOrchestrator',
    route: 'GET /secrets/orchestrator',
    summary:
      'List the objects that the orchestrator engines of the secrets API have created and not deleted.',
    reply: orchestratorShape,
    run: (orchestrator) => orchestrator.view(),
  }),
  call({
    id: 'getOrchestratorKeys',
    route: 'GET /secrets/orchestrator/keys',
    summary: "Return the key set (JWKS) that verifies the orchestrator's service account tokens.",
    reply: keySetShape,
    run: (orchestrator) => orchestrator.keys(),
  }),
  call({
    id: 'signAccountToken',
    route: 'POST /secrets/orchestrator/tokens',
    summary: 'Create the JWT of a service account, with which it logs in to the secrets API.',
    body: accountTokenRequestShape,
    reply: accountTokenShape,
    status: 201,
    run: (orchestrator, { body }) => orchestrator.token(body),
  }),
]
