import { Refusal } from '../../../state/kernel/refusal.ts'
import { bool, name as id, list, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import {
  addCloudIdentities,
  type CloudIdentities,
  type CloudView,
  cloudIdentitiesShape,
  cloudView,
} from '../../../state/secrets/cloud/identities.ts'
import {
  type CloudLoginBody,
  type CloudLoginRequest,
  cloudLoginBody,
} from '../../../state/secrets/cloud/login-body.ts'
import { ControlPart, partCalls } from '../../http/declare/control-call.ts'
import { InputError, pointerName } from '../../http/declare/validate.ts'

const cloudLoginShape = struct({
  role: described(id, 'Role of the login, which need not exist'),
  mount: optional(described(id, 'Path of the login method; its path in a fresh world if left out')),
  user: optional(described(id, 'User who logs in; the user of a fresh world if left out')),
  instance: optional(described(id, 'Instance that logs in instead of a user')),
})

const headerShape = list(text)

/** Body of a login request with the method `cloud`. */
export const cloudLoginBodyShape = struct({
  request_headers: described(
    withOthers(
      struct({
        date: headerShape,
        '(request-target)': headerShape,
        host: headerShape,
        'content-type': headerShape,
        authorization: headerShape,
      }),
      headerShape,
    ),
    'Signed headers by name',
  ),
})

const keyShape = struct({
  fingerprint: text,
  public_key: described(text, 'PEM'),
  signs: described(bool, 'Whether the private key is known, so that logins can be signed'),
})

export const cloudViewShape = struct({
  tenancies: list(text),
  users: list(
    struct({
      id,
      tenancy: id,
      groups: list(text),
      keys: described(list(keyShape), 'Empty until a login needs it'),
    }),
  ),
  instances: list(
    struct({
      id,
      tenancy: id,
      dynamic_groups: list(text),
      key: described(nullable(keyShape), 'Null until a login needs it'),
    }),
  ),
})

/**
 * The simulated cloud of the login method `cloud`: its identities, and the logins that they sign.
 */
export class CloudControl extends ControlPart {
  /** Returns all identities, with those keys that already exist. Does not generate keys. */
  view(): CloudView {
    return cloudView(this.world)
  }

  /**
   * Adds identities and the tenancies that they name. Replaces identities that have the same id.
   *
   * @throws {InputError} for invalid input, such as a malformed key; no identity is added in this
   *   case
   */
  add(identities: CloudIdentities): void {
    this.check(cloudIdentitiesShape, identities)
    addCloudIdentities(this.world, identities, locateInBody)
  }

  /**
   * Returns the body of `POST auth/cloud/login/<role>`, signed for an identity and dated by the
   * world's clock. Generates and stores a key for an identity that has none.
   *
   * @param host value of the signed header `host`
   * @throws {InputError} for a malformed request
   * @throws Refusal `absent` for an unknown identity, `conflict` if the private key of the identity
   *   is not known, `invalid` if both a user and an instance are given
   */
  login(request: CloudLoginRequest, host: string): CloudLoginBody {
    this.check(cloudLoginShape, request)
    return cloudLoginBody(this.world, request, host)
  }
}

/**
 * Calls `load` and returns its result. If `load` throws a refusal, throws an input error that
 * begins with a JSON pointer.
 *
 * @param place path of the loaded part in the body
 */
function locateInBody<T>(place: readonly string[], load: () => T): T {
  try {
    return load()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new InputError([`/${place.map(pointerName).join('/')}: ${error.message}`])
  }
}

const call = partCalls(CloudControl)

export const cloudCalls = [
  call({
    id: 'getCloud',
    route: 'GET /secrets/cloud',
    summary:
      'List the cloud identities that may log in to the secrets API, with their public keys.',
    reply: cloudViewShape,
    run: (cloud) => cloud.view(),
  }),
  call({
    id: 'addCloudIdentities',
    route: 'POST /secrets/cloud',
    summary: 'Add cloud identities; an existing one with the same id is replaced.',
    body: cloudIdentitiesShape,
    reply: cloudViewShape,
    run: (cloud, { body }) => {
      cloud.add(body)
      return cloud.view()
    },
  }),
  call({
    id: 'signCloudLogin',
    route: 'POST /secrets/cloud/logins',
    summary: 'Create the signed body with which a cloud identity logs in to the secrets API.',
    body: cloudLoginShape,
    reply: cloudLoginBodyShape,
    run: (cloud, { context, body }) => cloud.login(body, new URL(context.origin).host),
  }),
]
