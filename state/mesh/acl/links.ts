import type { Message } from '../../kernel/message.ts'
import type { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { defaultNamespace } from '../namespaces/namespaces.ts'
import { isCommunity, optionsOf } from '../options.ts'
import { isUuid } from './ids.ts'
import { message, refuse } from './messages.ts'
import {
  type AclPolicy,
  type AclRole,
  aclPolicies,
  aclRoles,
  aclStatus,
  isInNamespace,
  nameKey,
} from './tables.ts'

/**
 * Returns the message which says that an object does not exist in a namespace
 * (behaviour/mesh#community).
 */
export function absenceMessage(world: World, namespace: string): Message {
  return isCommunity(world)
    ? message('absent-in-community')
    : message('absent-in-namespace', { namespace })
}

/** Kinds of objects that links refer to. */
type LinkKind = 'policy' | 'role'

/** A link in a request. The ID takes precedence over the name. */
export interface AclLink {
  readonly id?: string | undefined
  readonly name?: string | undefined
}

interface LinkView {
  readonly ID: string
  /**
   * Name of the policy or role. Left out only if ACLs are disabled and no policy or role was ever
   * stored.
   */
  readonly Name?: string
}

/** Looks up a policy or role by ID, without regard to its namespace. */
function policyOrRole(world: World, kind: LinkKind, id: string): AclPolicy | AclRole | undefined {
  return kind === 'policy' ? world.table(aclPolicies).get(id) : world.table(aclRoles).get(id)
}

/**
 * Returns the ID of the policy or role with this name in a namespace; names are case-insensitive.
 */
function idOfName(world: World, kind: LinkKind, namespace: string, name: string) {
  const table = kind === 'policy' ? world.table(aclPolicies) : world.table(aclRoles)
  return table.index('byName').keyOf(nameKey(namespace, name))
}

/**
 * Returns whether unknown IDs are accepted: while ACLs are disabled and no policy or role except
 * the builtin policies was ever stored.
 */
function acceptsAnyId(world: World): boolean {
  return !optionsOf(world).aclEnabled && world.table(aclStatus).get('')?.stored !== true
}

/**
 * Returns the IDs that links refer to, without duplicates, in order of first occurrence. Throws a
 * refusal for an ID that is not a UUID, and for an object that the namespace does not contain.
 * While unknown IDs are accepted, IDs are returned unchecked, and links by name are refused.
 *
 * @param namespace `default` for links of namespaces; for links of tokens and roles, their own
 * namespace
 * @param unknownIdRefusal creates the refusal for an ID that does not exist
 */
export function resolveLinks(
  world: World,
  kind: LinkKind,
  links: readonly AclLink[],
  namespace: string = defaultNamespace,
  unknownIdRefusal: (id: string) => Refusal = (id) => refuse('link-id-unknown', { kind, id }),
): readonly string[] {
  return [...new Set(links.map((link) => resolve(world, kind, link, namespace, unknownIdRefusal)))]
}

function resolve(
  world: World,
  kind: LinkKind,
  { id = '', name = '' }: AclLink,
  namespace: string,
  unknownIdRefusal: (id: string) => Refusal,
): string {
  const isAnyIdAccepted = acceptsAnyId(world)
  if (id === '') {
    const foundId = isAnyIdAccepted ? undefined : idOfName(world, kind, namespace, name)
    if (foundId === undefined) throw refuse('link-name-unknown', { kind, name })
    return foundId
  }
  if (isAnyIdAccepted) return id
  if (!isUuid(id)) throw refuse('link-id-no-uuid', { kind, id })
  const row = policyOrRole(world, kind, id)
  const exists = row !== undefined && isInNamespace(row, namespace)
  if (!exists) throw unknownIdRefusal(id)
  return id
}

/**
 * Returns links in the form of replies: with the current names of policies and roles, and without
 * links to deleted ones. While unknown IDs are accepted, returns all links, without names.
 */
export function linkViews(
  world: World,
  kind: LinkKind,
  ids: readonly string[],
): readonly LinkView[] {
  if (acceptsAnyId(world)) return ids.map((ID) => ({ ID }))
  return ids.flatMap((ID) => {
    const row = policyOrRole(world, kind, ID)
    return row === undefined ? [] : [{ ID, Name: row.name }]
  })
}
