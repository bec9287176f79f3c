import { quoteGo } from '../../go/text.ts'
import { formatGoValue } from '../../json/go-value.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import type { Message } from '../../kernel/message.ts'
import { matchesGlob } from '../tokens/globs.ts'
import { message, refuse } from './messages.ts'
import type { JwtRole } from './roles.ts'

/** The user that a JWT identifies (behaviour/secrets#jwt-login). */
export interface JwtUser {
  readonly name: string
  /** Metadata from the role's claim mappings, without the role. */
  readonly metadata: Readonly<Record<string, string>>
  readonly groups: readonly string[]
}

/**
 * Reads user, metadata and groups from claims, by the role's settings.
 *
 * @throws invalid for missing claims and claims of the wrong type.
 */
export function userIn(role: JwtRole, claims: JsonObject): JwtUser {
  const { user_claim: claim } = role
  const name = role.user_claim_json_pointer ? claimAt(claims, claim) : ownProperty(claims, claim)
  if (name === null) throw refuse('jwt-user-absent', { claim: quoteGo(claim) })
  if (typeof name !== 'string') throw refuse('jwt-user-not-text', { claim: quoteGo(claim) })
  const metadata = Object.entries(role.claim_mappings ?? {}).flatMap(([source, key]) => {
    const value = claimAt(claims, source)
    if (value === null) return []
    if (typeof value !== 'string') throw refuse('jwt-mapped-not-text', { claim: source })
    return [[key, value] as const]
  })
  return { name, metadata: Object.fromEntries(metadata), groups: groupsIn(role, claims) }
}

function groupsIn({ groups_claim: claim }: JwtRole, claims: JsonObject): readonly string[] {
  if (claim === '') return []
  const found = claimAt(claims, claim)
  if (found === null) throw refuse('jwt-groups-absent', { claim: quoteGo(claim) })
  const values = valuesOf(found)
  if (values === undefined) throw refuse('jwt-groups-not-list', { claim: quoteGo(claim) })
  return values.flatMap((value) => {
    if (typeof value !== 'string') {
      throw refuse('jwt-group-not-text', { value: formatGoValue(value) })
    }
    return value === '' ? [] : [value]
  })
}

/** Refuses the first claim, in the role's order, whose value the role does not allow. */
export function checkBoundClaims(role: JwtRole, claims: JsonObject): void {
  for (const [claim, expected] of Object.entries(role.bound_claims ?? {})) {
    const why = boundFault(role, claim, expected as Json, claimAt(claims, claim))
    if (why !== undefined) throw refuse('jwt-claims-refused', { why })
  }
}

function boundFault(
  role: JwtRole,
  claim: string,
  expected: Json,
  actual: Json,
): Message | undefined {
  if (actual === null) return message('jwt-bound-claim-absent', { claim: quoteGo(claim) })
  const values = valuesOf(actual)
  if (values === undefined) {
    return message('jwt-received-claim-kind', { value: formatGoValue(actual) })
  }
  const bound = valuesOf(expected)
  if (bound === undefined)
    return message('jwt-bound-claim-kind', { value: formatGoValue(expected) })
  const matches = role.bound_claims_type === 'glob' ? matchesAsGlob : Object.is
  const isFound = bound.some((each) => values.some((value) => matches(each, value)))
  return isFound ? undefined : message('jwt-bound-claim-unmatched', { claim: quoteGo(claim) })
}

function matchesAsGlob(glob: Json, value: Json): boolean {
  return typeof glob === 'string' && typeof value === 'string' && matchesGlob(glob, value)
}

/** Returns the values of a list, or a single value as a list; undefined for other values. */
function valuesOf(value: Json): readonly Json[] | undefined {
  if (Array.isArray(value)) return value
  return typeof value === 'object' ? undefined : [value]
}

/** Returns a claim by its name, or by a JSON pointer, which begins with a slash; null if absent. */
function claimAt(claims: JsonObject, name: string): Json {
  if (!name.startsWith('/')) return ownProperty(claims, name)
  const steps = name.slice(1).split('/')
  return steps.reduce<Json>(
    (value, step) => ownProperty(value, step.replaceAll('~1', '/').replaceAll('~0', '~')),
    claims,
  )
}

function ownProperty(value: Json, name: string): Json {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null
  return (value as JsonObject)[name] ?? null
}
