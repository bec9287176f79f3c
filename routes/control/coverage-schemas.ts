/** Shapes of the coverage ledger (DESIGN section 7). */

export const coverageQuerySchema = {
  type: 'object',
  properties: {
    service: {
      enum: ['secrets', 'platform', 'mesh', 'scheduler'],
      description: 'The only one to tell of',
    },
  },
} as const

const operationsSchema = {
  type: 'array',
  items: {
    type: 'object',
    required: ['id', 'verb', 'path', 'summary', 'spec', 'evidence'],
    additionalProperties: false,
    properties: {
      id: { type: 'string', description: "The operationId of the API's OpenAPI document" },
      verb: { type: 'string', description: 'As clients send it' },
      path: {
        type: 'string',
        description: 'At the mounts of a fresh world, where there are mounts',
      },
      summary: { type: 'string' },
      spec: { type: 'string', description: 'Where it is specified' },
      evidence: { enum: ['spec', 'decision', 'extension'] },
    },
  },
} as const

const choicesSchema = {
  type: 'array',
  items: {
    type: 'object',
    required: ['id', 'about', 'choice', 'evidence', 'where'],
    additionalProperties: false,
    properties: {
      id: { type: 'string', pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' },
      about: { type: 'string', description: 'What the question is' },
      choice: { type: 'string', description: 'What this program does' },
      evidence: {
        enum: ['decided here', 'extension', 'gap'],
        description: 'Of a gap, the specification asks for more than is done',
      },
      where: { type: 'string', description: 'The section that is silent, or asks for more' },
    },
  },
} as const

export const coverageSchema = {
  type: 'object',
  required: ['services'],
  additionalProperties: false,
  properties: {
    services: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'served', 'operations', 'choices'],
        additionalProperties: false,
        properties: {
          name: { type: 'string' },
          served: { type: 'boolean' },
          operations: operationsSchema,
          choices: choicesSchema,
        },
      },
    },
    control: {
      type: 'object',
      required: ['operations'],
      additionalProperties: false,
      properties: { operations: operationsSchema },
      description: 'The control plane itself; left out when one service is asked for',
    },
    choices: {
      ...choicesSchema,
      description: 'What holds for all services; left out when one service is asked for',
    },
  },
} as const
