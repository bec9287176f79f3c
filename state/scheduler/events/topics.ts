import { refuse } from '../messages.ts'
import type { StreamEvent } from './stream-events.ts'

/** The topics of a stream, each with its keys. */
export type Topics = ReadonlyMap<string, readonly string[]>

/** Topic or key that matches all topics or keys. */
export const wildcard = '*'

/**
 * Parses topics of a request: `<topic>` or `<topic>:<key>`; an empty list means all.
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

/** Returns true if an event matches a stream's topics and namespace (or `*`). */
export function matchesTopics(topics: Topics, namespace: string, event: StreamEvent): boolean {
  const isInNamespace =
    event.namespace === '' || namespace === wildcard || event.namespace === namespace
  if (!isInNamespace) return false
  const keys = [...(topics.get(wildcard) ?? []), ...(topics.get(event.topic) ?? [])]
  return keys.some(
    (key) => key === wildcard || key === event.key || event.filterKeys?.includes(key) === true,
  )
}
