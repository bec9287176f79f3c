import type { Message } from '../../../state/kernel/message.ts'
import { list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import {
  deletePolicy,
  policyNames,
  readPolicy,
  writePolicy,
} from '../../../state/secrets/policies/policies.ts'
import { data, emptyWithWarnings, keys } from '../envelope/outcome.ts'
import { enveloped, envelopeOf, keysEnvelope, warningEnvelope } from '../envelope/schemas.ts'
import { requiredField } from '../fields/field-kinds.ts'
import { message } from '../messages.ts'
import { operationsOf, type SecretsOperation } from '../operation.ts'

/** Returns the name in a path without a closing slash. Names may contain slashes. */
export function nameOf({ name }: { readonly name: string }): string {
  return name.replace(/\/$/, '')
}

const operation = operationsOf({ spec: 'behaviour/secrets#policies' })

const document = described(text, 'The policy document, HCL or JSON, plain or as base64')

/** Returns a warning if a name is stored in another spelling. */
function nameWarnings(name: string): Message[] {
  const stored = name.toLowerCase()
  return stored === name ? [] : [message('policy-name-converted', { stored })]
}

/** Operations on access policies, at their current and older paths. */
export const policyOperations: readonly SecretsOperation[] = [
  operation.list({
    id: 'listAclPolicies',
    path: 'policies/acl',
    summary: 'Lists the names of the access policies.',
    reply: { 200: keysEnvelope },
    run: ({ world, namespace }) => keys(policyNames(world, namespace)),
  }),
  operation.read({
    id: 'readAclPolicy',
    path: 'policies/acl/*name',
    summary: 'Reads an access policy.',
    reply: enveloped({ name: text, policy: text }),
    run: ({ world, namespace, params }) => data(readPolicy(world, namespace, nameOf(params))),
  }),
  operation.write({
    id: 'writeAclPolicy',
    path: 'policies/acl/*name',
    summary: 'Writes an access policy.',
    body: { policy: requiredField(document) },
    reply: { 200: warningEnvelope, 204: null },
    run: ({ world, namespace, params, fields }) => {
      writePolicy(world, namespace, nameOf(params), fields.policy ?? '')
      return emptyWithWarnings(nameWarnings(nameOf(params)))
    },
  }),
  operation.delete({
    id: 'deleteAclPolicy',
    path: 'policies/acl/*name',
    summary: 'Deletes an access policy.',
    apply: ({ world, namespace, params }) => deletePolicy(world, namespace, nameOf(params)),
  }),
  operation.read({
    id: 'readPolicies',
    path: 'policy',
    summary: 'Lists the names of the access policies (old path).',
    reply: { 200: oldListEnvelope() },
    run: ({ world, namespace }) => oldList(policyNames(world, namespace)),
  }),
  operation.list({
    id: 'listPolicies',
    path: 'policy',
    summary: 'Lists the names of the access policies (old path).',
    reply: { 200: oldListEnvelope() },
    run: ({ world, namespace }) => oldList(policyNames(world, namespace)),
  }),
  operation.read({
    id: 'readPolicy',
    path: 'policy/*name',
    summary: 'Reads an access policy (old path).',
    reply: enveloped({ name: text, rules: text }),
    run: ({ world, namespace, params }) => {
      const { name, policy } = readPolicy(world, namespace, nameOf(params))
      return { kind: 'envelope', data: { name, rules: policy }, repeatsKeys: true }
    },
  }),
  operation.write({
    id: 'writePolicy',
    path: 'policy/*name',
    summary: 'Writes an access policy (old path).',
    body: { policy: document, rules: described(text, 'Old name of policy') },
    reply: { 200: warningEnvelope, 204: null },
    run: ({ world, namespace, params, fields }) => {
      const { policy = '', rules = '' } = fields
      writePolicy(world, namespace, nameOf(params), policy || rules)
      const old = policy === '' ? [message('rules-deprecated')] : []
      return emptyWithWarnings([...old, ...nameWarnings(nameOf(params))])
    },
  }),
  operation.delete({
    id: 'deletePolicy',
    path: 'policy/*name',
    summary: 'Deletes an access policy (old path).',
    apply: ({ world, namespace, params }) => deletePolicy(world, namespace, nameOf(params)),
  }),
]

function oldList(names: readonly string[]) {
  return { kind: 'envelope', data: { keys: names, policies: names }, repeatsKeys: true } as const
}

function oldListEnvelope() {
  const names = list(text)
  return envelopeOf(struct({ keys: names, policies: names }))
}
