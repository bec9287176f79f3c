import type { Json } from '../../../state/kernel/json.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Mount } from '../../../state/secrets/mounts/mounts.ts'
import { hmacHash, verifyHmac } from '../../../state/secrets/transit/hmacs.ts'
import { resultsOf } from '../../../state/secrets/transit/items.ts'
import { type TransitKey, transitKeys } from '../../../state/secrets/transit/keys.ts'
import { checkHashNone } from '../../../state/secrets/transit/signing.ts'
import { refuse } from '../../../state/secrets/transit/signing-messages.ts'
import { signs } from '../../../state/secrets/transit/types.ts'
import { verifyInput } from '../../../state/secrets/transit/verification.ts'
import type { SecretsOutcome } from '../envelope/outcome.ts'
import type { FieldValues } from '../fields/fields.ts'
import { operationsOf } from '../operation.ts'
import { type BatchItem, batchItems, singleItem } from './batch.ts'
import { batchResults, singleResult } from './results.ts'
import {
  contextOf,
  hashOf,
  inputOf,
  requestedSigningOptions,
  signingForm,
  type TransitCall,
} from './signing.ts'
import { validEnvelope, verifyFields } from './signing-schemas.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#transit-signing' })

/** Operations that verify signatures and HMACs. */
export const verifyingOperations = [
  operation.write('transitVerify', 'verify/:name', {
    summary: 'Verifies a signature or an HMAC of a key.',
    body: verifyFields,
    failures: [500],
    reply: { 200: validEnvelope },
    run: (call) => verify(call, call.params.name, undefined),
  }),
  operation.write('transitVerifyWith', 'verify/:name/:urlalgorithm', {
    summary: 'Verifies a signature or an HMAC whose hash the path names.',
    body: verifyFields,
    failures: [500],
    reply: { 200: validEnvelope },
    run: (call) => verify(call, call.params.name, call.params.urlalgorithm),
  }),
]

type Fields = FieldValues<typeof verifyFields>

function verify(
  { world, mount, fields, input }: TransitCall<Fields>,
  name: string,
  pathHash: string | undefined,
): SecretsOutcome {
  const { batch_input = null } = input
  const items = batch_input === null ? [itemOf(fields)] : batchItems(batch_input, signingForm)
  const verified =
    verificationSource(items, batch_input) === 'hmac'
      ? hmacVerifier(world, mount, name, pathHash ?? (fields.algorithm || 'sha2-256'))
      : signatureVerifier(world, mount, name, fields, pathHash ?? hashOf(fields))
  const results = resultsOf(items, verified)
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

/** Returns whether the items have signatures or HMACs. Refuses a mix with `invalid`. */
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
  const key = keyOfHmac(world, mount, name)
  const algorithm = hmacHash(hash)
  return (item) => verifyHmac(key, algorithm, inputOf(item), item.text('hmac'))
}

/** Returns a key that can make HMACs; refuses other keys with `invalid`. */
export function keyOfHmac(world: World, mount: Mount, name: string): TransitKey {
  const key = transitKeys.find(world, mount, name)
  if (key === undefined) throw refuse('hmac-key-unknown')
  return key
}
