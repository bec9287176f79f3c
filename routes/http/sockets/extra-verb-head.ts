/** Treatment of a verb that clients send but Node's parser does not know. */
type Treatment = {
  /**
   * Method that the parser knows, that is as long as the verb, and that no API of the mock uses.
   */
  readonly standIn: string
  /**
   * Number of leading bytes of the verb that the parser accepts, because they also begin a known
   * method.
   */
  readonly acceptedBytes: number
  /** Query parameter that gives a GET the meaning of the verb. */
  readonly parameter: { readonly name: string; readonly value: string }
}

const treatments = {
  LIST: { standIn: 'LINK', acceptedBytes: 2, parameter: { name: 'list', value: 'true' } },
  HELP: { standIn: 'BIND', acceptedBytes: 2, parameter: { name: 'help', value: '1' } },
} as const satisfies Record<string, Treatment>

/** A verb of the secrets API that Node does not know as a method (behaviour/program#http). */
export type ExtraVerb = keyof typeof treatments

export const extraVerbs: readonly ExtraVerb[] = ['LIST', 'HELP']

/** Returns the method of equal length that replaces `verb` while Node parses the request. */
export function standInOf(verb: ExtraVerb): string {
  return treatments[verb].standIn
}

/** Narrows a text to an extra verb. Returns undefined for any other text. */
export function extraVerbNamed(text: string | undefined): ExtraVerb | undefined {
  for (const verb of extraVerbs) if (verb === text) return verb
  return undefined
}

/** The error that Node's HTTP parser reports for an unknown method. */
type InvalidMethodError = Error & {
  /** Bytes that the parser received last. */
  readonly rawPacket: Buffer
  /** Offset at which the parser stopped: the first byte that fits no method. */
  readonly bytesParsed: number
}

/**
 * Returns true if `error` is the parser's error for an unknown method and contains the position.
 */
export function isInvalidMethodError(error: Error): error is InvalidMethodError {
  return (
    'code' in error &&
    error.code === 'HPE_INVALID_METHOD' &&
    'rawPacket' in error &&
    Buffer.isBuffer(error.rawPacket) &&
    'bytesParsed' in error &&
    typeof error.bytesParsed === 'number'
  )
}

/**
 * Returns the received part of the refused request, from its first byte on; undefined if a request
 * with one of `verbs` cannot start like this. The part may end within the verb: see `matchVerb`.
 *
 * The parser gives up `acceptedBytes` bytes into the verb. If the client's writes split the verb
 * before that point, the preceding bytes are lost (`L` + `IST /` reports `IST /` and offset 1, `LI`
 * + `ST /` reports `ST /` and 0), and this function restores them. The function assumes the
 * restored bytes without verifying them: a request such as `BIST /` that arrives as `B` + `IST /`
 * is mistaken for LIST.
 */
export function refusedHead(
  error: InvalidMethodError,
  verbs: readonly ExtraVerb[],
): Buffer | undefined {
  for (const verb of verbs) {
    const start = error.bytesParsed - treatments[verb].acceptedBytes
    const head =
      start >= 0
        ? error.rawPacket.subarray(start)
        : Buffer.concat([Buffer.from(verb.slice(0, -start)), error.rawPacket])
    if (matchVerb(head, [verb]) !== undefined) return head
  }
  return undefined
}

/**
 * Returns the verb that `head` starts with, `incomplete` if more bytes are needed, and undefined
 * otherwise.
 */
export function matchVerb(
  head: Buffer,
  verbs: readonly ExtraVerb[],
): ExtraVerb | 'incomplete' | undefined {
  for (const verb of verbs) {
    const expected = `${verb} `
    const start = head.toString('latin1', 0, expected.length)
    if (start === expected) return verb
    if (expected.startsWith(start)) return 'incomplete'
  }
  return undefined
}

/** Replaces the verb at the start of `head` with its stand-in. */
export function withStandIn(head: Buffer, verb: ExtraVerb): Buffer {
  return Buffer.concat([Buffer.from(standInOf(verb)), head.subarray(verb.length)])
}

/**
 * Returns the target of a GET that has the same meaning as `verb` with `target`: `list=true` or
 * `help=1` becomes the last query parameter and replaces any parameter of that name.
 *
 * @param target origin form or absolute form; a fragment stays after the query
 */
export function targetForGet(target: string, verb: ExtraVerb): string {
  const { name, value } = treatments[verb].parameter
  const [, path = '', query = '', fragment = ''] =
    /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(target) ?? []
  const kept = query
    .split('&')
    .filter((part) => part !== '' && part !== name && !part.startsWith(`${name}=`))
  return `${path}?${[...kept, `${name}=${value}`].join('&')}${fragment}`
}
