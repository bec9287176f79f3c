import { refuse } from '../messages.ts'
import type { StreamEvent } from './stream-events.ts'

/** Keys to which a client has subscribed, by topic. */
export type Topics = ReadonlyMap<string, readonly string[]>

/** Wildcard: as a topic, all topics; as a key, all keys; as a namespace, all namespaces. */
export const wildcard = '*'

/**
 * Parses the topics of a request: `<topic>` or `<topic>:<key>`. An empty list selects all topics.
 *
 * @throws Refusal 400 for a topic with more than two parts
 */
export function parseTopics(input: readonly string[]): Topics {
  if (input.length === 0) return new Map([[wildcard, [wildcard]]])
  const topics = new Map<string, string[]>()
  for (const text of input) {
    const [topic = '', key = wildcard, ...rest] = text.split(':')
    if (rest.length > 0) throw refuse('topic-invalid', { topic: text })
    topics.set(topic, [...(topics.get(topic) ?? []), key])
  }
  return topics
}

/**
 * Returns true if a client that subscribes to `topics` in `namespace` (`*` for all namespaces)
 * receives the event. An event outside of namespaces matches every namespace.
 */
export function matchesTopics(topics: Topics, namespace: string, event: StreamEvent): boolean {
  const isInNamespace =
    event.namespace === '' || namespace === wildcard || event.namespace === namespace
  if (!isInNamespace) return false
  const keys = [...(topics.get(wildcard) ?? []), ...(topics.get(event.topic) ?? [])]
  return keys.some(
    (key) => key === wildcard || key === event.key || event.filterKeys?.includes(key) === true,
  )
}
