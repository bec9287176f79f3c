import { decodePath } from './decode-path.ts'
/** Placeholder for secrets in the log. */
export const redactedMark = '[hidden]'

/** Pattern of paths that end with a secret: uploads, logs, tokens and lease ids. */
const secretPathTails =
  /^((?:\/_world\/[^/]*)?\/v1\/(?:object|auth\/token\/(?:lookup|renew|revoke|revoke-orphan)|sys\/(?:leases\/)?(?:lookup|renew|revoke|revoke-prefix|revoke-force))\/).+/

/** Pattern of the start of paths that end with a token. */
const tokenPath = /^\/v1\/(?:[^?]*\/)?auth\/token\/(?:lookup|renew|revoke|revoke-orphan)\//

/** Pattern of the tokens that the secrets API creates. */
const tokenForm = /^(?:hv[sbr]|[sbr])\.[\w-]{20,}$/

/**
 * Returns a path in which tokens are replaced: after `auth/token/lookup/` and similar prefixes, and
 * in each segment that has the form of a token or is the caller's token.
 *
 * @param callerToken token of the caller; not searched for if shorter than `minTokenLength`
 */
export function redactTokens(
  path: string,
  callerToken: string | undefined,
  replace: (token: string) => string,
): string {
  const start = tokenPath.exec(path)?.[0] ?? ''
  if (start !== '') return `${start}${replace(path.slice(start.length))}`
  const isToken = (segment: string) =>
    tokenForm.test(segment) || (segment === callerToken && segment.length >= minTokenLength)
  return path
    .split('/')
    .map((segment) => (isToken(segment) ? replace(segment) : segment))
    .join('/')
}

/**
 * Minimum length of a caller's token to search for. Shorter tokens, such as `root`, are also common
 * names.
 */
const minTokenLength = 8

/**
 * Query parameters that contain secrets. The mesh accepts its token in the query
 * (behaviour/mesh#token).
 */
const secretParameters: ReadonlySet<string> = new Set(['token', 'lease_id', 'url_lease_id'])

/**
 * Returns the request target of any API for the log, with placeholders instead of secrets. If the
 * path contains a secret, the returned path is decoded.
 */
export function redactUrl(url: string): string {
  const queryStart = url.indexOf('?')
  const path = queryStart < 0 ? url : url.slice(0, queryStart)
  const redacted = decodePath(path).replace(secretPathTails, `$1${redactedMark}`)
  // A path without secrets is logged as it was sent.
  const redactedPath = redacted === decodePath(path) ? path : redacted
  if (queryStart < 0) return redactedPath
  const pairs = url.slice(queryStart + 1).split('&')
  return `${redactedPath}?${pairs.map(redactPair).join('&')}`
}

function redactPair(pair: string): string {
  const equalsSign = pair.indexOf('=')
  if (equalsSign < 0) return pair
  const isSecret = secretParameters.has(decodePath(pair.slice(0, equalsSign)).toLowerCase())
  return isSecret ? `${pair.slice(0, equalsSign)}=${redactedMark}` : pair
}
