import { map, text } from '../../../state/kernel/shape/kinds.ts'
import { partial, secret, struct } from '../../../state/kernel/shape/members.ts'
import { logIn, logOut } from '../../../state/mesh/acl/auth-methods/login.ts'
import { refuse } from '../../../state/mesh/acl/messages.ts'
import {
  defaultNamespace,
  requireNamespaceForData,
} from '../../../state/mesh/namespaces/namespaces.ts'
import { ok } from '../../http/declare/operation.ts'
import { JsonText } from '../../http/json-text.ts'
import { refusePartition } from '../context.ts'
import { decodeOne, parseBody, withRefusal } from '../decode.ts'
import { aclOperationsOf } from './access.ts'
import { deletedReply, tokenJson, tokenReply } from './views.ts'

const operation = aclOperationsOf('behaviour/mesh#login')

const loginBody = partial(
  struct('ACLLoginParams', {
    AuthMethod: text,
    BearerToken: secret(text),
    Meta: map(text),
    Namespace: text,
    Partition: text,
  }),
)

export const loginOperations = [
  operation.post('loginAcl', '/acl/login', {
    access: 'anyone',
    summary: 'Exchange a credential of another system for a token.',
    body: loginBody,
    failures: [403],
    reply: { 200: tokenReply },
    run: ({ context }) => {
      const login = withRefusal(
        () => {
          const json = parseBody(context.body)
          return json === null ? undefined : decodeOne(json, loginBody)
        },
        (problem) => refuse('login-unreadable', { problem }),
      )
      if (login === undefined) throw refuse('login-empty')
      context.requireOwnDatacenter()
      refusePartition(login.Partition)
      const { dialect, world } = context
      // A login needs no token, so the namespace of a token in the request is ignored.
      const requested = context.namespace ?? (login.Namespace || defaultNamespace)
      const { name: namespace } = requireNamespaceForData(world, requested)
      const token = logIn(world, namespace, {
        method: login.AuthMethod ?? '',
        bearer: login.BearerToken ?? '',
        meta: Object.fromEntries(
          Object.entries(login.Meta ?? {}).map(([key, value]) => [key, value ?? '']),
        ),
      })
      return ok(new JsonText(tokenJson(world, token, dialect, token.secret_id)))
    },
  }),
  operation.post('logoutAcl', '/acl/logout', {
    access: 'anyone',
    tenancy: 'none',
    summary: 'Delete the token of the request, which a login created.',
    failures: [401, 403],
    reply: { 200: deletedReply },
    run: ({ context }) => {
      const { secret = '' } = context
      if (secret === '') throw refuse('logout-tokenless')
      logOut(context.world, secret)
      return ok(true)
    },
  }),
]
