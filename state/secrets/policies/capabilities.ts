import { compareBytewise } from '../../json/json.ts'
import { setMember } from '../../kernel/json.ts'
import { maxStepTime } from '../../kernel/parts.ts'
import { monotonicTime, yieldToEventLoop } from '../../kernel/time.ts'
import { type Deferred, defer } from '../../kernel/worlds/deferred.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { isEntityDisabled } from '../identity/entity-policies.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { findByAccessor, findToken, isTokenVisibleIn, type Token } from '../tokens/rows.ts'
import { type Capability, capabilitiesOf } from './acl.ts'
import { refuse } from './messages.ts'

/**
 * Capabilities by path. For a request about one path, the reply also has a member `capabilities`.
 */
type CapabilityReport = Readonly<Record<string, readonly (Capability | 'root')[]>>

/**
 * Returns a token's capabilities at paths of a namespace (behaviour/secrets#policies). Pauses
 * between paths, so that a request with many paths does not block other requests
 * (behaviour/program#bounds).
 *
 * @param findToken returns the token or throws a refusal; called after the check of the first path
 * @throws Refusal `invalid`: `paths must be supplied`, or `missing path` for an empty path
 */
export function reportCapabilities(
  world: World,
  namespace: Namespace,
  findToken: () => Token,
  paths: readonly string[],
): CapabilityReport | Deferred<CapabilityReport> {
  const [firstPath] = paths
  if (firstPath === undefined) throw refuse('paths-missing')
  if (firstPath === '') throw refuse('path-asked-missing')
  const token = findToken()
  if (paths.includes('')) throw refuse('path-asked-missing')
  const report: Record<string, readonly (Capability | 'root')[]> = {}
  const sorted = [...paths].sort(compareBytewise)
  let at = 0
  function continueReport(): CapabilityReport | Deferred<CapabilityReport> {
    const startTime = monotonicTime()
    for (; at < sorted.length; at += 1) {
      if (monotonicTime() - startTime > maxStepTime) return defer(yieldToEventLoop, continueReport)
      const path = sorted[at] ?? ''
      const fullPath = namespace.path + path.replace(/^\/+/, '')
      setMember(report, path, capabilitiesOf(world, token, fullPath))
    }
    const first = report[firstPath ?? '']
    if (paths.length === 1 && first !== undefined) setMember(report, 'capabilities', first)
    return report
  }
  return continueReport()
}

/**
 * Checks that a token id is not empty, and returns a function that finds the token. Callers run the
 * function later, because the reference makes other checks in between.
 * @throws Refusal `no token found` at once for an empty id. The returned function throws `invalid
 *   token` for a token that is unknown or not visible in the namespace, and for a disabled or
 *   deleted entity.
 */
export function requireQueriedToken(world: World, namespace: Namespace, id: string): () => Token {
  if (id === '') throw refuse('token-asked-missing')
  return () => {
    const token = findToken(world, id)
    if (
      token === undefined ||
      !isTokenVisibleIn(namespace, token) ||
      isEntityDisabled(world, token)
    ) {
      throw refuse('token-asked-unknown')
    }
    return token
  }
}

/**
 * Finds the token of an accessor, and returns a function that returns the token if it is usable.
 * Callers run the function later, because the reference makes other checks in between.
 * @throws Refusal `missing accessor` or `invalid accessor` at once. The returned function throws
 *   `invalid token` for a disabled or deleted entity.
 */
export function requireQueriedAccessor(
  world: World,
  namespace: Namespace,
  accessor: string,
): () => Token {
  if (accessor === '') throw refuse('accessor-asked-missing')
  const token = findByAccessor(world, accessor)
  if (token === undefined || !isTokenVisibleIn(namespace, token)) throw refuse('invalid-accessor')
  return requireQueriedToken(world, namespace, token.id)
}
