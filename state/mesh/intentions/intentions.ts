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

type IntentionsEntry = ConfigEntry<'service-intentions'>

/**
 * Rule about connections from a source to a destination (behaviour/mesh#intentions). All intentions
 * of a destination are in one entry.
 */
export interface Intention {
  readonly entry: IntentionsEntry
  readonly source: IntentionSource
}

/**
 * Returns the source of an intention. A source without a namespace belongs to the namespace of the
 * destination.
 */
export function sourceOf({ entry, source }: Intention): ServiceName {
  const { Name, Namespace = entry.namespace } = source
  return { namespace: Namespace, name: Name }
}

export function destinationOf({ entry }: Intention): ServiceName {
  return { namespace: entry.namespace, name: entry.name }
}

/** Returns whether two names are equal. Namespaces are case-insensitive. */
export function isSameService(a: ServiceName, b: ServiceName): boolean {
  return a.name === b.name && namespaceKey(a.namespace) === namespaceKey(b.namespace)
}

/** Returns whether a name, which may be a wildcard, matches a service. */
function patternCovers(pattern: ServiceName, service: ServiceName): boolean {
  const isOfNamespace =
    pattern.namespace === '*' || namespaceKey(pattern.namespace) === namespaceKey(service.namespace)
  return isOfNamespace && (pattern.name === '*' || pattern.name === service.name)
}

/**
 * Returns the namespaces that destinations can have. Outside the community edition, `*` is one of
 * them.
 */
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

function compareIntentions(a: Intention, b: Intention): number {
  const difference = b.source.Precedence - a.source.Precedence
  if (difference !== 0) return difference
  const [keyOfA, keyOfB] = [sortKey(a), sortKey(b)]
  const at = keyOfA.findIndex((part, index) => part !== keyOfB[index])
  return (keyOfA[at] ?? '') < (keyOfB[at] ?? '') ? -1 : 1
}

/** Returns the intentions whose destinations are in these namespaces, highest precedence first. */
export function intentionsIn(world: World, namespaces: readonly string[]): readonly Intention[] {
  return namespaces
    .flatMap((namespace) => [...entriesOfKind(world, 'service-intentions', namespace)])
    .flatMap(intentionsOf)
    .sort(compareIntentions)
}

export function allIntentions(world: World): readonly Intention[] {
  return intentionsIn(world, destinationNamespaces(world))
}

/**
 * Returns the intention whose source and destination are exactly these services; undefined if there
 * is none. A wildcard matches only the same wildcard.
 */
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

/** Returns the intention that was created with an ID; undefined if there is none. */
export function intentionWithId(world: World, id: string): Intention | undefined {
  if (id === '') return undefined
  return allIntentions(world).find(({ source }) => source.LegacyID === id)
}

/**
 * Returns the intentions whose source or destination matches a service, highest precedence first. A
 * search by source leaves out intentions whose source is a service of a peer.
 */
export function matchingIntentions(
  world: World,
  by: 'source' | 'destination',
  service: ServiceName,
): readonly Intention[] {
  const endOf = by === 'source' ? sourceOf : destinationOf
  return allIntentions(world).filter(
    (intention) =>
      (by === 'destination' || !intention.source.Peer) && patternCovers(endOf(intention), service),
  )
}

interface IntentionDecision {
  readonly isAllowed: boolean
  /** The intention that decides; undefined if the default of the ACL system decides. */
  readonly intention: Intention | undefined
}

/**
 * Decides whether one service may connect to another. An intention with permissions counts as a
 * denial.
 */
export function decideIntention(
  world: World,
  source: ServiceName,
  destination: ServiceName,
): IntentionDecision {
  const intention = matchingIntentions(world, 'source', source).find((each) =>
    patternCovers(destinationOf(each), destination),
  )
  if (intention !== undefined) return { isAllowed: intention.source.Action === 'allow', intention }
  const { aclEnabled, defaultPolicy } = optionsOf(world)
  return { isAllowed: !aclEnabled || defaultPolicy === 'allow', intention }
}
