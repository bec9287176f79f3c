import { any, bool, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import { rpcAddress } from '../../../state/scheduler/agent/server.ts'
import { optionsOf } from '../../../state/scheduler/options.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { JsonText } from '../../http/json-text.ts'
import { operationsOf } from '../operation.ts'
import { readOptions } from '../query.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#agent', withoutLeader: true })

const health = struct('AgentHealth', { message: text, ok: bool })

const healthy = { message: 'ok', ok: true }

/** Operations on the cluster's status, which require no token. */
export const statusOperations = [
  operation.get({
    id: 'readLeader',
    path: '/status/leader',
    access: 'anyone',
    summary: 'Tell the address of the leader.',
    reply: { 200: any },
    run({ context }) {
      const { noLeader } = optionsOf(context.world)
      // A string at top level would be sent as plain text.
      return context.readUnindexedWithOptions(
        () => new JsonText(JSON.stringify(noLeader ? '' : rpcAddress)),
      )
    },
  }),
  operation.get({
    id: 'listPeers',
    path: '/status/peers',
    access: 'anyone',
    summary: 'Tell the addresses of all servers.',
    reply: { 200: list(text) },
    run: ({ context }) => context.readUnindexedWithOptions(() => [rpcAddress]),
  }),
  operation.get({
    id: 'listRegions',
    path: '/regions',
    access: 'anyone',
    summary: 'List the regions: one.',
    reply: { 200: list(text) },
    run({ context }) {
      readOptions(context.query)
      return { status: 200, body: [optionsOf(context.world).region] }
    },
  }),
  operation.get({
    id: 'readAgentHealth',
    path: '/agent/health',
    access: 'anyone',
    summary: 'Tell whether the agent is well, as server and as client.',
    query: parameters({ type: described(text, '`server` or `client` alone') }),
    reply: { 200: struct('AgentHealths', { client: optional(health), server: optional(health) }) },
    run({ context }) {
      const { query, world } = context
      const types = query.has('type') ? query.all('type') : ['client', 'server']
      const { noLeader } = optionsOf(world)
      const server = noLeader ? { message: 'no leader', ok: false } : healthy
      const body = {
        ...(types.includes('client') && { client: healthy }),
        ...(types.includes('server') && { server }),
      }
      const answer = context.readUnindexedWithOptions(() => body)
      const isHealthy = Object.values(body).every(({ ok }) => ok)
      return isHealthy ? answer : { status: 500, body: JSON.stringify(body) }
    },
  }),
]
