import { cloudIdentitiesShape } from '../../state/secrets/cloud/identities.ts'
import { ok } from '../http/declare/operation.ts'
import { cloudPart } from './cloud-control.ts'
import { cloudLoginBodyShape, cloudLoginShape, cloudViewShape } from './cloud-shapes.ts'
import { operation, spec } from './context.ts'

/**
 * Operations on the simulated cloud of one world, which the method `cloud` of the secrets API
 * calls.
 */
export const cloudOperations = [
  operation({
    id: 'getCloud',
    method: 'GET',
    path: '/secrets/cloud',
    summary:
      'List the cloud identities that may log in to the secrets API, with their public keys.',
    spec,
    reply: { 200: cloudViewShape },
    run: ({ context }) => ok(context.world.part(cloudPart).view()),
  }),
  operation({
    id: 'addCloudIdentities',
    method: 'POST',
    path: '/secrets/cloud',
    summary: 'Add cloud identities; an existing one with the same id is replaced.',
    spec,
    body: cloudIdentitiesShape,
    reply: { 200: cloudViewShape },
    run: ({ context, body }) => {
      context.world.part(cloudPart).add(body)
      return ok(context.world.part(cloudPart).view())
    },
  }),
  operation({
    id: 'signCloudLogin',
    method: 'POST',
    path: '/secrets/cloud/logins',
    summary: 'Create the signed body with which a cloud identity logs in to the secrets API.',
    spec,
    body: cloudLoginShape,
    reply: { 200: cloudLoginBodyShape },
    run: ({ context, body }) => ok(context.world.cloudLogin(body, new URL(context.origin).host)),
  }),
]
