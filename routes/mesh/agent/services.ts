import { parseGoBoolean } from '../../../state/go/booleans.ts'
import { quoteGo } from '../../../state/go/text.ts'
import { map, text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import { serviceDefinition } from '../../../state/mesh/agent/definitions.ts'
import { type MaintenanceMode, setMaintenance } from '../../../state/mesh/agent/maintenance.ts'
import { agentService, removeAgentService } from '../../../state/mesh/agent/registry.ts'
import {
  registerService,
  requireSupportedChecks,
  serviceOf,
  validateService,
} from '../../../state/mesh/agent/service-input.ts'
import { agentServices } from '../../../state/mesh/agent/tables.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import { namespaceKey } from '../../../state/mesh/namespaces/namespaces.ts'
import { optionsOf } from '../../../state/mesh/options.ts'
import { readWaitOptions } from '../../http/blocking/blocking.ts'
import { insideOperation, perEntry } from '../../http/declare/access.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { requireRight, requires, rightChecker } from '../access.ts'
import { filterableService, filterOf, filterParameter } from '../catalog/filters.ts'
import { filterReadable } from '../catalog/selection.ts'
import { type MeshContext, operationsOf } from '../operation.ts'
import {
  agentNamespace,
  decodeAgentBody,
  registrationNamespace,
  requireAgentService,
} from './bodies.ts'
import { agentServiceRecord, agentServiceShape, contentHash } from './records.ts'

const operation = operationsOf({ spec: 'behaviour/mesh#agent-services' })

const writeAccess = insideOperation(requires('service:write'))
const readAccess = insideOperation(requires('service:read'))

const maintenanceParameters = parameters({
  enable: described(text, 'Boolean: whether the mode is on'),
  reason: described(text, 'Notes of the check that represents the mode'),
})

/** Parses `enable` and `reason`. Throws a refusal if `enable` is missing or not a boolean. */
function readMaintenance({ query }: MeshContext): MaintenanceMode {
  const enable = query.value('enable')
  if (enable === undefined) throw refuse('maintenance-unsaid')
  const isOn = parseGoBoolean(enable)
  if (isOn === undefined) throw refuse('maintenance-unreadable', { quoted: quoteGo(enable) })
  return { isOn, reason: query.value('reason') ?? '' }
}

export const agentServiceOperations = [
  operation.put('registerService', '/agent/service/register', {
    access: writeAccess,
    summary: 'Register a service with its checks; registering it again replaces it.',
    body: serviceDefinition,
    query: parameters({
      'replace-existing-checks': described(text, 'Remove checks that the body does not name'),
    }),
    secrets: { body: ['Token'] },
    reply: { 200: null },
    run({ context }) {
      const { world, dialect, query } = context
      const input = decodeAgentBody(context, serviceDefinition)
      validateService(input, dialect.product)
      void context.caller
      const namespace = registrationNamespace(context, input)
      const registration = serviceOf(world, input, namespace)
      const { service } = registration
      requireRight(context, 'service:write', { name: service.name, namespace })
      const before = agentService(world, namespace, service.id)
      if (before !== undefined)
        requireRight(context, 'service:write', { name: before.name, namespace })
      requireSupportedChecks(world, input)
      const replace = query.value('replace-existing-checks')
      const hasNoValue = query.has('replace-existing-checks') && replace === undefined
      registerService(world, registration, hasNoValue || replace === 'true')
      return { status: 200 as const }
    },
  }),
  operation.put('deregisterService', '/agent/service/deregister/:id', {
    access: writeAccess,
    summary: 'Remove an agent service with its checks and its sidecar.',
    failures: [404],
    reply: { 200: null },
    run({ context, params }) {
      const { world } = context
      const service = requireAgentService(context, params.id)
      world.write(() => removeAgentService(world, service))
      return { status: 200 as const }
    },
  }),
  operation.put('setServiceMaintenance', '/agent/service/maintenance/:id', {
    access: writeAccess,
    summary: 'Turn the maintenance mode of a service on or off.',
    query: maintenanceParameters,
    failures: [404],
    reply: { 200: null },
    run({ context, params }) {
      const { world } = context
      if (params.id === '') throw refuse('service-id-unsaid')
      const mode = readMaintenance(context)
      const service = requireAgentService(context, params.id)
      setMaintenance(world, service, mode)
      return { status: 200 as const }
    },
  }),
  operation.put('setNodeMaintenance', '/agent/maintenance', {
    access: insideOperation(requires('node:write')),
    summary: 'Turn the maintenance mode of the node on or off.',
    query: maintenanceParameters,
    reply: { 200: null },
    run({ context }) {
      const { world } = context
      const mode = readMaintenance(context)
      requireRight(context, 'node:write', { name: optionsOf(world).nodeName })
      setMaintenance(world, undefined, mode)
      return { status: 200 as const }
    },
  }),
  operation.get('listAgentServices', '/agent/services', {
    access: perEntry(requires('service:read')),
    summary: 'List the services of the agent by ID.',
    query: parameters(filterParameter),
    reply: { 200: storedSchema(map(agentServiceShape)) },
    run: ({ context }) =>
      context.read(
        () => {
          const { world, dialect } = context
          void context.caller
          const namespace = agentNamespace(context)
          const matches = filterOf(context, filterableService)
          const isReadable = rightChecker(context, 'service:read')
          const rows = [...world.table(agentServices).rows(`${namespaceKey(namespace)}/`)]
          const records = rows
            .map((row) => ({ row, record: agentServiceRecord(world, dialect, row) }))
            .filter(({ record }) => matches(record))
          const { visible, isFiltered } = filterReadable(records, ({ row }) =>
            isReadable({ name: row.name, namespace }),
          )
          const body = Object.fromEntries(visible.map(({ row, record }) => [row.id, record]))
          return { index: 0, body, isFiltered }
        },
        { isPlain: true },
      ),
  }),
  operation.get('readAgentService', '/agent/service/:id', {
    access: readAccess,
    summary: 'Read an agent service; with `hash`, wait until its hash differs.',
    failures: [404],
    reply: { 200: storedSchema(agentServiceShape) },
    query: parameters({
      hash: described(text, 'Hash of the service; the request waits while the hash is unchanged'),
    }),
    run({ context, params }) {
      const { world, dialect, query } = context
      const { wait } = readWaitOptions(query.value)
      const knownHash = query.value('hash')
      const find = () => {
        void context.caller
        const namespace = agentNamespace(context)
        const service = agentService(world, namespace, params.id)
        if (service === undefined) throw refuse('agent-service-unknown', { id: params.id })
        requireRight(context, 'service:read', { name: service.name, namespace })
        const record = agentServiceRecord(world, dialect, service)
        const ContentHash = contentHash(record)
        const headers = dialect.headers({ ContentHash })
        // A request with a hash waits for an index above 1, so the index is 2 once the hash has
        // changed.
        const index = ContentHash === knownHash ? 1 : 2
        return { index, body: { ...record, ContentHash }, headers }
      }
      return context.read(find, {
        isPlain: true,
        replacementWait: { index: knownHash ? 1 : 0, wait },
      })
    },
  }),
]
