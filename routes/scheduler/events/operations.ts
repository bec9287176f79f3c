import { quoteGo } from '../../../state/go/text.ts'
import { Refusal } from '../../../state/kernel/refusal.ts'
import { any as anyValue, goList, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { parseTopics, type Topics, wildcard } from '../../../state/scheduler/events/topics.ts'
import { refuse } from '../../../state/scheduler/messages.ts'
import { allNamespaces } from '../../../state/scheduler/namespaces.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { requiresAnyOf, within } from '../access.ts'
import { operationsOf, type SchedulerContext } from '../operation.ts'
import { intError } from '../query.ts'
import { eventStream } from './stream.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#event-stream' })

/** The events of one write, as a line of the stream contains them. */
const lineShape = struct('Events', {
  Index: uint,
  Events: goList(
    struct('Event', {
      Topic: text,
      Type: text,
      Key: text,
      Namespace: text,
      FilterKeys: goList(text),
      Index: uint,
      Payload: anyValue,
    }),
  ),
})

/** The operation that streams events. */
export const eventOperations = [
  operation.get({
    id: 'streamEvents',
    path: '/event/stream',
    access: within(requiresAnyOf('namespace:read-job', 'node:read', 'management')),
    summary: 'Follow what happens: lines of JSON, `{}` while nothing does.',
    query: parameters({
      topic: described(text, 'What about: `<topic>` or `<topic>:<key>`; may come again'),
    }),
    reply: { 200: lineShape },
    run({ context }) {
      const { world, dialect, namespace, query } = context
      const index = parseStartIndex(query.value('index') ?? '0')
      const topics = parseTopics(query.all('topic'))
      if (!canListen(context, topics)) throw refuse('permission-denied')
      const streamSettings = { world, dialect, topics, namespace, index }
      return context.streamResponse(
        { 'content-type': 'application/json', 'cache-control': 'no-cache' },
        (response) =>
          eventStream({ ...streamSettings, response, canListen: () => canListen(context, topics) }),
      )
    },
  }),
]

function parseStartIndex(text: string): number {
  const why = intError(text)
  if (why !== undefined) throw refuse('stream-index-invalid', { quoted: quoteGo(text), why })
  const index = Number(text)
  // The reference reads a negative index as a very large one.
  return index < 0 ? Number.MAX_SAFE_INTEGER : index
}

const namespacedTopics: ReadonlySet<string> = new Set([
  'Job',
  'Evaluation',
  'Allocation',
  'Deployment',
  'Service',
])

/** Returns whether the caller may read all the topics. An unknown token may read none. */
function canListen(context: SchedulerContext, topics: Topics): boolean {
  const caller = callerIfKnown(context)
  if (caller === undefined) return false
  const { world, namespace } = context
  const names = namespace === wildcard ? allNamespaces(world).map(({ Name }) => Name) : [namespace]
  return [...topics.keys()].every((topic) => {
    if (namespacedTopics.has(topic)) return names.every((name) => caller.may(name, 'read-job'))
    return topic === 'Node' ? caller.mayUse('node', 'read') : caller.isManagement
  })
}

function callerIfKnown(context: SchedulerContext): SchedulerContext['caller'] | undefined {
  try {
    return context.caller
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'denied') return undefined
    throw error
  }
}
