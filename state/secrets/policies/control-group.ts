import { DurationError, parseDuration } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import type { Document, Value } from '../../hcl/document/value.ts'
import type { Message } from '../../kernel/message.ts'
import { DecodeError, itemsNamed, type StanzaDecoder } from './decode.ts'
import { message } from './messages.ts'

/** Required approvals, and the capabilities that need these approvals. */
interface Factor {
  readonly hasIdentity: boolean
  readonly hasGroups: boolean
  readonly approvals: number
  readonly capabilities: readonly string[]
}

/** Control group of a stanza. A control group is checked but has no effect. */
interface ControlGroup {
  readonly ttl: Value | undefined
  readonly factors: readonly Factor[]
}

const stanzaName = 'root.control_group'

/**
 * Decodes the control group of a stanza. Returns undefined if the stanza has no control group.
 * @throws DecodeError for a value of the wrong type
 */
export function decodeControlGroup(
  { items }: Document,
  decoder: StanzaDecoder,
): ControlGroup | undefined {
  const found = itemsNamed(items, 'control_group')
  if (found.length === 0) return undefined
  const bodies = found.map(({ value, valuePosition }) =>
    decoder.struct(value, valuePosition, stanzaName),
  )
  const ttls = bodies.flatMap((body) => itemsNamed(body.items, 'ttl'))
  const factors = bodies.flatMap((body) => decodeFactors(body, decoder))
  return { ttl: ttls.at(-1)?.value, factors }
}

function decodeFactors({ items }: Document, decoder: StanzaDecoder): Factor[] {
  const where = `${stanzaName}.factor`
  return itemsNamed(items, 'factor').flatMap(({ labels, value, valuePosition }) => {
    const [label] = labels
    if (label !== undefined) {
      const location = `${where}.${label}`
      return [decodeFactor(decoder.struct(value, valuePosition, location), location, decoder)]
    }
    return decoder.maps(value, valuePosition, where).flatMap((map) =>
      map.items.map((item) => {
        const location = `${where}.${item.key}`
        return decodeFactor(
          decoder.struct(item.value, item.valuePosition, location),
          location,
          decoder,
        )
      }),
    )
  })
}

function decodeFactor(body: Document, location: string, decoder: StanzaDecoder): Factor {
  const identityName = `${location}.identity`
  const identities = itemsNamed(body.items, 'identity').map(({ value, valuePosition }) =>
    decoder.struct(value, valuePosition, identityName),
  )
  const groups = identities.flatMap((identity) => [
    ...decoder.texts(identity, 'group_ids', `${identityName}.group_ids`),
    ...decoder.texts(identity, 'group_names', `${identityName}.group_names`),
  ])
  const approvals = identities.map((identity) =>
    decoder.text(identity, 'approvals', `${identityName}.approvals`),
  )
  return {
    hasIdentity: identities.length > 0,
    hasGroups: groups.length > 0,
    approvals: parseWholeNumber(approvals.findLast((each) => each !== undefined) ?? '0'),
    capabilities: decoder.texts(
      body,
      'controlled_capabilities',
      `${location}.controlled_capabilities`,
    ),
  }
}

function parseWholeNumber(text: string): number {
  if (/^[+-]?\d+$/.test(text)) return Number(text)
  throw new DecodeError(`strconv.ParseInt: parsing ${quoteGo(text)}: invalid syntax`)
}

/** Returns the first error of a control group; undefined for a valid control group. */
export function controlGroupProblem(
  { ttl, factors }: ControlGroup,
  capabilities: readonly string[],
): Message | undefined {
  const why = ttl === undefined ? undefined : ttlProblem(ttl)
  if (why !== undefined) return message('policy-control-group-ttl', { why })
  for (const factor of factors) {
    if (!factor.hasIdentity) return message('policy-factor-empty')
    if (factor.approvals <= 0 || !factor.hasGroups) return message('policy-factor-approvals')
    if (!factor.capabilities.every((each) => capabilities.includes(each))) {
      return message('policy-factor-capabilities')
    }
  }
  return factors.length === 0 ? message('policy-factors-missing') : undefined
}

/**
 * Parses a TTL of a stanza and returns it in nanoseconds. A number is in seconds, and its fraction
 * is ignored.
 *
 * @throws DurationError for any other value
 */
export function parseTtl(value: Value): number {
  if (typeof value === 'number') return parseDuration(Math.trunc(value))
  if (typeof value === 'string') return parseDuration(value)
  throw new DurationError('could not parse duration from input')
}

function ttlProblem(ttl: Value): string | undefined {
  try {
    parseTtl(ttl)
    return undefined
  } catch (error) {
    if (error instanceof DurationError) return error.message
    throw error
  }
}
