import { any, bool, goList, goMap, text } from '../../state/kernel/shape/kinds.ts'
import { struct } from '../../state/kernel/shape/members.ts'
import { writtenIndex } from '../../state/scheduler/indexes.ts'
import { optionsOf } from '../../state/scheduler/options.ts'
import { checkRegion } from './context.ts'
import { operation } from './operation.ts'

const spec = '3b-scheduler-decisions.md section 10'

/** Where the one server of the simulated cluster listens to others of its kind. */
const leader = '127.0.0.1:4647'

const health = struct('AgentHealth', { ok: bool, message: text })

/** The operations that tell about the cluster itself. */
export const statusOperations = [
  operation({
    id: 'readLeader',
    method: 'GET',
    path: '/status/leader',
    access: 'anyone',
    summary: 'Tell the address of the leader.',
    spec,
    answers: any,
    run({ context: { query, world } }) {
      checkRegion(query, world)
      // A text at top level would go out as plain text; what is JSON already goes out as it is.
      const isPretty = query.has('pretty') && query.value('pretty') !== '0'
      const text = `${JSON.stringify(leader)}${isPretty ? '\n' : ''}`
      return { status: 200, body: Buffer.from(text), headers: json }
    },
  }),
  operation({
    id: 'listPeers',
    method: 'GET',
    path: '/status/peers',
    access: 'anyone',
    summary: 'Tell the addresses of all servers.',
    spec,
    answers: goList(text),
    run({ context }) {
      const { query, world } = context
      checkRegion(query, world)
      return context.written([leader], writtenIndex(world))
    },
  }),
  operation({
    id: 'listRegions',
    method: 'GET',
    path: '/regions',
    access: 'anyone',
    summary: 'List the regions: one.',
    spec,
    answers: goList(text),
    run: ({ context }) =>
      context.written([optionsOf(context.world).region], writtenIndex(context.world)),
  }),
  operation({
    id: 'readAgentHealth',
    method: 'GET',
    path: '/agent/health',
    access: 'anyone',
    summary: 'Tell whether the agent is well: it is.',
    spec,
    answers: goMap(health),
    run: ({ context }) => {
      const well = { ok: true, message: 'ok' }
      return context.written({ client: well, server: well }, writtenIndex(context.world))
    },
  }),
]

const json = { 'content-type': 'application/json' }
