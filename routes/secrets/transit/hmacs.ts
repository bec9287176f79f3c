import type { Versioned } from '../../../state/secrets/transit/ciphertext.ts'
import { decodeInput } from '../../../state/secrets/transit/ciphertext.ts'
import { hmacHash, hmacKey, makeHmac } from '../../../state/secrets/transit/hmacs.ts'
import { resultsOf } from '../../../state/secrets/transit/items.ts'
import { refuse } from '../../../state/secrets/transit/signing-messages.ts'
import type { SecretsOutcome } from '../envelope/outcome.ts'
import type { FieldValues } from '../fields/fields.ts'
import { operationsOf } from '../operation.ts'
import { hash, hashFields, hashReply, randomOperations } from '../random-and-hash.ts'
import { type BatchItem, batchItems, singleItem } from './batch.ts'
import { batchResults, type Renderer, singleResult, versionedText } from './results.ts'
import { signingForm, type TransitCall } from './signing.ts'
import { hmacEnvelope, hmacFields } from './signing-schemas.ts'
import { keyOfHmac } from './verifying.ts'

const spec = 'behaviour/secrets#transit-signing'
const operation = operationsOf({ spec })

/** Operations that return HMACs, hashes and random bytes. */
export const hmacOperations = [
  operation.write('transitHmac', 'hmac/:name', {
    summary: 'Makes an HMAC under a key.',
    body: hmacFields,
    failures: [500],
    reply: { 200: hmacEnvelope },
    run: (call) => hmac(call, call.params.name, call.fields.algorithm),
  }),
  operation.write('transitHmacWith', 'hmac/:name/:urlalgorithm', {
    summary: 'Makes an HMAC under a key, by the algorithm that the path names.',
    body: hmacFields,
    failures: [500],
    reply: { 200: hmacEnvelope },
    run: (call) => hmac(call, call.params.name, call.params.urlalgorithm),
  }),
  operation.write('transitHash', 'hash', {
    summary: 'Hashes data.',
    body: hashFields,
    reply: hashReply,
    run: ({ fields }) => hashed(fields, fields.algorithm),
  }),
  operation.write('transitHashWith', 'hash/:urlalgorithm', {
    summary: 'Hashes data by the algorithm that the path names.',
    body: hashFields,
    reply: hashReply,
    run: ({ params, fields }) => hashed(fields, params.urlalgorithm),
  }),
  ...randomOperations('transitRandom', 'random', spec),
]

function hmac(
  { world, mount, fields, input }: TransitCall<FieldValues<typeof hmacFields>>,
  name: string,
  algorithm: string,
): SecretsOutcome {
  const key = hmacKey(keyOfHmac(world, mount, name), fields.key_version)
  const hmacAlgorithm = hmacHash(algorithm)
  const process = (items: readonly BatchItem[]) =>
    resultsOf(items, (item) => {
      if (!item.has('input')) throw refuse('hmac-input-missing')
      const unreadable = (why: string) => refuse('input-unreadable', { why })
      return makeHmac(key, hmacAlgorithm, decodeInput(item.text('input'), unreadable))
    })
  const { batch_input = null } = input
  if (batch_input === null) {
    const { input: text } = fields
    return singleResult(process([singleItem(text === undefined ? {} : { input: text })]), hmacOf)
  }
  const items = batchItems(batch_input, signingForm)
  return batchResults(items, process(items), hmacOf)
}

const hmacOf: Renderer<Versioned> = (created, dialect) => ({
  hmac: versionedText(created, dialect),
})

function hashed(fields: FieldValues<typeof hashFields>, algorithm: string): SecretsOutcome {
  if (fields.input === undefined) throw refuse('hash-input-missing')
  return hash(fields, algorithm)
}
