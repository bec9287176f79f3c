import type { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { defaultNamespace, namespaceKey } from '../namespaces/namespaces.ts'
import { optionsOf } from '../options.ts'
import { isUuid } from './ids.ts'
import { refuse } from './messages.ts'
import {
  type AclPolicy,
  type AclRole,
  aclPolicies,
  aclRoles,
  aclStatus,
  nameKey,
} from './tables.ts'

/** The kinds of things that links point at. */
type LinkKind = 'policy' | 'role'

/** A link as callers send it: an ID counts before a name. */
export interface AclLink {
  readonly id?: string | undefined
  readonly name?: string | undefined
}

/** A link as it is read. */
interface LinkView {
  readonly ID: string
  /** Left out only while ACLs are off and nothing was ever stored. */
  readonly Name?: string
}

/** The policy or role of an ID, in whatever namespace it is. */
function policyOrRole(world: World, kind: LinkKind, id: string): AclPolicy | AclRole | undefined {
  return kind === 'policy' ? world.table(aclPolicies).get(id) : world.table(aclRoles).get(id)
}

/** The ID of the policy or role of a name in a namespace; names are the same in any letter case. */
function idOfName(world: World, kind: LinkKind, namespace: string, name: string) {
  const table = kind === 'policy' ? world.table(aclPolicies) : world.table(aclRoles)
  return table.index('byName').keyOf(nameKey(namespace, name))
}

/**
 * Tells whether IDs are taken as they come: while ACLs are off and no policy or role was ever
 * stored (behaviour/mesh#acl-links). The builtin policy does not count then.
 */
function acceptsAnyId(world: World): boolean {
  return !optionsOf(world).aclEnabled && world.table(aclStatus).get('')?.stored !== true
}

/**
 * The IDs that links stand for, without repetitions, in the order in which they first come. Refuses
 * what there is not in the namespace that links point into.
 *
 * @param namespace links of namespaces point into `default`, those of tokens and roles into their own
 * @param unknownIdRefusal says that there is nothing with an ID
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
  const anyIdAccepted = acceptsAnyId(world)
  if (id === '') {
    const foundId = anyIdAccepted ? undefined : idOfName(world, kind, namespace, name)
    if (foundId === undefined) throw refuse('link-name-unknown', { kind, name })
    return foundId
  }
  if (anyIdAccepted) return id
  if (!isUuid(id)) throw refuse('link-id-no-uuid', { kind, id })
  const row = policyOrRole(world, kind, id)
  const exists = row !== undefined && namespaceKey(row.namespace) === namespaceKey(namespace)
  if (!exists) throw unknownIdRefusal(id)
  return id
}

/**
 * Links as reads show them: with the names that policies and roles have now; what was deleted is
 * left out.
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
