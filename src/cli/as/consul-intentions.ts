import { itemsOf, memberOf, textAt } from '../capture/real-server.ts'
import {
  type ConsulCall,
  type ConsulCommand,
  definedMembers,
  fileText,
  formatColumns,
  pairsOf,
  parseObjectText,
  queryOf,
  requiredWord,
} from './consul-arguments.ts'
import { CommandFailure, type CommandOutput, flagOf } from './product-call.ts'

const intentionUsage = (verb: string) => `intention ${verb} SOURCE DESTINATION`

/** Names of the services at both sides of an intention. */
interface IntentionEnds {
  readonly source: string
  readonly destination: string
}

function endsOf(call: ConsulCall, verb: string): IntentionEnds {
  const usage = intentionUsage(verb)
  return { source: requiredWord(call, 0, usage), destination: requiredWord(call, 1, usage) }
}

/**
 * Returns the intention that the arguments describe; with `-file`, the intentions in the files that
 * the arguments name. Throws a `CommandFailure` for `-allow` together with `-deny`, for files that
 * cannot be read or parsed, and if names are missing.
 */
function intentionsOf(call: ConsulCall): readonly object[] {
  const { args } = call
  const [isAllowed, isDenied] = ['allow', 'deny'].map((name) => flagOf(args, name) !== undefined)
  if (isAllowed && isDenied) {
    throw new CommandFailure('Only one of -allow or -deny may be specified.')
  }
  if (flagOf(args, 'file') !== undefined) {
    return args.positionals.map((name) => Object(parseObjectText(fileText(call, name))))
  }
  const ends = endsOf(call, 'create [-allow|-deny] [-replace] [-meta KEY=VALUE]')
  return [
    definedMembers({
      ...namespacedName(ends.source, 'Source'),
      ...namespacedName(ends.destination, 'Destination'),
      SourceType: 'consul',
      Action: isDenied ? 'deny' : 'allow',
      Meta: args.flags.has('meta') ? pairsOf(call, 'meta') : undefined,
    }),
  ]
}

type Side = 'Source' | 'Destination'

/**
 * Returns the members that describe one side of an intention. The text is `namespace/name` or a
 * name alone.
 */
function namespacedName(text: string, side: Side): object {
  const [first = '', name] = text.split('/', 2)
  return name === undefined
    ? { [`${side}Name`]: first }
    : { [`${side}NS`]: first, [`${side}Name`]: name }
}

/**
 * Returns the name of a side of an intention as the product prints it: with its namespace, unless
 * that is `default`.
 */
function qualifiedName(intention: object, side: Side): string {
  const [namespace, name] = [textAt(intention, `${side}NS`), textAt(intention, `${side}Name`)]
  return ['', 'default'].includes(namespace) ? name : `${namespace}/${name}`
}

async function findIntention(
  call: ConsulCall,
  { source, destination }: IntentionEnds,
): Promise<unknown> {
  const { value } = await call.server.send('GET', 'connect/intentions')
  return itemsOf(value).find(
    (each) =>
      qualifiedName(Object(each), 'Source') === source &&
      qualifiedName(Object(each), 'Destination') === destination,
  )
}

const intentionRow = (intention: unknown) => [
  ...[textAt(intention, 'ID'), textAt(intention, 'SourceName')],
  ...[textAt(intention, 'Action'), textAt(intention, 'DestinationName')],
  String(memberOf(intention, 'Precedence') ?? ''),
]

export const intentionCommands: Readonly<Record<string, ConsulCommand>> = {
  'intention create': async (call) => {
    const isReplacing = flagOf(call.args, 'replace') !== undefined
    const lines: string[] = []
    for (const intention of intentionsOf(call)) {
      const ends = {
        source: qualifiedName(intention, 'Source'),
        destination: qualifiedName(intention, 'Destination'),
      }
      const known = isReplacing ? await findIntention(call, ends) : undefined
      if (known === undefined) {
        await call.server.send('POST', 'connect/intentions', intention)
        const action = textAt(intention, 'Action')
        lines.push(`Created: ${ends.source} => ${ends.destination} (${action})\n`)
      } else {
        // The product's command can only replace intentions that have an ID. Only the older API
        // creates such intentions.
        await call.server.send('PUT', `connect/intentions/${textAt(known, 'ID')}`, intention)
      }
    }
    return lines.join('')
  },
  'intention check': async (call): Promise<CommandOutput> => {
    const query = queryOf({ ...endsOf(call, 'check') })
    const { value } = await call.server.send('GET', `connect/intentions/check${query}`)
    return memberOf(value, 'Allowed') === true ? 'Allowed\n' : { code: 1, text: 'Denied\n' }
  },
  'intention delete': async (call) => {
    const isById = call.args.positionals.length === 1
    const path = isById
      ? `connect/intentions/${encodeURIComponent(call.args.positionals[0] ?? '')}`
      : `connect/intentions/exact${queryOf({ ...endsOf(call, 'delete') })}`
    await call.server.send('DELETE', path)
    return 'Intention deleted.\n'
  },
  'intention get': async (call) => {
    const query = queryOf({ ...endsOf(call, 'get') })
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
    const headings = ['ID', 'Source', 'Action', 'Destination', 'Precedence']
    return formatColumns([headings, ...itemsOf(value).map(intentionRow)])
  },
  'intention match': async (call) => {
    const name = requiredWord(call, 0, 'intention match [-source] NAME')
    const side = flagOf(call.args, 'source') === undefined ? 'destination' : 'source'
    const { value } = await call.server.send(
      'GET',
      `connect/intentions/match${queryOf({ by: side, name })}`,
    )
    return itemsOf(memberOf(value, name))
      .map(intentionRow)
      .map(([, source = '', action = '', destination = '']) => {
        return `${source} => ${destination} (${action})\n`
      })
      .join('')
  },
}
