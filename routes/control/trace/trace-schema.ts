import type { JsonSchema } from '../../../state/kernel/schema.ts'

const textSchema = { type: 'string' }
const numberSchema = { type: 'number' }
const objectListSchema = { type: 'array', items: { type: 'object' } }
const rowsSchema = {
  type: 'object',
  description: 'Rows by table (`service.table`) and key',
  additionalProperties: { type: 'object', additionalProperties: { type: 'object' } },
}

/**
 * Returns the schema of an object with these members. All members are required except those in
 * `optional`.
 */
function objectSchema(properties: Record<string, JsonSchema>, optional: readonly string[] = []) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', required, properties }
}

/** Members of every step. */
const stepTimes = {
  ms: { ...numberSchema, description: 'Milliseconds of real time since the run began' },
  at: { ...textSchema, description: "Time on the world's clock" },
}

function stepSchema(
  kind: string,
  properties: Record<string, JsonSchema>,
  optional?: readonly string[],
) {
  return objectSchema({ kind: { const: kind }, ...stepTimes, ...properties }, optional)
}

const stepSchemas = [
  stepSchema(
    'request',
    {
      entry: { type: 'object', description: 'Method, as in the journal' },
      round: { type: 'integer', description: 'Number of full resets before the request' },
      faults: objectListSchema,
      nearMisses: objectListSchema,
      explanation: { type: 'object' },
    },
    ['explanation'],
  ),
  stepSchema(
    'changes',
    {
      request: { ...textSchema, description: 'Absent if no request wrote the rows' },
      changes: {
        type: 'array',
        items: objectSchema(
          {
            table: textSchema,
            key: textSchema,
            before: { type: 'object' },
            after: { type: 'object' },
          },
          ['before', 'after'],
        ),
      },
    },
    ['request'],
  ),
  stepSchema('replaced', { cause: { enum: ['reset', 'restored'] }, state: rowsSchema }),
  stepSchema('clock', { mode: textSchema, fired: objectListSchema }),
  stepSchema('snapshot', { id: textSchema }),
  stepSchema('mark', { text: textSchema }),
]

const worldSchema = objectSchema(
  {
    id: textSchema,
    madeAt: numberSchema,
    from: objectSchema({ id: textSchema }),
    deleted: { type: 'boolean' },
    services: { type: 'object' },
    options: { type: 'object' },
    start: rowsSchema,
    steps: { type: 'array', items: { oneOf: stepSchemas } },
    open: objectListSchema,
    clock: { type: 'object' },
    due: { type: 'object' },
    machines: objectListSchema,
    faults: objectListSchema,
    report: { ...textSchema, description: 'Markdown' },
    missing: { type: 'integer', description: 'Number of requests beyond the limit' },
  },
  ['from'],
)

const runSchema = objectSchema(
  {
    startedAt: textSchema,
    writtenAt: textSchema,
    command: { type: 'array', items: textSchema },
    exitCode: { type: ['integer', 'null'] },
    flags: { type: 'array', items: textSchema },
    fixtures: { type: 'array', items: textSchema },
    dialect: textSchema,
    addresses: { type: 'object', additionalProperties: textSchema },
    test: { type: 'object' },
    keepsValues: { type: 'boolean' },
  },
  ['test'],
)

/** JSON Schema of the data of a trace (behaviour/program#traces). */
export const traceSchema: JsonSchema = {
  description: 'Data of a trace: what `understudy trace json` prints',
  ...objectSchema({
    format: { const: 1 },
    version: textSchema,
    run: runSchema,
    worlds: { type: 'array', items: worldSchema },
    unattributed: objectListSchema,
    controlCalls: objectListSchema,
  }),
}
