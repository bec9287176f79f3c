import type { World } from '../../state/kernel/worlds/world.ts'
import type { AccessNeed, DecisionSource } from '../../state/mesh/acl/authorization.ts'
import { meshCaller } from '../../state/mesh/acl/callers.ts'
import type { Origin } from '../../state/mesh/acl/rulebook.ts'
import { allNamespaces, type Namespace } from '../../state/mesh/namespaces/namespaces.ts'
import type { NamespaceFixture } from '../../state/mesh/service.ts'
import { InputError, type Validator } from '../http/declare/validate.ts'
import type { ControlPart } from './control-part.ts'
import { meshQuestionShape } from './mesh-shapes.ts'
import { addFixtures } from './state/seeding.ts'

/** Question whether a token has a permission. */
interface MeshQuestion extends AccessNeed {
  /** SecretID; the anonymous token if left out. */
  readonly token?: string
}

/** Decision about a permission and the rule behind it. */
interface MeshDecision {
  readonly allowed: boolean
  /** Rule that decided; null if there is none. */
  readonly rule: string | null
  readonly from: {
    readonly source: DecisionSource
    readonly policy: Origin['policy'] | null
    readonly role: Origin['policy'] | null
  }
}

/** Control of one world's service mesh: namespaces for tests, and access decisions. */
export class MeshControl {
  readonly #world: World
  readonly #validator: Validator

  constructor(world: World, validator: Validator) {
    this.#world = world
    this.#validator = validator
  }

  /**
   * Creates a namespace with its content; an existing one is updated with the given members.
   *
   * @throws {DocumentError} for unknown members
   * @throws Refusal for input that the API would refuse as well
   */
  namespace(namespace: NamespaceFixture): void {
    addFixtures(this.#world, { mesh: { namespaces: [namespace] } }, this.#validator)
  }

  /** Returns every namespace in its current state, ordered by name. */
  namespaces(): readonly Namespace[] {
    this.#world.runDueJobs()
    return allNamespaces(this.#world)
  }

  /**
   * Returns the decision of the mesh and the rule and policy behind it, without changing anything.
   *
   * @throws {InputError} for an invalid question
   * @throws Refusal `denied` for an unknown or expired token
   */
  decide(question: MeshQuestion): MeshDecision {
    const problems = this.#validator.check(meshQuestionShape, question, 'body')
    if (problems.length > 0) throw new InputError(problems)
    const { token, ...need } = question
    const { allowed, rule, source, origin } = meshCaller(this.#world, token).decide(need)
    const from = { source, policy: origin?.policy ?? null, role: origin?.role ?? null }
    return { allowed, rule, from }
  }
}

/** Part of a world's control for the service mesh. */
export const meshPart: ControlPart<MeshControl> = {
  make: (world, validator) => new MeshControl(world, validator),
}
