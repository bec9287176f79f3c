import { bodyText, type Sendable, shellWord } from './curl.ts'

/** Parts of a request that the product's command line needs. */
interface ParsedRequest {
  readonly method: string
  /** Decoded segments of the path below `/v1`. */
  readonly segments: readonly string[]
  readonly query: URLSearchParams
  readonly namespace: string | undefined
  readonly body: unknown
}

/**
 * Renders a request as a command of the product's own command line.
 *
 * @returns undefined if no command sends this request
 */
export function commandLineOf(service: string, request: Sendable): string | undefined {
  const [path = '', query = ''] = request.path.split('?', 2)
  const parsed: ParsedRequest = {
    method: request.method,
    segments: path
      .replace(/^\/v1\//, '')
      .split('/')
      .map(decodeSegment),
    query: new URLSearchParams(query),
    namespace: namespaceOf(request.headers),
    body: request.body,
  }
  if (!path.startsWith('/v1/')) return undefined
  if (service === 'secrets') return secretsLine(parsed)
  if (service === 'mesh') return meshLine(parsed)
  if (service === 'scheduler') return schedulerLine(parsed, request)
  return undefined
}

/** Decodes a segment of a path. Returns it unchanged if it is not valid percent-encoding. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Returns the namespace header of a request to the secrets API; undefined if there is none. */
export function namespaceOf(headers: Sendable['headers']): string | undefined {
  return headers['x-vault-namespace'] ?? headers['x-secrets-namespace']
}

const flag = (name: string, value: string | null | undefined): readonly string[] =>
  value === null || value === undefined || value === '' ? [] : [shellWord(`-${name}=${value}`)]

const joinWords = (...words: readonly string[]): string => words.join(' ')

/** Appends a body as a here-document to a command that reads standard input. */
function withStandardInput(command: string, body: unknown): string {
  return `${command} - <<'EOF'\n${bodyText(body)}\nEOF`
}

function secretsLine({
  method,
  segments,
  query,
  namespace,
  body,
}: ParsedRequest): string | undefined {
  const path = segments.join('/')
  const flags = flag('namespace', namespace)
  const dataIndex = segments.indexOf('data')
  if (dataIndex > 0 && dataIndex < segments.length - 1) {
    const mount = flag('mount', segments.slice(0, dataIndex).join('/'))
    const key = shellWord(segments.slice(dataIndex + 1).join('/'))
    if (method === 'GET') {
      return joinWords(
        'vault kv get',
        ...flags,
        ...mount,
        ...flag('version', query.get('version')),
        key,
      )
    }
    if (method === 'DELETE') return joinWords('vault kv delete', ...flags, ...mount, key)
    const { data: values, options } = members(body)
    const verb = method === 'PATCH' ? 'patch' : 'put'
    const cas = members(options)['cas']
    const casFlag = cas === undefined ? [] : flag('cas', String(cas))
    return withValues(joinWords('vault kv', verb, ...flags, ...mount, ...casFlag, key), values)
  }
  const isList = method === 'LIST' || (method === 'GET' && query.get('list') === 'true')
  if (isList) return joinWords('vault list', ...flags, shellWord(path))
  if (method === 'GET') return joinWords('vault read', ...flags, shellWord(path))
  if (method === 'DELETE') return joinWords('vault delete', ...flags, shellWord(path))
  if (method === 'PATCH')
    return withStandardInput(joinWords('vault patch', ...flags, shellWord(path)), body ?? {})
  if (method !== 'POST' && method !== 'PUT') return undefined
  return withValues(joinWords('vault write', ...flags, shellWord(path)), body)
}

/**
 * Appends the members of `values` as `name=value`, or `-force` if `values` has no members. If a
 * member is an object, a list or null, or if `values` is not an object, passes `values` on standard
 * input instead.
 */
function withValues(command: string, values: unknown): string {
  if (values === undefined || values === null) return `${command} -force`
  const entries = Object.entries(members(values))
  const areScalars = entries.every(([, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value),
  )
  if (typeof values !== 'object' || !areScalars) return withStandardInput(command, values)
  if (entries.length === 0) return `${command} -force`
  return joinWords(command, ...entries.map(([name, value]) => shellWord(`${name}=${value}`)))
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function meshLine({ method, segments, query, body }: ParsedRequest): string | undefined {
  const [first = '', ...rest] = segments
  const name = shellWord(rest.join('/'))
  const flags = flag('namespace', query.get('ns'))
  if (first === 'namespaces') return method === 'GET' ? 'consul namespace list' : undefined
  if (first === 'namespace') {
    if (method === 'GET') return joinWords('consul namespace read', name)
    if (method === 'DELETE') return joinWords('consul namespace delete', name)
    return withStandardInput('consul namespace write', body ?? {})
  }
  if (first !== 'kv') return undefined
  const multiKeyFlags = query.has('recurse') ? ['-recurse'] : query.has('keys') ? ['-keys'] : []
  if (method === 'GET') return joinWords('consul kv get', ...flags, ...multiKeyFlags, name)
  if (method === 'DELETE') return joinWords('consul kv delete', ...flags, ...multiKeyFlags, name)
  return method === 'PUT'
    ? joinWords('consul kv put', ...flags, name, shellWord(bodyText(body)))
    : undefined
}

function schedulerLine(parsed: ParsedRequest, { path }: Sendable): string {
  const { method, segments, query, body } = parsed
  const [first = '', id, ...rest] = segments
  const flags = flag('namespace', query.get('namespace'))
  const isPlain = rest.length === 0 && body === undefined
  if (isPlain && method === 'GET') {
    if (first === 'jobs' && id === undefined) return joinWords('nomad job status', ...flags)
    if (first === 'nodes' && id === undefined) return 'nomad node status'
    if (first === 'job' && id !== undefined) {
      return joinWords('nomad job inspect', ...flags, shellWord(id))
    }
    if (first === 'allocation' && id !== undefined)
      return joinWords('nomad alloc status', shellWord(id))
  }
  if (isPlain && method === 'DELETE' && first === 'job' && id !== undefined) {
    const purge = query.get('purge') === 'true' ? ['-purge'] : []
    return joinWords('nomad job stop', ...flags, ...purge, shellWord(id))
  }
  const api = joinWords(
    'nomad operator api',
    ...(method === 'GET' ? [] : ['-X', method]),
    shellWord(path),
  )
  return body === undefined ? api : `${api} <<'EOF'\n${bodyText(body)}\nEOF`
}
