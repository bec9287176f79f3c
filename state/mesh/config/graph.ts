import { quoteGo } from '../../go/text.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import { defaultNamespace, namespaceKey } from '../namespaces/namespaces.ts'
import { compileChain, formatServiceName } from './chain-compiler.ts'
import type { DiscoveryChain, FindEntry } from './chain-types.ts'
import type { EntryKind, EntryMembers } from './entry-shapes.ts'
import { hasWildcardDestination } from './intention-problems.ts'
import { isHttpLike } from './problems.ts'
import { relatedServices } from './related-services.ts'
import { configEntries } from './tables.ts'

/** A write or deletion of an entry that is validated before it is made. */
interface EntryChange {
  readonly kind: EntryKind
  readonly namespace: string
  readonly name: string
  readonly before: EntryMembers | undefined
  /** Members after the change; undefined for a deletion. */
  readonly after: EntryMembers | undefined
}

function entryError(problem: string): Error {
  return refuse('entry-invalid', { problem })
}

/** Yields the entries of all kinds as they will be after the change. */
function* changedEntries(world: World, change: EntryChange) {
  const own = `${change.kind}/${namespaceKey(change.namespace)}/${change.name}`
  for (const { kind, namespace, name, members } of world.table(configEntries).rows()) {
    if (`${kind}/${namespaceKey(namespace)}/${name}` === own) continue
    yield { kind: kind as EntryKind, namespace, name, members: members as unknown as EntryMembers }
  }
  const { kind, namespace, name, after } = change
  if (after !== undefined) yield { kind, namespace, name, members: after }
}

type LocatedEntry = ReturnType<typeof changedEntries> extends Generator<infer Item> ? Item : never

/** Kinds of entries that do not affect discovery chains, so that a change compiles no chain. */
const chainIndependentKinds: ReadonlySet<EntryKind> = new Set(['exported-services', 'mesh'])

const chainKinds: ReadonlySet<EntryKind> = new Set([
  'service-router',
  'service-splitter',
  'service-resolver',
])

/**
 * Throws a refusal for a change that makes entries contradict each other (behaviour/mesh#config).
 *
 * @param find returns entries as they are after the change
 */
export function validateGraph(world: World, change: EntryChange, find: FindEntry): void {
  const entries = world.unobserved(() => [...changedEntries(world, change)])
  checkTlsMode(change, find)
  checkGatewayNames(change, find)
  checkProviders(change, entries)
  if (chainIndependentKinds.has(change.kind)) return
  const isDeletion = change.after === undefined
  if (isDeletion && ['ingress-gateway', 'service-intentions'].includes(change.kind)) return
  const affected = affectedEntries(change, entries)
  const chains = new Map<string, DiscoveryChain>()
  const chainOf = (namespace: string, service: string) => {
    const key = `${namespaceKey(namespace)}/${service}`
    const known = chains.get(key)
    if (known !== undefined) return known
    const request = { service, namespace, datacenter: 'dc1', trustDomain: 'mesh' }
    const chain = world.unobserved(() => compileChain(find, request))
    chains.set(key, chain)
    return chain
  }
  for (const { namespace, name } of affected.chains) chainOf(namespace, name)
  for (const ingress of affected.gateways) {
    checkIngress(ingress, change.kind === 'ingress-gateway', chainOf)
  }
  for (const intentions of affected.intentions) checkPermissions(intentions, chainOf)
}

function isOfKind(kind: EntryKind) {
  return (entry: LocatedEntry) => entry.kind === kind
}

function affectedEntries({ kind, namespace, name }: EntryChange, entries: readonly LocatedEntry[]) {
  const own = entries.filter((entry) => entry.kind === kind && entry.name === name)
  if (kind === 'service-intentions') return { chains: [], gateways: [], intentions: own }
  if (kind === 'ingress-gateway') return { chains: [], gateways: own, intentions: [] }
  const intentions = entries.filter(isOfKind('service-intentions'))
  if (kind === 'proxy-defaults') {
    const chains = entries.filter((entry) => chainKinds.has(entry.kind))
    return { chains, gateways: entries.filter(isOfKind('ingress-gateway')), intentions }
  }
  const isLinked = (entry: LocatedEntry) =>
    relatedServices(entry.kind, entry.members, entry.namespace).some(
      (service) =>
        service.name === name && namespaceKey(service.namespace) === namespaceKey(namespace),
    )
  const linkedEntries = entries.filter(isLinked)
  const chains = linkedEntries.filter((entry) => chainKinds.has(entry.kind))
  const gateways = linkedEntries.filter(isOfKind('ingress-gateway'))
  return { chains: [{ namespace, name }, ...chains], gateways, intentions }
}

