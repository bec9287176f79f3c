import type { World } from '../../state/kernel/worlds/world.ts'
import {
  type AccountToken,
  type AccountTokenRequest,
  issueAccountToken,
} from '../../state/secrets/orch/account-tokens.ts'
import { type OrchPublicKey, publicKeys } from '../../state/secrets/orch/tokens.ts'
import { type OrchestratorView, orchestratorView } from '../../state/secrets/orch/view.ts'
import { InputError, type Validator } from '../http/declare/validate.ts'
import type { ControlPart } from './control-part.ts'
import { accountTokenRequestShape } from './orchestrator-shapes.ts'

/** Simulated orchestrator behind the engine and the login method `orch` of the secrets API. */
export class OrchestratorControl {
  readonly #world: World
  readonly #validator: Validator

  constructor(world: World, validator: Validator) {
    this.#world = world
    this.#validator = validator
  }

  /**
   * Returns the engines that connect to it, and every object that they created and have not
   * deleted.
   */
  view(): OrchestratorView {
    return orchestratorView(this.#world)
  }

  /** Returns the key set that verifies service account tokens; empty before the first token. */
  keys(): { readonly keys: readonly OrchPublicKey[] } {
    return { keys: publicKeys(this.#world) }
  }

  /**
   * Signs the JWT of a service account, as a pod finds it in its file: the account uses it to log
   * in at the method `orch` (behaviour/secrets#orch-login-review). The token is dated by the
   * world's clock; an account always has the same uid.
   *
   * @throws {InputError} for an invalid time
   * @throws Refusal `absent` for an account that the option `orchMissingAccounts` removes
   */
  token(request: AccountTokenRequest): AccountToken {
    const problems = this.#validator.check(accountTokenRequestShape, request, 'body')
    if (problems.length > 0) throw new InputError(problems)
    return issueAccountToken(this.#world, request)
  }
}

/** Part of a world's control for the orchestrator. */
export const orchestratorPart: ControlPart<OrchestratorControl> = {
  make: (world, validator) => new OrchestratorControl(world, validator),
}
