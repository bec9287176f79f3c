/** Describes how fast things of a kind move by themselves. */
const paceSchema = {
  description: '`immediate`, `manual`, or after a Go duration',
  anyOf: [
    { enum: ['immediate', 'manual'] },
    {
      type: 'object',
      required: ['after'],
      additionalProperties: false,
      properties: { after: { type: 'string' } },
    },
  ],
} as const

/** Paces by kind. */
export const pacesSchema = { type: 'object', additionalProperties: paceSchema } as const

const transitionItemSchema = {
  type: 'object',
  required: ['id', 'state', 'to'],
  additionalProperties: false,
  properties: {
    id: { type: 'string' },
    state: { type: 'string' },
    to: { type: 'array', items: { type: 'string' }, description: 'Where it can be pushed now' },
  },
} as const

/** Every kind of thing that moves, with the things there are. */
export const transitionsSchema = {
  type: 'object',
  required: ['kinds'],
  additionalProperties: false,
  properties: {
    kinds: {
      type: 'array',
      items: {
        type: 'object',
        required: ['kind', 'summary', 'targets', 'pace', 'items'],
        additionalProperties: false,
        properties: {
          kind: { type: 'string' },
          summary: { type: 'string' },
          targets: { type: 'array', items: { type: 'string' } },
          pace: paceSchema,
          items: { type: 'array', items: transitionItemSchema },
        },
      },
    },
  },
} as const

/** Where to push a thing; what else that needs is beside it. */
export const pushSchema = {
  type: 'object',
  required: ['to'],
  properties: { to: { type: 'string', description: 'The state to push to' } },
} as const

/** The thing after the push. */
export const pushedSchema = {
  type: 'object',
  required: ['kind', 'id', 'item'],
  additionalProperties: false,
  properties: {
    kind: { type: 'string' },
    id: { type: 'string' },
    item: { oneOf: [transitionItemSchema, { type: 'null' }], description: 'Null when it is gone' },
  },
} as const
