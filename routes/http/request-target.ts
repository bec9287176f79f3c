const absoluteForm = /^https?:\/\/[^/?#]*/i

/**
 * A request target as path and query. Servers also take it with scheme and host, as proxies send it
 * (RFC 9112 section 3.2.2); Node hands that on unchanged.
 */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target
  const found = absoluteForm.exec(target)
  if (found === null) return target
  const rest = target.slice(found[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
