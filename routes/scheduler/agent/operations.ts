import { goList, text } from '../../../state/kernel/shape/kinds.ts'
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
import { operation } from '../operation.ts'

const spec = 'behaviour/scheduler#agent'

/** Operations on the agent and on the raft configuration. */
export const agentOperations = [
  operation({
    id: 'readAgentSelf',
    method: 'GET',
    withoutLeader: true,
    path: '/agent/self',
    access: requiresAnyOf('agent:read'),
    summary: 'Tell how the agent is configured, as whom others know it, and its numbers.',
    spec,
    answers: selfShape,
    run: ({ context }) => context.readUnindexed(() => agentSelf(context.world)),
  }),
  operation({
    id: 'listAgentMembers',
    method: 'GET',
    withoutLeader: true,
    path: '/agent/members',
    access: requiresAnyOf('agent:read'),
    summary: 'List the servers as they know each other: one.',
    spec,
    answers: membersShape,
    run: ({ context }) => context.readUnindexedWithOptions(() => serverMembers(context.world)),
  }),
  operation({
    id: 'listAgentServers',
    method: 'GET',
    withoutLeader: true,
    path: '/agent/servers',
    access: requiresAnyOf('agent:read'),
    summary: 'Tell the addresses of the servers that the agent knows as a client.',
    spec,
    answers: goList(text),
    run: ({ context }) => context.readUnindexed(() => [rpcAddress]),
  }),
  operation({
    id: 'readAutopilotHealth',
    method: 'GET',
    path: '/operator/autopilot/health',
    access: requiresAnyOf('operator:read'),
    summary: 'Tell how well the servers are.',
    spec,
    answers: healthShape,
    run: ({ context }) => context.readUnindexedWithOptions(() => clusterHealth(context.world)),
  }),
  operation({
    id: 'readAutopilotConfiguration',
    method: 'GET',
    path: '/operator/autopilot/configuration',
    access: requiresAnyOf('operator:read'),
    summary: 'Tell by which rules servers that fail are removed.',
    spec,
    answers: autopilotShape,
    run: ({ context }) => context.readUnindexedWithOptions(() => autopilotConfiguration),
  }),
  operation({
    id: 'readRaftConfiguration',
    method: 'GET',
    path: '/operator/raft/configuration',
    access: requiresAnyOf('operator:read'),
    summary: 'Tell which servers agree on writes.',
    spec,
    answers: raftShape,
    run: ({ context }) => context.readUnindexedWithOptions(() => raftConfiguration(context.world)),
  }),
]
