/** The sign that stands for a secret on the log. */
export const hidden = '[hidden]'

/** Addresses of which the rest is a secret: of uploads and logs, tokens, and the ids of leases. */
const secretRests =
  /^((?:\/_world\/[^/]*)?\/v1\/(?:object|auth\/token\/(?:lookup|renew|revoke|revoke-orphan)|sys\/(?:leases\/)?(?:lookup|renew|revoke|revoke-prefix|revoke-force))\/).+/

/** Parameters that are secrets: the mesh takes its token in the query (behaviour/mesh#acl). */
const secretParameters: ReadonlySet<string> = new Set(['token', 'lease_id', 'url_lease_id'])

/** Takes what is secret out of a request target, of whichever API, for the log. */
export function hideUrlSecrets(url: string): string {
  const begin = url.indexOf('?')
  const path = begin < 0 ? url : url.slice(0, begin)
  const shown = decoded(path).replace(secretRests, `$1${hidden}`)
  // What has nothing to hide is shown as it was sent.
  const shownPath = shown === decoded(path) ? path : shown
  if (begin < 0) return shownPath
  const pairs = url.slice(begin + 1).split('&')
  return `${shownPath}?${pairs.map(hidePair).join('&')}`
}

function hidePair(pair: string): string {
  const end = pair.indexOf('=')
  if (end < 0) return pair
  const isSecret = secretParameters.has(decoded(pair.slice(0, end)).toLowerCase())
  return isSecret ? `${pair.slice(0, end)}=${hidden}` : pair
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
