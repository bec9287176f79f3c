/** Request that can be sent again. */
export interface Sendable {
  readonly method: string
  /** Path with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Headers that clients set automatically. */
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

/** Returns the headers of a request without those that its client sets automatically. */
function relevantHeaders(
  headers: Readonly<Record<string, string>>,
): readonly (readonly [string, string])[] {
  return Object.entries(headers).filter(
    ([name]) => !clientHeaders.has(name) && !name.startsWith('sec-ch-'),
  )
}

/** Formats the query of a journal entry, with its `?`; empty if there are no parameters. */
export function queryText(query: Readonly<Record<string, string | readonly string[]>>): string {
  const parts = Object.entries(query).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map(
      (each) => `${encodeURIComponent(name)}=${encodeURIComponent(each)}`,
    ),
  )
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

/**
 * Returns the text to send for a body: a string unchanged, any other value as JSON, and an empty
 * string without a body.
 */
export function bodyText(body: unknown): string {
  if (body === undefined) return ''
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/**
 * Quotes a text as one word of a POSIX shell. Each occurrence of a key of `variables` becomes a
 * reference to the variable that the key's value names.
 */
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
 * Formats a request as a curl command.
 *
 * @param origin origin that precedes the path
 * @param variables names of environment variables by their values
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
