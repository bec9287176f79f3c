import { quoteGo } from '../../go/text.ts'

/**
 * Messages about errors of an entry, in the order of the reference's checks. A refusal contains
 * only the first message.
 */
export type Problems = Generator<string, void, undefined>

/** Formats errors like the Go library go-multierror, which the reference uses. */
export function formatErrors(errors: readonly string[]): string {
  const heading = errors.length === 1 ? '1 error' : `${errors.length} errors`
  return `${heading} occurred:\n${errors.map((error) => `\t* ${error}\n`).join('')}\n`
}

/** Yields one problem that lists all errors; yields nothing if there are no errors. */
export function* asOneProblem(errors: readonly string[]): Problems {
  if (errors.length > 0) yield formatErrors(errors)
}

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

/** Yields one problem that lists all errors of an entry's metadata, if there are any. */
export function metaProblems(meta?: Readonly<Record<string, string>>): Problems {
  return asOneProblem(metaErrors(meta))
}

/**
 * Returns whether a protocol is HTTP or based on it, so that routes can match paths and headers.
 */
export function isHttpLike(protocol: string): boolean {
  return protocol === 'http' || protocol === 'http2' || protocol === 'grpc'
}

/** Ways to match a string. A condition must have exactly one of them. */
interface MatchParts {
  readonly Present?: boolean
  readonly Exact?: string
  readonly Prefix?: string
  readonly Suffix?: string
  readonly Regex?: string
}

export function countMatchParts({ Present, Exact, Prefix, Suffix, Regex }: MatchParts): number {
  return [Present, Exact, Prefix, Suffix, Regex].filter(Boolean).length
}

/** Ways to match a path. A condition may have at most one of them. */
interface PathParts {
  readonly PathExact?: string
  readonly PathPrefix?: string
  readonly PathRegex?: string
}

/**
 * Yields the problems of a condition on paths.
 *
 * @param location the start of the messages
 * @param separator text between `location` and the name of a member
 */
export function* pathProblems(parts: PathParts, location: string, separator: string): Problems {
  for (const name of ['PathExact', 'PathPrefix'] as const) {
    const path = parts[name]
    if (path && !path.startsWith('/')) {
      yield `${location}${separator}${name} doesn't start with '/': ${quoteGo(path)}`
    }
  }
  if (countPaths(parts) > 1) {
    yield `${location} should only contain at most one of PathExact, PathPrefix, or PathRegex`
  }
}

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

export function isHttpMethod(method: string): boolean {
  return httpMethods.has(method)
}

/**
 * Yields a problem for each unknown or repeated HTTP method.
 *
 * @param location the start of the messages
 */
export function* methodProblems(methods: readonly string[] = [], location: string): Problems {
  for (const [at, method] of methods.entries()) {
    if (!isHttpMethod(method))
      yield `${location}Methods contains an invalid method ${quoteGo(method)}`
    if (methods.indexOf(method) < at) {
      yield `${location}Methods contains ${quoteGo(method)} more than once`
    }
  }
}

/** Returns whether a string is a DNS name: at most 253 characters, in labels of at most 63. */
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
