import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { message, refuse } from '../messages.ts'
import { isCommunity } from '../options.ts'
import { type EntryKind, type EntryMembers, entryShapes, isEntryKind } from './entry-shapes.ts'
import { formatErrors } from './problems.ts'
import { decodeWeakly, goKind } from './weak-decoder.ts'

/** An entry of a request, decoded but not validated. */
export interface DecodedEntry {
  readonly kind: EntryKind
  readonly members: EntryMembers
  readonly namespace: string | undefined
  readonly partition: string | undefined
}

function unreadableRefusal(problem: string) {
  return refuse('entry-body-unreadable', { problem })
}

/**
 * Returns a body as an object. Null counts as an empty object. Throws a refusal for other values.
 */
export function objectOfBody(json: Json): JsonObject {
  if (json === null) return {}
  if (isJsonObject(json)) return json
  throw unreadableRefusal(`'' expected a map, got '${goKind(json)}'`)
}

/**
 * Decodes an entry. Throws a refusal for a missing or unknown kind, for values that cannot be
 * converted, and for unknown members.
 */
export function decodeEntry(world: World, sent: JsonObject): DecodedEntry {
  const kind = sent['Kind'] ?? sent['kind']
  if (kind === undefined) {
    throw unreadableRefusal('Payload does not contain a kind/Kind key at the top level')
  }
  if (typeof kind !== 'string') throw unreadableRefusal('Kind value in payload is not a string')
  if (!isEntryKind(kind)) {
    throw refuse('entry-body-unreadable', { problem: message('entry-kind-unknown', { kind }) })
  }
  const { value, problems, unused } = decodeWeakly(
    withoutScope(world, sent),
    entryShapes[kind],
    isCommunity(world),
  )
  if (problems.length > 0) {
    const lines = [...problems].sort().map((problem) => `* ${problem}`)
    throw unreadableRefusal(`${problems.length} error(s) decoding:\n\n${lines.join('\n')}`)
  }
  const unknown = unused.filter((name) => !ignoredMembers.has(name))
  if (unknown.length > 0) throw unreadableRefusal(formatErrors(unknown.map(unknownMember)))
  // The cast is safe: the decoder returns the members of the kind's shape.
  const members = { ...value, Kind: kind } as unknown as EntryMembers
  const scope = (name: string) => {
    const found = isCommunity(world) ? undefined : sent[scopeMember(sent, name) ?? '']
    return typeof found === 'string' && found !== '' ? found : undefined
  }
  return { kind, members, namespace: scope('namespace'), partition: scope('partition') }
}

/**
 * Members that are ignored although the shapes do not contain them, because clients send back
 * entries that they have read.
 */
const ignoredMembers: ReadonlySet<string> = new Set([
  'Kind',
  'kind',
  'CreateIndex',
  'ModifyIndex',
  'Hash',
  'hash',
])

function scopeMember(sent: JsonObject, name: string): string | undefined {
  return Object.keys(sent).find((key) => key.toLowerCase() === name)
}

/**
 * Returns the members except namespace and partition, which the shapes of entries do not contain.
 * In the community edition, returns all members, so that these two are refused as unknown.
 */
function withoutScope(world: World, sent: JsonObject): JsonObject {
  if (isCommunity(world)) return sent
  const names = new Set(['namespace', 'partition'])
  const kept = Object.entries(sent).filter(([name]) => !names.has(name.toLowerCase()))
  return Object.fromEntries<Json>(kept)
}

function unknownMember(name: string): string {
  const start = `invalid config key "${name}"`
  if (name.toLowerCase().endsWith('namespace')) {
    return `${start}, namespaces are a consul enterprise feature`
  }
  if (name.toLowerCase().includes('jwt')) {
    return `${start}, api-gateway jwt validation is a consul enterprise feature`
  }
  return start
}
