import { quoteGo } from '../../go/text.ts'
import { isEqual } from '../../kernel/equality.ts'
import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { configEntry, deleteEntry, normalizeEntry, storeEntry } from '../config/entries.ts'
import type { EntryMembers } from '../config/entry-shapes.ts'
import { type IntentionSource, intentionsProblems } from '../config/intention-problems.ts'
import { normalizeIntentions } from '../config/intention-sources.ts'
import { formatErrors } from '../config/problems.ts'
import { message, refuse } from '../messages.ts'
import { namespaceKey } from '../namespaces/namespaces.ts'
import { isCommunity } from '../options.ts'
import { type Intention, intentionWithId, isSameService, type ServiceName } from './intentions.ts'

const kind = 'service-intentions'

/** Members of an intention in a request, except its source and destination. */
export interface IntentionInput {
  readonly action: string
  readonly permissions: IntentionSource['Permissions']
  readonly description: string
  readonly type: string
  readonly meta: Readonly<Record<string, string>>
}

function sourceMembers(source: ServiceName, input: IntentionInput): IntentionSource {
  const { action, permissions, description, type } = input
  return {
    Name: source.name,
    ...(action !== '' && { Action: action }),
    ...(permissions && permissions.length > 0 && { Permissions: permissions }),
    Precedence: 0,
    Type: type,
    ...(description !== '' && { Description: description }),
    Namespace: source.namespace,
  }
}

/** Throws a refusal if the source or the destination has no name. */
export function requireEnds(source: ServiceName, destination: ServiceName): void {
  const missing = [
    ...(source.name === '' ? ['SourceName is missing'] : []),
    ...(destination.name === '' ? ['DestinationName is missing'] : []),
  ]
  if (missing.length === 0) return
  throw refuse('intention-members-missing', { problem: formatErrors(missing) })
}

type Sources = readonly IntentionSource[]

/**
 * Returns a copy of a destination's entry of intentions, with other sources. Does not store the
 * copy.
 */
function withSources(
  world: World,
  { namespace, name }: ServiceName,
  Sources: Sources,
): EntryMembers<'service-intentions'> {
  const before = configEntry(world, kind, namespace, name)?.members
  return { Kind: kind, Name: name, ...before, Sources }
}

function sourcesOf(world: World, { namespace, name }: ServiceName): Sources {
  return configEntry(world, kind, namespace, name)?.members.Sources ?? []
}

/**
 * Returns a predicate that matches the sources whose namespace and name are those of a service. A
 * source without a namespace belongs to the namespace of the destination.
 */
const sourceMatcher = (service: ServiceName, namespace: string) => (source: IntentionSource) =>
  isSameService({ name: source.Name, namespace: source.Namespace ?? namespace }, service)

/**
 * Creates or replaces the intention between two services. Throws a refusal if the metadata differs
 * from that of the entry, or if the resulting entry is invalid or contradicts other entries.
 */
export function putIntention(
  world: World,
  source: ServiceName,
  destination: ServiceName,
  input: IntentionInput,
): void {
  const { namespace } = destination
  const entry = configEntry(world, kind, namespace, destination.name)
  if (Object.keys(input.meta).length > 0) {
    if (entry === undefined) throw refuse('intention-meta-sent')
    if (!isEqual(entry.members.Meta, input.meta)) throw refuse('intention-meta-changed')
  }
  const addedSource = sourceMembers(source, input)
  const sources = sourcesOf(world, destination)
  const at = sources.findIndex(sourceMatcher(source, namespace))
  const changedSources = at < 0 ? [...sources, addedSource] : sources.with(at, addedSource)
  const members = withSources(world, destination, changedSources)
  storeEntry(world, kind, namespace, normalizeEntry(world, kind, namespace, members))
}

/**
 * Removes the intention between two services, if there is one. If the destination's entry contains
 * no other intention, removes the entry as well.
 */
export function deleteIntention(world: World, source: ServiceName, destination: ServiceName): void {
  const { namespace, name } = destination
  const sources = sourcesOf(world, destination)
  const isRemovedSource = sourceMatcher(source, namespace)
  const remaining = sources.filter((each) => !isRemovedSource(each))
  if (remaining.length === sources.length) return
  if (remaining.length === 0) {
    deleteEntry(world, kind, namespace, name)
    return
  }
  const members = withSources(world, destination, remaining)
  storeEntry(world, kind, namespace, normalizeEntry(world, kind, namespace, members))
}

/**
 * Stores the sources of a destination whose intentions all have IDs. Without sources, removes the
 * entry. Throws a refusal if the resulting entry is invalid or contradicts other entries.
 */
