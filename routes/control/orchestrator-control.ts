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

/** The simulated orchestrator behind the secrets API's engine and login method `orch`. */
export class OrchestratorControl {
  readonly #world: World
  readonly #validator: Validator

  constructor(world: World, validator: Validator) {
    this.#world = world
    this.#validator = validator
  }

  /** The engines that reach it, and every object that they made and have not deleted. */
  view(): OrchestratorView {
    return orchestratorView(this.#world)
  }

  /** The key set by which its service account tokens verify; empty before the first token. */
  keys(): { readonly keys: readonly OrchPublicKey[] } {
    return { keys: publicKeys(this.#world) }
  }

  /**
   * Signs the JWT of a service account, such as a pod finds in its file: with it the account logs in at
   * the method `orch` (behaviour/secrets#orch-login-review). It is dated by the world's clock; the
   * same account has the same uid each time.
   *
   * @throws {InputError} for a time that is none
   * @throws Refusal `absent` for an account that the option `orchMissingAccounts` takes away
   */
  token(request: AccountTokenRequest): AccountToken {
    const problems = this.#validator.check(accountTokenRequestShape, request, 'body')
    if (problems.length > 0) throw new InputError(problems)
    return issueAccountToken(this.#world, request)
  }
}

/** The same as a part of a world's control. */
export const orchestratorPart: ControlPart<OrchestratorControl> = {
  make: (world, validator) => new OrchestratorControl(world, validator),
}
