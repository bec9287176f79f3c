import type { JsonSchema } from '../../../state/kernel/schema.ts'

const text = { type: 'string' }
const number = { type: 'number' }
const objects = { type: 'array', items: { type: 'object' } }
const rows = {
  type: 'object',
  description: 'Rows by table (`service.table`) and key',
  additionalProperties: { type: 'object', additionalProperties: { type: 'object' } },
}

/**
 * Returns the schema of an object with these members. All members are required except those in
 * `optional`.
 */
function object(properties: Record<string, JsonSchema>, optional: readonly string[] = []) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', required, properties }
}

/** Members of every step. */
const time = {
  ms: { ...number, description: 'Milliseconds of real time since the run began' },
  at: { ...text, description: "Time on the world's clock" },
}

function step(kind: string, properties: Record<string, JsonSchema>, optional?: readonly string[]) {
  return object({ kind: { const: kind }, ...time, ...properties }, optional)
}

const steps = [
  step(
    'request',
    {
      entry: { type: 'object', description: 'As in the journal' },
      round: { type: 'integer', description: 'Number of full resets before the request' },
      faults: objects,
      nearMisses: objects,
      explanation: { type: 'object' },
    },
    ['explanation'],
  ),
  step(
    'changes',
    {
      request: { ...text, description: 'Missing if no request wrote the rows' },
      changes: {
        type: 'array',
        items: object(
          { table: text, key: text, before: { type: 'object' }, after: { type: 'object' } },
          ['before', 'after'],
        ),
      },
    },
    ['request'],
  ),
  step('replaced', { cause: { enum: ['reset', 'restored'] }, state: rows }),
  step('clock', { mode: text, fired: objects }),
  step('snapshot', { id: text }),
  step('mark', { text }),
]

const world = object(
  {
    id: text,
    madeAt: number,
    from: object({ id: text }),
    deleted: { type: 'boolean' },
    services: { type: 'object' },
    options: { type: 'object' },
    start: rows,
    steps: { type: 'array', items: { oneOf: steps } },
    open: objects,
    clock: { type: 'object' },
    due: { type: 'object' },
    machines: objects,
    faults: objects,
    report: { ...text, description: 'Markdown' },
    missing: { type: 'integer', description: 'Number of requests beyond the limit' },
  },
  ['from'],
)

const run = object(
  {
    startedAt: text,
    writtenAt: text,
    command: { type: 'array', items: text },
    exitCode: { type: ['integer', 'null'] },
    flags: { type: 'array', items: text },
    fixtures: { type: 'array', items: text },
    dialect: text,
    addresses: { type: 'object', additionalProperties: text },
    test: { type: 'object' },
    keepsValues: { type: 'boolean' },
  },
  ['test'],
)

/** JSON Schema of the data of a trace (behaviour/program#traces). */
export const traceSchema: JsonSchema = {
  description: 'Data of a trace: what `understudy trace json` prints',
  ...object({
    format: { const: 1 },
    version: text,
    run,
    worlds: { type: 'array', items: world },
    unattributed: objects,
    controlCalls: objects,
  }),
}
