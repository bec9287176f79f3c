import type { Message } from '../../../state/kernel/message.ts'
import { any, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import {
  deletePasswordPolicy,
  passwordByPolicy,
  passwordPolicyNames,
  readPasswordPolicy,
  writePasswordPolicy,
} from '../../../state/secrets/passwords/policies.ts'
import {
  deletePolicy,
  policyNames,
  readPolicy,
  writePolicy,
} from '../../../state/secrets/policies/policies.ts'
import { dataOutcome, emptyWithWarnings, keysOutcome, spreadOutcome } from '../envelope/outcome.ts'
import {
  dialectBodySchema,
  enveloped,
  keysEnvelope,
  structEnvelope,
  warningEnvelope,
} from '../envelope/schemas.ts'
import { requiredField } from '../fields/field-kinds.ts'
import { message } from '../messages.ts'
import { operationsOf, type SecretsOperation } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#policies' })

const document = described(text, 'Policy document as HCL or JSON, plain or in base64')

const passwordOperation = operationsOf({ spec: 'behaviour/secrets#api-password-policies' })

/** Returns the schema of a reply whose only declared member is a string. */
const textBody = (name: string, description: string) =>
  dialectBodySchema(withOthers(struct({ [name]: described(text, description) }), any))

/** Operations on access policies, at their current and older paths, and on password policies. */
export const policyOperations: readonly SecretsOperation[] = [
  operation.list('listAclPolicies', 'policies/acl', {
    summary: 'List the names of the access policies.',
    reply: { 200: keysEnvelope },
    run: ({ world, namespace }) => keysOutcome(policyNames(world, namespace)),
  }),
  operation.read('readAclPolicy', 'policies/acl/*name', {
    summary: 'Read an access policy.',
    reply: enveloped({ name: text, policy: text }),
    run: ({ world, namespace, params }) =>
      dataOutcome(readPolicy(world, namespace, nameOf(params))),
  }),
  operation.write('writeAclPolicy', 'policies/acl/*name', {
    summary: 'Write an access policy.',
    body: { policy: requiredField(document) },
    reply: { 200: warningEnvelope, 204: null },
    run: ({ world, namespace, params, fields }) => {
      writePolicy(world, namespace, nameOf(params), fields.policy ?? '')
      return emptyWithWarnings(nameWarnings(nameOf(params)))
    },
  }),
  operation.delete('deleteAclPolicy', 'policies/acl/*name', {
    summary: 'Delete an access policy.',
    apply: ({ world, namespace, params }) => deletePolicy(world, namespace, nameOf(params)),
  }),
  operation.read('readPolicies', 'policy', {
    summary: 'List the names of the access policies (old path).',
    reply: { 200: oldListEnvelope() },
    run: ({ world, namespace }) => oldListOutcome(policyNames(world, namespace)),
  }),
  operation.list('listPolicies', 'policy', {
    summary: 'List the names of the access policies (old path).',
    reply: { 200: oldListEnvelope() },
    run: ({ world, namespace }) => oldListOutcome(policyNames(world, namespace)),
  }),
  operation.read('readPolicy', 'policy/*name', {
    summary: 'Read an access policy (old path).',
    reply: enveloped({ name: text, rules: text }),
    run: ({ world, namespace, params }) => {
      const { name, policy } = readPolicy(world, namespace, nameOf(params))
      return { kind: 'envelope', data: { name, rules: policy }, repeatsKeys: true }
    },
  }),
  operation.write('writePolicy', 'policy/*name', {
    summary: 'Write an access policy (old path).',
    body: { policy: document, rules: described(text, 'Old name of policy') },
    reply: { 200: warningEnvelope, 204: null },
    run: ({ world, namespace, params, fields }) => {
      const { policy = '', rules = '' } = fields
      writePolicy(world, namespace, nameOf(params), policy || rules)
      const warnings = policy === '' ? [message('rules-deprecated')] : []
      return emptyWithWarnings([...warnings, ...nameWarnings(nameOf(params))])
    },
  }),
  operation.delete('deletePolicy', 'policy/*name', {
    summary: 'Delete an access policy (old path).',
    apply: ({ world, namespace, params }) => deletePolicy(world, namespace, nameOf(params)),
  }),
  passwordOperation.list('listPasswordPolicies', 'policies/password', {
    summary: 'List the names of the password policies.',
    reply: { 200: keysEnvelope },
    run: ({ world, namespace }) => keysOutcome(passwordPolicyNames(world, namespace)),
  }),
  // The router selects the first match. The names of policies may contain slashes, so this
  // operation must precede the other operations on password policies.
  passwordOperation.read('generatePassword', 'policies/password/*name/generate', {
    summary: 'Generate a password as a policy requires.',
    failures: [500],
    secrets: { reply: ['password', 'data/password'] },
    reply: { 200: textBody('password', 'The generated password') },
    run: ({ world, namespace, params }) =>
      spreadOutcome({ password: passwordByPolicy(world, namespace, params.name) }),
  }),
  passwordOperation.read('readPasswordPolicy', 'policies/password/*name', {
    summary: 'Read a password policy.',
    reply: { 200: textBody('policy', 'The document as it was stored') },
    run: ({ world, namespace, params }) =>
      spreadOutcome({ policy: readPasswordPolicy(world, namespace, params.name).policy }),
  }),
  passwordOperation.write('writePasswordPolicy', 'policies/password/*name', {
    summary: 'Write a password policy, unless no password could fulfil it.',
    body: {
      policy: requiredField(described(text, 'Policy document as HCL or JSON, plain or in base64')),
    },
    apply: ({ world, namespace, params, fields }) =>
      writePasswordPolicy(world, namespace, params.name, fields.policy ?? ''),
  }),
  passwordOperation.delete('deletePasswordPolicy', 'policies/password/*name', {
    summary: 'Delete a password policy.',
    apply: ({ world, namespace, params }) => deletePasswordPolicy(world, namespace, params.name),
  }),
]

/** Returns the name in a path, without a trailing slash. Names may contain slashes. */
function nameOf({ name }: { readonly name: string }): string {
  return name.replace(/\/$/, '')
}

/**
 * Returns a warning if a name contains upper-case letters, because names are stored in lower case;
 * otherwise an empty list.
 */
function nameWarnings(name: string): Message[] {
  const stored = name.toLowerCase()
  return stored === name ? [] : [message('policy-name-converted', { stored })]
}

function oldListOutcome(names: readonly string[]) {
  return { kind: 'envelope', data: { keys: names, policies: names }, repeatsKeys: true } as const
}

function oldListEnvelope() {
  const names = list(text)
  return structEnvelope({ keys: names, policies: names })
}
