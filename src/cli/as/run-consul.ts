import { itemsOf, memberOf, textAt } from '../capture/real-server.ts'
import { definitionsIn } from '../flags/mesh-definitions.ts'
import { encodePath } from '../urls.ts'
import { aclCommands } from './consul-acl.ts'
import {
  type ConsulCall,
  type ConsulCommand,
  definedMembers,
  fileText,
  formatColumns,
  jsonText,
  pairsOf,
  parseObjectText,
  queryOf,
  requiredFlag,
  requiredWord,
} from './consul-arguments.ts'
import { intentionCommands } from './consul-intentions.ts'
import {
  argumentText,
  CommandFailure,
  type CommandOutput,
  flagOf,
  type ProductCall,
  ProductClient,
  parseArguments,
  parseJsonArgument,
} from './product-call.ts'

const kvCommands: Readonly<Record<string, ConsulCommand>> = {
  'kv put': async (call) => {
    const key = requiredWord(call, 0, 'kv put KEY VALUE')
    const value = argumentText(call.args.positionals[1] ?? '', call.productCall)
    await call.server.send('PUT', `kv/${encodePath(key)}`, value)
    return `Success! Data written to: ${key}\n`
  },
  'kv get': async (call) => {
    const key = requiredWord(call, 0, 'kv get KEY')
    const { value } = await call.server.send('GET', `kv/${encodePath(key)}`)
    return `${decoded(itemsOf(value)[0])}\n`
  },
  'kv delete': async (call) => {
    const key = requiredWord(call, 0, 'kv delete [-recurse] KEY')
    const isRecursive = flagOf(call.args, 'recurse') !== undefined
    const recurse = isRecursive ? '?recurse' : ''
    await call.server.send('DELETE', `kv/${encodePath(key)}${recurse}`)
    return isRecursive
      ? `Success! Deleted keys with prefix: ${key}\n`
      : `Success! Deleted key: ${key}\n`
  },
  'kv export': async (call) => {
    const [prefix = ''] = call.args.positionals
    const { value } = await call.server.send('GET', `kv/${encodePath(prefix)}?recurse`)
    const entries = itemsOf(value).map((entry) => ({
      key: textAt(entry, 'Key'),
      flags: memberOf(entry, 'Flags') ?? 0,
      value: textAt(entry, 'Value'),
    }))
    return `${JSON.stringify(entries, null, '\t')}\n`
  },
  'kv import': async (call) => {
    const text = argumentText(
      requiredWord(call, 0, 'kv import [-prefix PREFIX] DATA'),
      call.productCall,
    )
    const prefix = flagOf(call.args, 'prefix') ?? ''
    const lines: string[] = []
    for (const entry of itemsOf(parseJsonArgument(text, 'Cannot unmarshal data'))) {
      const key = prefix + textAt(entry, 'key')
      const flags = Number(memberOf(entry, 'flags') ?? 0)
      const path = `kv/${encodePath(key)}${flags === 0 ? '' : `?flags=${flags}`}`
      await call.server.send('PUT', path, Buffer.from(textAt(entry, 'value'), 'base64'))
      lines.push(`Imported: ${key}\n`)
    }
    return lines.join('')
  },
}

const decoded = (entry: unknown) => Buffer.from(textAt(entry, 'Value'), 'base64').toString()

/**
 * Returns the service that the flags describe or, if the call names files, the services in these
 * files. Throws a `CommandFailure` if the call has neither a name nor a file, or if a file is
 * invalid.
 */
function servicesOf(call: ConsulCall, usage: string): readonly object[] {
  const { args } = call
  if (args.positionals.length > 0) {
    return args.positionals.flatMap((name) => {
      const refuse = (key: string) => new CommandFailure(`invalid config key ${key}`)
      return definitionsIn(fileText(call, name), refuse).services
    })
  }
  const port = flagOf(args, 'port')
  return [
    definedMembers({
      Kind: flagOf(args, 'kind'),
      ID: flagOf(args, 'id'),
      Name: requiredFlag(call, 'name', usage),
      Port: port === undefined ? undefined : Number(port),
      Address: flagOf(args, 'address'),
      Tags: args.flags.get('tag'),
      Meta: args.flags.has('meta') ? pairsOf(call, 'meta') : undefined,
    }),
  ]
}

