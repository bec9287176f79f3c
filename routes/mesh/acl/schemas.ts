import type { JsonSchema } from '../../../state/kernel/schema.ts'

/** Shapes of the replies of `/v1/acl` (3a-mesh-decisions.md section 5, Endpoints). */

const text = { type: 'string' } as const
const index = { type: 'integer', minimum: 1 } as const
const hash = { type: 'string', pattern: '^[A-Za-z0-9+/]{43}=$', description: 'Base64' } as const

const links = {
  type: 'array',
  items: {
    type: 'object',
    required: ['ID', 'Name'],
    additionalProperties: false,
    properties: { ID: text, Name: text },
  },
} as const

/** Says what every object tells at its end. */
const place = {
  Hash: hash,
  CreateIndex: index,
  ModifyIndex: index,
  Partition: { const: 'default', description: 'In the vendor dialect only' },
  Namespace: text,
} as const
const placeNames = ['Hash', 'CreateIndex', 'ModifyIndex', 'Namespace'] as const

const policyProperties = {
  ID: text,
  Name: text,
  Description: text,
  Datacenters: { type: 'array', items: text, description: 'Left out when empty' },
  ...place,
}

/** A policy without its rules. */
export const policyStubSchema: JsonSchema = {
  type: 'object',
  required: ['ID', 'Name', 'Description', ...placeNames],
  additionalProperties: false,
  properties: policyProperties,
}

/** A policy. */
export const policySchema: JsonSchema = {
  type: 'object',
  required: ['ID', 'Name', 'Description', 'Rules', ...placeNames],
  additionalProperties: false,
  properties: { ...policyProperties, Rules: text },
}

/** A role. */
export const roleSchema: JsonSchema = {
  type: 'object',
  required: ['ID', 'Name', 'Description', 'Policies', ...placeNames],
  additionalProperties: false,
  properties: { ID: text, Name: text, Description: text, Policies: links, ...place },
}

const tokenProperties = {
  AccessorID: text,
  SecretID: { ...text, description: '`<hidden>` for those who may only read' },
  Description: text,
  Policies: links,
  Local: { type: 'boolean' },
  CreateTime: { type: 'string', format: 'date-time' },
  Hash: hash,
  CreateIndex: index,
  ModifyIndex: index,
} as const

/** A token. */
export const tokenSchema: JsonSchema = {
  type: 'object',
  required: [...Object.keys(tokenProperties), 'Roles', 'Namespace'],
  additionalProperties: false,
  properties: {
    ...tokenProperties,
    ...place,
    Roles: links,
    ExpirationTime: { type: 'string', format: 'date-time', description: 'Left out for never' },
  },
}

/** The first management token. */
export const bootstrapSchema: JsonSchema = {
  type: 'object',
  required: ['ID', ...Object.keys(tokenProperties)],
  additionalProperties: false,
  properties: { ID: text, ...tokenProperties, Partition: place.Partition },
}

/** Describes what deletions answer. */
export const deletedSchema: JsonSchema = { const: true }

/** A failure's text. */
export const failureSchema: JsonSchema = { type: 'string' }

/** Many of something. */
export function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items }
}
