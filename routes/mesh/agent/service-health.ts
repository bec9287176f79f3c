import { any, list, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import { maintenanceCheckId } from '../../../state/mesh/agent/maintenance.ts'
import { agentChecksOf, agentService } from '../../../state/mesh/agent/registry.ts'
import {
  type AgentCheck,
  type AgentService,
  agentServices,
} from '../../../state/mesh/agent/tables.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import { defaultNamespace, namespaceKey } from '../../../state/mesh/namespaces/namespaces.ts'
import { insideOperation } from '../../http/declare/access.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { requireRight, requires } from '../access.ts'
import { type MeshContext, operationsOf } from '../operation.ts'
import { agentNamespace } from './bodies.ts'
import { agentServiceRecord, agentServiceShape, healthCheckRecord } from './records.ts'

const operation = operationsOf({ spec: 'behaviour/mesh#agent-health' })

/** Status codes of replies by the status of the service. */
const replyStatuses = { maintenance: 503, critical: 503, warning: 429, passing: 200 } as const

type AggregatedStatus = keyof typeof replyStatuses
const statusesBySeverity: readonly AggregatedStatus[] = [
  'maintenance',
  'critical',
  'warning',
  'passing',
]

function worstStatus(statuses: readonly AggregatedStatus[]): AggregatedStatus {
  return statusesBySeverity.find((status) => statuses.includes(status)) ?? 'passing'
}

function statusOf({ check_id, service_id, status }: AgentCheck): AggregatedStatus {
  const maintenance = maintenanceCheckId(service_id === '' ? undefined : service_id)
  if (check_id === maintenance) return 'maintenance'
  return status === 'passing' || status === 'warning' ? status : 'critical'
}

/**
 * Returns the health of a service: the worst status, the checks of the service and the checks of
 * the node.
 */
function healthOf({ world, dialect }: MeshContext, service: AgentService) {
  const checks = [
    ...agentChecksOf(world, service.namespace, service.id),
    ...agentChecksOf(world, defaultNamespace, ''),
  ]
  return {
    AggregatedStatus: worstStatus(checks.map(statusOf)),
    Service: agentServiceRecord(world, dialect, service),
    Checks: checks.map((check) => healthCheckRecord(world, dialect, check)),
  }
}

/**
 * Returns a reply with the health of services as JSON or, if the request asks for text, with only
 * the reason. A header contains the reason in both cases.
 */
function healthAnswer<Status extends number>(
  { query, dialect, accept }: MeshContext,
  status: Status,
  reason: string,
  report: unknown,
) {
  const headers = dialect.headers({ Reason: reason })
  const isText = query.value('format') === 'text' || accept.startsWith('text/plain')
  if (!isText) return { status, headers, body: report }
  // A string body would add a character set to the content type, so the body is bytes.
  const body = Buffer.from(reason)
  return { status, headers: { ...headers, 'content-type': 'text/plain' }, body }
}

const healthShape = struct({
  AggregatedStatus: text,
  Service: nullable(agentServiceShape),
  Checks: nullable(list(any)),
})

const serviceReply = { anyOf: [storedSchema(healthShape), { type: 'string' as const }] }
const servicesReply = { anyOf: [storedSchema(list(healthShape)), { type: 'string' as const }] }

const formatParameters = parameters({
  format: described(text, '`text` for only the status, as plain text'),
})

/**
 * Access whose right the operation itself checks, because only the agent knows the name of the
 * service.
 */
const access = insideOperation(requires('service:read'))

export const agentHealthOperations = [
  operation.get('readAgentServiceHealth', '/agent/health/service/id/:id', {
    access,
    summary:
      'Read the health of an agent service; the status code of the reply also shows the health.',
    query: formatParameters,
    reply: { 200: serviceReply, 404: serviceReply, 429: serviceReply, 503: serviceReply },
    run({ context, params: { id } }) {
      const { world } = context
      if (id === '') throw refuse('agent-health-id-unsaid')
      void context.caller
      const namespace = agentNamespace(context)
      const service = agentService(world, namespace, id)
      if (service === undefined) {
        const absent = { AggregatedStatus: 'critical', Service: null, Checks: null }
        return healthAnswer(context, 404 as const, `ServiceId ${id} not found`, absent)
      }
      requireRight(context, 'service:read', { name: service.name, namespace })
      const health = healthOf(context, service)
      const { AggregatedStatus: status } = health
      return healthAnswer(context, replyStatuses[status], status, health)
    },
  }),
  operation.get('readAgentServicesHealth', '/agent/health/service/name/:name', {
    access,
    summary: 'Read the health of the agent services with a name.',
    query: formatParameters,
    reply: { 200: servicesReply, 404: servicesReply, 429: servicesReply, 503: servicesReply },
    run({ context, params: { name } }) {
      const { world } = context
      if (name === '') throw refuse('agent-health-name-unsaid')
      const namespace = agentNamespace(context)
      requireRight(context, 'service:read', { name, namespace })
      const rows = [...world.table(agentServices).rows(`${namespaceKey(namespace)}/`)]
      const found = rows.filter((row) => row.name === name).map((row) => healthOf(context, row))
      if (found.length === 0) {
        return healthAnswer(context, 404 as const, `ServiceName ${name} Not Found`, [])
      }
      const status = worstStatus(found.map((health) => health.AggregatedStatus))
      return healthAnswer(context, replyStatuses[status], status, found)
    },
  }),
]
