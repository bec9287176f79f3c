/** A request that can be sent again. */
export interface Sendable {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Headers that every client sets for itself. */
const clientHeaders = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'origin',
  'referer',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'transfer-encoding',
  'user-agent',
])

/** The headers that say something of the request rather than of who sent it. */
export function relevantHeaders(
  headers: Readonly<Record<string, string>>,
): readonly (readonly [string, string])[] {
  return Object.entries(headers).filter(
    ([name]) => !clientHeaders.has(name) && !name.startsWith('sec-ch-'),
  )
}

/** The query of a journal's entry as it stands in an address; empty without one. */
export function queryText(query: Readonly<Record<string, string | readonly string[]>>): string {
  const parts = Object.entries(query).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map(
      (each) => `${encodeURIComponent(name)}=${encodeURIComponent(each)}`,
    ),
  )
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

/** A body as it is sent; empty without one. */
export function bodyText(body: unknown): string {
  if (body === undefined) return ''
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/** A text as one word of a POSIX shell; values that `variables` knows as the variables that hold them. */
export function shellWord(
  text: string,
  variables: ReadonlyMap<string, string> = new Map(),
): string {
  const known = [...variables].filter(([value]) => value !== '' && text.includes(value))
  if (known.length > 0) {
    const escaped = text.replace(/[\\"$`]/g, '\\$&')
    const named = known.reduce((word, [value, name]) => word.replaceAll(value, `$${name}`), escaped)
    return `"${named}"`
  }
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/**
 * A request as a curl command.
 *
 * @param origin what stands before the path
 * @param variables names of environment variables by the values they hold
 */
export function curlOf(
  request: Sendable,
  origin: string,
  variables: ReadonlyMap<string, string> = new Map(),
): string {
  const { method, path, headers } = request
  const body = bodyText(request.body)
  const defaultMethod = body === '' ? 'GET' : 'POST'
  const verb = method === 'HEAD' ? ['--head'] : method === defaultMethod ? [] : ['-X', method]
  const words = [
    'curl',
    ...verb,
    shellWord(`${origin}${path}`),
    ...relevantHeaders(headers).flatMap(([name, value]) => [
      '-H',
      shellWord(`${name}: ${value}`, variables),
    ]),
    ...(body === '' ? [] : ['--data-raw', shellWord(body, variables)]),
  ]
  return words.join(' ').replaceAll(/ (-H|--data-raw) /g, ' \\\n  $1 ')
}