async function maintain(call: ConsulCall): Promise<string> {
  const { args, server } = call
  const service = flagOf(args, 'service')
  const isOn = flagOf(args, 'enable') !== undefined
  if (!isOn && flagOf(args, 'disable') === undefined) {
    throw new CommandFailure('usage: consul maint -enable|-disable [-service ID] [-reason TEXT]')
  }
  const target = service === undefined ? '' : `service/`
  const id = service === undefined ? '' : `/${encodeURIComponent(service)}`
  const query = queryOf({ enable: String(isOn), reason: flagOf(args, 'reason') })
  await server.send('PUT', `agent/${target}maintenance${id}${query}`)
  const state = isOn ? 'enabled' : 'disabled'
  return service === undefined
    ? `Node maintenance is now ${state}\n`
    : `Service maintenance is now ${state} for "${service}"\n`
}

const catalogCommands: Readonly<Record<string, ConsulCommand>> = {
  'services register': async (call) => {
    const usage = 'services register -name NAME [-id ID] [-port PORT] [-tag TAG], or FILE'
    const lines: string[] = []
    for (const service of servicesOf(call, usage)) {
      await call.server.send('PUT', 'agent/service/register', service)
      lines.push(`Registered service: ${textAt(service, 'Name')}\n`)
    }
    return lines.join('')
  },
  'services deregister': async (call) => {
    const usage = 'services deregister -id ID, or FILE'
    const isByFile = call.args.positionals.length > 0
    const ids = isByFile
      ? servicesOf(call, usage).map((each) => textAt(each, 'ID') || textAt(each, 'Name'))
      : [requiredFlag(call, 'id', usage)]
    const lines: string[] = []
    for (const id of ids) {
      await call.server.send('PUT', `agent/service/deregister/${encodeURIComponent(id)}`)
      lines.push(`Deregistered service: ${id}\n`)
    }
    return lines.join('')
  },
  'catalog services': async (call) => {
    const { value } = await call.server.send('GET', 'catalog/services')
    const rows = Object.entries(Object(value)).sort(([a], [b]) => (a < b ? -1 : 1))
    const hasTags = flagOf(call.args, 'tags') !== undefined
    return formatColumns(
      rows.map(([name, tags]) => (hasTags ? [name, itemsOf(tags).join(',')] : [name])),
    )
  },
  'catalog nodes': async (call) => {
    const service = flagOf(call.args, 'service')
    const path =
      service === undefined ? 'catalog/nodes' : `catalog/service/${encodeURIComponent(service)}`
    const { value } = await call.server.send('GET', path)
    const rows = itemsOf(value).map((node) => [
      ...[textAt(node, 'Node'), textAt(node, 'ID').slice(0, 8)],
      ...[textAt(node, 'Address'), textAt(node, 'Datacenter')],
    ])
    return formatColumns([['Node', 'ID', 'Address', 'DC'], ...rows])
  },
  'catalog datacenters': async ({ server }) => {
    const { value } = await server.send('GET', 'catalog/datacenters')
    return formatColumns(itemsOf(value).map((name) => [String(name)]))
  },
  maint: maintain,
}

const configUsage = (verb: string) => `config ${verb} -kind KIND -name NAME`

function entryPath(call: ConsulCall, verb: string) {
  const usage = configUsage(verb)
  const [kind, name] = [requiredFlag(call, 'kind', usage), requiredFlag(call, 'name', usage)]
  return { shown: `${kind}/${name}`, path: `config/${encodePath(kind)}/${encodePath(name)}` }
}

const configCommands: Readonly<Record<string, ConsulCommand>> = {
  'config write': async (call) => {
    const entry = parseObjectText(fileText(call, requiredWord(call, 0, 'config write FILE')))
    await call.server.send('PUT', 'config', entry)
    const member = (name: string) => textAt(entry, name) || textAt(entry, name.toLowerCase())
    return `Config entry written: ${member('Kind')}/${member('Name')}\n`
  },
  'config read': async (call) => {
    return jsonText((await call.server.send('GET', entryPath(call, 'read').path)).value)
  },
  'config list': async (call) => {
    const kind = requiredFlag(call, 'kind', 'config list -kind KIND')
    const { value } = await call.server.send('GET', `config/${encodePath(kind)}`)
    return formatColumns(itemsOf(value).map((entry) => [textAt(entry, 'Name')]))
  },
  'config delete': async (call) => {
    const { shown, path } = entryPath(call, 'delete')
    await call.server.send('DELETE', path)
    return `Config entry deleted: ${shown}\n`
  },
}

