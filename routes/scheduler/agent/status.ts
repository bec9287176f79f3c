import { any, bool, goList, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import { rpcAddress } from '../../../state/scheduler/agent/server.ts'
import { optionsOf } from '../../../state/scheduler/options.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { JsonText } from '../../http/json-text.ts'
import { operation } from '../operation.ts'
import { readOptions } from '../query.ts'

const spec = 'behaviour/scheduler#agent'

const health = struct('AgentHealth', { message: text, ok: bool })

const healthy = { message: 'ok', ok: true }

/** Operations on the cluster's status, which require no token. */
export const statusOperations = [
  operation({
    id: 'readLeader',
    method: 'GET',
    withoutLeader: true,
    path: '/status/leader',
    access: 'anyone',
    summary: 'Tell the address of the leader.',
    spec,
    answers: any,
    run({ context }) {
      const { noLeader } = optionsOf(context.world)
      // A string at top level would be sent as plain text.
      return context.readUnindexedWithOptions(
        () => new JsonText(JSON.stringify(noLeader ? '' : rpcAddress)),
      )
    },
  }),
  operation({
    id: 'listPeers',
    method: 'GET',
    withoutLeader: true,
    path: '/status/peers',
    access: 'anyone',
    summary: 'Tell the addresses of all servers.',
    spec,
    answers: goList(text),
    run: ({ context }) => context.readUnindexedWithOptions(() => [rpcAddress]),
  }),
  operation({
    id: 'listRegions',
    method: 'GET',
    withoutLeader: true,
    path: '/regions',
    access: 'anyone',
    summary: 'List the regions: one.',
    spec,
    answers: goList(text),
    run({ context }) {
      readOptions(context.query)
      return { status: 200, body: [optionsOf(context.world).region] }
    },
  }),
  operation({
    id: 'readAgentHealth',
    method: 'GET',
    withoutLeader: true,
    path: '/agent/health',
    access: 'anyone',
    summary: 'Tell whether the agent is well, as server and as client.',
    spec,
    query: parameters({ type: described(text, '`server` or `client` alone') }),
    answers: struct('AgentHealths', { client: optional(health), server: optional(health) }),
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
