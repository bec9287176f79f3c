import { itemsOf, memberOf, textAt } from '../capture/real-server.ts'
import {
  type ConsulCall,
  type ConsulCommand,
  type ConsulOutput,
  columns,
  queryOf,
  requiredWord,
} from './consul-arguments.ts'
import { flagOf } from './product-call.ts'

const intentionUsage = (verb: string) => `intention ${verb} SOURCE DESTINATION`

function endsOf(call: ConsulCall, verb: string) {
  const usage = intentionUsage(verb)
  return { source: requiredWord(call, 0, usage), destination: requiredWord(call, 1, usage) }
}

const intentionRow = (intention: unknown) => [
  ...[textAt(intention, 'ID'), textAt(intention, 'SourceName')],
  ...[textAt(intention, 'Action'), textAt(intention, 'DestinationName')],
  String(memberOf(intention, 'Precedence') ?? ''),
]

/** Commands about intentions. */
export const intentionCommands: Readonly<Record<string, ConsulCommand>> = {
  'intention create': async (call) => {
    const ends = endsOf(call, 'create [-allow|-deny]')
    const Action = flagOf(call.args, 'deny') === undefined ? 'allow' : 'deny'
    await call.server.send('PUT', `connect/intentions/exact${queryOf(ends)}`, { Action })
    return `Created: ${ends.source} => ${ends.destination} (${Action})\n`
  },
  'intention check': async (call): Promise<ConsulOutput> => {
    const query = queryOf(endsOf(call, 'check'))
    const { value } = await call.server.send('GET', `connect/intentions/check${query}`)
    return memberOf(value, 'Allowed') === true ? 'Allowed\n' : { code: 1, text: 'Denied\n' }
  },
  'intention delete': async (call) => {
    const isById = call.args.positionals.length === 1
    const path = isById
      ? `connect/intentions/${encodeURIComponent(call.args.positionals[0] ?? '')}`
      : `connect/intentions/exact${queryOf(endsOf(call, 'delete'))}`
    await call.server.send('DELETE', path)
    return 'Intention deleted.\n'
  },
  'intention get': async (call) => {
    const query = queryOf(endsOf(call, 'get'))
    const { value } = await call.server.send('GET', `connect/intentions/exact${query}`)
    const members = [
      ['Source:', textAt(value, 'SourceName')],
      ['Destination:', textAt(value, 'DestinationName')],
      ['Action:', textAt(value, 'Action')],
    ]
    return members.map(([name = '', text = '']) => `${name.padEnd(14)}${text}\n`).join('')
  },
  'intention list': async ({ server }) => {
    const { value } = await server.send('GET', 'connect/intentions')
    const head = ['ID', 'Source', 'Action', 'Destination', 'Precedence']
    return columns([head, ...itemsOf(value).map(intentionRow)])
  },
  'intention match': async (call) => {
    const name = requiredWord(call, 0, 'intention match [-source] NAME')
    const by = flagOf(call.args, 'source') === undefined ? 'destination' : 'source'
    const { value } = await call.server.send(
      'GET',
      `connect/intentions/match${queryOf({ by, name })}`,
    )
    return itemsOf(memberOf(value, name))
      .map(intentionRow)
      .map(([, source = '', action = '', destination = '']) => {
        return `${source} => ${destination} (${action})\n`
      })
      .join('')
  },
}
