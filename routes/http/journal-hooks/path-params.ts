import type { ExplainedRequest } from './api-explanations.ts'

/**
 * The values of the parameters of a request's path: by its operation, the first of them with all
 * slashes that it can have.
 *
 * @param prefix before the operation's path
 */
export function paramsOf(
  { operation, path }: Pick<ExplainedRequest, 'operation' | 'path'>,
  prefix: string,
): Readonly<Record<string, string>> {
  let isFirst = true
  const pattern = (operation?.path ?? '').replaceAll(/([:*])(\w+)/g, (_, kind, name) => {
    // One greedy part is enough: with several, a path of many segments would take for ever.
    const part = isFirst || kind === '*' ? '.+' : '[^/]+'
    isFirst = false
    return `(?<${name}>${part})`
  })
  const match = new RegExp(`^${pattern}/?$`).exec(decodeOrKeep(path.slice(prefix.length)))
  return { ...match?.groups }
}

function decodeOrKeep(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
