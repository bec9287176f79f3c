import { list, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import type { ParsedOf } from '../../../state/kernel/shape/values.ts'
import { ruleDataKind } from '../../../state/mesh/acl/auth-methods/auth-methods.ts'
import {
  bindingRule,
  bindingRulesIn,
  createBindingRule,
  deleteBindingRule,
  updateBindingRule,
} from '../../../state/mesh/acl/auth-methods/binding-rules.ts'
import { ruleBody, ruleInputOf } from '../../../state/mesh/acl/auth-methods/bodies.ts'
import type { BindingRule } from '../../../state/mesh/acl/auth-methods/tables.ts'
import { refuse } from '../../../state/mesh/acl/messages.ts'
import { ok } from '../../http/declare/operation.ts'
import { parameters } from '../../http/declare/parameters.ts'
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

const ruleReply = struct({
  ID: text,
  Description: text,
  AuthMethod: text,
  Selector: text,
  BindType: text,
  BindName: text,
  BindVars: optional(struct({ name: optional(text) })),
  CreateIndex: uint,
  ModifyIndex: uint,
  Partition: optional(text),
  Namespace: optional(text),
})

function ruleView({ world, dialect }: MeshContext, rule: BindingRule): JsonText {
  const view = {
    ID: rule.id,
    Description: rule.description,
    AuthMethod: rule.auth_method,
    Selector: rule.selector,
    BindType: rule.bind_type,
    BindName: rule.bind_name,
    ...(rule.bind_vars && { BindVars: rule.bind_vars }),
    ...tenancyOf(world, dialect)(rule.namespace),
    CreateIndex: rule.create_index,
    ModifyIndex: rule.modify_index,
  }
  return new JsonText(JSON.stringify(view))
}

function requireId(id: string): string {
  if (id === '') throw refuse('rule-id-missing')
  return id
}

function write(context: MeshContext, body: ParsedOf<typeof ruleBody>, id: string) {
  if (body.ID && body.ID !== id) throw refuse('rule-ids-differ')
  const { namespace } = authorizeWrite(context, body)
  const { world } = context
  const input = ruleInputOf(body)
  const rule =
    id === ''
      ? createBindingRule(world, namespace, input)
      : updateBindingRule(world, namespace, id, input)
  return ok(ruleView(context, rule))
}

/** Operations on binding rules (behaviour/mesh#auth-methods). */
export const bindingRuleOperations = [
  operation.get('listAclBindingRules', '/acl/binding-rules', {
    access: listAccess,
    summary: 'List the binding rules of a namespace.',
    query: parameters({ authmethod: described(text, 'Of this auth method') }),
    reply: { 200: list(ruleReply) },
    run: ({ context }) => {
      const method = context.query.value('authmethod') || undefined
      return listAcl(
        context,
        ruleDataKind,
        (namespace) => bindingRulesIn(context.world, namespace, method),
        () => (rule) => ruleView(context, rule).text,
      )
    },
  }),
  operation.put('createAclBindingRule', '/acl/binding-rule', {
    access: writeAccess,
    summary: 'Create a binding rule.',
    body: ruleBody,
    reply: { 200: ruleReply },
    run: ({ context, body }) => {
      checkEnabled(context)
      return write(context, body('BindingRule'), '')
    },
  }),
  operation.put('updateAclBindingRule', '/acl/binding-rule/:id', {
    access: writeAccess,
    summary: 'Replace a binding rule. Without an ID, create one.',
    body: ruleBody,
    reply: { 200: ruleReply },
    run: ({ context, params, body }) => {
      checkEnabled(context)
      return write(context, body('BindingRule'), params.id)
    },
  }),
  operation.get('readAclBindingRule', '/acl/binding-rule/:id', {
    access: readAccess,
    summary: 'Read a binding rule.',
    reply: { 200: ruleReply, 404: failureReply },
    run: ({ context, params }) => {
      checkEnabled(context)
      const id = requireId(params.id)
      return readAcl<404>(context, ruleDataKind, () => {
        const namespace = namespaceOfRead(context)
        const rule = bindingRule(context.world, namespace, id)
        return rule === undefined
          ? notFound(context, 'binding rule', namespace)
          : { body: ruleView(context, rule) }
      })
    },
  }),
  operation.delete('deleteAclBindingRule', '/acl/binding-rule/:id', {
    access: writeAccess,
    summary: 'Delete a binding rule.',
    failures: [404],
    reply: { 200: deletedReply },
    run: ({ context, params }) => {
      checkEnabled(context)
      const id = requireId(params.id)
      const { namespace } = authorizeDeletion(context, 'binding rule')
      deleteBindingRule(context.world, namespace, id)
      return deletedAnswer
    },
  }),
]
