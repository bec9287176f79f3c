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
import { JsonText } from '../../http/json-text.ts'
import { tenancyOf } from '../catalog/records.ts'
import type { MeshContext } from '../operation.ts'
import { aclOperationsOf, authorizeLoginDeletion, listAccess, listAcl } from './access.ts'
import { objectOperations } from './object-operations.ts'

export const operation = aclOperationsOf('behaviour/mesh#auth-methods')

/** Members of an auth method in a list. The configuration and the namespace rules are left out. */
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

/** Renders an auth method. In lists, the configuration and the namespace rules are left out. */
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
  ...objectOperations<AuthMethod, ParsedOf<typeof methodBody>>(operation, {
    nounWithArticle: 'an auth method',
    noun: 'auth method',
    Noun: 'AuthMethod',
    path: '/acl/auth-method',
    parameter: 'name',
    summaries: {
      create: 'Create or replace the auth method that the body names.',
      update: 'Create or replace an auth method.',
      delete: 'Delete an auth method with its binding rules and the tokens of its logins.',
    },
    dataKind: methodDataKind,
    schema: methodReply,
    body: methodBody,
    decode: (context) => context.decode(methodBody, 'AuthMethod'),
    requireKey(name) {
      if (name === '') throw refuse('method-name-missing')
    },
    checkKey({ Name }, name) {
      if (name && Name && Name !== name) throw refuse('method-names-differ')
    },
    write: (world, namespace, name, body) =>
      putAuthMethod(world, namespace, methodInputOf(name === '' ? body : { ...body, Name: name })),
    find: authMethod,
    authorizeDeletion: (context) => authorizeLoginDeletion(context, 'auth method').namespace,
    remove: deleteAuthMethod,
    json: (context, method) => methodView(context, method, false),
  }),
]
