import type { World } from '../../state/kernel/worlds/world.ts'
import type { AccessNeed, DecisionSource } from '../../state/mesh/acl/authorization.ts'
import { meshCaller } from '../../state/mesh/acl/callers.ts'
import type { Origin } from '../../state/mesh/acl/rulebook.ts'
import type { NamespaceFixture } from '../../state/mesh/fixtures.ts'
import { allNamespaces, type Namespace } from '../../state/mesh/namespaces/namespaces.ts'
import { InputError, type Validator } from '../http/declare/validate.ts'
import type { ControlPart } from './control-part.ts'
import { meshQuestionShape } from './mesh-shapes.ts'
import { addFixtures } from './state/seeding.ts'

/** A question: may this token do this? */
interface MeshQuestion extends AccessNeed {
  /** A SecretID; none is the anonymous token. */
  readonly token?: string
}

/** The answer: it may or may not, and which rule decided. */
interface MeshDecision {
  readonly allowed: boolean
  /** The rule that decided; null where none did. */
  readonly rule: string | null
  readonly from: {
    readonly source: DecisionSource
    readonly policy: Origin['policy'] | null
    readonly role: Origin['policy'] | null
  }
}

/** The service mesh of one world beyond its API: namespaces for tests that begin with some, and decisions. */
export class MeshControl {
  readonly #world: World
  readonly #validator: Validator

  constructor(world: World, validator: Validator) {
    this.#world = world
    this.#validator = validator
  }

  /**
   * Makes a namespace with what it holds; one that is there gets what is said of it besides.
   *
   * @throws {DocumentError} for members that there are none
   * @throws Refusal for what the API would refuse too
   */
  namespace(namespace: NamespaceFixture): void {
    addFixtures(this.#world, { mesh: { namespaces: [namespace] } }, this.#validator)
  }

  /** Returns every namespace as it is now, by name. */
  namespaces(): readonly Namespace[] {
    this.#world.runDueJobs()
    return allNamespaces(this.#world)
  }

  /**
   * Returns what the mesh would decide, and by which rule of which policy; asks for nothing to be
   * done.
   *
   * @throws {InputError} for a question that makes no sense
   * @throws Refusal `denied` for a token that is not known or whose time is over
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

/** The same as a part of a world's control. */
export const meshPart: ControlPart<MeshControl> = {
  make: (world, validator) => new MeshControl(world, validator),
}
