import { isObject } from '../../../state/kernel/objects.ts'
import { memberOf, textAt } from '../capture/real-server.ts'
import { encodePath } from '../urls.ts'
import {
  argumentText,
  CommandFailure,
  type CommandOutput,
  flagOf,
  type ParsedArguments,
  type ProductCall,
  ProductClient,
  parseArguments,
  readFileOrStdin,
  renderField,
} from './product-call.ts'
import { login, tokenOf } from './vault-login.ts'
import { initialize, renderStatus, status } from './vault-operator.ts'

/**
 * Runs a setup command of `vault`. Returns its output. Throws a `CommandFailure` if the command is
 * not supported or fails.
 */
export async function runVault(call: ProductCall): Promise<CommandOutput> {
  const { argv, env } = call
  const [group = '', verb = ''] = argv
  const name = `${group} ${verb}`
  const server = new ProductClient(
    env['VAULT_ADDR'] || 'http://127.0.0.1:8200',
    {
      'X-Vault-Token': tokenOf(env),
      'X-Vault-Namespace': env['VAULT_NAMESPACE'],
    },
    2,
  )
  const subcommandArguments = parseArguments(argv.slice(2), ['orphan'])
  const commandArguments = parseArguments(argv.slice(1), ['f', 'force'])
  switch (name) {
    case 'kv put':
      return putSecret(server, subcommandArguments, call)
    case 'kv get':
      return getSecret(server, subcommandArguments)
    case 'secrets enable':
      return enableMount(server, subcommandArguments, 'mounts')
    case 'auth enable':
      return enableMount(server, subcommandArguments, 'auth')
    case 'policy write': {
      const [policy = '', file = ''] = requirePositionals(
        subcommandArguments,
        2,
        'policy write NAME FILE',
      )
      const text = readFileOrStdin(file, call)
      await server.send('PUT', `sys/policies/acl/${encodeURIComponent(policy)}`, { policy: text })
      return `Success! Uploaded policy: ${policy}\n`
    }
    case 'token create':
      return createToken(server, subcommandArguments)
    case 'plugin register':
      return registerPlugin(server, subcommandArguments)
    case 'operator init':
      return initialize(server, parseArguments(argv.slice(2), ['tls-skip-verify']))
    case 'operator unseal': {
      const [key = ''] = requirePositionals(subcommandArguments, 1, 'operator unseal KEY')
      const { value } = await server.send('PUT', 'sys/unseal', { key })
      return renderStatus(server, subcommandArguments, value)
    }
    case 'operator generate-root':
      return decodedRootToken(parseArguments(argv.slice(2), ['tls-skip-verify']))
  }
  switch (group) {
    case 'login':
      return login(
        server,
        parseArguments(argv.slice(1), ['no-store', 'no-print', 'token-only']),
        env,
      )
    case 'status':
      return status(server, commandArguments)
    case 'list':
      return listKeys(server, commandArguments)
    case 'patch': {
      const [path = '', ...data] = requirePositionals(
        commandArguments,
        1,
        'patch PATH KEY=VALUE...',
      )
      const headers = { 'content-type': 'application/merge-patch+json' }
      const body = parseData(data, call)
      const { value } = await server.send('PATCH', encodePath(path), body, headers)
      return renderWriteReply(commandArguments, path, value)
    }
  }
  if (group === 'write') {
    const [path = '', ...data] = requirePositionals(commandArguments, 1, 'write PATH KEY=VALUE...')
    const { value } = await server.send('PUT', encodePath(path), parseData(data, call))
    return renderWriteReply(commandArguments, path, value)
  }
  if (group === 'read' || group === 'delete') {
    const [path = ''] = requirePositionals(commandArguments, 1, `${group} PATH`)
    const { value } = await server.send(group === 'read' ? 'GET' : 'DELETE', encodePath(path))
    if (group === 'delete') return `Success! Data deleted (if it existed) at: ${path}\n`
    return renderReply(commandArguments, value, memberOf(value, 'data'))
  }
  throw new CommandFailure(
    `vault ${argv.slice(0, 2).join(' ')} is not supported here; supported are kv put, kv get, secrets enable, auth enable, policy write, token create, plugin register, operator init, operator unseal, operator generate-root, login, status, list, write, patch, read, delete`,
    2,
  )
}

