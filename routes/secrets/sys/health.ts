import { parseGoBoolean } from '../../../state/go/booleans.ts'
import { bool, int, text, union } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import {
  type HealthCondition,
  healthCondition,
  nodeHealth,
} from '../../../state/secrets/seal/health.ts'
import type { SecretsOutcome } from '../envelope/outcome.ts'
import { errorSchema } from '../envelope/schemas.ts'
import type { FieldValues } from '../fields/fields.ts'
import { refuse } from '../messages.ts'
import { operationsOf } from '../operation.ts'

const spec = 'behaviour/secrets#api-health'
const operation = operationsOf({ spec })

const healthSchema = struct({
  initialized: bool,
  sealed: bool,
  standby: bool,
  performance_standby: bool,
  replication_performance_mode: text,
  replication_dr_mode: text,
  server_time_utc: described(int, 'Seconds since 1970'),
  version: text,
  cluster_name: optional(text),
  cluster_id: optional(text),
  last_wal: optional(int),
  license: optional(struct({ state: text, expiry_time: text, terminated: bool })),
})

const parameter = (description: string) => described(text, description)

/**
 * Query parameters of the health endpoint. The parameters are declared as text, because the
 * operation itself refuses invalid booleans and numbers.
 */
const fields = {
  standbyok: parameter('Boolean: whether a standby returns the status of the active node'),
  perfstandbyok: parameter(
    'Boolean: whether a performance standby returns the status of the active node',
  ),
  activecode: parameter('Status of an active node; 200 by default'),
  standbycode: parameter('Status of a standby; 429 by default'),
  drsecondarycode: parameter('Status of a DR secondary; 472 by default'),
  performancestandbycode: parameter('Status of a performance standby; 473 by default'),
  sealedcode: parameter('Status of a sealed node; 503 by default'),
  uninitcode: parameter('Status of a node that is not initialised; 501 by default'),
} as const

/**
 * Operations for load balancers and monitors. The status of a reply depends on the condition of the
 * node.
 */
export const healthOperations = [
  operation.read('readHealth', 'health', {
    summary: 'Read the health of the node; the status code shows its condition.',
    unenveloped: true,
    rootOnly: true,
    access: 'anyone',
    onSecondary: true,
    worksWhileSealed: true,
    methods: 'head',
    query: fields,
    reply: {
      200: healthSchema,
      429: healthSchema,
      472: healthSchema,
      473: healthSchema,
      501: healthSchema,
      503: healthSchema,
    },
    defaultReply: union(healthSchema, errorSchema),
    run: ({ world, fields }) => healthOutcome(healthCondition(world), fields, nodeHealth(world)),
  }),
]

/**
 * Returns the reply of the health endpoint. All parameters are parsed before the condition of the
 * node is checked, so an unreadable parameter is always refused (behaviour/secrets#health). A
 * requested status outside 200 to 599 is refused only if it would be the status of this reply.
 */
function healthOutcome(
  condition: HealthCondition,
  parameters: FieldValues<typeof fields>,
  body: object,
): SecretsOutcome {
  const countsAsActive: Readonly<Partial<Record<HealthCondition, boolean>>> = {
    standby: parseSwitch(parameters.standbyok),
    'performance-standby': parseSwitch(parameters.perfstandbyok),
  }
  const statuses: Readonly<Record<HealthCondition, number>> = {
    uninitialized: parseStatusCode(parameters.uninitcode, 501),
    sealed: parseStatusCode(parameters.sealedcode, 503),
    standby: parseStatusCode(parameters.standbycode, 429),
    active: parseStatusCode(parameters.activecode, 200),
    'dr-secondary': parseStatusCode(parameters.drsecondarycode, 472),
    'performance-standby': parseStatusCode(parameters.performancestandbycode, 473),
  }
  const status = statuses[countsAsActive[condition] ? 'active' : condition]
  // The reference crashes for a status that no reply can have.
  if (status < 200 || status > 599) throw refuse('health-status-not-final', { status })
  return { kind: 'bare', status, body }
}

function parseSwitch(text: string | undefined): boolean {
  const value = text === undefined || text === '' ? false : parseGoBoolean(text)
  if (value === undefined) throw refuse('health-no-boolean', { text: text ?? '' })
  return value
}

function parseStatusCode(text: string | undefined, defaultValue: number): number {
  if (text === undefined) return defaultValue
  if (!/^[+-]?\d+$/.test(text)) throw refuse('health-no-number', { text })
  return Number(text)
}
