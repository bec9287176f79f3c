import { bodyText, type Sendable, shellWord } from './curl.ts'

/** What stands of a request in a product's own command line. */
interface Asked {
  readonly method: string
  /** Segments of the path below `/v1`, decoded. */
  readonly segments: readonly string[]
  readonly query: URLSearchParams
  readonly namespace: string | undefined
  readonly body: unknown
}

/**
 * A request as the product's own command line sends it.
 *
 * @returns undefined where there is none for it
 */
export function commandLineOf(service: string, request: Sendable): string | undefined {
  const [path = '', query = ''] = request.path.split('?', 2)
  const asked: Asked = {
    method: request.method,
    segments: path
      .replace(/^\/v1\//, '')
      .split('/')
      .map(decoded),
    query: new URLSearchParams(query),
    namespace: namespaceOf(request.headers),
    body: request.body,
  }
  if (!path.startsWith('/v1/')) return undefined
  if (service === 'secrets') return secretsLine(asked)
  if (service === 'mesh') return meshLine(asked)
  if (service === 'scheduler') return schedulerLine(asked, request)
  return undefined
}

/** A text of an address as it reads; as it stands there where it cannot be read. */
export function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** The namespace that a request to the secrets API names. */
export function namespaceOf(headers: Sendable['headers']): string | undefined {
  return headers['x-vault-namespace'] ?? headers['x-secrets-namespace']
}

const flag = (name: string, value: string | null | undefined): readonly string[] =>
  value === null || value === undefined || value === '' ? [] : [shellWord(`-${name}=${value}`)]

const line = (...words: readonly string[]): string => words.join(' ')

/** A body behind a command that reads it from its standard input. */
function fed(command: string, body: unknown): string {
  return `${command} - <<'EOF'\n${bodyText(body)}\nEOF`
}

function secretsLine({ method, segments, query, namespace, body }: Asked): string | undefined {
  const path = segments.join('/')
  const flags = flag('namespace', namespace)
  const data = segments.indexOf('data')
  if (data > 0 && data < segments.length - 1) {
    const mount = flag('mount', segments.slice(0, data).join('/'))
    const key = shellWord(segments.slice(data + 1).join('/'))
    if (method === 'GET') {
      return line('vault kv get', ...flags, ...mount, ...flag('version', query.get('version')), key)
    }
    if (method === 'DELETE') return line('vault kv delete', ...flags, ...mount, key)
    const { data: values, options } = members(body)
    const verb = method === 'PATCH' ? 'patch' : 'put'
    const cas = members(options)['cas']
    const casFlag = cas === undefined ? [] : flag('cas', String(cas))
    return written(line('vault kv', verb, ...flags, ...mount, ...casFlag, key), values)
  }
  const lists = method === 'LIST' || (method === 'GET' && query.get('list') === 'true')
  if (lists) return line('vault list', ...flags, shellWord(path))
  if (method === 'GET') return line('vault read', ...flags, shellWord(path))
  if (method === 'DELETE') return line('vault delete', ...flags, shellWord(path))
  if (method === 'PATCH') return fed(line('vault patch', ...flags, shellWord(path)), body ?? {})
  if (method !== 'POST' && method !== 'PUT') return undefined
  return written(line('vault write', ...flags, shellWord(path)), body)
}

/** A command that takes values as `name=value`, or as JSON where one of them is no plain value. */
function written(command: string, values: unknown): string {
  if (values === undefined || values === null) return `${command} -force`
  const named = Object.entries(members(values))
  const plain = named.every(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
  if (typeof values !== 'object' || !plain) return fed(command, values)
  if (named.length === 0) return `${command} -force`
  return line(command, ...named.map(([name, value]) => shellWord(`${name}=${value}`)))
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function meshLine({ method, segments, query, body }: Asked): string | undefined {
  const [first = '', ...rest] = segments
  const name = shellWord(rest.join('/'))
  const flags = flag('namespace', query.get('ns'))
  if (first === 'namespaces') return method === 'GET' ? 'consul namespace list' : undefined
  if (first === 'namespace') {
    if (method === 'GET') return line('consul namespace read', name)
    if (method === 'DELETE') return line('consul namespace delete', name)
    return fed('consul namespace write', body ?? {})
  }
  if (first !== 'kv') return undefined
  const many = query.has('recurse') ? ['-recurse'] : query.has('keys') ? ['-keys'] : []
  if (method === 'GET') return line('consul kv get', ...flags, ...many, name)
  if (method === 'DELETE') return line('consul kv delete', ...flags, ...many, name)
  return method === 'PUT'
    ? line('consul kv put', ...flags, name, shellWord(bodyText(body)))
    : undefined
}

function schedulerLine(asked: Asked, { path }: Sendable): string {
  const { method, segments, query, body } = asked
  const [first = '', id, ...rest] = segments
  const flags = flag('namespace', query.get('namespace'))
  const isPlain = rest.length === 0 && body === undefined
  if (isPlain && method === 'GET') {
    if (first === 'jobs' && id === undefined) return line('nomad job status', ...flags)
    if (first === 'nodes' && id === undefined) return 'nomad node status'
    if (first === 'job' && id !== undefined) {
      return line('nomad job inspect', ...flags, shellWord(id))
    }
    if (first === 'allocation' && id !== undefined) return line('nomad alloc status', shellWord(id))
  }
  if (isPlain && method === 'DELETE' && first === 'job' && id !== undefined) {
    const purge = query.get('purge') === 'true' ? ['-purge'] : []
    return line('nomad job stop', ...flags, ...purge, shellWord(id))
  }
  const api = line(
    'nomad operator api',
    ...(method === 'GET' ? [] : ['-X', method]),
    shellWord(path),
  )
  return body === undefined ? api : `${api} <<'EOF'\n${bodyText(body)}\nEOF`
}
