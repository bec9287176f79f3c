import { formatGoDuration } from '../../../state/go/duration.ts'
import { canonicalJson } from '../../../state/json/json.ts'
import type { Json } from '../../../state/kernel/json.ts'
import { any, list, map, nullable, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { optional, struct } from '../../../state/kernel/shape/members.ts'
import type { ParsedOf } from '../../../state/kernel/shape/values.ts'
import {
  authMethod,
  authMethodsIn,
  deleteAuthMethod,
  methodDataKind,
  putAuthMethod,
} from '../../../state/mesh/acl/auth-methods/auth-methods.ts'
import { methodBody, methodInputOf } from '../../../state/mesh/acl/auth-methods/bodies.ts'
import type { AuthMethod } from '../../../state/mesh/acl/auth-methods/tables.ts'
import { refuse } from '../../../state/mesh/acl/messages.ts'
import { ok } from '../../http/declare/operation.ts'
import { JsonText } from '../../http/json-text.ts'
import { tenancyOf } from '../catalog/records.ts'
import { type MeshContext, operationsOf } from '../operation.ts'
import {
  authorizeDeletion,
  authorizeWrite,
  checkEnabled,
  deletedAnswer,
  listAccess,
  listAcl,
  namespaceOfRead,
  notFound,
  readAccess,
  readAcl,
  writeAccess,
} from './access.ts'
import { deletedReply, failureReply } from './views.ts'

const operation = operationsOf({ spec: 'behaviour/mesh#auth-methods' })

/** Members of auth methods in lists. */
const stubMembers = {
  MaxTokenTTL: optional(text),
  Name: text,
  Type: text,
  DisplayName: optional(text),
  Description: optional(text),
  TokenLocality: optional(text),
  CreateIndex: uint,
  ModifyIndex: uint,
  Partition: optional(text),
  Namespace: optional(text),
} as const

const methodReply = struct({
  ...stubMembers,
  Config: nullable(map(any)),
  NamespaceRules: optional(list(struct({ Selector: text, BindNamespace: text }))),
})

/** Returns an auth method as replies show it. */
function methodView(context: MeshContext, method: AuthMethod, isListed: boolean): JsonText {
  const { world, dialect } = context
  const { config, namespace_rules, create_index, modify_index } = method
  const { max_token_ttl, display_name, description, token_locality } = method
  const view = {
    ...(max_token_ttl !== 0 && { MaxTokenTTL: formatGoDuration(max_token_ttl) }),
    Name: method.name,
    Type: method.type,
    ...(display_name !== '' && { DisplayName: display_name }),
    ...(description !== '' && { Description: description }),
    ...(token_locality !== '' && { TokenLocality: token_locality }),
    ...(!isListed && { Config: config && JSON.parse(canonicalJson(config as Json)) }),
    ...(!isListed && namespace_rules && { NamespaceRules: namespace_rules }),
    ...tenancyOf(world, dialect)(method.namespace),
    CreateIndex: create_index,
    ModifyIndex: modify_index,
  }
  return new JsonText(JSON.stringify(view))
}

function requireName(name: string): string {
  if (name === '') throw refuse('method-name-missing')
  return name
}

function write(context: MeshContext, body: ParsedOf<typeof methodBody>, name: string) {
  const { Name: sent } = body
  if (name !== '' && sent && sent !== name) throw refuse('method-names-differ')
  const { namespace } = authorizeWrite(context, body)
  const input = methodInputOf(name === '' ? body : { ...body, Name: name })
  return ok(methodView(context, putAuthMethod(context.world, namespace, input), false))
}

/** Operations on auth methods (behaviour/mesh#auth-methods). */
export const authMethodOperations = [
  operation.get('listAclAuthMethods', '/acl/auth-methods', {
    access: listAccess,
    summary: 'List the auth methods of a namespace, without their configuration.',
    reply: { 200: list(struct(stubMembers)) },
    run: ({ context }) =>
      listAcl(
        context,
        methodDataKind,
        (namespace) => authMethodsIn(context.world, namespace),
        () => (method) => methodView(context, method, true).text,
      ),
  }),
  operation.put('createAclAuthMethod', '/acl/auth-method', {
    access: writeAccess,
    summary: 'Create or replace the auth method that the body names.',
    body: methodBody,
    reply: { 200: methodReply },
    run: ({ context, body }) => {
      checkEnabled(context)
      return write(context, body('AuthMethod'), '')
    },
  }),
  operation.put('updateAclAuthMethod', '/acl/auth-method/:name', {
    access: writeAccess,
    summary: 'Create or replace an auth method.',
    body: methodBody,
    reply: { 200: methodReply },
    run: ({ context, params, body }) => {
      checkEnabled(context)
      return write(context, body('AuthMethod'), params.name)
    },
  }),
  operation.get('readAclAuthMethod', '/acl/auth-method/:name', {
    access: readAccess,
    summary: 'Read an auth method.',
    reply: { 200: methodReply, 404: failureReply },
    run: ({ context, params }) => {
      checkEnabled(context)
      const name = requireName(params.name)
      return readAcl<404>(context, methodDataKind, () => {
        const namespace = namespaceOfRead(context)
        const method = authMethod(context.world, namespace, name)
        return method === undefined
          ? notFound(context, 'auth method', namespace)
          : { body: methodView(context, method, false) }
      })
    },
  }),
  operation.delete('deleteAclAuthMethod', '/acl/auth-method/:name', {
    access: writeAccess,
    summary: 'Delete an auth method with its binding rules and the tokens of its logins.',
    failures: [404],
    reply: { 200: deletedReply },
    run: ({ context, params }) => {
      checkEnabled(context)
      const name = requireName(params.name)
      const { namespace } = authorizeDeletion(context, 'auth method')
      deleteAuthMethod(context.world, namespace, name)
      return deletedAnswer
    },
  }),
]
