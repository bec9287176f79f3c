/** The treatment of a verb that clients send and Node's parser does not know. */
type Treatment = {
  /** A method of the same length that the parser knows and no API here uses. */
  readonly standIn: string
  /** The number of bytes of the verb that the parser accepts, because known methods start like it. */
  readonly accepted: number
  /** The query parameter that means the same on a GET. */
  readonly parameter: { readonly name: string; readonly value: string }
}

const treatments = {
  LIST: { standIn: 'LINK', accepted: 2, parameter: { name: 'list', value: 'true' } },
  HELP: { standIn: 'BIND', accepted: 2, parameter: { name: 'help', value: '1' } },
} as const satisfies Record<string, Treatment>

/** A verb of the secrets API that is no method to Node (behaviour/program#http). */
export type ExtraVerb = keyof typeof treatments

/** All extra verbs. */
export const extraVerbs: readonly ExtraVerb[] = ['LIST', 'HELP']

/** The method that stands for `verb` while Node parses the request, of the same length. */
export function standInOf(verb: ExtraVerb): string {
  return treatments[verb].standIn
}

/** The extra verb of that name, or undefined if `text` is none. */
export function extraVerbNamed(text: string | undefined): ExtraVerb | undefined {
  return extraVerbs.find((verb) => verb === text)
}

/** The error that Node's HTTP parser reports when it meets a method that it does not know. */
type InvalidMethodError = Error & {
  /** The bytes that the parser was given last. */
  readonly rawPacket: Buffer
  /** Where in them it gave up: at the first byte that fits no method. */
  readonly bytesParsed: number
}

/** Tells whether `error` is the parser's refusal of a method, with its whereabouts. */
export function isInvalidMethod(error: Error): error is InvalidMethodError {
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
 * The refused request from its first byte on, as far as it has come in, if it may be one of
 * `verbs`; `matchVerb` says whether it is.
 *
 * The parser gives up `accepted` bytes into the verb. When the client's writes split the verb
 * before that point, the bytes in front are gone (`L` + `IST /` reports `IST /` and offset 1,
 * `LI` + `ST /` reports `ST /` and 0) and are put back. They are then presumed, not seen: a
 * request such as `BIST /` that arrives as `B` + `IST /` passes for LIST.
 */
export function refusedHead(
  error: InvalidMethodError,
  verbs: readonly ExtraVerb[],
): Buffer | undefined {
  for (const verb of verbs) {
    const start = error.bytesParsed - treatments[verb].accepted
    const head =
      start >= 0
        ? error.rawPacket.subarray(start)
        : Buffer.concat([Buffer.from(verb.slice(0, -start)), error.rawPacket])
    if (matchVerb(head, [verb]) !== undefined) return head
  }
  return undefined
}

/** The one of `verbs` that `head` starts with, `incomplete` if more bytes must tell, or none. */
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

/** `head` with its verb overwritten by the stand-in; `verb` is what it starts with. */
export function withStandIn(head: Buffer, verb: ExtraVerb): Buffer {
  return Buffer.concat([Buffer.from(standInOf(verb)), head.subarray(verb.length)])
}

/**
 * The request target that means, with GET, what `target` means with `verb`: `list=true` or
 * `help=1` is its last query parameter, and a parameter of that name that it had is gone, so that
 * it has one value.
 *
 * @param target origin or absolute form; a fragment stays behind the query
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
