import { readFileSync } from 'node:fs'
import { memberOf, textAt } from '../capture/real-server.ts'
import {
  argumentText,
  CommandFailure,
  flagOf,
  type ParsedArguments,
  type ProductCall,
  ProductClient,
  parseArguments,
  readFileOrStdin,
} from './product-call.ts'

/** Encodes a part of a path below `/v1/`, except for its slashes. */
function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

/** Runs a setup command of `vault`. Returns its output. */
async function runVault(call: ProductCall): Promise<string> {
  const { argv, env } = call
  const [group = '', verb = ''] = argv
  const name = `${group} ${verb}`
  const server = new ProductClient(
    env['VAULT_ADDR'] || 'http://127.0.0.1:8200',
    {
      'X-Vault-Token': env['VAULT_TOKEN'] || env['VAULT_DEV_ROOT_TOKEN_ID'] || 'root',
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
      return enable(server, subcommandArguments, 'mounts')
    case 'auth enable':
      return enable(server, subcommandArguments, 'auth')
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
  }
  if (group === 'write') {
    const [path = '', ...data] = requirePositionals(commandArguments, 1, 'write PATH KEY=VALUE...')
    const { value } = await server.send('PUT', encodePath(path), parseData(data, call))
    const result = memberOf(value, 'data') ?? memberOf(value, 'auth')
    return result ? `${JSON.stringify(result, null, 2)}\n` : `Success! Data written to: ${path}\n`
  }
  if (group === 'read' || group === 'delete') {
    const [path = ''] = requirePositionals(commandArguments, 1, `${group} PATH`)
    const { value } = await server.send(group === 'read' ? 'GET' : 'DELETE', encodePath(path))
    if (group === 'delete') return `Success! Data deleted (if it existed) at: ${path}\n`
    return renderField(memberOf(value, 'data'), flagOf(commandArguments, 'field'))
  }
  throw new CommandFailure(
    `vault ${argv.slice(0, 2).join(' ')} is not supported here; supported are kv put, kv get, secrets enable, auth enable, policy write, token create, write, read, delete`,
    2,
  )
}

function requirePositionals({ positionals }: ParsedArguments, count: number, usage: string) {
  if (positionals.length >= count) return positionals
  throw new CommandFailure(`usage: vault ${usage}`, 2)
}

/** Parses arguments into members: `key=value`, `key=@file`, `key=-`, or one JSON object. */
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
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // The failure below reports invalid JSON.
  }
  throw new CommandFailure('data must be KEY=VALUE, or a JSON object as @FILE or -', 2)
}

/** Returns the path of a secret in requests, and whether its engine is versioned. */
async function locateSecret(server: ProductClient, call: ParsedArguments, path: string) {
  const mountFlag = flagOf(call, 'mount')
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

async function putSecret(server: ProductClient, call: ParsedArguments, productCall: ProductCall) {
  const [path = '', ...words] = requirePositionals(call, 2, 'kv put PATH KEY=VALUE...')
  const data = parseData(words, productCall)
  const location = await locateSecret(server, call, path)
  await server.send('PUT', location.path, location.isVersioned ? { data } : data)
  return `Success! Data written to: ${decodeURIComponent(location.path)}\n`
}

async function getSecret(server: ProductClient, call: ParsedArguments): Promise<string> {
  const [path = ''] = requirePositionals(call, 1, 'kv get PATH')
  const location = await locateSecret(server, call, path)
  const { value } = await server.send('GET', location.path)
  const data = location.isVersioned ? memberOf(value, 'data', 'data') : memberOf(value, 'data')
  return renderField(data, flagOf(call, 'field'))
}

function renderField(data: unknown, field: string | undefined): string {
  if (field === undefined) return `${JSON.stringify(data, null, 2)}\n`
  const value = memberOf(data, field)
  if (value === undefined) throw new CommandFailure(`Field "${field}" not present in secret`)
  return `${typeof value === 'string' ? value : JSON.stringify(value)}\n`
}

async function enable(server: ProductClient, call: ParsedArguments, table: 'mounts' | 'auth') {
  const command = table === 'mounts' ? 'secrets' : 'auth'
  const [type = ''] = requirePositionals(call, 1, `${command} enable [-path=PATH] TYPE`)
  const path = (flagOf(call, 'path') ?? type).replace(/\/$/, '')
  const version = flagOf(call, 'version') ?? (type === 'kv-v2' ? '2' : undefined)
  await server.send('POST', `sys/${table}/${encodePath(path)}`, {
    type: type === 'kv-v2' ? 'kv' : type,
    description: flagOf(call, 'description') ?? '',
    ...(version === undefined ? {} : { options: { version } }),
  })
  const kind = table === 'mounts' ? `the ${type} secrets engine` : `${type} auth method`
  return `Success! Enabled ${kind} at: ${path}/\n`
}

async function createToken(server: ProductClient, call: ParsedArguments): Promise<string> {
  const policies = call.flags.get('policy')
  const members = {
    id: flagOf(call, 'id'),
    ttl: flagOf(call, 'ttl'),
    period: flagOf(call, 'period'),
  }
  const { value } = await server.send('POST', 'auth/token/create', {
    ...Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined)),
    ...(policies === undefined ? {} : { policies }),
    ...(flagOf(call, 'orphan') === undefined ? {} : { no_parent: true }),
  })
  const auth = memberOf(value, 'auth')
  const field = flagOf(call, 'field')
  return renderField(auth, field === 'token' ? 'client_token' : field)
}

