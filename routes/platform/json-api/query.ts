/** The query of an address as sent. A question mark in it is an ordinary character (RFC 3986). */
export function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1))
}
