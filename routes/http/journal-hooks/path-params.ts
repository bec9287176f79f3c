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
  const pattern = (operation?.path ?? '').replaceAll(/[:*](\w+)/g, '(?<$1>.+)')
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
