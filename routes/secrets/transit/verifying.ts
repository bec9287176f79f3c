import type { Json } from '../../../state/kernel/json.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Mount } from '../../../state/secrets/mounts/mounts.ts'
import { decodeInput, type Versioned } from '../../../state/secrets/transit/ciphertext.ts'
import { resultsOf } from '../../../state/secrets/transit/items.ts'
import { type TransitKey, transitKeys } from '../../../state/secrets/transit/keys.ts'
import { checkHashNone } from '../../../state/secrets/transit/signing.ts'
import { refuse } from '../../../state/secrets/transit/signing-messages.ts'
import { signs } from '../../../state/secrets/transit/types.ts'
import {
  hmacHash,
  hmacKey,
  makeHmac,
  verifyHmac,
  verifyInput,
} from '../../../state/secrets/transit/verification.ts'
import type { SecretsOutcome } from '../envelope/outcome.ts'
import type { FieldValues } from '../fields/fields.ts'
import { operationsOf } from '../operation.ts'
import { hash, hashFields, hashReply, randomOperations } from '../random-and-hash.ts'
import { type BatchItem, batchItems, singleItem } from './batch.ts'
import { batchResults, type Renderer, singleResult, versionedText } from './results.ts'
import { hmacEnvelope, hmacFields, validEnvelope, verifyFields } from './schemas.ts'
import {
  contextOf,
  hashOf,
  inputOf,
  requestedSigningOptions,
  signingForm,
  type TransitCall,
} from './signing.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#transit-signing' })

/** Operations that verify signatures and HMACs. */
export const verifyingOperations = [
  operation.write('transitVerify', 'verify/:name', {
    optionalParams: ['urlalgorithm'],
    summary: 'Verify a signature or an HMAC of a key.',
    body: verifyFields,
    failures: [500],
    reply: { 200: validEnvelope },
    run: (call) => verify(call, call.params.name, undefined),
  }),
  operation.write('transitVerifyWith', 'verify/:name/:urlalgorithm', {
    summary: 'Verify a signature or an HMAC whose hash the path names.',
    body: verifyFields,
    failures: [500],
    reply: { 200: validEnvelope },
    run: (call) => verify(call, call.params.name, call.params.urlalgorithm),
  }),
]

type Fields = FieldValues<typeof verifyFields>

/** Operations that return HMACs, hashes and random bytes. */
export const hmacOperations = [
  operation.write('transitHmac', 'hmac/:name', {
    optionalParams: ['urlalgorithm'],
    summary: 'Create an HMAC under a key.',
    body: hmacFields,
    failures: [500],
    reply: { 200: hmacEnvelope },
    run: (call) => hmac(call, call.params.name, call.fields.algorithm),
  }),
  operation.write('transitHmacWith', 'hmac/:name/:urlalgorithm', {
    summary: 'Create an HMAC under a key, by the algorithm that the path names.',
    body: hmacFields,
    failures: [500],
    reply: { 200: hmacEnvelope },
    run: (call) => hmac(call, call.params.name, call.params.urlalgorithm),
  }),
  operation.write('transitHash', 'hash', {
    optionalParams: ['urlalgorithm'],
    summary: 'Hash data.',
    body: hashFields,
    reply: hashReply,
    run: ({ fields }) => hashOutcome(fields, fields.algorithm),
  }),
  operation.write('transitHashWith', 'hash/:urlalgorithm', {
    summary: 'Hash data by the algorithm that the path names.',
    body: hashFields,
    reply: hashReply,
    run: ({ params, fields }) => hashOutcome(fields, params.urlalgorithm),
  }),
  ...randomOperations('transitRandom', 'random', 'behaviour/secrets#transit-signing'),
]

const hmacOf: Renderer<Versioned> = (created, dialect) => ({
  hmac: versionedText(created, dialect),
})

function verify(
  { world, mount, fields, input }: TransitCall<Fields>,
  name: string,
  pathHash: string | undefined,
): SecretsOutcome {
  const { batch_input = null } = input
  const items = batch_input === null ? [itemOf(fields)] : batchItems(batch_input, signingForm)
  const verified =
    verificationSource(items, batch_input) === 'hmac'
      ? hmacVerifier(world, mount, name, pathHash ?? hashOf(fields))
      : signatureVerifier(world, mount, name, fields, pathHash ?? hashOf(fields))
  const results = resultsOf(world, items, verified)
  const render = (valid: boolean) => ({ valid })
  if (batch_input === null) return singleResult(results, render)
  return batchResults(items, results, render, { valid: false })
}

function itemOf({ input, context, signature, hmac }: Fields): BatchItem {
  return singleItem({
    input,
    context,
    ...(signature !== undefined && { signature }),
    ...(hmac !== undefined && { hmac }),
  })
}

/**
 * Returns whether the items contain signatures or HMACs. Throws an `invalid` refusal if some items
 * have a signature and others an HMAC, and if an item has neither a signature nor an HMAC.
 */
function verificationSource(items: readonly BatchItem[], batch: Json): 'signature' | 'hmac' {
  const signed = items.filter((item) => item.has('signature')).length
  const hashed = items.filter((item) => !item.has('signature') && item.has('hmac')).length
  const isMissing = signed + hashed < items.length
  if (batch === null && isMissing) throw refuse('nothing-to-verify')
  if (signed > 0 && hashed > 0) throw refuse('verify-mixed')
  if (isMissing && signed + hashed === 0) throw refuse('verify-all-missing')
  const source = signed > 0 ? 'signature' : 'hmac'
  if (isMissing) throw refuse('verify-some-missing', { what: source })
  return source
}

function signatureVerifier(
  world: World,
  mount: Mount,
  name: string,
  fields: Fields,
  hash: string,
): (item: BatchItem) => boolean {
  const options = requestedSigningOptions(fields, hash)
  const key = transitKeys.find(world, mount, name)
  if (key === undefined) throw refuse('verification-key-unknown')
  const { type } = key
  if (!signs(type)) throw refuse('verification-unsupported', { type })
  checkHashNone(options)
  return (item) =>
    verifyInput(world, key, inputOf(item), item.text('signature'), contextOf(item), options)
}

function hmacVerifier(
  world: World,
  mount: Mount,
  name: string,
  hash: string,
): (item: BatchItem) => boolean {
  const key = requireHmacKey(world, mount, name)
  const algorithm = hmacHash(hash)
  return (item) => verifyHmac(key, algorithm, inputOf(item), item.text('hmac'))
}

/**
 * Returns the key for a request about HMACs. Throws an `invalid` refusal if there is no such key.
 */
function requireHmacKey(world: World, mount: Mount, name: string): TransitKey {
  const key = transitKeys.find(world, mount, name)
  if (key === undefined) throw refuse('hmac-key-unknown')
  return key
}

function hmac(
  { world, mount, fields, input }: TransitCall<FieldValues<typeof hmacFields>>,
  name: string,
  algorithm: string,
): SecretsOutcome {
  const key = hmacKey(requireHmacKey(world, mount, name), fields.key_version)
  const hmacAlgorithm = hmacHash(algorithm)
  const process = (items: readonly BatchItem[]) =>
    resultsOf(world, items, (item) => {
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

function hashOutcome(fields: FieldValues<typeof hashFields>, algorithm: string): SecretsOutcome {
  if (fields.input === undefined) throw refuse('hash-input-missing')
  return hash(fields, algorithm)
}
