import { refuse } from '../texts.ts'
import type { StreamEvent } from './stream-events.ts'

/** The topics that a stream asks for, each with the keys that it wants. */
export type Topics = ReadonlyMap<string, readonly string[]>

/** Any topic, and any key. */
export const any = '*'

/**
 * Reads topics as requests name them: `<topic>` or `<topic>:<key>`; none are all.
 *
 * @throws Refusal 400 for what has more parts
 */
export function topicsOf(sent: readonly string[]): Topics {
  if (sent.length === 0) return new Map([[any, [any]]])
  const topics = new Map<string, string[]>()
  for (const each of sent) {
    const [topic = '', key = any, ...rest] = each.split(':')
    if (rest.length > 0) throw refuse('topic-invalid', { topic: each })
    topics.set(topic, [...(topics.get(topic) ?? []), key])
  }
  return topics
}

/** Tells whether a stream of topics in a namespace (or `*`) has an event. */
export function isWanted(topics: Topics, namespace: string, event: StreamEvent): boolean {
  const isThere = event.namespace === '' || namespace === any || event.namespace === namespace
  if (!isThere) return false
  const keys = [...(topics.get(any) ?? []), ...(topics.get(event.topic) ?? [])]
  return keys.some(
    (key) => key === any || key === event.key || event.filterKeys?.includes(key) === true,
  )
}