type ChainOf = (namespace: string, service: string) => DiscoveryChain

function checkIngress(entry: LocatedEntry, isStrict: boolean, chainOf: ChainOf): void {
  const { Listeners } = entry.members as EntryMembers<'ingress-gateway'>
  for (const { Protocol, Services } of Listeners ?? []) {
    for (const { Name, Namespace = entry.namespace } of Services ?? []) {
      if (Name === '*') continue
      const { protocol, nodes, startNode } = chainOf(Namespace, Name)
      if (protocol === Protocol) continue
      const isResolver = nodes.get(startNode)?.Type === 'resolver'
      if (!isStrict && Protocol === 'tcp' && isResolver) continue
      throw entryError(
        `service ${quoteGo(formatServiceName(Namespace, Name))} has protocol ${quoteGo(protocol)}, which does not match defined listener protocol ${quoteGo(Protocol)}`,
      )
    }
  }
}

function checkPermissions({ namespace, name, members }: LocatedEntry, chainOf: ChainOf): void {
  if (hasWildcardDestination(name, namespace)) return
  const { protocol } = chainOf(namespace, name)
  const { Sources } = members as EntryMembers<'service-intentions'>
  if (isHttpLike(protocol)) return
  if (!(Sources ?? []).some(({ Permissions = [] }) => Permissions.length > 0)) return
  throw entryError(
    `service ${quoteGo(formatServiceName(namespace, name))} has protocol ${quoteGo(protocol)}, which is incompatible with L7 intentions permissions`,
  )
}

function tlsModeOf(members: EntryMembers | undefined): string {
  return members !== undefined && 'MutualTLSMode' in members ? (members.MutualTLSMode ?? '') : ''
}

function checkTlsMode({ before, after }: EntryChange, find: FindEntry): void {
  if (tlsModeOf(after) !== 'permissive' || tlsModeOf(before) === 'permissive') return
  if (find('mesh', defaultNamespace, 'mesh')?.AllowEnablingPermissiveMutualTLS) return
  throw entryError(
    'cannot set MutualTLSMode=permissive because AllowEnablingPermissiveMutualTLS=false in the mesh config entry',
  )
}

const otherGateway = {
  'ingress-gateway': 'terminating-gateway',
  'terminating-gateway': 'ingress-gateway',
} as const

function checkGatewayNames({ kind, namespace, name }: EntryChange, find: FindEntry): void {
  if (kind !== 'ingress-gateway' && kind !== 'terminating-gateway') return
  const other = otherGateway[kind]
  if (find(other, namespace, name) === undefined) return
  throw entryError(
    `cannot create a "${kind}" config entry with name ${quoteGo(name)}, a "${other}" config entry with that name already exists`,
  )
}

/** Returns the names of the JWT providers that intentions require. */
function providersOf({ JWT, Sources }: EntryMembers<'service-intentions'>): readonly string[] {
  const permissions = (Sources ?? []).flatMap(({ Permissions = [] }) => Permissions)
  const requirements = [JWT, ...permissions.map((permission) => permission.JWT)]
  return requirements.flatMap((each) => each?.Providers ?? []).map(({ Name = '' }) => Name)
}

function checkProviders(
  { kind, name, after }: EntryChange,
  entries: readonly LocatedEntry[],
): void {
  if (kind === 'service-intentions' && after !== undefined) {
    const known = new Set(entries.filter(isOfKind('jwt-provider')).map((entry) => entry.name))
    const needed = new Set(providersOf(after as EntryMembers<'service-intentions'>))
    const absent = [...needed].filter((each) => !known.has(each))
    if (absent.length === 0) return
    const lines = absent.map(
      (each) => `\t* Referenced JWT Provider does not exist. Provider Name: ${each}\n`,
    )
    const heading = absent.length === 1 ? '1 error' : `${absent.length} errors`
    throw entryError(`${heading} occurred:\n${lines.join('')}\n`)
  }
  if (kind !== 'jwt-provider' || after !== undefined) return
  for (const intentions of entries.filter(isOfKind('service-intentions'))) {
    const members = intentions.members as EntryMembers<'service-intentions'>
    if (!providersOf(members).includes(name)) continue
    throw entryError(
      `cannot delete jwt provider config entry referenced by an intention. Provider name: ${name}, intention name: ${intentions.name}`,
    )
  }
}
