import { list, text } from '../../../state/kernel/shape/kinds.ts'
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
import { requiresAnyOf } from '../access.ts'
import { operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#agent' })

/** Operations on the agent and on the raft configuration. */
export const agentOperations = [
  operation.get({
    id: 'readAgentSelf',
    withoutLeader: true,
    path: '/agent/self',
    access: requiresAnyOf('agent:read'),
    summary: 'Tell how the agent is configured, as whom others know it, and its numbers.',
    reply: { 200: selfShape },
    run: ({ context }) => context.readUnindexed(() => agentSelf(context.world)),
  }),
  operation.get({
    id: 'listAgentMembers',
    withoutLeader: true,
    path: '/agent/members',
    access: requiresAnyOf('agent:read'),
    summary: 'List the servers as they know each other: one.',
    reply: { 200: membersShape },
    run: ({ context }) => context.readUnindexedWithOptions(() => serverMembers(context.world)),
  }),
  operation.get({
    id: 'listAgentServers',
    withoutLeader: true,
    path: '/agent/servers',
    access: requiresAnyOf('agent:read'),
    summary: 'Tell the addresses of the servers that the agent knows as a client.',
    reply: { 200: list(text) },
    run: ({ context }) => context.readUnindexed(() => [rpcAddress]),
  }),
  operation.get({
    id: 'readAutopilotHealth',
    path: '/operator/autopilot/health',
    access: requiresAnyOf('operator:read'),
    summary: 'Tell how well the servers are.',
    reply: { 200: healthShape },
    run: ({ context }) => context.readUnindexedWithOptions(() => clusterHealth(context.world)),
  }),
  operation.get({
    id: 'readAutopilotConfiguration',
    path: '/operator/autopilot/configuration',
    access: requiresAnyOf('operator:read'),
    summary: 'Tell by which rules servers that fail are removed.',
    reply: { 200: autopilotShape },
    run: ({ context }) => context.readUnindexedWithOptions(() => autopilotConfiguration),
  }),
  operation.get({
    id: 'readRaftConfiguration',
    path: '/operator/raft/configuration',
    access: requiresAnyOf('operator:read'),
    summary: 'Tell which servers agree on writes.',
    reply: { 200: raftShape },
    run: ({ context }) => context.readUnindexedWithOptions(() => raftConfiguration(context.world)),
  }),
]
