import { quoteGo } from '../../../state/go/text.ts'
import { text } from '../../../state/kernel/shape/kinds.ts'
import { described, partial, secret, struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { agentTokenName, setAgentToken } from '../../../state/mesh/agent/agent-tokens.ts'
import { catalogChecks, instanceKey } from '../../../state/mesh/catalog/tables.ts'
import { reloadAgent } from '../../../state/mesh/file-definitions.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import { defaultNamespace } from '../../../state/mesh/namespaces/namespaces.ts'
import { optionsOf } from '../../../state/mesh/options.ts'
import { serfHealth } from '../../../state/mesh/server.ts'
import { parseLogLevel } from '../../http/blocking/log-stream.ts'
import { beforeBody, insideOperation } from '../../http/declare/access.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { requireRight, requires, withNodeTarget } from '../access.ts'
import { requireAclsEnabled } from '../acl/access.ts'
import { decodeBody } from '../decode.ts'
import { operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/mesh#agent' })

const writeAccess = beforeBody(withNodeTarget(requires('agent:write')))

/** Returns whether a node is a member of the gossip pool: members have the check `serfHealth`. */
function isInGossip(world: World, node: string): boolean {
  return world.table(catalogChecks).has(instanceKey(node, defaultNamespace, serfHealth))
}

/** Body with a token for the agent's own use. */
const agentTokenBody = partial(struct('AgentToken', { Token: secret(text) }))

export const agentCommandOperations = [
  operation.put('setAgentToken', '/agent/token/:kind', {
    access: insideOperation(withNodeTarget(requires('agent:write'))),
    tenancy: 'none',
    summary: "Set one of the agent's own tokens; requests without a token use `default`.",
    body: agentTokenBody,
    failures: [401, 404],
    reply: { 200: null },
    run({ context, params: { kind } }) {
      requireAclsEnabled(context)
      requireRight(context, 'agent:write', { name: optionsOf(context.world).nodeName })
      const { Token = '' } = decodeBody(context, agentTokenBody, (problem) =>
        refuse('session-body-unreadable', { problem }),
      )
      const name = agentTokenName(kind)
      if (name === undefined) throw refuse('agent-token-unknown', { quoted: quoteGo(kind) })
      setAgentToken(context.world, name, Token)
      return { status: 200 as const }
    },
  }),
  operation.put('reloadAgent', '/agent/reload', {
    access: writeAccess,
    tenancy: 'none',
    summary: 'Reload the configuration files.',
    failures: [500],
    reply: { 200: null },
    run({ context: { world, files } }) {
      if (files !== undefined) reloadAgent(world, files)
      return { status: 200 as const }
    },
  }),
  operation.put('leaveCluster', '/agent/leave', {
    access: writeAccess,
    tenancy: 'none',
    summary: 'Leave the cluster; the agent stays, because it is the only server.',
    reply: { 200: null },
    run: () => ({ status: 200 as const }),
  }),
  operation.put('joinAgent', '/agent/join/:address', {
    access: writeAccess,
    tenancy: 'partition',
    summary: 'Join another agent; no connection is made.',
    query: parameters({ wan: described(text, 'Join the servers of another datacenter') }),
    reply: { 200: null },
    run: () => ({ status: 200 as const }),
  }),
  operation.put('forceLeave', '/agent/force-leave/:node', {
    access: insideOperation(requires('operator:write')),
    tenancy: 'partition',
    summary: 'Remove a failed node from the gossip; it stays in the catalog.',
    query: parameters({
      prune: described(text, 'Forget the node at once'),
      wan: described(text, 'Remove a server of another datacenter'),
    }),
    failures: [500],
    reply: { 200: null },
    run({ context, params: { node } }) {
      requireRight(context, 'operator:write')
      if (!isInGossip(context.world, node)) throw refuse('force-leave-unknown', { node })
      return { status: 200 as const }
    },
  }),
  operation.get('monitorAgent', '/agent/monitor', {
    access: insideOperation(withNodeTarget(requires('agent:read'))),
    tenancy: 'none',
    summary: "Follow the agent's log, which has a line for each request to this API.",
    query: parameters({
      loglevel: described(text, 'The lowest level to show'),
      logjson: described(text, 'Write lines as JSON; the value is ignored'),
    }),
    failures: [400],
    reply: { 200: { type: 'string' } },
    run({ context }) {
      const name = context.query.value('loglevel') ?? 'INFO'
      const level = name.toUpperCase() === 'ERR' ? 'error' : parseLogLevel(name)
      if (level === undefined) throw refuse('log-level-unknown', { level: name })
      requireRight(context, 'agent:read', { name: optionsOf(context.world).nodeName })
      return context.streamLog(level, context.query.has('logjson'))
    },
  }),
]
