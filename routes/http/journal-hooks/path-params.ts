import { decodePath } from '../decode-path.ts'
import type { ExplainedRequest } from './api-explanations.ts'

/**
 * Returns the values of a request's path parameters according to its operation; an empty object if
 * the path does not match. The first parameter matches as many slashes as possible.
 *
 * @param prefix path that precedes the operation's path
 */
export function paramsOf(
  { operation, path }: Pick<ExplainedRequest, 'operation' | 'path'>,
  prefix: string,
): Readonly<Record<string, string>> {
  let isFirst = true
  const pattern = (operation?.path ?? '').replaceAll(/([:*])(\w+)/g, (_, kind, name) => {
    // Only the first part and wildcards may match slashes. If all parts did, long paths would take
    // exponential time.
    const part = isFirst || kind === '*' ? '.+' : '[^/]+'
    isFirst = false
    return `(?<${name}>${part})`
  })
  const match = new RegExp(`^${pattern}/?$`).exec(decodePath(path.slice(prefix.length)))
  return { ...match?.groups }
}
