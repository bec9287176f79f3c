import { memberOf, textAt } from './real-server.ts'
import {
  Asked,
  CallFailure,
  fileOrInput,
  flagOf,
  type GoCall,
  goCall,
  type StandInCall,
  textFor,
} from './stand-in-call.ts'

/** Part of a path below `/v1/`; its slashes stay. */
function encoded(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

/** Plays the commands of `vault` that set a server up; returns what it prints. */
export async function standInVault(call: StandInCall): Promise<string> {
  const { argv, env } = call
  const [group = '', verb = ''] = argv
  const name = `${group} ${verb}`
  const server = new Asked(
    env['VAULT_ADDR'] || 'http://127.0.0.1:8200',
    {
      'X-Vault-Token': env['VAULT_TOKEN'] || env['VAULT_DEV_ROOT_TOKEN_ID'] || 'root',
      'X-Vault-Namespace': env['VAULT_NAMESPACE'],
    },
    2,
  )
  const two = goCall(argv.slice(2), ['orphan'])
  const one = goCall(argv.slice(1), ['f', 'force'])
  switch (name) {
    case 'kv put':
      return putSecret(server, two, call)
    case 'kv get':
      return getSecret(server, two)
    case 'secrets enable':
      return enable(server, two, 'mounts')
    case 'auth enable':
      return enable(server, two, 'auth')
    case 'policy write': {
      const [policy = '', file = ''] = needed(two, 2, 'policy write NAME FILE')
      const text = fileOrInput(file, call)
      await server.send('PUT', `sys/policies/acl/${encodeURIComponent(policy)}`, { policy: text })
      return `Success! Uploaded policy: ${policy}\n`
    }
    case 'token create':
      return createToken(server, two)
  }
  if (group === 'write') {
    const [path = '', ...data] = needed(one, 1, 'write PATH KEY=VALUE...')
    const { value } = await server.send('PUT', encoded(path), dataOf(data, call))
    const told = memberOf(value, 'data') ?? memberOf(value, 'auth')
    return told ? `${JSON.stringify(told, null, 2)}\n` : `Success! Data written to: ${path}\n`
  }
  if (group === 'read' || group === 'delete') {
    const [path = ''] = needed(one, 1, `${group} PATH`)
    const { value } = await server.send(group === 'read' ? 'GET' : 'DELETE', encoded(path))
    if (group === 'delete') return `Success! Data deleted (if it existed) at: ${path}\n`
    return shown(memberOf(value, 'data'), flagOf(one, 'field'))
  }
  throw new CallFailure(
    `vault ${argv.slice(0, 2).join(' ')} is not supported here; supported are kv put, kv get, secrets enable, auth enable, policy write, token create, write, read, delete`,
    2,
  )
}

function needed({ words }: GoCall, count: number, usage: string): readonly string[] {
  if (words.length >= count) return words
  throw new CallFailure(`usage: vault ${usage}`, 2)
}

/** The members that arguments say: `key=value`, `key=@file`, `key=-`, or JSON as a whole. */
function dataOf(words: readonly string[], call: StandInCall): Record<string, unknown> {
  const data: Record<string, unknown> = {}
  for (const word of words) {
    const at = word.indexOf('=')
    if (at < 0) Object.assign(data, jsonOf(textFor(word, call)))
    else data[word.slice(0, at)] = textFor(word.slice(at + 1), call)
  }
  return data
}

function jsonOf(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Told below.
  }
  throw new CallFailure('data must be KEY=VALUE, or a JSON object as @FILE or -', 2)
}

/** Where a secret is: its engine, and the path in it. */
async function placeOf(server: Asked, call: GoCall, path: string) {
  const given = flagOf(call, 'mount')
  const whole = given === undefined ? path : `${given.replace(/\/$/, '')}/${path}`
  const { value } = await server.send('GET', `sys/internal/ui/mounts/${encoded(whole)}`)
  const mount = textAt(value, 'data', 'path')
  const isVersioned = textAt(value, 'data', 'options', 'version') === '2'
  const below = whole.slice(mount.length)
  return { isVersioned, path: encoded(isVersioned ? `${mount}data/${below}` : `${mount}${below}`) }
}

async function putSecret(server: Asked, call: GoCall, given: StandInCall): Promise<string> {
  const [path = '', ...words] = needed(call, 2, 'kv put PATH KEY=VALUE...')
  const data = dataOf(words, given)
  const place = await placeOf(server, call, path)
  await server.send('PUT', place.path, place.isVersioned ? { data } : data)
  return `Success! Data written to: ${decodeURIComponent(place.path)}\n`
}

async function getSecret(server: Asked, call: GoCall): Promise<string> {
  const [path = ''] = needed(call, 1, 'kv get PATH')
  const place = await placeOf(server, call, path)
  const { value } = await server.send('GET', place.path)
  const data = place.isVersioned ? memberOf(value, 'data', 'data') : memberOf(value, 'data')
  return shown(data, flagOf(call, 'field'))
}

function shown(data: unknown, field: string | undefined): string {
  if (field === undefined) return `${JSON.stringify(data, null, 2)}\n`
  const value = memberOf(data, field)
  if (value === undefined) throw new CallFailure(`Field "${field}" not present in secret`)
  return `${typeof value === 'string' ? value : JSON.stringify(value)}\n`
}

async function enable(server: Asked, call: GoCall, table: 'mounts' | 'auth'): Promise<string> {
  const what = table === 'mounts' ? 'secrets' : 'auth'
  const [type = ''] = needed(call, 1, `${what} enable [-path=PATH] TYPE`)
  const path = (flagOf(call, 'path') ?? type).replace(/\/$/, '')
  const version = flagOf(call, 'version') ?? (type === 'kv-v2' ? '2' : undefined)
  await server.send('POST', `sys/${table}/${encoded(path)}`, {
    type: type === 'kv-v2' ? 'kv' : type,
    description: flagOf(call, 'description') ?? '',
    ...(version === undefined ? {} : { options: { version } }),
  })
  const kind = table === 'mounts' ? `the ${type} secrets engine` : `${type} auth method`
  return `Success! Enabled ${kind} at: ${path}/\n`
}

async function createToken(server: Asked, call: GoCall): Promise<string> {
  const policies = call.flags.get('policy')
  const members = {
    id: flagOf(call, 'id'),
    ttl: flagOf(call, 'ttl'),
    period: flagOf(call, 'period'),
  }
  const { value } = await server.send('POST', 'auth/token/create', {
    ...Object.fromEntries(Object.entries(members).filter(([, given]) => given !== undefined)),
    ...(policies === undefined ? {} : { policies }),
    ...(flagOf(call, 'orphan') === undefined ? {} : { no_parent: true }),
  })
  const auth = memberOf(value, 'auth')
  const field = flagOf(call, 'field')
  return shown(auth, field === 'token' ? 'client_token' : field)
}
