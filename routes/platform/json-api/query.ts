/**
 * Parses the query of a URL. Further question marks in the query are ordinary characters (RFC
 * 3986).
 */
export function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1))
}
