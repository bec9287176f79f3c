import { quoteGo } from '../../go/text.ts'

/** Problems of an entry in the order in which the reference looks for them. The first one counts. */
export type Problems = Generator<string, void, undefined>

/** Formats several errors as the reference's library does. */
export function formatErrors(errors: readonly string[]): string {
  const heading = errors.length === 1 ? '1 error' : `${errors.length} errors`
  return `${heading} occurred:\n${errors.map((error) => `\t* ${error}\n`).join('')}\n`
}

/** Yields all errors as one problem. */
export function* asOneProblem(errors: readonly string[]): Problems {
  if (errors.length > 0) yield formatErrors(errors)
}

/** Returns the errors of an entry's metadata. */
export function metaErrors(meta: Readonly<Record<string, string>> = {}): readonly string[] {
  const pairs = Object.entries(meta)
  return [
    ...(pairs.length > 64 ? ['Meta exceeds maximum element count 64'] : []),
    ...pairs.flatMap(([key, value]) => [
      ...(key.length > 128 ? [`Meta key ${quoteGo(key)} exceeds maximum length 128`] : []),
      ...(value.length > 512
        ? [`Meta value for key ${quoteGo(key)} exceeds maximum length 512`]
        : []),
    ]),
  ]
}

/** Yields the problem of an entry's metadata. */
export function metaProblems(meta?: Readonly<Record<string, string>>): Problems {
  return asOneProblem(metaErrors(meta))
}

/** Returns whether requests of a protocol have paths and headers. */
export function isHttpLike(protocol: string): boolean {
  return protocol === 'http' || protocol === 'http2' || protocol === 'grpc'
}

/** Parts of a condition on a text, of which at most one is allowed. */
interface MatchParts {
  readonly Present?: boolean
  readonly Exact?: string
  readonly Prefix?: string
  readonly Suffix?: string
  readonly Regex?: string
}

/** Returns how many parts of a condition were sent. */
export function countParts({ Present, Exact, Prefix, Suffix, Regex }: MatchParts): number {
  return [Present, Exact, Prefix, Suffix, Regex].filter(Boolean).length
}

/** Paths of a condition, of which at most one is allowed. */
interface PathParts {
  readonly PathExact?: string
  readonly PathPrefix?: string
  readonly PathRegex?: string
}

/**
 * Yields the problems of the paths of a condition.
 *
 * @param place the start of the messages, with the separator before a member
 */
export function* pathProblems(parts: PathParts, place: string, separator: string): Problems {
  for (const name of ['PathExact', 'PathPrefix'] as const) {
    const path = parts[name]
    if (path && !path.startsWith('/')) {
      yield `${place}${separator}${name} doesn't start with '/': ${quoteGo(path)}`
    }
  }
  if (countPaths(parts) > 1) {
    yield `${place} should only contain at most one of PathExact, PathPrefix, or PathRegex`
  }
}

/** Returns how many paths a condition has. */
export function countPaths({ PathExact, PathPrefix, PathRegex }: PathParts): number {
  return [PathExact, PathPrefix, PathRegex].filter(Boolean).length
}

const httpMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'CONNECT',
  'OPTIONS',
  'TRACE',
])

/** Returns whether a text is a method of HTTP. */
export function isHttpMethod(method: string): boolean {
  return httpMethods.has(method)
}

/** Yields the problems of a list of methods. */
export function* methodProblems(methods: readonly string[] = [], place: string): Problems {
  for (const [at, method] of methods.entries()) {
    if (!isHttpMethod(method)) yield `${place}Methods contains an invalid method ${quoteGo(method)}`
    if (methods.indexOf(method) < at) {
      yield `${place}Methods contains ${quoteGo(method)} more than once`
    }
  }
}

/** Returns whether a text can be the name of a host. */
export function isDomainName(text: string): boolean {
  return (
    text !== '' &&
    text.length <= 253 &&
    text
      .replace(/\.$/, '')
      .split('.')
      .every((label) => label !== '' && label.length <= 63)
  )
}

const tlsVersions = ['TLS_AUTO', 'TLSv1_0', 'TLSv1_1', 'TLSv1_2', 'TLSv1_3']

const cipherSuites: ReadonlySet<string> = new Set(
  ['ECDHE_ECDSA', 'ECDHE_RSA', 'RSA'].flatMap((exchange) => [
    ...['128', '256'].flatMap((bits) => [
      `TLS_${exchange}_WITH_AES_${bits}_GCM_SHA${bits === '128' ? 256 : 384}`,
      `TLS_${exchange}_WITH_AES_${bits}_CBC_SHA`,
    ]),
    ...(exchange === 'RSA' ? [] : [`TLS_${exchange}_WITH_CHACHA20_POLY1305_SHA256`]),
  ]),
)

/** Yields the problems of the versions and cipher suites of encrypted connections. */
export function* tlsProblems(
  least = '',
  greatest = '',
  suites: readonly string[] | null = [],
): Problems {
  for (const version of [least, greatest]) {
    if (version !== '' && !tlsVersions.includes(version)) {
      yield `no matching TLS version found for ${version}, please specify one of [${tlsVersions.join(', ')}]`
    }
  }
  const [low, high] = [least, greatest].map((version) => tlsVersions.indexOf(version))
  if (low !== undefined && high !== undefined && low > 0 && high > 0 && high < low) {
    yield `configuring max version ${greatest} less than the configured min version ${least} is invalid`
  }
  if (suites === null || suites.length === 0) return
  if (least === 'TLSv1_3') {
    yield `configuring CipherSuites is only applicable to connections negotiated with TLS 1.2 or earlier, TLSMinVersion is set to ${least}`
  }
  const unknown = suites.filter((suite) => !cipherSuites.has(suite))
  if (unknown.length > 0) {
    yield `no matching Envoy TLS cipher suite found for ${unknown.join(',')}`
  }
}
