import type { World } from '../../kernel/worlds/world.ts'
import { entriesOfKind } from '../config/entries.ts'
import type { IntentionSource } from '../config/intention-problems.ts'
import type { ConfigEntry } from '../config/tables.ts'
import { allNamespaces, defaultNamespace, namespaceKey } from '../namespaces/namespaces.ts'
import { isCommunity, optionsOf } from '../options.ts'

/** A service by its namespace and name, either of which may be a wildcard. */
export interface ServiceName {
  readonly namespace: string
  readonly name: string
}

/** Entry of the intentions of a destination. */
type IntentionsEntry = ConfigEntry<'service-intentions'>

/** Decision whether one service may connect to another (behaviour/mesh#intentions). */
export interface Intention {
  readonly entry: IntentionsEntry
  readonly source: IntentionSource
}

/** Returns the source of an intention. */
export function sourceOf({ entry, source }: Intention): ServiceName {
  const { Name, Namespace = entry.namespace } = source
  return { namespace: Namespace, name: Name }
}

/** Returns the destination of an intention. */
export function destinationOf({ entry }: Intention): ServiceName {
  return { namespace: entry.namespace, name: entry.name }
}

/** Returns whether two names mean the same service. */
export function isSameService(a: ServiceName, b: ServiceName): boolean {
  return a.name === b.name && namespaceKey(a.namespace) === namespaceKey(b.namespace)
}

/** Returns whether a name or wildcard covers a service. */
function covers(pattern: ServiceName, service: ServiceName): boolean {
  const isOfNamespace =
    pattern.namespace === '*' || namespaceKey(pattern.namespace) === namespaceKey(service.namespace)
  return isOfNamespace && (pattern.name === '*' || pattern.name === service.name)
}

/** Returns the names of all namespaces in which intentions can be. */
function destinationNamespaces(world: World): readonly string[] {
  if (isCommunity(world)) return [defaultNamespace]
  return world.unobserved(() => [...allNamespaces(world).map(({ name }) => name), '*'])
}

function intentionsOf(entry: IntentionsEntry): readonly Intention[] {
  return (entry.members.Sources ?? []).map((source) => ({ entry, source }))
}

function sortKey(intention: Intention): readonly string[] {
  const [source, destination] = [sourceOf(intention), destinationOf(intention)]
  const peer = intention.source.Peer ?? ''
  return [peer, source.namespace, source.name, destination.namespace, destination.name]
}

function compare(a: Intention, b: Intention): number {
  const difference = b.source.Precedence - a.source.Precedence
  if (difference !== 0) return difference
  const [keyOfA, keyOfB] = [sortKey(a), sortKey(b)]
  const at = keyOfA.findIndex((part, index) => part !== keyOfB[index])
  return (keyOfA[at] ?? '') < (keyOfB[at] ?? '') ? -1 : 1
}

/** Returns the intentions whose destinations are in the namespaces, by precedence. */
export function intentionsIn(world: World, namespaces: readonly string[]): readonly Intention[] {
  return namespaces
    .flatMap((namespace) => [...entriesOfKind(world, 'service-intentions', namespace)])
    .flatMap(intentionsOf)
    .sort(compare)
}

/** Returns all intentions of the datacenter, by precedence. */
export function allIntentions(world: World): readonly Intention[] {
  return intentionsIn(world, destinationNamespaces(world))
}

/** Returns the intention with exactly these ends; undefined if there is none. */
export function exactIntention(
  world: World,
  source: ServiceName,
  destination: ServiceName,
  peer = '',
): Intention | undefined {
  return intentionsIn(world, [destination.namespace]).find(
    (intention) =>
      (intention.source.Peer ?? '') === peer &&
      isSameService(sourceOf(intention), source) &&
      isSameService(destinationOf(intention), destination),
  )
}

/** Returns the intention that was made with an ID; undefined if there is none. */
export function intentionWithId(world: World, id: string): Intention | undefined {
  if (id === '') return undefined
  return allIntentions(world).find(({ source }) => source.LegacyID === id)
}

/** Returns the intentions that apply to one of their ends, by precedence. */
export function matchingIntentions(
  world: World,
  by: 'source' | 'destination',
  service: ServiceName,
): readonly Intention[] {
  const endOf = by === 'source' ? sourceOf : destinationOf
  return allIntentions(world).filter(
    (intention) =>
      (by === 'destination' || !intention.source.Peer) && covers(endOf(intention), service),
  )
}

/** Result of asking whether a service may connect to another. */
interface IntentionDecision {
  readonly isAllowed: boolean
  /** The intention that decides; undefined if the default applies. */
  readonly intention: Intention | undefined
}

/** Decides whether a service may connect to another. Permissions for requests count as no. */
export function decideIntention(
  world: World,
  source: ServiceName,
  destination: ServiceName,
): IntentionDecision {
  const intention = matchingIntentions(world, 'source', source).find((each) =>
    covers(destinationOf(each), destination),
  )
  if (intention !== undefined) return { isAllowed: intention.source.Action === 'allow', intention }
  const { aclEnabled, defaultPolicy } = optionsOf(world)
  return { isAllowed: !aclEnabled || defaultPolicy === 'allow', intention }
}