/** Runs a setup command of `consul`. Returns its output. */
async function runConsul(call: ProductCall): Promise<string> {
  const { argv, env } = call
  const parsed = parseArguments(argv.slice(2))
  const [key = '', value = ''] = parsed.positionals
  const server = new ProductClient(env['CONSUL_HTTP_ADDR'] || '127.0.0.1:8500', {
    'X-Consul-Token': flagOf(parsed, 'token') ?? env['CONSUL_HTTP_TOKEN'],
  })
  const path = `kv/${key.split('/').map(encodeURIComponent).join('/')}`
  switch (argv.slice(0, 2).join(' ')) {
    case 'kv put':
      await server.send('PUT', path, argumentText(value, call))
      return `Success! Data written to: ${key}\n`
    case 'kv get': {
      const { value: entries } = await server.send('GET', path)
      const [entry]: unknown[] = Array.isArray(entries) ? entries : []
      return `${Buffer.from(textAt(entry, 'Value'), 'base64')}\n`
    }
    case 'kv delete':
      await server.send('DELETE', path)
      return `Success! Deleted key: ${key}\n`
    case 'acl bootstrap': {
      const { value: token } = await server.send('PUT', 'acl/bootstrap')
      return renderToken(token)
    }
  }
  throw new CommandFailure(
    `consul ${argv.slice(0, 2).join(' ')} is not supported here; supported are kv put, kv get, kv delete, acl bootstrap`,
  )
}

function renderToken(token: unknown): string {
  return ['AccessorID', 'SecretID', 'Description']
    .map((name) => `${`${name}:`.padEnd(18)}${textAt(token, name)}\n`)
    .join('')
}

/** Runs a setup command of `nomad`. Returns its output. */
async function runNomad(call: ProductCall): Promise<string> {
  const { argv, env } = call
  const parsed = parseArguments(argv.slice(2), ['detach', 'json'])
  const [word = ''] = parsed.positionals
  const server = new ProductClient(env['NOMAD_ADDR'] || 'http://127.0.0.1:4646', {
    'X-Nomad-Token': flagOf(parsed, 'token') ?? env['NOMAD_TOKEN'],
  })
  switch (argv.slice(0, 2).join(' ')) {
    case 'job run': {
      const text = readFileOrStdin(word, call)
      const body = { JobHCL: text, Canonicalize: true }
      const job = /^\s*\{/.test(text)
        ? parseJob(text)
        : (await server.send('POST', 'jobs/parse', body)).value
      const namespace = flagOf(parsed, 'namespace') ?? env['NOMAD_NAMESPACE'] ?? ''
      const query = namespace === '' ? '' : `?namespace=${encodeURIComponent(namespace)}`
      const { value } = await server.send('POST', `jobs${query}`, { Job: job })
      return `Job registration successful\nEvaluation ID: ${textAt(value, 'EvalID')}\n`
    }
    case 'namespace apply': {
      const Description = flagOf(parsed, 'description') ?? ''
      await server.send('POST', 'namespace', { Name: word, Description })
      return `Successfully applied namespace "${word}"!\n`
    }
    case 'acl bootstrap':
      return renderToken((await server.send('POST', 'acl/bootstrap')).value)
  }
  throw new CommandFailure(
    `nomad ${argv.slice(0, 2).join(' ')} is not supported here; supported are job run, namespace apply, acl bootstrap`,
  )
}

function parseJob(text: string): unknown {
  try {
    const job: unknown = JSON.parse(text)
    return typeof job === 'object' && job !== null && 'Job' in job ? job.Job : job
  } catch {
    throw new CommandFailure('the job is not valid JSON')
  }
}

const commands: Readonly<Record<string, (call: ProductCall) => Promise<string>>> = {
  vault: runVault,
  consul: runConsul,
  nomad: runNomad,
}

/** Output of a command: standard output if it succeeds, standard error if it fails. */
export type ProductCommandResult =
  | { readonly code: 0; readonly text: string }
  | { readonly code: number; readonly line: string }

/**
 * Runs a product's command for scripts that set a server up inside its container
 * (behaviour/program#drop-in): `vault kv put`, `consul acl bootstrap` and a few more.
 *
 * @param argv name of the product, followed by the command's arguments
 */
export async function runAs(
  argv: readonly string[],
  env: ProductCall['env'],
  stdin: () => string = () => readFileSync(0, 'utf8'),
): Promise<ProductCommandResult> {
  const [product = '', ...rest] = argv
  const command = Object.hasOwn(commands, product) ? commands[product] : undefined
  if (command === undefined) {
    return { code: 2, line: `as needs a product: ${Object.keys(commands).join(', ')}` }
  }
  try {
    return { code: 0, text: await command({ argv: rest, env, stdin }) }
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    return { code: error.code, line: error.message }
  }
}
