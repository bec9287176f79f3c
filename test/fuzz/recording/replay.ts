import { compareReplies } from './compare.ts'
import { type Exchange, readRecording, textOf, type WireReply } from './format.ts'
import { RecordedServer } from './server.ts'
import { Substitutes } from './substitutes.ts'

/** Reply that differs from the recorded one. */
export interface Difference {
  /** Line number in the recording; the first line is 1. */
  readonly line: number
  readonly operation: string
  readonly status: number
  readonly place: string
  readonly recorded: string
  readonly replayed: string
  readonly request: Exchange['request']
}

/** Result of a replay. */
export interface Replayed {
  readonly requests: number
  readonly control: number
  readonly explanations: number
  readonly documents: number
  /** Bodies compared byte by byte, and the number of them compared only in part. */
  readonly bodies: number
  readonly skipped: number
  readonly differences: readonly Difference[]
}

/** Sends a recorded run to the server that a command starts, and compares all replies. */
export async function replay(file: string, command?: readonly string[]): Promise<Replayed> {
  const { start, exchanges } = await readRecording(file)
  const server = await RecordedServer.start(start, command)
  const counts = { exact: 0, names: 0, explanation: 0, document: 0, coverage: 0 }
  const differences: Difference[] = []
  const substitutes = new Substitutes()
  let [line, bodies, skippedBodies] = [1, 0, 0]
  try {
    for await (const exchange of exchanges) {
      line += 1
      const { reply, advances } = await server.exchange(substitutes.apply(exchange.request))
      substitutes.learn(exchange.reply, reply)
      counts[exchange.comparison] += 1
      if (exchange.comparison === 'exact' && textOf(reply.body) !== '') bodies += 1
      const { skipped, ...compared } = compare(exchange, reply, advances)
      if (skipped) skippedBodies += 1
      const { place, recorded = '', replayed = '' } = compared
      if (place === undefined) continue
      const { request } = exchange
      const operation = exchange.operation ?? `${request.listener} ${request.method}`
      const { status } = exchange.reply
      differences.push({ line, operation, status, place, recorded, replayed, request })
    }
  } finally {
    await server.stop()
  }
  return {
    requests: counts.exact,
    control: counts.names,
    explanations: counts.explanation,
    documents: counts.document + counts.coverage,
    bodies,
    skipped: skippedBodies,
    differences,
  }
}

function compare(exchange: Exchange, reply: WireReply, advances: number) {
  const compared = compareReplies(exchange, reply)
  if (compared.place !== undefined || advances === (exchange.advances ?? 0)) return compared
  return {
    place: 'waiting',
    recorded: `the clock was advanced ${exchange.advances ?? 0} times until there was a reply`,
    replayed: `${advances} times`,
    skipped: compared.skipped,
  }
}

/** Number of examples printed per kind. */
const examples = 3

/** Formats differences, grouped by kind, with the most frequent kind first. */
export function linesAbout(differences: readonly Difference[]): string[] {
  const kinds = new Map<string, Difference[]>()
  for (const difference of differences) {
    const { operation, status, place } = difference
    const kind = `${operation}, ${status}: ${place}`
    kinds.set(kind, [...(kinds.get(kind) ?? []), difference])
  }
  return [...kinds]
    .sort(([, a], [, b]) => b.length - a.length)
    .flatMap(([kind, all]) => [
      `${kind} (${all.length})`,
      ...all
        .slice(0, examples)
        .flatMap(({ line, request, recorded, replayed }) => [
          `  line ${line}: ${request.method} ${request.url.slice(0, 200)}`,
          `    recorded: ${excerptAt(recorded, replayed)}`,
          `    replayed: ${excerptAt(replayed, recorded)}`,
        ]),
    ])
}

/** Returns an excerpt of a text around the first character that differs from another text. */
function excerptAt(text: string, other: string): string {
  const at = [...text].findIndex((character, n) => character !== other[n])
  const from = Math.max(0, (at < 0 ? Math.min(text.length, other.length) : at) - 60)
  return (from > 0 ? '…' : '') + text.slice(from, from + 240)
}
