import { formatGoDuration } from '../../../state/go/duration.ts'
import {
  any,
  bool,
  duration,
  list,
  map,
  text,
  typed,
  uint,
} from '../../../state/kernel/shape/kinds.ts'
import { described, partial, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { meshName } from '../../../state/mesh/indexes.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import {
  autopilotConfiguration,
  configurationShape,
  replaceAutopilotConfiguration,
} from '../../../state/mesh/operator/autopilot.ts'
import { optionsOf, versionOf } from '../../../state/mesh/options.ts'
import { serverAddress, serverMeta, serverOf, serverPort } from '../../../state/mesh/server.ts'
import { insideOperation } from '../../http/declare/access.ts'
import { ok } from '../../http/declare/operation.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { requireRight, requires } from '../access.ts'
import { decodeBody, digitsParameter, withRefusal } from '../decode.ts'
import { objectRenderer } from '../dialect.ts'
import { type MeshContext, operationsOf, readWithoutIndex } from '../operation.ts'

const configurationBody = partial(
  struct('AutopilotConfiguration', {
    CleanupDeadServers: bool,
    MaxTrailingLogs: uint,
    MinQuorum: typed('uint', uint),
    RedundancyZoneTag: text,
    DisableUpgradeMigration: bool,
    UpgradeVersionTag: text,
    LastContactThreshold: duration,
    ServerStabilizationTime: duration,
    CreateIndex: uint,
    ModifyIndex: uint,
  }),
)

/** Renderer of a configuration. Durations are strings in replies and numbers in the row. */
const configurationRenderer = objectRenderer({
  ...configurationShape.fields,
  last_contact_threshold: text,
  server_stabilization_time: text,
})

function configurationView(world: World) {
  const configuration = autopilotConfiguration(world)
  return configurationRenderer.render({
    ...configuration,
    last_contact_threshold: formatGoDuration(configuration.last_contact_threshold),
    server_stabilization_time: formatGoDuration(configuration.server_stabilization_time),
  })
}

/**
 * Parses the body of a configuration. Members that are left out are false, 0 or empty. Throws a
 * refusal if the body does not fit the shape.
 */
function parseConfiguration(context: MeshContext) {
  const sent = decodeBody(context, configurationBody, (problem) =>
    refuse('autopilot-body-unreadable', { problem }),
  )
  return {
    cleanup_dead_servers: sent.CleanupDeadServers ?? false,
    last_contact_threshold: sent.LastContactThreshold ?? 0,
    max_trailing_logs: sent.MaxTrailingLogs ?? 0,
    min_quorum: sent.MinQuorum ?? 0,
    server_stabilization_time: sent.ServerStabilizationTime ?? 0,
    redundancy_zone_tag: sent.RedundancyZoneTag ?? '',
    disable_upgrade_migration: sent.DisableUpgradeMigration ?? false,
    upgrade_version_tag: sent.UpgradeVersionTag ?? '',
  }
}

/**
 * Time since which the server is reported as healthy. The time is constant, so that replies are
 * reproducible.
 */
const stableSince = '2024-02-26T00:00:00Z'

/** Reports the health of the only server. */
function serverHealth(world: World) {
  return {
    ID: serverOf(world).node_id,
    Name: optionsOf(world).nodeName,
    Address: `${serverAddress}:${serverPort}`,
    SerfStatus: 'alive',
    Version: versionOf(world),
    Leader: true,
    LastContact: '0s',
    LastTerm: 2,
    LastIndex: world.store.index(meshName),
    Healthy: true,
    Voter: true,
    StableSince: stableSince,
  }
}

const reportParts = { Healthy: bool, FailureTolerance: uint } as const

const operation = operationsOf({ spec: 'behaviour/mesh#operator' })

const readAccess = requires('operator:read')

export const autopilotOperations = [
  operation.get('readAutopilotConfiguration', '/operator/autopilot/configuration', {
    access: readAccess,
    tenancy: 'none',
    summary: 'Read the configuration of autopilot.',
    reply: { 200: storedSchema(configurationRenderer.shape) },
    run: ({ context }) => readWithoutIndex(context, () => configurationView(context.world)),
  }),
  operation.put('replaceAutopilotConfiguration', '/operator/autopilot/configuration', {
    access: insideOperation(requires('operator:write')),
    tenancy: 'none',
    summary: 'Replace the configuration of autopilot.',
    query: parameters({ cas: described(uint, 'Required ModifyIndex of the configuration') }),
    body: configurationBody,
    reply: { 200: { type: 'boolean' } },
    run({ context }) {
      const configuration = parseConfiguration(context)
      const cas = withRefusal(
        () => digitsParameter(context.query, 'cas'),
        (problem) => refuse('cas-unreadable', { problem }),
      )
      context.requireOwnDatacenter()
      requireRight(context, 'operator:write')
      const index = cas === undefined ? undefined : Number(cas)
      return ok(replaceAutopilotConfiguration(context.world, configuration, index))
    },
  }),
  operation.get('readAutopilotHealth', '/operator/autopilot/health', {
    access: readAccess,
    tenancy: 'none',
    summary: 'Report the health of the servers: there is one, which is healthy.',
    reply: { 200: storedSchema(struct({ ...reportParts, Servers: list(map(any)) })) },
    run: ({ context }) =>
      readWithoutIndex(context, () => {
        const Servers = [serverHealth(context.world)]
        return { Healthy: true, FailureTolerance: 0, Servers }
      }),
  }),
  operation.get('readAutopilotState', '/operator/autopilot/state', {
    access: readAccess,
    tenancy: 'none',
    summary: 'Report the roles of the servers: there is one, the leader.',
    reply: {
      200: storedSchema(
        struct({
          ...reportParts,
          OptimisticFailureTolerance: uint,
          Servers: map(any),
          Leader: text,
          Voters: list(text),
        }),
      ),
    },
    run: ({ context }) =>
      readWithoutIndex(context, () => {
        const { world, dialect } = context
        const { Leader: _, SerfStatus: NodeStatus, Voter: __, ...server } = serverHealth(world)
        const status = {
          ...{ NodeStatus, Status: 'leader', Meta: serverMeta(world, dialect.product) },
          ...{ NodeType: 'voter', ReadReplica: false },
        }
        return {
          Healthy: true,
          FailureTolerance: 0,
          OptimisticFailureTolerance: 0,
          Servers: { [server.ID]: { ...server, ...status } },
          Leader: server.ID,
          Voters: [server.ID],
        }
      }),
  }),
]
