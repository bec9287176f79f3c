import {
  deletePasswordPolicy,
  passwordBy,
  passwordPolicyNames,
  readPasswordPolicy,
  writePasswordPolicy,
} from '../../../state/secrets/passwords/policies.ts'
import type { PathRow } from '../operation.ts'
import { empty, keys, spread } from '../outcome.ts'
import { pathsOf } from '../paths.ts'
import { keysEnvelope, spreadOf } from '../schemas.ts'

const path = pathsOf('1-secrets.md › Endpoints › Password policies')

/** A body with one text, the only thing these endpoints tell. */
const one = (name: string, description: string) =>
  spreadOf({
    type: 'object',
    required: [name],
    properties: { [name]: { type: 'string', description } },
  })

/** Policies by which passwords are made, and passwords made by them. */
export const passwordPolicyPaths: readonly PathRow[] = [
  path('policies/password', {
    list: {
      summary: 'Lists the names of the password policies.',
      reply: { 200: keysEnvelope },
      run: ({ world, namespace }) => keys(passwordPolicyNames(world, namespace)),
    },
  }),
  // Before the row of the policies themselves, whose names may hold slashes.
  path('policies/password/*name/generate', {
    read: {
      summary: 'Makes a password by a policy.',
      reply: { 200: one('password', 'A new password') },
      run: ({ world, namespace, params }) =>
        spread({ password: passwordBy(world, namespace, params.name) }),
    },
  }),
  path('policies/password/*name', {
    read: {
      summary: 'Reads a password policy.',
      reply: { 200: one('policy', 'The document as it was stored') },
      run: ({ world, namespace, params }) =>
        spread({ policy: readPasswordPolicy(world, namespace, params.name).policy }),
    },
    write: {
      summary: 'Writes a password policy, unless no password could fulfil it.',
      fields: {
        policy: {
          type: 'string',
          description: 'The policy document, HCL or JSON, plain or as base64',
          required: true,
        },
      },
      reply: { 204: null },
      run: ({ world, namespace, params, fields }) => {
        writePasswordPolicy(world, namespace, params.name, fields.policy ?? '')
        return empty
      },
    },
    delete: {
      summary: 'Deletes a password policy.',
      reply: { 204: null },
      run: ({ world, namespace, params }) => {
        deletePasswordPolicy(world, namespace, params.name)
        return empty
      },
    },
  }),
]
