import { any, bool, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import {
  autopilotConfiguration,
  autopilotShape,
  clusterHealth,
  healthShape,
  raftConfiguration,
  raftShape,
} from '../../../state/scheduler/agent/autopilot.ts'
import { agentSelf, selfShape } from '../../../state/scheduler/agent/self.ts'
import { membersShape, rpcAddress, serverMembers } from '../../../state/scheduler/agent/server.ts'
import { optionsOf } from '../../../state/scheduler/options.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { JsonText } from '../../http/json-text.ts'
import { requiresAnyOf } from '../access.ts'
import { operationsOf } from '../operation.ts'
import { readOptions } from '../query.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#agent' })

/** Operations on the agent, the Raft configuration and autopilot. */
export const agentOperations = [
  operation.get('readAgentSelf', '/agent/self', {
    withoutLeader: true,
    tokenResolver: 'agent',
    access: requiresAnyOf('agent:read'),
    summary: "Return the agent's configuration, its entry in the gossip, and its statistics.",
    reply: { 200: selfShape },
    run: ({ context }) => context.readUnindexed(() => agentSelf(context.world)),
  }),
  operation.get('listAgentMembers', '/agent/members', {
    withoutLeader: true,
    access: requiresAnyOf('node:read'),
    summary: 'List the members of the gossip: there is one server.',
    reply: { 200: membersShape },
    run: ({ context }) => context.readUnindexedWithOptions(() => serverMembers(context.world)),
  }),
  operation.get('listAgentServers', '/agent/servers', {
    withoutLeader: true,
    tokenResolver: 'client',
    access: requiresAnyOf('agent:read'),
    summary: 'Return the addresses of the servers that the agent uses as a client.',
    reply: { 200: list(text) },
    run: ({ context }) => context.readUnindexed(() => [rpcAddress]),
  }),
  operation.get('readAutopilotHealth', '/operator/autopilot/health', {
    wrongMethod: { status: 404, text: 'Invalid method' },
    access: requiresAnyOf('operator:read'),
    summary: 'Report the health of the servers.',
    reply: { 200: healthShape },
    run: ({ context }) => context.readUnindexedWithOptions(() => clusterHealth(context.world)),
  }),
  operation.get('readAutopilotConfiguration', '/operator/autopilot/configuration', {
    wrongMethod: { status: 404, text: 'Invalid method' },
    access: requiresAnyOf('operator:read'),
    summary: 'Read the configuration of autopilot.',
    reply: { 200: autopilotShape },
    run: ({ context }) => context.readUnindexedWithOptions(() => autopilotConfiguration),
  }),
  operation.get('readRaftConfiguration', '/operator/raft/configuration', {
    wrongMethod: { status: 405, text: '' },
    access: requiresAnyOf('management'),
    summary: 'Return the Raft configuration: the servers that store the state.',
    reply: { 200: raftShape },
    run: ({ context }) => context.readUnindexedWithOptions(() => raftConfiguration(context.world)),
  }),
]

const leaderlessOperation = operationsOf({ spec: 'behaviour/scheduler#agent', withoutLeader: true })

const agentHealthShape = struct('AgentHealth', { message: text, ok: bool })

const healthyReply = { message: 'ok', ok: true }

/** Operations on the cluster's status, which require no token. */
export const statusOperations = [
  leaderlessOperation.get('readLeader', '/status/leader', {
    access: 'anyone',
    summary: 'Return the address of the leader.',
    reply: { 200: any },
    run({ context }) {
      const { noLeader } = optionsOf(context.world)
      // If the address were the whole body, it would be sent as plain text instead of JSON.
      return context.readUnindexedWithOptions(
        () => new JsonText(JSON.stringify(noLeader ? '' : rpcAddress)),
      )
    },
  }),
  leaderlessOperation.get('listPeers', '/status/peers', {
    access: 'anyone',
    summary: 'Return the addresses of all servers.',
    reply: { 200: list(text) },
    run: ({ context }) => context.readUnindexedWithOptions(() => [rpcAddress]),
  }),
  leaderlessOperation.get('listRegions', '/regions', {
    access: 'anyone',
    summary: 'List the regions: there is one.',
    reply: { 200: list(text) },
    run({ context }) {
      readOptions(context.query)
      return { status: 200, body: [optionsOf(context.world).region] }
    },
  }),
  leaderlessOperation.get('readAgentHealth', '/agent/health', {
    access: 'anyone',
    summary: 'Report the health of the agent, as server and as client.',
    query: parameters({ type: described(text, 'Only this section: `server` or `client`') }),
    reply: {
      200: struct('AgentHealths', {
        client: optional(agentHealthShape),
        server: optional(agentHealthShape),
      }),
    },
    run({ context }) {
      const { query, world } = context
      const types = query.has('type') ? query.all('type') : ['client', 'server']
      const { noLeader } = optionsOf(world)
      const server = noLeader ? { message: 'no leader', ok: false } : healthyReply
      const body = {
        ...(types.includes('client') && { client: healthyReply }),
        ...(types.includes('server') && { server }),
      }
      const answer = context.readUnindexedWithOptions(() => body)
      const isHealthy = Object.values(body).every(({ ok }) => ok)
      return isHealthy ? answer : { status: 500, body: JSON.stringify(body) }
    },
  }),
]
