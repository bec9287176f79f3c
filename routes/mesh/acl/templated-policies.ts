import { quoteGo } from '../../../state/go/text.ts'
import { map, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import { templateVariables } from '../../../state/mesh/acl/bodies.ts'
import { templatedPolicy } from '../../../state/mesh/acl/identities.ts'
import { refuse } from '../../../state/mesh/acl/messages.ts'
import {
  type PolicyTemplate,
  policyTemplates,
  variablesProblem,
} from '../../../state/mesh/acl/templated-policies.ts'
import { insideOperation } from '../../http/declare/access.ts'
import { ok } from '../../http/declare/operation.ts'
import { requireRight, requires } from '../access.ts'
import { decodeBody } from '../decode.ts'
import type { MeshContext } from '../operation.ts'
import { aclOperationsOf } from './access.ts'

const operation = aclOperationsOf('behaviour/mesh#templated-policies')

const templateReply = struct({
  TemplateName: text,
  Schema: text,
  Template: text,
  Description: text,
})

function templateView({ name, schema, template, description }: PolicyTemplate) {
  return { TemplateName: name, Schema: schema, Template: template, Description: description }
}

/** Throws a refusal if the path lacks the name of a template, or if the caller lacks `acl:read`. */
function requireNameAndRight(context: MeshContext, name: string): void {
  if (name === '') throw refuse('template-unsaid')
  requireRight(context, 'acl:read')
}

const access = insideOperation(requires('acl:read'))

export const templatedPolicyOperations = [
  operation.get('listAclTemplatedPolicies', '/acl/templated-policies', {
    access,
    summary: 'List the templates of policies by name.',
    reply: { 200: storedSchema(map(templateReply)) },
    run({ context }) {
      requireRight(context, 'acl:read')
      const templates = Array.from(policyTemplates, ([name, each]) => [name, templateView(each)])
      return ok(Object.fromEntries(templates))
    },
  }),
  operation.get('readAclTemplatedPolicyByName', '/acl/templated-policy/name/:name', {
    access,
    summary: 'Read a template of policies.',
    reply: { 200: storedSchema(templateReply) },
    run({ context, params: { name } }) {
      requireNameAndRight(context, name)
      const template = policyTemplates.get(name)
      if (template === undefined) throw refuse('template-unknown', { name })
      return ok(templateView(template))
    },
  }),
  operation.post('previewAclTemplatedPolicy', '/acl/templated-policy/preview/:name', {
    access,
    summary: 'Show the policy that a template generates for given variables.',
    body: templateVariables,
    reply: {
      200: storedSchema(
        struct({
          ID: text,
          Name: text,
          Description: text,
          Rules: text,
          Hash: text,
          CreateIndex: uint,
          ModifyIndex: uint,
        }),
      ),
    },
    run({ context, params: { name } }) {
      requireNameAndRight(context, name)
      const template = policyTemplates.get(name)
      if (template === undefined) throw refuse('template-unknown-for-preview', { name })
      const variables = decodeBody(context, templateVariables, (problem) =>
        refuse('login-unreadable', { problem }),
      )
      const { name: value = '' } = variables
      const problem = variablesProblem(template, { name: value })
      if (problem !== undefined) {
        throw refuse('preview-variables-invalid', { quoted: quoteGo(name), problem })
      }
      const {
        id,
        name: policyName,
        description,
        text: rules,
        hash,
      } = templatedPolicy({
        template_id: template.id,
        template_name: name,
        template_variables: { name: value },
      })
      return ok({
        ID: id,
        Name: policyName,
        Description: description,
        Rules: rules,
        Hash: hash,
        CreateIndex: 0,
        ModifyIndex: 0,
      })
    },
  }),
]
