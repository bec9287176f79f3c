import { refuse } from '../messages.ts'
import type { StreamEvent } from './stream-events.ts'

/** Keys by topic, as a client subscribes to them. */
export type Topics = ReadonlyMap<string, readonly string[]>

/** Topic or key that matches every topic or key. */
export const wildcard = '*'

/**
 * Parses the topics of a request: `<topic>` or `<topic>:<key>`. An empty list selects all topics.
 *
 * @throws Refusal 400 for more than two parts
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
 * Returns true if a client has subscribed to the topic and key of an event, and the namespace
 * matches or is `*`. An event outside of namespaces matches every namespace.
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
