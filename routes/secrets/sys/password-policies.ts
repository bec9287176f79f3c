import { any, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import {
  deletePasswordPolicy,
  passwordBy,
  passwordPolicyNames,
  readPasswordPolicy,
  writePasswordPolicy,
} from '../../../state/secrets/passwords/policies.ts'
import { dialectBody, keys } from '../envelope/outcome.ts'
import { dialectBodySchema, keysEnvelope } from '../envelope/schemas.ts'
import { requiredField } from '../fields/field-kinds.ts'
import { operationsOf, type SecretsOperation } from '../operation.ts'
import { nameOf } from './policies.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#api-password-policies' })

/** Returns a body with a single text member. */
const one = (name: string, description: string) =>
  dialectBodySchema(withOthers(struct({ [name]: described(text, description) }), any))

/** Operations on password policies, and the one that generates passwords. */
export const passwordPolicyOperations: readonly SecretsOperation[] = [
  operation.list({
    id: 'listPasswordPolicies',
    path: 'policies/password',
    summary: 'Lists the names of the password policies.',
    reply: { 200: keysEnvelope },
    run: ({ world, namespace }) => keys(passwordPolicyNames(world, namespace)),
  }),
  // Declared before the operations on policies, whose names may contain slashes.
  operation.read({
    id: 'generatePassword',
    path: 'policies/password/*name/generate',
    summary: 'Makes a password by a policy.',
    failures: [500],
    secrets: { reply: ['password', 'data/password'] },
    reply: { 200: one('password', 'A new password') },
    run: ({ world, namespace, params }) =>
      dialectBody({ password: passwordBy(world, namespace, nameOf(params)) }),
  }),
  operation.read({
    id: 'readPasswordPolicy',
    path: 'policies/password/*name',
    summary: 'Reads a password policy.',
    reply: { 200: one('policy', 'The document as it was stored') },
    run: ({ world, namespace, params }) =>
      dialectBody({ policy: readPasswordPolicy(world, namespace, nameOf(params)).policy }),
  }),
  operation.write({
    id: 'writePasswordPolicy',
    path: 'policies/password/*name',
    summary: 'Writes a password policy, unless no password could fulfil it.',
    body: {
      policy: requiredField(
        described(text, 'The policy document, HCL or JSON, plain or as base64'),
      ),
    },
    apply: ({ world, namespace, params, fields }) =>
      writePasswordPolicy(world, namespace, nameOf(params), fields.policy ?? ''),
  }),
  operation.delete({
    id: 'deletePasswordPolicy',
    path: 'policies/password/*name',
    summary: 'Deletes a password policy.',
    apply: ({ world, namespace, params }) => deletePasswordPolicy(world, namespace, nameOf(params)),
  }),
]
