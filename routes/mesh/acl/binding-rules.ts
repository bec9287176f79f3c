import { list, map, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional } from '../../../state/kernel/shape/members.ts'
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
import { type BindingRule, ruleShape } from '../../../state/mesh/acl/auth-methods/tables.ts'
import { refuse } from '../../../state/mesh/acl/messages.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { JsonText } from '../../http/json-text.ts'
import { tenancyOf } from '../catalog/records.ts'
import { objectRenderer } from '../dialect.ts'
import type { MeshContext } from '../operation.ts'
import { authorizeLoginDeletion, listAccess, listAcl } from './access.ts'
import { operation } from './auth-methods.ts'
import { objectOperations } from './object-operations.ts'

const { namespace, create_index, modify_index, ...ruleFields } = ruleShape.fields
const ruleRenderer = objectRenderer({
  ...ruleFields,
  // The renderer would change the names of the variables if their shape were a struct.
  bind_vars: optional(map(text)),
  namespace: optional(namespace),
  partition: optional(text),
  ...{ create_index, modify_index },
})

function ruleView({ world, dialect }: MeshContext, rule: BindingRule): JsonText {
  const { Namespace, Partition } = tenancyOf(world, dialect)(rule.namespace)
  const view = ruleRenderer.render({ ...rule, namespace: Namespace, partition: Partition })
  return new JsonText(JSON.stringify(view))
}

export const bindingRuleOperations = [
  operation.get('listAclBindingRules', '/acl/binding-rules', {
    access: listAccess,
    summary: 'List the binding rules of a namespace.',
    query: parameters({ authmethod: described(text, 'Only rules of this auth method') }),
    reply: { 200: list(ruleRenderer.shape) },
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
  ...objectOperations<BindingRule, ParsedOf<typeof ruleBody>>(operation, {
    nounWithArticle: 'a binding rule',
    noun: 'binding rule',
    Noun: 'BindingRule',
    path: '/acl/binding-rule',
    parameter: 'id',
    summaries: {
      create: 'Create a binding rule.',
      update: 'Replace a binding rule. Without an ID, create one.',
      delete: 'Delete a binding rule.',
    },
    dataKind: ruleDataKind,
    schema: ruleRenderer.shape,
    body: ruleBody,
    decode: (context) => context.decode(ruleBody, 'BindingRule'),
    requireKey(id) {
      if (id === '') throw refuse('rule-id-missing')
    },
    checkKey({ ID }, id) {
      if (ID && ID !== id) throw refuse('rule-ids-differ')
    },
    write(world, namespace, id, body) {
      const input = ruleInputOf(body)
      return id === ''
        ? createBindingRule(world, namespace, input)
        : updateBindingRule(world, namespace, id, input)
    },
    find: bindingRule,
    authorizeDeletion: (context) => authorizeLoginDeletion(context, 'binding rule').namespace,
    remove: deleteBindingRule,
    json: ruleView,
  }),
]