const agentCommands: Readonly<Record<string, ConsulCommand>> = {
  event: async (call) => {
    const name = requiredFlag(call, 'name', 'event -name NAME [PAYLOAD]')
    const { flags, positionals } = call.args
    const filters = ['node', 'service', 'tag'].map((each) => [each, flags.get(each)?.at(-1)])
    const path = `event/fire/${encodeURIComponent(name)}${queryOf(Object.fromEntries(filters))}`
    const { value } = await call.server.send('PUT', path, positionals[0] ?? '')
    return `Event ID: ${textAt(value, 'ID')}\n`
  },
  info: async ({ server }) => {
    const { value } = await server.send('GET', 'agent/self')
    return Object.entries(Object(memberOf(value, 'Stats')))
      .map(([group, stats]) => {
        const lines = Object.entries(Object(stats)).map(([name, text]) => `\t${name} = ${text}\n`)
        return `${group}:\n${lines.join('')}`
      })
      .join('')
  },
  members: async ({ server }) => {
    const { value } = await server.send('GET', 'agent/members')
    const rows = itemsOf(value).map((member) => [
      textAt(member, 'Name'),
      `${textAt(member, 'Addr')}:${memberOf(member, 'Port')}`,
      memberOf(member, 'Status') === 1 ? 'alive' : 'failed',
      textAt(member, 'Tags', 'role') === 'consul' ? 'server' : 'client',
      textAt(member, 'Tags', 'build').split(':', 1).join(''),
      textAt(member, 'Tags', 'vsn'),
      textAt(member, 'Tags', 'dc'),
    ])
    return formatColumns([
      ['Node', 'Address', 'Status', 'Type', 'Build', 'Protocol', 'DC'],
      ...rows,
    ])
  },
  reload: async ({ server }) => {
    await server.send('PUT', 'agent/reload')
    return 'Configuration reload triggered\n'
  },
  'snapshot save': async (call) => {
    const file = requiredWord(call, 0, 'snapshot save FILE')
    const { bytes, headers } = await call.server.download('snapshot')
    call.productCall.writeFile(file, bytes)
    return `Saved and verified snapshot to index ${headers.get('x-consul-index')}\n`
  },
  'snapshot restore': async (call) => {
    const file = requiredWord(call, 0, 'snapshot restore FILE')
    await call.server.send('PUT', 'snapshot', call.productCall.readBytes(file))
    return 'Restored snapshot\n'
  },
  version: async ({ server }) => {
    const { value } = await server.send('GET', 'agent/version')
    return `Consul v${textAt(value, 'HumanVersion')}\n`
  },
}

const commands: Readonly<Record<string, ConsulCommand>> = {
  ...kvCommands,
  ...catalogCommands,
  ...intentionCommands,
  ...configCommands,
  ...agentCommands,
  ...aclCommands,
}

/** Flags without a value. */
const switches = [
  ...['allow', 'deny', 'replace', 'enable', 'disable', 'source', 'destination', 'recurse', 'tags'],
  ...['self', 'local', 'detailed', 'stale', 'file', 'no-merge'],
]

/**
 * Runs a setup command of `consul`. Returns its output. Throws a `CommandFailure` if the command is
 * not supported or fails.
 */
export async function runConsul(call: ProductCall): Promise<CommandOutput> {
  const { argv, env } = call
  const length = [3, 2, 1].find((words) => Object.hasOwn(commands, argv.slice(0, words).join(' ')))
  const command = commands[argv.slice(0, length ?? 0).join(' ')]
  if (length === undefined || command === undefined) {
    throw new CommandFailure(
      `consul ${argv.slice(0, 2).join(' ')} is not supported here; supported are ${Object.keys(commands).join(', ')}`,
    )
  }
  const args = parseArguments(argv.slice(length), switches)
  const server = new ProductClient(
    flagOf(args, 'http-addr') ?? (env['CONSUL_HTTP_ADDR'] || '127.0.0.1:8500'),
    {
      'X-Consul-Token': flagOf(args, 'token') ?? env['CONSUL_HTTP_TOKEN'],
      'X-Consul-Namespace': flagOf(args, 'namespace') ?? env['CONSUL_NAMESPACE'],
    },
  )
  return command({ server, productCall: call, args })
}
