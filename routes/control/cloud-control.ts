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

/** The cloud that the secrets API's method `cloud` asks: its identities, and logins in their name. */
export class CloudControl {
  readonly #world: World
  readonly #validator: Validator

  constructor(world: World, validator: Validator) {
    this.#world = world
    this.#validator = validator
  }

  /** Every identity, with its keys; makes none. */
  view(): CloudView {
    return cloudView(this.#world)
  }

  /**
   * Adds identities; one of an id that exists is replaced.
   *
   * @throws {InputError} for what cannot be taken, such as a key that is none; then none is added
   */
  add(identities: CloudIdentities): void {
    this.#check(cloudIdentitiesShape, identities)
    addCloudIdentities(this.#world, identities, locateInBody)
  }

  /**
   * The body of `POST auth/cloud/login/<role>`, signed for an identity and dated by the world's
   * clock. The identity's key is made on first use.
   *
   * @param host what the signed header `host` says
   * @throws Refusal `absent` for an unknown identity, `conflict` when its private key is not held
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

/** Does a part of the work; its refusals begin with the JSON pointer of the place in the body. */
function locateInBody<T>(place: readonly string[], load: () => T): T {
  try {
    return load()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new InputError([`/${place.map(pointerName).join('/')}: ${error.message}`])
  }
}

/** The same as a part of a world's control. */
export const cloudPart: ControlPart<CloudControl> = {
  make: (world, validator) => new CloudControl(world, validator),
}
