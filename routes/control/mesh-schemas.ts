import { resources } from '../../state/mesh/acl/rules.ts'

/** Shapes of the control plane's bodies about the service mesh. */

const text = { type: 'string' } as const
const named = {
  type: 'object',
  required: ['id', 'name', 'namespace'],
  additionalProperties: false,
  properties: { id: text, name: text, namespace: text },
} as const

/** Describes what a token wants to do. */
export const meshQuestionSchema = {
  type: 'object',
  required: ['resource', 'access'],
  additionalProperties: false,
  properties: {
    token: { ...text, description: 'A SecretID; default: none, which is the anonymous token' },
    resource: { enum: resources },
    name: { ...text, description: 'Of the key, namespace, service, …' },
    namespace: { ...text, description: "Where; default: the token's own" },
    access: { enum: ['read', 'list', 'write'] },
  },
} as const

/** Tells whether it may, and what decided. */
export const meshDecisionSchema = {
  type: 'object',
  required: ['allowed', 'rule', 'from'],
  additionalProperties: false,
  properties: {
    allowed: { type: 'boolean' },
    rule: {
      type: ['string', 'null'],
      description: "The rule that decided, or the builtin policy's name; null for none",
    },
    from: {
      type: 'object',
      required: ['source', 'policy', 'role'],
      additionalProperties: false,
      properties: {
        source: {
          enum: ['token', 'namespace-defaults', 'default-policy', 'acl-disabled'],
          description: 'Whose rules decided, or that none did',
        },
        policy: { ...named, type: ['object', 'null'], description: 'The one with the rule' },
        role: { ...named, type: ['object', 'null'], description: 'The one that has the policy' },
      },
    },
  },
} as const
