import type { JsonSchema } from '../../state/kernel/schema.ts'
import { policyRuleSchema } from '../../state/secrets/orch/role-rules.ts'

const text: JsonSchema = { type: 'string' }
const tags: JsonSchema = { type: 'object', additionalProperties: text }

function exactly(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return {
    type: 'object',
    required: Object.keys(properties),
    additionalProperties: false,
    properties,
  }
}

function listOf(items: JsonSchema, description: string): JsonSchema {
  return { type: 'array', items, description }
}

const object = {
  namespace: { type: ['string', 'null'], description: 'Null for objects of the whole cluster' },
  name: text,
  uid: text,
  labels: tags,
  annotations: tags,
  createdAt: { type: 'string', format: 'date-time' },
  lease: { type: 'string', description: 'Id of the lease with which it goes' },
} as const

const role = exactly({ ...object, rules: { type: 'array', items: policyRuleSchema } })

const binding = exactly({
  ...object,
  roleRef: exactly({ kind: { enum: ['Role', 'ClusterRole'] }, name: text }),
  subjects: {
    type: 'array',
    items: exactly({ kind: { const: 'ServiceAccount' }, name: text, namespace: text }),
  },
})

const engine = exactly({
  namespace: { type: 'string', description: 'Of the secrets API; empty for the root namespace' },
  mount: text,
  host: { type: ['string', 'null'], description: 'URL of the API; null when nothing says it' },
  ca: {
    enum: ['config', 'pod', 'system'],
    description: 'Whether CA certificates come from configuration, pod or root set of the host',
  },
  token: {
    enum: ['config', 'pod', 'none'],
    description: "Where the engine's own token comes from",
  },
})

/** The simulated orchestrator. */
export const orchestratorSchema: JsonSchema = exactly({
  engines: listOf(engine, 'Configured engines and how they reach the orchestrator'),
  serviceAccounts: listOf(exactly(object), 'Service accounts that engines made'),
  roles: listOf(role, 'Roles that engines made'),
  clusterRoles: listOf(role, 'Cluster roles that engines made'),
  roleBindings: listOf(binding, 'Role bindings that engines made'),
  clusterRoleBindings: listOf(binding, 'Cluster role bindings that engines made'),
})

/** A JSON Web Key Set of RSA keys (RFC 7517). */
export const keySetSchema: JsonSchema = exactly({
  keys: {
    type: 'array',
    items: exactly({
      kty: { const: 'RSA' },
      n: text,
      e: text,
      alg: { const: 'RS256' },
      use: { const: 'sig' },
      kid: { type: 'string', description: 'As the header of tokens has it' },
    }),
  },
})