/** Members that `-format=json` prints for every reply, with their default values. */
const replyMembers = {
  request_id: '',
  lease_id: '',
  lease_duration: 0,
  renewable: false,
  data: null,
  warnings: null,
}

/**
 * Formats the member of a reply that `-field` names. Without `-field`, formats the whole reply if
 * the call has `-format=json`, and else the reply's data. Throws a `CommandFailure` if `data` does
 * not have the member.
 *
 * @param data part of the reply that contains the member
 */
function renderReply(args: ParsedArguments, reply: unknown, data: unknown): string {
  const field = flagOf(args, 'field')
  if (field !== undefined || flagOf(args, 'format') !== 'json') return renderField(data, field)
  const always = Object.entries(replyMembers).map(([name, absent]) => {
    return [name, memberOf(reply, name) ?? absent]
  })
  const present = ['auth', 'wrap_info'].flatMap((name) => {
    const value = memberOf(reply, name)
    return value === undefined || value === null ? [] : [[name, value]]
  })
  return `${JSON.stringify(Object.fromEntries([...always, ...present]), null, 2)}\n`
}

/**
 * Returns the output of a write. If the reply has data or a login, `renderReply` formats the
 * output; otherwise, the output is one line of text.
 */
function renderWriteReply(args: ParsedArguments, path: string, reply: unknown): string {
  const result = memberOf(reply, 'data') ?? memberOf(reply, 'auth')
  return result ? renderReply(args, reply, result) : `Success! Data written to: ${path}\n`
}

function requirePositionals({ positionals }: ParsedArguments, count: number, usage: string) {
  if (positionals.length >= count) return positionals
  throw new CommandFailure(`usage: vault ${usage}`, 2)
}

/**
 * Parses arguments into the members of an object. An argument is `key=value`, `key=@file`, `key=-`
 * or a whole JSON object, usually as `@file` or `-`. Throws a `CommandFailure` if an argument
 * without `=` is not a JSON object, and if a file cannot be read.
 */
function parseData(words: readonly string[], call: ProductCall): Record<string, unknown> {
  const data: Record<string, unknown> = {}
  for (const word of words) {
    const at = word.indexOf('=')
    if (at < 0) Object.assign(data, parseJsonObject(argumentText(word, call)))
    else data[word.slice(0, at)] = argumentText(word.slice(at + 1), call)
  }
  return data
}

function parseJsonObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // The failure below reports invalid JSON.
  }
  throw new CommandFailure('data must be KEY=VALUE, or a JSON object as @FILE or -', 2)
}

/**
 * Asks the server for the mount of a secret. Returns the encoded API path of the secret, and
 * whether the secret's engine is versioned.
 */
async function locateSecret(server: ProductClient, args: ParsedArguments, path: string) {
  const mountFlag = flagOf(args, 'mount')
  const fullPath = mountFlag === undefined ? path : `${mountFlag.replace(/\/$/, '')}/${path}`
  const { value } = await server.send('GET', `sys/internal/ui/mounts/${encodePath(fullPath)}`)
  const mount = textAt(value, 'data', 'path')
  const isVersioned = textAt(value, 'data', 'options', 'version') === '2'
  const relativePath = fullPath.slice(mount.length)
  return {
    isVersioned,
    path: encodePath(isVersioned ? `${mount}data/${relativePath}` : `${mount}${relativePath}`),
  }
}

async function putSecret(server: ProductClient, args: ParsedArguments, call: ProductCall) {
  const [path = '', ...words] = requirePositionals(args, 2, 'kv put PATH KEY=VALUE...')
  const data = parseData(words, call)
  const location = await locateSecret(server, args, path)
  await server.send('PUT', location.path, location.isVersioned ? { data } : data)
  return `Success! Data written to: ${decodeURIComponent(location.path)}\n`
}

