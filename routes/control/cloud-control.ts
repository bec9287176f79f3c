import { Refusal } from '../../state/kernel/refusal.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import {
  addCloudIdentities,
  type CloudIdentities,
  type CloudView,
  cloudIdentitiesShape,
  cloudView,
} from '../../state/secrets/cloud/identities.ts'
import {
  type CloudLoginBody,
  type CloudLoginRequest,
  cloudLoginBody,
} from '../../state/secrets/cloud/login-body.ts'
import type { ShapeOrSchema } from '../http/declare/shape-or-schema.ts'
import { InputError, pointerName, type Validator } from '../http/declare/validate.ts'
import { cloudLoginShape } from './cloud-shapes.ts'
import type { ControlPart } from './control-part.ts'

/**
 * Simulated cloud that the method `cloud` of the secrets API calls: its identities, and logins with
 * them.
 */
export class CloudControl {
  readonly #world: World
  readonly #validator: Validator

  constructor(world: World, validator: Validator) {
    this.#world = world
    this.#validator = validator
  }

  /** Returns all identities with their keys; generates none. */
  view(): CloudView {
    return cloudView(this.#world)
  }

  /**
   * Adds identities; an existing one with the same id is replaced.
   *
   * @throws {InputError} for invalid input, such as a malformed key; then none is added
   */
  add(identities: CloudIdentities): void {
    this.#check(cloudIdentitiesShape, identities)
    addCloudIdentities(this.#world, identities, locateInBody)
  }

  /**
   * Returns the body of `POST auth/cloud/login/<role>`, signed for an identity and dated by the
   * world's clock. The key of the identity is generated on first use.
   *
   * @param host value of the signed header `host`
   * @throws Refusal `absent` for an unknown identity, `conflict` if its private key is not known
   */
  login(request: CloudLoginRequest, host: string): CloudLoginBody {
    this.#check(cloudLoginShape, request)
    return cloudLoginBody(this.#world, request, host)
  }

  #check(described: ShapeOrSchema, value: unknown): void {
    const problems = this.#validator.check(described, value, 'body')
    if (problems.length > 0) throw new InputError(problems)
  }
}

/** Runs part of the work; refusals get the JSON pointer of the part as a prefix. */
function locateInBody<T>(place: readonly string[], load: () => T): T {
  try {
    return load()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new InputError([`/${place.map(pointerName).join('/')}: ${error.message}`])
  }
}

/** Part of a world's control for the simulated cloud. */
export const cloudPart: ControlPart<CloudControl> = {
  make: (world, validator) => new CloudControl(world, validator),
}
