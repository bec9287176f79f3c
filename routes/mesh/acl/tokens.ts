import { list, text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { methodKey } from '../../../state/mesh/acl/auth-methods/tables.ts'
import {
  bootstrapBody,
  cloneBody,
  tokenBody,
  tokenInputOf,
} from '../../../state/mesh/acl/bodies.ts'
import { bootstrapAcls } from '../../../state/mesh/acl/bootstrap.ts'
import { selfToken } from '../../../state/mesh/acl/callers.ts'
import { refuse } from '../../../state/mesh/acl/messages.ts'
import type { AclToken } from '../../../state/mesh/acl/tables.ts'
import {
  cloneToken,
  createToken,
  deleteToken,
  requireToken,
  tokenDataKind,
  tokensIn,
  updateToken,
} from '../../../state/mesh/acl/tokens.ts'
import { ok } from '../../http/declare/operation.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { JsonText } from '../../http/json-text.ts'
import type { MeshContext } from '../operation.ts'
import {
  authorizeWrite,
  deletionAnswer,
  listAccess,
  listAcl,
  namespaceOfRead,
  operation,
  readAccess,
  readAcl,
  secretVisibility,
  withSecretsRight,
  writeAccess,
} from './access.ts'
import { expandedJson, expandedTokenReply } from './expanded-token.ts'
import { bootstrapJson, bootstrapReply, deletedReply, tokenJson, tokenReply } from './views.ts'

/** Returns a serializer of tokens that hides secrets from callers without `acl:write`. */
function tokenSerializer(context: MeshContext): (token: AclToken, namespace: string) => string {
  const { world, dialect } = context
  const canSeeSecret = secretVisibility(context)
  return (token, namespace) =>
    tokenJson(world, token, dialect, canSeeSecret(namespace) ? token.secret_id : '<hidden>')
}

function jsonWithSecret({ world, dialect }: MeshContext, token: AclToken): JsonText {
  return new JsonText(tokenJson(world, token, dialect, token.secret_id))
}

/** Returns the JSON of a token, with the members of `?expanded` if the query has this parameter. */
function withExpansion({ world, dialect, query }: MeshContext, token: AclToken, json: string) {
  return new JsonText(query.has('expanded') ? expandedJson(world, token, dialect, json) : json)
}

const expandedParameter = parameters({
  expanded: described(text, 'Include the policies and roles themselves; the value is ignored'),
})

function requireAccessorId(id: string): string {
  if (id === '') throw refuse('accessor-missing')
  return id
}

export const tokenOperations = [
  operation.put('bootstrapAcls', '/acl/bootstrap', {
    access: 'anyone',
    tenancy: 'none',
    summary: 'Create the first management token; works once.',
    failures: [403],
    reply: { 200: bootstrapReply },
    body: bootstrapBody,
    bodyOptional: true,
    run: ({ context, body }) => {
      const isEmpty = context.body.length === 0
      const input = isEmpty ? undefined : body()
      const token = bootstrapAcls(context.world, input?.BootstrapSecret)
      return ok(new JsonText(bootstrapJson(context.world, token, context.dialect)))
    },
  }),
  operation.put('createAclToken', '/acl/token', {
    access: writeAccess,
    summary: 'Create an ACL token.',
    reply: { 200: tokenReply },
    body: tokenBody,
    run: ({ context, body }) => {
      const input = body('Token')
      const { namespace } = authorizeWrite(context, input)
      return ok(jsonWithSecret(context, createToken(context.world, namespace, tokenInputOf(input))))
    },
  }),
  operation.put('updateAclToken', '/acl/token/:accessor', {
    access: writeAccess,
    summary: 'Update an ACL token, except its secret and expiry. Without an ID, create one.',
    reply: { 200: tokenReply },
    body: tokenBody,
    run: ({ context, params, body }) => {
      const { accessor: id } = params
      const input = body('Token')
      if (input.AccessorID && input.AccessorID !== id) {
        throw refuse('accessors-differ')
      }
      const { namespace } = authorizeWrite(context, input)
      const { world } = context
      const token =
        id === ''
          ? createToken(world, namespace, tokenInputOf(input))
          : updateToken(world, namespace, id, tokenInputOf(input))
      return ok(jsonWithSecret(context, token))
    },
  }),
  operation.put('cloneAclToken', '/acl/token/:accessor/clone', {
    access: writeAccess,
    summary: 'Create a copy of an ACL token, with its own ID and secret.',
    reply: { 200: tokenReply },
    body: cloneBody,
    run: ({ context, params, body }) => {
      const id = requireAccessorId(params.accessor)
      const input = body('Token')
      const { namespace } = authorizeWrite(context, input)
      const { Description: description = '' } = input
      return ok(jsonWithSecret(context, cloneToken(context.world, namespace, id, description)))
    },
  }),
  operation.get('readOwnAclToken', '/acl/token/self', {
    access: 'anyone',
    tenancy: 'none',
    summary: 'Read the token of the request; needs no rights.',
    query: expandedParameter,
    failures: [403],
    reply: { 200: expandedTokenReply },
    run: ({ context }) =>
      readAcl(context, tokenDataKind, () => {
        const token = selfToken(context.world, context.secret)
        return { body: withExpansion(context, token, jsonWithSecret(context, token).text) }
      }),
  }),
  operation.get('readAclToken', '/acl/token/:accessor', {
    access: withSecretsRight(readAccess),
    summary: 'Read an ACL token; its secret is hidden from callers who may only read.',
    query: expandedParameter,
    reply: { 200: expandedTokenReply },
    run: ({ context, params }) => {
      const id = requireAccessorId(params.accessor)
      return readAcl(context, tokenDataKind, () => {
        const namespace = namespaceOfRead(context)
        const token = requireToken(context.world, namespace, id)
        return { body: withExpansion(context, token, tokenSerializer(context)(token, namespace)) }
      })
    },
  }),
  operation.delete('deleteAclToken', '/acl/token/:accessor', {
    access: writeAccess,
    summary: 'Delete an ACL token.',
    failures: [404],
    reply: { 200: deletedReply },
    run: ({ context, params }) => {
      const id = requireAccessorId(params.accessor)
      const { caller, namespace } = authorizeWrite(context)
      deleteToken(context.world, namespace, id, caller)
      return deletionAnswer
    },
  }),
  operation.get('listAclTokens', '/acl/tokens', {
    access: withSecretsRight(listAccess),
    summary: 'List the ACL tokens of a namespace.',
    query: parameters({
      policy: described(text, 'Only objects with a link to this policy'),
      role: described(text, 'Only tokens with a link to this role'),
      servicename: described(text, 'Only tokens with the identity of this service'),
      authmethod: described(text, 'Only tokens that a login with this auth method created'),
    }),
    reply: { 200: list(tokenReply) },
    run: ({ context }) => {
      const { value } = context.query
      const filter = { policy: value('policy'), role: value('role'), service: value('servicename') }
      return listAcl(
        context,
        tokenDataKind,
        (namespace) => {
          const filters = [...Object.values(filter), value('authmethod')]
          if (filters.filter((one) => one !== undefined).length > 1) throw refuse('filters-many')
          const tokens = tokensIn(context.world, namespace, filter)
          const method = value('authmethod')
          if (method === undefined) return tokens
          const key = methodKey(namespace, method)
          return tokens.filter(({ auth_method }) => auth_method === key)
        },
        () => tokenSerializer(context),
      )
    },
  }),
]
