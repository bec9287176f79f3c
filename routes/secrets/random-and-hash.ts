import { createHash } from 'node:crypto'
import { Base64Error, decodeBase64 } from '../../state/go/base64.ts'
import { quoteGo } from '../../state/go/text.ts'
import { int, text } from '../../state/kernel/shape/kinds.ts'
import { described, withDefault } from '../../state/kernel/shape/members.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import { namePattern } from '../http/router/router-mounts.ts'
import { dataOutcome, type SecretsOutcome } from './envelope/outcome.ts'
import { enveloped } from './envelope/schemas.ts'
import { message, refuse } from './messages.ts'
import { operationsOf, type SecretsOperation } from './operation.ts'

const randomFields = {
  bytes: withDefault(described(int, 'Number of bytes, less than 131072'), 32),
  format: withDefault(described(text, '`base64` or `hex`'), 'base64'),
} as const

interface RandomFields {
  readonly bytes: number
  readonly format: string
}

const randomReply = enveloped({ random_bytes: text })

export const hashFields = {
  input: described(text, 'Input in base64'),
  algorithm: withDefault(
    described(text, '`sha2-` or `sha3-` with 224, 256, 384 or 512'),
    'sha2-256',
  ),
  format: withDefault(described(text, '`hex` or `base64`'), 'hex'),
} as const

interface HashFields {
  readonly input?: string
  readonly format: string
}

export const hashReply = enveloped({ sum: text })

const sourcePattern = new RegExp(`^${namePattern}$`)

/** Accepted names of sources of random bytes. All of them stand for the world's generator. */
const sources: readonly string[] = ['platform', 'seal', 'all']

const maxBytes = 131_072

/** Parses a number of bytes in a path as Go does. Throws a refusal for any other text. */
function byteCount(provided: string): number {
  const unreadable = (why: string) =>
    refuse('byte-count-unreadable', { given: quoteGo(provided), why })
  if (!/^[+-]?\d+$/.test(provided)) throw unreadable('invalid syntax')
  const count = BigInt(provided.replace(/^\+/, ''))
  if (BigInt.asIntN(64, count) !== count) throw unreadable('value out of range')
  return Number(count)
}

/**
 * Returns random bytes from the world's generator (behaviour/secrets#small-endpoints).
 *
 * @throws Refusal `invalid` for an invalid number, encoding or source
 */
function random(
  world: World,
  { format }: RandomFields,
  bytes: number,
  source: string,
): SecretsOutcome {
  if (bytes < 1) throw refuse('bytes-too-few')
  if (bytes > maxBytes) throw refuse('bytes-too-many', { most: maxBytes })
  if (!isEncoding(format)) throw refuse('encoding-unknown', { format: quoteGo(format) })
  if (!sources.includes(source)) throw refuse('source-unknown', { source: quoteGo(source) })
  const random_bytes = Buffer.from(world.ids.bytes(bytes)).toString(format)
  const warnings = source === 'seal' ? [message('entropy-of-platform')] : []
  return { kind: 'envelope', data: { random_bytes }, warnings }
}

/**
 * Returns random bytes for a path whose last segment is the source or the number of bytes. Throws a
 * refusal for an invalid number and for a name that ends in a period. Also throws the refusals of
 * `random`.
 */
function randomAt(world: World, fields: RandomFields, source: string): SecretsOutcome {
  if (sources.includes(source)) return random(world, fields, fields.bytes, source)
  // Names never end in a period (behaviour/secrets#api-periods).
  if (/^[^/]*\.(?:\/|$)/.test(source)) throw refuse('unsupported-path')
  // As in the reference, a segment that cannot be a name is ignored.
  const bytes = sourcePattern.test(source) ? byteCount(source) : fields.bytes
  return random(world, fields, bytes, 'platform')
}

/**
 * Returns the operations at `path`, and those below it, which name the source or the number of
 * bytes in the path.
 */
export function randomOperations(
  id: string,
  path: string,
  spec: string,
): readonly SecretsOperation[] {
  const operation = operationsOf({ spec })
  const common = { body: randomFields, reply: randomReply } as const
  return [
    operation.write(id, path, {
      ...common,
      summary: 'Generate random bytes.',
      optionalParams: ['source', 'urlbytes'],
      run: ({ world, fields }) => random(world, fields, fields.bytes, 'platform'),
    }),
    operation.write(`${id}From`, `${path}/:source/*urlbytes`, {
      ...common,
      summary: 'Generate as many random bytes as the path says, from the source that it names.',
      run: ({ world, params, fields }) =>
        random(world, fields, byteCount(params.urlbytes), params.source),
    }),
    operation.write(`${id}At`, `${path}/*source`, {
      ...common,
      optionalParams: ['urlbytes'],
      summary: 'Generate random bytes; the path names their number or their source.',
      run: ({ world, params, fields }) => randomAt(world, fields, params.source),
    }),
  ]
}

function isEncoding(format: string): format is 'base64' | 'hex' {
  return format === 'base64' || format === 'hex'
}

/**
 * Returns the hash of an input (behaviour/secrets#small-endpoints).
 *
 * @throws Refusal `invalid` for an invalid input, encoding or algorithm
 */
export function hash({ input = '', format }: HashFields, algorithm: string): SecretsOutcome {
  const bytes = readInput(input)
  if (!isEncoding(format)) throw refuse('encoding-unknown', { format })
  const digest = digestNames.get(algorithm)
  if (digest === undefined) throw refuse('algorithm-unknown', { algorithm })
  return dataOutcome({ sum: createHash(digest).update(bytes).digest(format) })
}

const digestNames: ReadonlyMap<string, string> = new Map(
  [224, 256, 384, 512].flatMap((bits) => [
    [`sha2-${bits}`, `sha${bits}`],
    [`sha3-${bits}`, `sha3-${bits}`],
  ]),
)

function readInput(input: string): Uint8Array {
  try {
    return decodeBase64(input)
  } catch (error) {
    if (!(error instanceof Base64Error)) throw error
    throw refuse('hash-input-unreadable', { why: error.message })
  }
}
