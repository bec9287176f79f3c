import { storedSchema } from '../../state/kernel/shape/schema.ts'
import { nodeRowShape } from '../../state/scheduler/cluster/node-shapes.ts'
import { nodeSettingsSchema } from '../../state/scheduler/cluster/nodes.ts'
import { outcomeRuleSchema } from '../../state/scheduler/cluster/steering.ts'

/** Shapes of the control plane's bodies about the job scheduler. */

export { nodeSettingsSchema, outcomeRuleSchema }

/** A rule with its name. */
const namedRuleSchema = {
  ...outcomeRuleSchema,
  required: ['id'],
  properties: { id: { type: 'string' }, ...outcomeRuleSchema.properties },
} as const

/** The rules, the first that fits counts. */
export const outcomesSchema = {
  type: 'object',
  required: ['outcomes'],
  additionalProperties: false,
  properties: { outcomes: { type: 'array', items: namedRuleSchema } },
} as const

/** A rule's name. */
export const outcomeIdSchema = {
  type: 'object',
  required: ['id'],
  additionalProperties: false,
  properties: { id: { type: 'string' } },
} as const

/** Number of steps that are asked for. */
export const stepCountSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    count: { type: 'integer', minimum: 1, maximum: 10_000, description: 'Default: 1' },
  },
} as const

/** The steps that were taken, in order. */
export const stepsSchema = {
  type: 'object',
  required: ['steps'],
  additionalProperties: false,
  properties: {
    steps: {
      type: 'array',
      items: {
        type: 'object',
        required: ['at', 'kind', 'id'],
        additionalProperties: false,
        properties: {
          at: { type: 'string', format: 'date-time', description: 'When it was due' },
          kind: { type: 'string' },
          id: { type: 'string' },
        },
      },
    },
  },
} as const

/** A node as it is kept. */
export const nodeSchema = storedSchema(nodeRowShape)
