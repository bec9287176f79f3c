import type { World } from '../../state/kernel/world.ts'
import { type OrchPublicKey, publicKeys } from '../../state/secrets/orch/tokens.ts'
import { type OrchestratorView, orchestratorView } from '../../state/secrets/orch/view.ts'
import type { ControlPart } from './part.ts'

/** The simulated orchestrator behind the secrets API's engine `orch`; nothing here changes it. */
export class OrchestratorControl {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  /** The engines that reach it, and every object that they made and have not deleted. */
  view(): OrchestratorView {
    return orchestratorView(this.#world)
  }

  /** The key set by which its service account tokens verify; empty before the first token. */
  keys(): { readonly keys: readonly OrchPublicKey[] } {
    return { keys: publicKeys(this.#world) }
  }
}

/** The same as a part of a world's control. */
export const orchestratorPart: ControlPart<OrchestratorControl> = {
  make: (world) => new OrchestratorControl(world),
}
