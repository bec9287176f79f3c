import { list, text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { dataIndex } from '../../../state/scheduler/indexes.ts'
import { publicKeys, publicKeysAge } from '../../../state/scheduler/operator/keyring.ts'
import { refuse } from '../../../state/scheduler/operator/messages.ts'
import { operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#operator' })

/** Path prefix of operations outside of the API's prefix. */
export const wellKnown = '/.well-known/'

/** Operations with which anyone can verify workload identities, at the root of the server. */
export const wellKnownOperations = [
  operation.get({
    id: 'readSigningKeys',
    path: '/.well-known/jwks.json',
    access: 'anyone',
    summary: 'Tell the public keys that verify identities of tasks; can block.',
    reply: {
      200: struct('JSONWebKeySet', {
        keys: list(
          struct('JSONWebKey', { use: text, kty: text, kid: text, alg: text, n: text, e: text }),
        ),
      }),
    },
    run: ({ context }) =>
      context.read(() => ({
        index: dataIndex(context.world, 'root-keys'),
        body: { keys: publicKeys(context.world) },
        maxAge: publicKeysAge(context.world),
      })),
  }),
  operation.get({
    id: 'readOidcConfiguration',
    path: '/.well-known/openid-configuration',
    access: 'anyone',
    summary: 'Tell that identities are not published for OpenID Connect: always 404.',
    failures: [404],
    run() {
      throw refuse('oidc-disabled')
    },
  }),
]
