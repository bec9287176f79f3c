/** Placeholder for secrets in the log. */
export const redactedMark = '[hidden]'

/** Paths whose tail is a secret: uploads, logs, tokens and lease ids. */
const secretPathTails =
  /^((?:\/_world\/[^/]*)?\/v1\/(?:object|auth\/token\/(?:lookup|renew|revoke|revoke-orphan)|sys\/(?:leases\/)?(?:lookup|renew|revoke|revoke-prefix|revoke-force))\/).+/

/**
 * Query parameters that hold secrets: the mesh accepts its token in the query (behaviour/mesh#acl).
 */
const secretParameters: ReadonlySet<string> = new Set(['token', 'lease_id', 'url_lease_id'])

/** Removes secrets from the request target of any API, for the log. */
export function redactUrl(url: string): string {
  const begin = url.indexOf('?')
  const path = begin < 0 ? url : url.slice(0, begin)
  const redacted = decodeOrKeep(path).replace(secretPathTails, `$1${redactedMark}`)
  // A path without secrets is logged as it was sent.
  const redactedPath = redacted === decodeOrKeep(path) ? path : redacted
  if (begin < 0) return redactedPath
  const pairs = url.slice(begin + 1).split('&')
  return `${redactedPath}?${pairs.map(redactPair).join('&')}`
}

function redactPair(pair: string): string {
  const end = pair.indexOf('=')
  if (end < 0) return pair
  const isSecret = secretParameters.has(decodeOrKeep(pair.slice(0, end)).toLowerCase())
  return isSecret ? `${pair.slice(0, end)}=${redactedMark}` : pair
}

function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
