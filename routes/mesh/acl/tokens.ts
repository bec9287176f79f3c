import { text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import type { Sent } from '../../../state/kernel/shape/values.ts'
import { parseTimestamp } from '../../../state/kernel/time.ts'
import { bootstrapAcls } from '../../../state/mesh/acl/bootstrap.ts'
import type { AclToken } from '../../../state/mesh/acl/tables.ts'
import { refuse, say } from '../../../state/mesh/acl/texts.ts'
import {
  createToken,
  deleteToken,
  type TokenInput,
  tokenData,
  tokensIn,
  tokenWithAccessor,
  updateToken,
} from '../../../state/mesh/acl/tokens.ts'
import { JsonText } from '../../http/json-text.ts'
import { ok } from '../../http/operation.ts'
import { parameters } from '../../http/parameters.ts'
import { type MeshContext, operation } from '../operation.ts'
import { bootstrapBody, linksOf, tokenBody } from './bodies.ts'
import {
  type Admitted,
  admitRead,
  admitWrite,
  checkEnabled,
  deleted,
  listAcl,
  notFound,
  readAcl,
  seesSecrets,
  spec,
} from './call.ts'
import {
  bootstrapJson,
  bootstrapSchema,
  deletedSchema,
  failureSchema,
  listOf,
  tokenJson,
  tokenSchema,
} from './views.ts'

/** A token, whose secret those who may only read do not see. */
function jsonFor({ world, dialect }: MeshContext, token: AclToken, admitted: Admitted): string {
  return tokenJson(world, token, dialect, seesSecrets(admitted) ? token.secret_id : '<hidden>')
}

/** A token with its secret. */
function openJson({ world, dialect }: MeshContext, token: AclToken): JsonText {
  return new JsonText(tokenJson(world, token, dialect, token.secret_id))
}

function inputOf(body: Sent<typeof tokenBody>): TokenInput {
  return {
    accessorId: body.AccessorID,
    secretId: body.SecretID,
    description: body.Description,
    policies: linksOf(body.Policies),
    roles: linksOf(body.Roles),
    local: body.Local,
    expiresAt: parseTimestamp(body.ExpirationTime ?? ''),
    ttl: body.ExpirationTTL,
  }
}

function checkId(id: string): string {
  if (id === '') throw refuse('accessor-missing')
  return id
}

/** Tokens and how the first one comes to be (3a-mesh-decisions.md section 5, Endpoints). */
export const tokenOperations = [
  operation({
    id: 'bootstrapAcls',
    method: 'PUT',
    path: '/acl/bootstrap',
    summary: 'Make the first management token; works once.',
    spec,
    reply: { 200: bootstrapSchema },
    body: bootstrapBody,
    run: ({ context, body }) => {
      checkEnabled(context)
      const isEmpty = context.body.length === 0
      const sent = isEmpty ? undefined : body()
      const token = bootstrapAcls(context.world, sent?.BootstrapSecret)
      return ok(new JsonText(bootstrapJson(context.world, token, context.dialect)))
    },
  }),
  operation({
    id: 'createAclToken',
    method: 'PUT',
    path: '/acl/token',
    summary: 'Create an ACL token.',
    spec,
    reply: { 200: tokenSchema },
    body: tokenBody,
    run: ({ context, body }) => {
      checkEnabled(context)
      const sent = body('Token')
      const { namespace } = admitWrite(context, sent)
      return ok(openJson(context, createToken(context.world, namespace, inputOf(sent))))
    },
  }),
  operation({
    id: 'updateAclToken',
    method: 'PUT',
    path: '/acl/token/:accessor',
    summary: 'Replace what an ACL token says; its secret and expiry stay.',
    spec,
    reply: { 200: tokenSchema },
    body: tokenBody,
    run: ({ context, params, body }) => {
      checkEnabled(context)
      const id = checkId(params.accessor)
      const sent = body('Token')
      if (sent.AccessorID && sent.AccessorID !== id) {
        throw refuse('accessors-differ')
      }
      const { namespace } = admitWrite(context, sent)
      return ok(openJson(context, updateToken(context.world, namespace, id, inputOf(sent))))
    },
  }),
  operation({
    id: 'readOwnAclToken',
    method: 'GET',
    path: '/acl/token/self',
    summary: 'Read the token of the request; needs no rights.',
    spec,
    reply: { 200: tokenSchema, 404: failureSchema },
    run: ({ context }) =>
      readAcl<404>(context, tokenData, () => {
        const { token } = context.caller
        return token === undefined
          ? { status: 404, body: context.dialect.tell(say('own-token-absent')) }
          : { body: openJson(context, token) }
      }),
  }),
  operation({
    id: 'readAclToken',
    method: 'GET',
    path: '/acl/token/:accessor',
    summary: 'Read an ACL token; those who may only read do not see its secret.',
    spec,
    reply: { 200: tokenSchema, 404: failureSchema },
    run: ({ context, params }) => {
      checkEnabled(context)
      const id = checkId(params.accessor)
      return readAcl<404>(context, tokenData, () => {
        const admitted = admitRead(context)
        const token = tokenWithAccessor(context.world, admitted.namespace, id)
        if (token === undefined) return notFound(context, 'token', admitted.namespace)
        return { body: new JsonText(jsonFor(context, token, admitted)) }
      })
    },
  }),
  operation({
    id: 'deleteAclToken',
    method: 'DELETE',
    path: '/acl/token/:accessor',
    summary: 'Delete an ACL token.',
    spec,
    reply: { 200: deletedSchema },
    run: ({ context, params }) => {
      checkEnabled(context)
      const id = checkId(params.accessor)
      const { caller, namespace } = admitWrite(context)
      deleteToken(context.world, namespace, id, caller)
      return deleted
    },
  }),
  operation({
    id: 'listAclTokens',
    method: 'GET',
    path: '/acl/tokens',
    summary: 'List the ACL tokens of a namespace.',
    spec,
    query: parameters({
      policy: described(text, 'Linked to this policy'),
      role: described(text, 'Linked to this role'),
    }),
    reply: { 200: listOf(tokenSchema) },
    run: ({ context }) => {
      const policy = context.query.value('policy')
      const role = context.query.value('role')
      const isWanted = ({ policies, roles }: AclToken) =>
        (policy === undefined || policies.includes(policy)) &&
        (role === undefined || roles.includes(role))
      return listAcl(
        context,
        tokenData,
        (namespace) => tokensIn(context.world, namespace).filter(isWanted),
        (token, admitted) => jsonFor(context, token, admitted),
      )
    },
  }),
]
