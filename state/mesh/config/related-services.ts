import type { EntryKind, EntryMembers } from './entry-shapes.ts'

interface RelatedService {
  readonly namespace: string
  readonly name: string
}

interface Reference {
  readonly Service?: string
  readonly Namespace?: string
  readonly Peer?: string
}

/**
 * Returns the services to which an entry leads traffic. Leaves out the entry's own service,
 * wildcards, and services of peers.
 */
export function relatedServices(
  kind: EntryKind,
  members: EntryMembers,
  namespace: string,
): readonly RelatedService[] {
  if (kind === 'ingress-gateway') {
    const { Listeners } = members as EntryMembers<'ingress-gateway'>
    const services = (Listeners ?? []).flatMap(({ Services }) => Services ?? [])
    return services
      .filter(({ Name }) => Name !== '*')
      .map(({ Name, Namespace }) => ({ namespace: Namespace ?? namespace, name: Name }))
  }
  const own = 'Name' in members ? String(members.Name) : ''
  const services = referencesOf(kind, members)
    .filter(({ Peer = '' }) => Peer === '')
    .map(({ Service, Namespace }) => ({
      namespace: Namespace || namespace,
      name: Service || own,
    }))
  return services.filter((each) => each.name !== own || each.namespace !== namespace)
}

function referencesOf(kind: EntryKind, members: EntryMembers): readonly Reference[] {
  switch (kind) {
    case 'service-router': {
      const { Routes } = members as EntryMembers<'service-router'>
      return (Routes ?? []).map(({ Destination = {} }) => Destination)
    }
    case 'service-splitter': {
      const { Splits } = members as EntryMembers<'service-splitter'>
      return Splits ?? []
    }
    case 'service-resolver': {
      const { Redirect, Failover = {} } = members as EntryMembers<'service-resolver'>
      const failovers = Object.values(Failover).flatMap(({ Targets = [], ...failover }) =>
        Targets.length > 0 ? Targets : [failover],
      )
      return [...(Redirect === undefined ? [] : [Redirect]), ...failovers]
    }
    default:
      return []
  }
}