function storeLegacySources(world: World, destination: ServiceName, sources: Sources): void {
  const { namespace, name } = destination
  if (sources.length === 0) {
    deleteEntry(world, kind, namespace, name)
    return
  }
  const scope = { namespace, isCommunity: isCommunity(world) }
  const entry = normalizeIntentions(withSources(world, destination, sources), scope, true)
  const [problem] = intentionsProblems(entry, namespace, scope.isCommunity, true)
  if (problem !== undefined) throw refuse('entry-invalid', { problem })
  storeEntry(world, kind, namespace, entry)
}

/**
 * Throws a refusal if a destination has intentions without IDs, because writes by ID cannot change
 * such a destination.
 */
function requireLegacy(world: World, destination: ServiceName): void {
  if (sourcesOf(world, destination).every(({ LegacyID }) => LegacyID !== undefined)) return
  const { namespace, name } = destination
  const shown = namespaceKey(namespace) === 'default' ? name : `${namespace}/${name}`
  throw refuse('intention-by-entry', { quoted: quoteGo(shown) })
}

function legacyMembers(
  world: World,
  id: string,
  source: ServiceName,
  input: IntentionInput,
  createdAt: string,
): IntentionSource {
  const { meta } = input
  return {
    ...sourceMembers(source, input),
    LegacyID: id,
    ...(Object.keys(meta).length > 0 && { LegacyMeta: meta }),
    LegacyCreateTime: createdAt,
    LegacyUpdateTime: formatTimestamp(world.clock.now()),
  }
}

/**
 * Creates an intention with an ID and returns the ID. Throws a refusal if the destination has
 * intentions without IDs or the resulting entry is invalid.
 */
export function createIntention(
  world: World,
  source: ServiceName,
  destination: ServiceName,
  input: IntentionInput,
): string {
  requireLegacy(world, destination)
  const id = world.ids.uuid()
  const added = legacyMembers(world, id, source, input, formatTimestamp(world.clock.now()))
  storeLegacySources(world, destination, [...sourcesOf(world, destination), added])
  return id
}

/**
 * Returns the intention with an ID. Throws a refusal if the ID does not have 36 characters or is
 * unknown.
 *
 * @param verb names the write in the message of the refusal
 */
export function requireIntention(world: World, id: string, verb: 'modify' | 'delete'): Intention {
  if (!/^.{36}$/.test(id)) {
    throw refuse('intention-lookup-failed', { problem: message('entry-id-invalid') })
  }
  const intention = intentionWithId(world, id)
  if (intention === undefined) throw refuse('intention-unknown-in-write', { verb, id })
  return intention
}

export function updateIntention(
  world: World,
  { entry, source: before }: Intention,
  source: ServiceName,
  input: IntentionInput,
): void {
  requireLegacy(world, entry)
  const { LegacyID = '', LegacyCreateTime = '' } = before
  const changed = legacyMembers(world, LegacyID, source, input, LegacyCreateTime)
  const sources = sourcesOf(world, entry)
  const replaced = sources.map((each) => (each.LegacyID === LegacyID ? changed : each))
  storeLegacySources(world, entry, replaced)
}

export function deleteLegacyIntention(world: World, { entry, source }: Intention): void {
  requireLegacy(world, entry)
  const sources = sourcesOf(world, entry)
  const left = sources.filter(({ LegacyID }) => LegacyID !== source.LegacyID)
  storeLegacySources(world, entry, left)
}

/** Validates an intention that is written by ID. Returns the messages of all errors. */
export function legacyErrors(
  source: ServiceName,
  destination: ServiceName,
  input: IntentionInput,
): readonly string[] {
  const errors: string[] = []
  if (source.name === '') errors.push('SourceName must be set')
  if (destination.name === '') errors.push('DestinationName must be set')
  for (const [end, { namespace, name }] of [
    ['Source', source],
    ['Destination', destination],
  ] as const) {
    const partial = "wildcard character '*' cannot be used with partial values"
    if (namespace !== '*' && namespace.includes('*')) errors.push(`${end}NS: ${partial}`)
    if (name === '*') continue
    if (name.includes('*')) errors.push(`${end}Name: ${partial}`)
    if (namespace === '*') errors.push(`${end}Name: exact value cannot follow wildcard namespace`)
  }
  if (input.description.length > 512) errors.push('Description exceeds maximum length 512')
  if (input.action !== 'allow' && input.action !== 'deny') {
    errors.push("Action must be set to 'allow' or 'deny'")
  }
  if ((input.permissions ?? []).length > 0) {
    errors.push('Permissions must not be set when using the legacy APIs')
  }
  if (input.type !== 'consul') errors.push("SourceType must be set to 'consul'")
  return errors
}
