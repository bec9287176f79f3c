import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { isSameOrigin } from '../http/journal-hooks/foreign-page.ts'
import { HttpProblem } from './errors.ts'
import { isInspectorPath } from './inspector.ts'

/** The properties of a request that the safety rules check. */
export interface CheckedRequest {
  /** Path without the query, relative to the prefix of the control plane: `/health`. */
  readonly path: string
  /** Scheme: `http` or `https`. */
  readonly protocol: string
  readonly headers: {
    readonly host?: string | undefined
    readonly origin?: string | undefined
    readonly authorization?: string | undefined
  }
}

/** Settings that decide which callers are accepted (behaviour/program#safety). */
export interface SafetyOptions {
  /** Configured host names that are trusted, in lower case, without ports. */
  readonly allowedHosts: readonly string[]
  /**
   * Bearer token that is required for everything except the health checks and the files of the
   * inspector; undefined if no token is required.
   */
  readonly controlToken?: string | undefined
}

/** Paths without sensitive data. Orchestrators request them without a token. */
const openPaths = new Set(['/health', '/ready'])

/**
 * Refuses requests of foreign web pages: requests with the Origin of another page, and requests for
 * host names that lead to this server only because of DNS rebinding. If a token is configured, also
 * checks the token, except for the health checks and the files of the inspector.
 * @throws {HttpProblem} 403 for a foreign page or host name, 401 for a missing or wrong token
 */
export function checkCaller(request: CheckedRequest, options: SafetyOptions): void {
  const { host, origin, authorization } = request.headers
  // Only old clients send no Host header; browsers always send one.
  if (host !== undefined && host !== '' && !isTrustedHost(host, options.allowedHosts)) {
    throw new HttpProblem(
      403,
      `the control plane does not answer to the host name "${host}"; allow it with --allowed-hosts`,
    )
  }
  if (origin !== undefined && !isSameOrigin(origin, host ?? '', request.protocol)) {
    throw new HttpProblem(403, `the control plane refuses requests of web pages from "${origin}"`)
  }
  const { controlToken } = options
  if (controlToken === undefined || openPaths.has(request.path)) return
  // The inspector's files contain no data, and its page asks for the token.
  if (isInspectorPath(request.path)) return
  const [, token] = /^bearer +(\S+)$/i.exec(authorization?.trim() ?? '') ?? []
  if (token !== undefined && isEqualToken(token, controlToken)) return
  throw new HttpProblem(
    401,
    token === undefined
      ? 'the control plane wants its token: Authorization: Bearer <control token>'
      : 'this is not the control token',
    { 'www-authenticate': 'Bearer realm="control plane"' },
  )
}

/**
 * Returns true for an IP address, `localhost` or a name below it, a name without dots, or an
 * allowed name.
 */
function isTrustedHost(host: string, allowed: readonly string[]): boolean {
  const [, bracketedHost, plainHost] =
    /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.toLowerCase()) ?? []
  if (bracketedHost !== undefined) return isIP(bracketedHost) === 6
  if (plainHost === undefined || plainHost === '') return false
  if (isIP(plainHost) === 4 || !plainHost.includes('.') || plainHost.endsWith('.localhost'))
    return true
  return allowed.includes(plainHost)
}

/**
 * Returns whether two tokens are equal. Compares their digests, so that the time taken reveals
 * nothing about the tokens.
 */
function isEqualToken(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
