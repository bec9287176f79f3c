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

/** Capabilities by path. For a single path, the reply also has them under `capabilities`. */
type CapabilityReport = Readonly<Record<string, readonly (Capability | 'root')[]>>

/**
 * Returns a token's capabilities at paths of a namespace (behaviour/secrets#policies). Many paths
 * are checked in steps, so that other requests do not wait (behaviour/program#bounds).
 *
 * @param findToken returns the token or throws a refusal; called after the first path was checked
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
 * Returns a function that returns the token with an id. Throws a refusal (`no token found`)
 * immediately if the id is empty. The function throws a refusal (`invalid token`) if the token is
 * unknown or its entity is disabled or deleted.
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
 * Returns a function that returns the token of an accessor. Throws a refusal (`missing accessor` or
 * `invalid accessor`) immediately. The function throws a refusal (`invalid token`) if the token's
 * entity is disabled or deleted.
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
