import { map, text } from '../../../state/kernel/shape/kinds.ts'
import { described, partial, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import {
  cappedOutput,
  isCheckStatus,
  requireSupported,
} from '../../../state/mesh/agent/check-input.ts'
import {
  checkOfDefinition,
  printedId,
  validateCheck,
} from '../../../state/mesh/agent/check-registration.ts'
import { checkDefinition } from '../../../state/mesh/agent/definitions.ts'
import {
  putAgentCheck,
  removeAgentCheck,
  setCheckState,
} from '../../../state/mesh/agent/registry.ts'
import { agentChecks } from '../../../state/mesh/agent/tables.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import { namespaceKey } from '../../../state/mesh/namespaces/namespaces.ts'
import { optionsOf } from '../../../state/mesh/options.ts'
import { insideOperation } from '../../http/declare/access.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { requires, rightChecker } from '../access.ts'
import { nodeAndServiceAccess } from '../catalog/catalog.ts'
import { filterableCheck, filterOf, filterParameter } from '../catalog/filters.ts'
import { filterReadable } from '../catalog/selection.ts'
import { checkShape } from '../catalog/shapes.ts'
import { type MeshContext, operationsOf } from '../operation.ts'
import {
  agentNamespace,
  decodeAgentBody,
  registrationNamespace,
  requireAgentCheck,
  requireCheckRight,
} from './bodies.ts'
import { agentCheckRecord } from './records.ts'

const operation = operationsOf({ spec: 'behaviour/mesh#agent-checks' })

/**
 * Access whose right the operation itself checks, because the right depends on whether the check
 * belongs to a service or to the node.
 */
const writeAccess = insideOperation(requires('node:write', 'service:write'))

/**
 * Sets the state of a TTL check and restarts its TTL. Throws a refusal if the check is unknown or
 * has another type, or if the caller may not write the check.
 */
function updateCheck(context: MeshContext, id: string, status: string, output: string): void {
  const { world } = context
  const check = requireAgentCheck(context, id)
  if (check.ttl === undefined) {
    throw refuse('check-without-ttl', { id: printedId(world, check.namespace, id) })
  }
  const cappedCheckOutput = cappedOutput(output, check.output_limit)
  world.write(() => setCheckState(world, check, { status, output: cappedCheckOutput }))
}

const statusOfVerb = { pass: 'passing', warn: 'warning', fail: 'critical' } as const

const verbOperations = (['pass', 'warn', 'fail'] as const).map((verb) =>
  operation.put(`${verb}Check`, `/agent/check/${verb}/:id`, {
    access: writeAccess,
    summary: `Set a TTL check to ${statusOfVerb[verb]} and restart its TTL.`,
    query: parameters({ note: described(text, 'Output of the check') }),
    failures: [404],
    reply: { 200: null },
    run({ context, params: { id = '' } }) {
      updateCheck(context, id, statusOfVerb[verb], context.query.value('note') ?? '')
      return { status: 200 as const }
    },
  }),
)

const checkUpdate = partial(struct('checkUpdate', { Status: text, Output: text }))

export const agentCheckOperations = [
  operation.put('registerCheck', '/agent/check/register', {
    access: writeAccess,
    summary: 'Register a check of the node or of a service.',
    body: checkDefinition,
    secrets: { body: ['Token'] },
    failures: [404],
    reply: { 200: null },
    run({ context }) {
      const { world } = context
      const input = decodeAgentBody(context, checkDefinition)
      validateCheck(input)
      void context.caller
      const check = checkOfDefinition(world, input, registrationNamespace(context, input))
      requireCheckRight(context, check)
      requireSupported(world, input)
      world.write(() => putAgentCheck(world, check))
      return { status: 200 as const }
    },
  }),
  operation.put('deregisterCheck', '/agent/check/deregister/:id', {
    access: writeAccess,
    summary: 'Remove an agent check.',
    failures: [404],
    reply: { 200: null },
    run({ context, params }) {
      const { world } = context
      const check = requireAgentCheck(context, params.id)
      world.write(() => removeAgentCheck(world, check))
      return { status: 200 as const }
    },
  }),
  ...verbOperations,
  operation.put('updateCheck', '/agent/check/update/:id', {
    access: writeAccess,
    summary: 'Set the status and output of a TTL check and restart its TTL.',
    body: checkUpdate,
    failures: [404],
    reply: { 200: null },
    run({ context, params }) {
      const { Status = '', Output = '' } = decodeAgentBody(context, checkUpdate)
      if (Status === '' || !isCheckStatus(Status)) {
        throw refuse('check-update-status-unknown', { status: Status })
      }
      updateCheck(context, params.id, Status, Output)
      return { status: 200 as const }
    },
  }),
  operation.get('listAgentChecks', '/agent/checks', {
    access: nodeAndServiceAccess,
    summary: 'List the checks of the agent by ID.',
    query: parameters(filterParameter),
    reply: { 200: storedSchema(map(checkShape)) },
    run: ({ context }) =>
      context.read(
        () => {
          const { world, dialect } = context
          void context.caller
          const scope = namespaceKey(agentNamespace(context))
          const matches = filterOf(context, filterableCheck, 'filter-of-agent-invalid')
          const { nodeName } = optionsOf(world)
          const isNodeReadable = rightChecker(context, 'node:read')
          const isServiceReadable = rightChecker(context, 'service:read')
          const records = [...world.table(agentChecks).rows()]
            .filter((row) => row.service_id === '' || namespaceKey(row.namespace) === scope)
            .map((row) => ({ row, record: agentCheckRecord(world, dialect, row) }))
            .filter(({ record }) => matches(record))
          const { visible, isFiltered } = filterReadable(records, ({ row }) =>
            row.service_id === ''
              ? isNodeReadable({ name: nodeName })
              : isServiceReadable({ name: row.service_name, namespace: row.namespace }),
          )
          const body = Object.fromEntries(visible.map(({ row, record }) => [row.check_id, record]))
          return { index: 0, body, isFiltered }
        },
        { isPlain: true },
      ),
  }),
]
