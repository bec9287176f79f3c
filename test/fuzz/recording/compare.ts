import { operationsOfCoverage, operationsOfDocument } from './documents.ts'
import { type Exchange, textOf, type WireReply } from './format.ts'
import { firstDifference, type Json, namesIn, parse } from './names.ts'
import { comparedName, isUncomparedHeader, withoutUncompared } from './uncompared.ts'

/** Result of a comparison. */
export interface Compared {
  /**
   * First location that differs: `status`, `header x`, `body/data/key`; undefined if there is no
   * difference.
   */
  readonly place?: string
  readonly recorded?: string
  readonly replayed?: string
  /** Whether parts of the body were not compared. */
  readonly skipped: boolean
}

const equal: Compared = { skipped: false }

/** Compares a reply with the recorded one, by the method that the recording names. */
export function compareReplies(exchange: Exchange, replayed: WireReply): Compared {
  const recorded = exchange.reply
  if (recorded.status !== replayed.status) {
    return differs('status', recorded.status, replayed.status)
  }
  if (recorded.broken !== replayed.broken) {
    return differs('end of the connection', recorded.broken, replayed.broken)
  }
  const [ours, theirs] = [textOf(recorded.body), textOf(replayed.body)]
  switch (exchange.comparison) {
    case 'exact':
      return compareExactly(exchange, replayed)
    case 'names':
      return compareLists('member', namesOf(ours), namesOf(theirs))
    case 'explanation': {
      const rule = (text: string) => Reflect.get(Object(parse(text)), 'rule')
      if (rule(ours) !== rule(theirs)) return differs('body/rule', rule(ours), rule(theirs))
      return compareLists('member', namesOf(ours), namesOf(theirs))
    }
    case 'coverage':
      return compareLists(
        'operation',
        operationsOfCoverage(parse(ours)),
        operationsOfCoverage(parse(theirs)),
      )
    case 'document': {
      const operations = (text: string) => {
        const document: Json = parse(text)
        // A help page of the secrets API contains the document in a member.
        return operationsOfDocument(
          Reflect.get(Object(document), 'openapi')?.paths === undefined
            ? document
            : Reflect.get(Object(document), 'openapi'),
        )
      }
      return compareLists('operation', operations(ours), operations(theirs))
    }
  }
}

const namesOf = (text: string): string[] => namesIn(parse(text), comparedName)

function differs(place: string, recorded: unknown, replayed: unknown): Compared {
  return { place, recorded: excerpt(recorded), replayed: excerpt(replayed), skipped: false }
}

const excerpt = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')).slice(0, 2000)

function compareLists(
  what: string,
  recorded: readonly string[],
  replayed: readonly string[],
): Compared {
  const [ours, theirs] = [new Set(recorded), new Set(replayed)]
  const missing = recorded.filter((name) => !theirs.has(name))
  const added = replayed.filter((name) => !ours.has(name))
  const [first] = [...missing, ...added]
  if (first === undefined) return equal
  return differs(`${what} ${first}`, { missing }, { added })
}

function compareExactly({ reply, operation }: Exchange, replayed: WireReply): Compared {
  const [ours, theirs] = [textOf(reply.body), textOf(replayed.body)]
  const isSame = JSON.stringify(reply.body) === JSON.stringify(replayed.body)
  const [parsed, parsedToo] = [parse(ours), parse(theirs)]
  const kept = withoutUncompared(operation, parsed)
  const skipped = kept.skipped
  const inHeaders = compareHeaders(reply, replayed, !isSame)
  if (inHeaders !== undefined) return { ...inHeaders, skipped }
  if (isSame) return { skipped }
  const other = withoutUncompared(operation, parsedToo)
  if (skipped && JSON.stringify(kept.value) === JSON.stringify(other.value)) return { skipped }
  const place = parsed === undefined ? undefined : firstDifference(kept.value, other.value)
  return { ...differs(`body${place ?? ' (bytes)'}`, ours, theirs), skipped }
}

function compareHeaders(
  recorded: WireReply,
  replayed: WireReply,
  isLengthFree: boolean,
): Compared | undefined {
  const compared = ({ headers }: WireReply) =>
    headers.filter(
      ([name]) => !isUncomparedHeader(name) && !(isLengthFree && /^content-length$/i.test(name)),
    )
  const [ours, theirs] = [compared(recorded), compared(replayed)]
  if (JSON.stringify(ours) === JSON.stringify(theirs)) return undefined
  const values = (headers: typeof ours, name: string) =>
    headers.filter(([each]) => each === name).map(([, value]) => value)
  for (const [name] of [...ours, ...theirs]) {
    const [one, other] = [values(ours, name), values(theirs, name)]
    if (JSON.stringify(one) !== JSON.stringify(other)) return differs(`header ${name}`, one, other)
  }
  return differs('order of headers', ours, theirs)
}
