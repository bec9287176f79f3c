import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Mount } from '../../../state/secrets/mounts/mounts.ts'
import { decodeInput } from '../../../state/secrets/transit/ciphertext.ts'
import { type ItemResult, resultsOf } from '../../../state/secrets/transit/items.ts'
import { type TransitKey, transitKeys } from '../../../state/secrets/transit/keys.ts'
import {
  checkHashNone,
  resolveSigningOptions,
  type SigningOptions,
  signInput,
  type VersionedSignature,
} from '../../../state/secrets/transit/signing.ts'
import { refuse } from '../../../state/secrets/transit/signing-messages.ts'
import { signs } from '../../../state/secrets/transit/types.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import type { SecretsOutcome } from '../envelope/outcome.ts'
import type { FieldValues } from '../fields/fields.ts'
import { type Call, operationsOf } from '../operation.ts'
import { type BatchItem, batchItems, type ItemForm, singleItem } from './batch.ts'
import { batchResults, singleResult, versionedText } from './results.ts'
import { signatureEnvelope, signFields } from './schemas.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#transit-signing' })

/** The form of items in batches that sign, verify or compute HMACs. */
export const signingForm: ItemForm = {
  texts: ['input', 'context', 'signature', 'hmac', 'reference'],
  integers: [],
}

export const signingOperations = [
  operation.write('transitSign', 'sign/:name', {
    optionalParams: ['urlalgorithm'],
    summary: 'Sign with a key.',
    body: signFields,
    failures: [500],
    reply: { 200: signatureEnvelope },
    run: (call) => sign(call, call.params.name, hashOf(call.fields)),
  }),
  operation.write('transitSignWith', 'sign/:name/:urlalgorithm', {
    summary: 'Sign with a key, and hash with the algorithm that the path names.',
    body: signFields,
    failures: [500],
    reply: { 200: signatureEnvelope },
    run: (call) => sign(call, call.params.name, call.params.urlalgorithm),
  }),
]

/**
 * Returns the hash algorithm in a body; `sha2-256` by default. As in the product, the field with
 * the old name has an effect only if the current field is sent as an empty string.
 */
export function hashOf(fields: {
  readonly hash_algorithm?: string
  readonly algorithm?: string
}): string {
  const { hash_algorithm: current = 'sha2-256', algorithm = 'sha2-256' } = fields
  return current || algorithm || 'sha2-256'
}

/** The members of a call that handlers use for both paths of an operation. */
export type TransitCall<Fields> = Pick<
  Call<unknown, Fields>,
  'world' | 'mount' | 'fields' | 'input'
>

/**
 * Returns the signing options that a body contains, together with the given hash. Throws a refusal
 * for an invalid option.
 */
export function requestedSigningOptions(
  fields: Pick<
    FieldValues<typeof signFields>,
    'marshaling_algorithm' | 'signature_algorithm' | 'salt_length' | 'prehashed'
  >,
  hash: string,
): SigningOptions {
  return resolveSigningOptions({
    hash,
    marshaling: fields.marshaling_algorithm,
    scheme: fields.signature_algorithm,
    salt: fields.salt_length,
    prehashed: fields.prehashed,
  })
}

function sign(
  { world, mount, fields, input }: TransitCall<FieldValues<typeof signFields>>,
  name: string,
  hash: string,
): SecretsOutcome {
  const options = requestedSigningOptions(fields, hash)
  const key = requireSigningKey(world, mount, name)
  checkHashNone(options)
  const process = (items: readonly BatchItem[]): readonly ItemResult<VersionedSignature>[] =>
    resultsOf(world, items, (item) => {
      const bytes = inputOf(item)
      return signInput(world, key, fields.key_version, bytes, contextOf(item), options)
    })
  const { batch_input = null } = input
  if (batch_input === null) {
    const { input: text, context } = fields
    return singleResult(process([singleItem({ input: text, context })]), signatureOf('public_key'))
  }
  const items = batchItems(batch_input, signingForm)
  return batchResults(items, process(items), signatureOf('publickey'), { key_version: 0 })
}

function requireSigningKey(world: World, mount: Mount, name: string): TransitKey {
  const key = transitKeys.find(world, mount, name)
  if (key === undefined) throw refuse('signing-key-unknown')
  const { type } = key
  if (!signs(type)) throw refuse('signing-unsupported', { type })
  return key
}

/** Decodes the input of an item. Throws a refusal if the input is missing or not base64. */
export function inputOf(item: BatchItem): Uint8Array {
  if (!item.has('input')) throw refuse('input-missing')
  return decodeInput(item.text('input'), (why) => refuse('input-unreadable', { why }))
}

/** Decodes the context of an item. Throws a refusal if the context is not base64. */
export function contextOf(item: BatchItem): Uint8Array {
  return decodeInput(item.text('context'), () => refuse('signing-context-invalid'))
}

/**
 * Returns a function that renders a signature. `publicName` is the member for the public key, which
 * has another name in the reference's batches.
 */
function signatureOf(publicName: 'public_key' | 'publickey') {
  return (signed: VersionedSignature, dialect: SecretsDialect): object => ({
    signature: versionedText(signed, dialect),
    key_version: signed.version,
    ...(signed.publicKey !== undefined && { [publicName]: signed.publicKey }),
  })
}
