import type { Asked } from './explains.ts'

/**
 * The values of the parameters of a request's path: by its operation, the first of them with all
 * slashes that it can have.
 *
 * @param prefix before the operation's path
 */
export function paramsOf(
  { operation, path }: Pick<Asked, 'operation' | 'path'>,
  prefix: string,
): Readonly<Record<string, string>> {
  const pattern = (operation?.path ?? '').replaceAll(/[:*](\w+)/g, '(?<$1>.+)')
  const found = new RegExp(`^${pattern}/?$`).exec(decoded(path.slice(prefix.length)))
  return { ...found?.groups }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
