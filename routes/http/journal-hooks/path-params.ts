import type { ExplainedRequest } from './api-explanations.ts'

/**
 * Returns the values of a request's path parameters according to its operation. The first parameter
 * takes as many slashes as it can.
 *
 * @param prefix path in front of the operation's path
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
