import { Refusal } from '../../../state/kernel/refusal.ts'
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
import { cloudLoginBodyShape, cloudLoginShape, cloudViewShape } from './cloud-shapes.ts'

/** Simulated cloud behind the login method `cloud`: its identities, and logins that they sign. */
export class CloudControl extends ControlPart {
  /** Returns all identities with their existing keys. Generates no keys. */
  view(): CloudView {
    return cloudView(this.world)
  }

  /**
   * Adds identities; an existing one with the same id is replaced.
   *
   * @throws {InputError} for invalid input, such as a malformed key; then no identity is added
   */
  add(identities: CloudIdentities): void {
    this.check(cloudIdentitiesShape, identities)
    addCloudIdentities(this.world, identities, locateInBody)
  }

  /**
   * Returns the body of `POST auth/cloud/login/<role>`, signed for an identity and dated by the
   * world's clock. The key of the identity is generated on first use.
   *
   * @param host value of the signed header `host`
   * @throws Refusal `absent` for an unknown identity, `conflict` if its private key is not known
   */
  login(request: CloudLoginRequest, host: string): CloudLoginBody {
    this.check(cloudLoginShape, request)
    return cloudLoginBody(this.world, request, host)
  }
}

/**
 * Calls `load`, and turns its refusal into an input error that begins with the JSON pointer of the
 * part of the body that was loaded.
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

/** Control calls about the simulated cloud of one world. */
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
