/** Shapes of the control plane's bodies about the cloud that the secrets API's method `cloud` asks. */

const id = { type: 'string', minLength: 1 } as const
const texts = { type: 'array', items: { type: 'string' } } as const

/** Who shall log in, and as what. */
export const cloudLoginSchema = {
  type: 'object',
  required: ['role'],
  additionalProperties: false,
  properties: {
    role: { ...id, description: 'The role to take; it need not exist' },
    mount: { ...id, description: 'Path of the method; default: where a fresh world has it' },
    user: { ...id, description: 'Default: the user of a fresh world' },
    instance: { ...id, description: 'Instead of a user' },
  },
} as const

/** The body of a login at the secrets API. */
export const cloudLoginBodySchema = {
  type: 'object',
  required: ['request_headers'],
  additionalProperties: false,
  properties: {
    request_headers: {
      type: 'object',
      required: ['date', '(request-target)', 'host', 'content-type', 'authorization'],
      additionalProperties: texts,
      description: 'Signed headers by name',
    },
  },
} as const

const key = {
  type: 'object',
  required: ['fingerprint', 'public_key', 'signs'],
  additionalProperties: false,
  properties: {
    fingerprint: { type: 'string' },
    public_key: { type: 'string', description: 'PEM' },
    signs: { type: 'boolean', description: 'Whether logins can be signed here' },
  },
} as const

/** Every identity there is. */
export const cloudViewSchema = {
  type: 'object',
  required: ['tenancies', 'users', 'instances'],
  additionalProperties: false,
  properties: {
    tenancies: texts,
    users: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'tenancy', 'groups', 'keys'],
        additionalProperties: false,
        properties: {
          id,
          tenancy: id,
          groups: texts,
          keys: { type: 'array', items: key, description: 'Empty until one is needed' },
        },
      },
    },
    instances: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'tenancy', 'dynamic_groups', 'key'],
        additionalProperties: false,
        properties: {
          id,
          tenancy: id,
          dynamic_groups: texts,
          key: { oneOf: [key, { type: 'null' }], description: 'Null until one is needed' },
        },
      },
    },
  },
} as const
