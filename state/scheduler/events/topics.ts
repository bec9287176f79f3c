import { refuse } from '../messages.ts'
import type { StreamEvent } from './stream-events.ts'

/** The topics that a stream asks for, each with the keys that it wants. */
export type Topics = ReadonlyMap<string, readonly string[]>

/** Any topic, and any key. */
export const wildcard = '*'

/**
 * Reads topics as requests name them: `<topic>` or `<topic>:<key>`; none are all.
 *
 * @throws Refusal 400 for what has more parts
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

/** Tells whether a stream of topics in a namespace (or `*`) has an event. */
export function matchesTopics(topics: Topics, namespace: string, event: StreamEvent): boolean {
  const isInNamespace =
    event.namespace === '' || namespace === wildcard || event.namespace === namespace
  if (!isInNamespace) return false
  const keys = [...(topics.get(wildcard) ?? []), ...(topics.get(event.topic) ?? [])]
  return keys.some(
    (key) => key === wildcard || key === event.key || event.filterKeys?.includes(key) === true,
  )
}
