/** Shapes of the control plane's bodies (DESIGN section 7), shared by validation, types and OpenAPI. */

const instant = { type: 'string', format: 'date-time' } as const

/** A failure as RFC 9457 has it. */
export const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'requestId'],
  additionalProperties: false,
  properties: {
    type: { const: 'about:blank' },
    title: { type: 'string', description: 'What the status means' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    requestId: { type: 'string', description: 'Under which the log knows the request' },
    problems: {
      type: 'array',
      items: { type: 'string' },
      description: 'Each mistake of the input in a line that begins with its place',
    },
  },
} as const

/** A clock as PUT and new worlds take it. */
export const clockSettingSchema = {
  type: 'object',
  required: ['mode'],
  discriminator: { propertyName: 'mode' },
  oneOf: [
    {
      type: 'object',
      required: ['mode'],
      additionalProperties: false,
      properties: { mode: { const: 'real' } },
    },
    {
      type: 'object',
      required: ['mode'],
      additionalProperties: false,
      properties: {
        mode: { const: 'frozen' },
        at: { ...instant, description: 'Default: now' },
      },
    },
    {
      type: 'object',
      required: ['mode', 'rate'],
      additionalProperties: false,
      properties: {
        mode: { const: 'scaled' },
        rate: { type: 'number', exclusiveMinimum: 0, description: 'World seconds per second' },
        at: { ...instant, description: 'Default: now' },
      },
    },
  ],
} as const

/** Something that falls due. */
const dueSchema = {
  type: 'object',
  required: ['at', 'kind', 'id'],
  additionalProperties: false,
  properties: { at: instant, kind: { type: 'string' }, id: { type: 'string' } },
} as const

/** A clock as GET shows it. */
export const clockSchema = {
  type: 'object',
  required: ['mode', 'now', 'next'],
  additionalProperties: false,
  properties: {
    mode: { enum: ['real', 'frozen', 'scaled'] },
    now: instant,
    offset: { type: 'number', description: 'Real clocks: milliseconds ahead of the wall clock' },
    rate: { type: 'number', description: 'Scaled clocks: world seconds per second' },
    next: {
      oneOf: [dueSchema, { type: 'null' }],
      description: 'What falls due first',
    },
  },
} as const

/** Time to move on by. */
export const advanceSchema = {
  type: 'object',
  required: ['by'],
  additionalProperties: false,
  properties: {
    by: {
      type: ['string', 'number'],
      minimum: 0,
      description: 'A Go duration such as 1h30m, or milliseconds',
    },
  },
} as const

/** The time after that, and what happened on the way. */
export const advancedSchema = {
  type: 'object',
  required: ['now', 'fired'],
  additionalProperties: false,
  properties: {
    now: instant,
    fired: { type: 'array', items: dueSchema, description: 'What fell due, in order' },
  },
} as const

/** Describes what is running, seen from one world. */
export const infoSchema = {
  type: 'object',
  required: ['name', 'version', 'dialect', 'world', 'ports', 'services'],
  additionalProperties: false,
  properties: {
    name: { type: 'string' },
    version: { type: 'string' },
    dialect: { type: 'string' },
    world: { type: 'string' },
    ports: { type: 'object', additionalProperties: { type: 'integer' } },
    services: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['url'],
        properties: { url: { type: 'string' } },
      },
    },
  },
} as const

/** One world. */
export const worldSchema = {
  type: 'object',
  required: ['id', 'basePath', 'info'],
  additionalProperties: false,
  properties: {
    id: { type: 'string' },
    basePath: { type: 'string', description: 'Goes before every API path; empty for `default`' },
    info: infoSchema,
  },
} as const

/** All worlds, oldest first. */
export const worldListSchema = {
  type: 'object',
  required: ['worlds'],
  additionalProperties: false,
  properties: {
    worlds: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'basePath'],
        additionalProperties: false,
        properties: { id: { type: 'string' }, basePath: { type: 'string' } },
      },
    },
  },
} as const

/** Describes what a new world is made from. */
export const newWorldSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    id: { type: 'string', description: 'Made up when left out' },
    seed: { type: 'string', minLength: 1, description: 'Where its ids begin' },
    clock: clockSettingSchema,
    from: { type: 'string', description: 'A snapshot, or a world as it is now' },
    options: { type: 'object', description: 'World options by service' },
    fixtures: { type: 'object', description: 'A state document, or any part of one' },
  },
} as const

/** Lists what a reset can put back. */
export const resetParts = ['state', 'faults', 'journal', 'clock', 'ids', 'transitions'] as const

/** Describes what to put back. */
export const resetSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    what: { type: 'array', items: { enum: resetParts }, description: 'Default: everything' },
  },
} as const

/** A kept snapshot. */
export const snapshotSchema = {
  type: 'object',
  required: ['id', 'world', 'takenAt', 'sequence'],
  additionalProperties: false,
  properties: {
    id: { type: 'string' },
    world: { type: 'string' },
    takenAt: { ...instant, description: "By the world's clock" },
    sequence: { type: 'integer', description: "Position in the world's change feed" },
  },
} as const

/** The kept snapshots of a world, oldest first. */
export const snapshotListSchema = {
  type: 'object',
  required: ['snapshots'],
  additionalProperties: false,
  properties: { snapshots: { type: 'array', items: snapshotSchema } },
} as const

/** Describes what a snapshot is compared with. */
export const diffQuerySchema = {
  type: 'object',
  properties: { to: { type: 'string', description: 'Another snapshot; default: the present' } },
} as const

/** Describes what changed, by table and key. */
export const diffSchema = {
  type: 'object',
  required: ['from', 'to', 'changes'],
  additionalProperties: false,
  properties: {
    from: { type: 'string' },
    to: { type: 'string', description: 'A snapshot, or `present`' },
    changes: {
      type: 'array',
      items: {
        type: 'object',
        required: ['table', 'key'],
        additionalProperties: false,
        properties: {
          table: { type: 'string', description: 'service.table' },
          key: { type: 'string' },
          before: { type: 'object', description: 'Missing when the row was added' },
          after: { type: 'object', description: 'Missing when the row was deleted' },
        },
      },
    },
  },
} as const

/** Any state document; in the OpenAPI document what the services declare of it. */
export const stateDocumentSchema = { type: 'object' } as const

/** One service's part of a state document. */
export const serviceDocumentSchema = {
  type: 'object',
  required: ['tables'],
  additionalProperties: false,
  properties: { tables: { type: 'object', description: 'Table to key to row' } },
} as const

/** World options by service; each service checks its own. */
export const byServiceSchema = {
  type: 'object',
  additionalProperties: { type: 'object' },
} as const
