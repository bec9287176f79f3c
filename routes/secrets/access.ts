import type { World } from '../../state/kernel/worlds/world.ts'
import type { Target } from './dispatch/secrets-request.ts'
import type { SecretsAccess, SecretsOperation } from './operation.ts'

/**
 * Returns the access that an operation requires in the world: `anyone` if its condition
 * `unauthenticatedWhen` holds, otherwise the declared access. The default of the declared access is
 * `capability`.
 */
export function effectiveAccess(
  { access = 'capability', unauthenticatedWhen }: SecretsOperation,
  world: World,
): SecretsAccess {
  return unauthenticatedWhen?.holds(world) === true ? 'anyone' : access
}

/**
 * Formats the access that an operation requires, for documents: `anyone`, `token`, or the required
 * capability. If the operation requires sudo or is open to anyone under a condition, the text says
 * so after the capability.
 */
export function formatAccess(operation: SecretsOperation): string {
  const { access = 'capability', unauthenticatedWhen } = operation
  if (access === 'anyone' || access === 'token') return access
  const sudo = access === 'sudo' ? ', besides sudo' : ''
  const open = unauthenticatedWhen === undefined ? '' : `; anyone ${unauthenticatedWhen.text}`
  return `${formatCapability(operation)}${sudo}${open}`
}

function formatCapability({ verb, exists }: SecretsOperation): string {
  if (verb !== 'write') return `capability:${verb}`
  return exists === undefined ? 'capability:update' : 'capability:create or capability:update'
}

/**
 * Returns whether a request needs sudo. If an operation supports the verb, the access of the
 * operation decides. Otherwise, the request needs sudo if every operation of the path needs it, as
 * in the reference. A path without operations needs sudo if its engine lists the path in
 * `sudoPaths`.
 */
export function needsSudo(world: World, { access, match, engine, mount, path }: Target): boolean {
  if (access !== undefined) return access === 'sudo'
  if (match !== undefined) {
    const operations = [...match.route.operations.values()]
    return operations.every((each) => effectiveAccess(each, world) === 'sudo')
  }
  const rest = path.slice(mount?.path.length)
  return (engine?.sudoPaths ?? []).some((each) =>
    each.endsWith('/') ? rest.startsWith(each) : rest === each,
  )
}

export function isUnauthenticated(operation: SecretsOperation, world: World): boolean {
  return effectiveAccess(operation, world) === 'anyone'
}

/**
 * Returns whether a request needs no client token. If an operation supports the verb, the access of
 * the operation decides. Otherwise, the path must be open: either the engine declares the path as
 * open, or all operations of the path are open. Therefore, as in the reference, a GET of a login
 * path without a token is answered with 405, and a login under the name `dev.` with 404. The path
 * of a LIST ends with a slash, so an unsupported LIST needs a token unless the engine declares the
 * path as open.
 */
export function needsNoToken(world: World, target: Target): boolean {
  const { access, match, engine, mount, path } = target
  if (access !== undefined) return access === 'anyone'
  const prefix = engine?.unauthenticatedPrefix
  if (prefix !== undefined && path.startsWith(prefix, mount?.path.length)) return true
  if (engine?.unauthenticatedPaths?.test(path.slice(mount?.path.length)) === true) return true
  if (match === undefined || path.endsWith('/')) return false
  return [...match.route.operations.values()].every((each) => isUnauthenticated(each, world))
}