async function getSecret(server: ProductClient, args: ParsedArguments): Promise<string> {
  const [path = ''] = requirePositionals(args, 1, 'kv get PATH')
  const location = await locateSecret(server, args, path)
  const { value } = await server.send('GET', location.path)
  const data = location.isVersioned ? memberOf(value, 'data', 'data') : memberOf(value, 'data')
  return renderReply(args, value, data)
}

async function enableMount(server: ProductClient, args: ParsedArguments, table: 'mounts' | 'auth') {
  const command = table === 'mounts' ? 'secrets' : 'auth'
  const [type = ''] = requirePositionals(args, 1, `${command} enable [-path=PATH] TYPE`)
  const path = (flagOf(args, 'path') ?? type).replace(/\/$/, '')
  const version = flagOf(args, 'version') ?? (type === 'kv-v2' ? '2' : undefined)
  await server.send('POST', `sys/${table}/${encodePath(path)}`, {
    type: type === 'kv-v2' ? 'kv' : type,
    description: flagOf(args, 'description') ?? '',
    ...(version === undefined ? {} : { options: { version } }),
  })
  const kind = table === 'mounts' ? `the ${type} secrets engine` : `${type} auth method`
  return `Success! Enabled ${kind} at: ${path}/\n`
}

async function createToken(server: ProductClient, args: ParsedArguments): Promise<string> {
  const policies = args.flags.get('policy')
  const members = {
    id: flagOf(args, 'id'),
    ttl: flagOf(args, 'ttl'),
    period: flagOf(args, 'period'),
  }
  const { value } = await server.send('POST', 'auth/token/create', {
    ...Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined)),
    ...(policies === undefined ? {} : { policies }),
    ...(flagOf(args, 'orphan') === undefined ? {} : { no_parent: true }),
  })
  const auth = memberOf(value, 'auth')
  return renderReply(args, value, { ...Object(auth), token: memberOf(auth, 'client_token') })
}

async function listKeys(server: ProductClient, args: ParsedArguments): Promise<string> {
  const [path = ''] = requirePositionals(args, 1, 'list PATH')
  const { value } = await server.send('GET', `${encodePath(path)}?list=true`)
  const keys: unknown = memberOf(value, 'data', 'keys')
  const names = Array.isArray(keys) ? keys : []
  if (flagOf(args, 'format') === 'json') return `${JSON.stringify(names, null, 2)}\n`
  return ['Keys', '----', ...names].map((name) => `${name}\n`).join('')
}

async function registerPlugin(server: ProductClient, args: ParsedArguments): Promise<string> {
  const usage = 'plugin register -sha256=HASH TYPE NAME'
  const [type = '', name = ''] = requirePositionals(args, 2, usage)
  await server.send('PUT', `sys/plugins/catalog/${encodePath(type)}/${encodePath(name)}`, {
    command: flagOf(args, 'command') ?? name,
    sha256: flagOf(args, 'sha256') ?? '',
    args: args.flags.get('args') ?? [],
    env: args.flags.get('env') ?? [],
    version: flagOf(args, 'version') ?? '',
  })
  return `Success! Registered plugin: ${name}\n`
}

/**
 * Decodes the root token in `-decode` with the one-time password in `-otp`. Throws a
 * `CommandFailure` with the usage if a flag is missing.
 */
function decodedRootToken(args: ParsedArguments): string {
  const [encoded, otp] = [flagOf(args, 'decode'), flagOf(args, 'otp')]
  if (encoded === undefined || otp === undefined) {
    throw new CommandFailure('usage: vault operator generate-root -decode=TOKEN -otp=OTP', 2)
  }
  const mask = Buffer.from(otp)
  const token = Buffer.from(encoded, 'base64').map((byte, at) => byte ^ (mask[at] ?? 0))
  return `${Buffer.from(token)}\n`
}
