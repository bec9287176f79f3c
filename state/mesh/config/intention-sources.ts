import { namespaceKey } from '../namespaces/namespaces.ts'
import type { EntryMembers, EntryScope } from './entry-shapes.ts'
import type { IntentionSource } from './intention-problems.ts'

/**
 * Counts the parts of a service's name that are not wildcards: 2 without wildcards, 1 for any name
 * in one namespace, 0 for every namespace.
 */
function countExact(name: string, namespace: string): number {
  if (namespace === '*') return 0
  return name === '*' ? 1 : 2
}

/**
 * Returns the precedence of an intention, from 1 to 9. The exact parts of the destination count
 * more than those of the source.
 */
function precedenceOf(
  destination: { readonly name: string; readonly namespace: string },
  source: { readonly name: string; readonly namespace: string },
): number {
  const greatest = [3, 6, 9][countExact(destination.name, destination.namespace)] ?? 0
  return greatest - (2 - countExact(source.name, source.namespace))
}

/** Returns a copy without the members that are undefined. */
function withoutUndefined<T extends object>(
  members: T,
): { [Name in keyof T]?: NonNullable<T[Name]> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Name in keyof T]?: NonNullable<T[Name]> }
}

/**
 * Returns an entry whose sources have their defaults and their precedence, with the highest
 * precedence first.
 *
 * @param isLegacy true for a write by ID, which keeps the legacy IDs and times of sources
 */
export function normalizeIntentions(
  entry: EntryMembers<'service-intentions'>,
  { namespace, isCommunity }: EntryScope,
  isLegacy: boolean,
): EntryMembers<'service-intentions'> {
  const sources = entry.Sources?.map((source): IntentionSource => {
    const { Name, Action, Description, LegacyMeta, Partition, Peer, SamenessGroup } = source
    const { LegacyID, LegacyCreateTime, LegacyUpdateTime } = isLegacy ? source : {}
    const sentNamespace = source.Namespace ?? (source.Peer ? 'default' : namespace)
    const sourceNamespace = sentNamespace === '*' ? sentNamespace : namespaceKey(sentNamespace)
    const permissions = source.Permissions?.map((permission) => {
      const { HTTP } = permission
      if (HTTP?.Methods === undefined) return permission
      const methods = HTTP.Methods.map((method) => method.toUpperCase())
      return { ...permission, HTTP: { ...HTTP, Methods: methods } }
    })
    const precedence = precedenceOf(
      { name: entry.Name, namespace },
      { name: source.Name, namespace: sourceNamespace },
    )
    return {
      Name,
      ...withoutUndefined({ Action, Permissions: permissions }),
      Precedence: precedence,
      ...withoutUndefined({ LegacyID }),
      Type: source.Type || 'consul',
      ...withoutUndefined({ Description, LegacyMeta, LegacyCreateTime, LegacyUpdateTime }),
      ...(!isCommunity && withoutUndefined({ Namespace: sourceNamespace, Partition })),
      ...withoutUndefined({ Peer, SamenessGroup }),
    }
  })
  const sorted = sources?.toSorted((a, b) => b.Precedence - a.Precedence)
  return { ...entry, Sources: sorted ?? null }
}
