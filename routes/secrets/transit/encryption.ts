import type { JsonObject } from '../../../state/kernel/json.ts'
import { union } from '../../../state/kernel/shape/kinds.ts'
import type { Versioned } from '../../../state/secrets/transit/ciphertext.ts'
import {
  decryptItems,
  encryptItems,
  type ItemResult,
  makeDataKey,
  rewrapItems,
  type TransitItem,
} from '../../../state/secrets/transit/items.ts'
import { transitKeys } from '../../../state/secrets/transit/keys.ts'
import { refuse } from '../../../state/secrets/transit/messages.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import type { SecretsOutcome } from '../envelope/outcome.ts'
import { errorSchema } from '../envelope/schemas.ts'
import { operationsOf } from '../operation.ts'
import { type BatchItem, batchItems, type ItemForm } from './batch.ts'
import {
  batchResults,
  failureStatus,
  type Renderer,
  singleResult,
  versionedText,
} from './results.ts'
import {
  ciphertextEnvelope,
  dataKeyEnvelope,
  dataKeyFields,
  decryptFields,
  encryptFields,
  plaintextEnvelope,
  rewrapFields,
} from './schemas.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#transit-encryption' })

const commonForm: ItemForm = {
  texts: ['context', 'ciphertext', 'plaintext', 'associated_data', 'reference'],
  integers: ['key_version'],
}

const encryptForm: ItemForm = {
  ...commonForm,
  required: { plaintext: 'missing plaintext to encrypt' },
}
const decryptForm: ItemForm = {
  ...commonForm,
  required: { ciphertext: 'missing ciphertext to decrypt' },
}

/** The fields of a request that concerns one item. */
interface SingleItemFields {
  readonly plaintext?: string
  readonly ciphertext?: string
  readonly context: string
  readonly associated_data?: string
  readonly key_version?: number
  readonly partial_failure_response_code?: number
}

/** An operation that encrypts or decrypts the items of a request and renders their results. */
interface BatchOperation<T> {
  readonly itemForm: ItemForm
  /**
   * Rule of the refusal if the request has neither a batch nor a single text to process; undefined
   * if the request has a single text.
   */
  readonly missingInput: 'plaintext-missing' | 'ciphertext-missing' | undefined
  readonly render: Renderer<T>
  /** Members that the result of a failed item has in addition to its error. */
  readonly failedResult?: object
  /** True if failed items do not change the status of a batch. */
  readonly failsAlone?: boolean
  process(items: readonly TransitItem[]): readonly ItemResult<T>[]
}

export const encryptionOperations = [
  operation.write('transitEncrypt', 'encrypt/:name', {
    summary: 'Encrypt under a key, which is created if it does not exist.',
    secrets: { body: ['plaintext', 'batch_input/*/plaintext'] },
    exists: ({ world, mount, params }) => transitKeys.find(world, mount, params.name) !== undefined,
    body: encryptFields,
    failures: [500],
    reply: { 200: ciphertextEnvelope },
    defaultReply: union(ciphertextEnvelope, errorSchema),
    run: ({ world, mount, params, fields, input }) =>
      runBatchOperation<Versioned>(input, fields, {
        itemForm: encryptForm,
        missingInput: fields.plaintext === undefined ? 'plaintext-missing' : undefined,
        render: ciphertextOf,
        process: (items) => encryptItems(world, mount, params.name, items, fields),
      }),
  }),
  operation.write('transitDecrypt', 'decrypt/:name', {
    summary: 'Decrypt a ciphertext of a key.',
    secrets: { reply: ['data/plaintext', 'data/batch_results/*/plaintext'] },
    body: decryptFields,
    failures: [500],
    reply: { 200: plaintextEnvelope },
    defaultReply: union(plaintextEnvelope, errorSchema),
    run: ({ world, mount, params, fields, input }) =>
      runBatchOperation<Uint8Array>(input, fields, {
        itemForm: decryptForm,
        missingInput: fields.ciphertext === '' ? 'ciphertext-missing' : undefined,
        render: plaintextOf,
        failedResult: { plaintext: '' },
        process: (items) => decryptItems(world, mount, params.name, items),
      }),
  }),
  operation.write('transitRewrap', 'rewrap/:name', {
    summary: 'Encrypt ciphertexts of a key again, by default under its latest version.',
    body: rewrapFields,
    failures: [500],
    reply: { 200: ciphertextEnvelope },
    defaultReply: union(ciphertextEnvelope, errorSchema),
    run: ({ world, mount, params, fields, input }) =>
      runBatchOperation<Versioned>(input, fields, {
        itemForm: commonForm,
        missingInput: fields.ciphertext === '' ? 'ciphertext-missing' : undefined,
        render: ciphertextOf,
        failsAlone: true,
        process: (items) => rewrapItems(world, mount, params.name, items),
      }),
  }),
  operation.write('transitMakeDataKey', 'datakey/:plaintext/:name', {
    summary: 'Generate a data key and return it encrypted, or also as plaintext.',
    secrets: { reply: ['data/plaintext'] },
    body: dataKeyFields,
    failures: [500],
    reply: { 200: dataKeyEnvelope },
    run({ world, mount, params, fields }): SecretsOutcome {
      const isPlain = params.plaintext === 'plaintext'
      if (!isPlain && params.plaintext !== 'wrapped') throw refuse('data-key-path')
      const { bits, context, key_version: keyVersion } = fields
      const created = makeDataKey(world, mount, params.name, { bits, context, keyVersion })
      return {
        kind: 'envelope',
        renderData: (dialect) => ({
          ...ciphertextOf(created.sealed, dialect),
          ...(isPlain && plaintextOf(created.plaintext)),
        }),
      }
    },
  }),
]

function runBatchOperation<T>(
  { batch_input = null }: Readonly<JsonObject>,
  fields: SingleItemFields,
  { itemForm, missingInput, render, failedResult, failsAlone, process }: BatchOperation<T>,
): SecretsOutcome {
  if (batch_input === null) {
    if (missingInput !== undefined) throw refuse(missingInput)
    return singleResult(process([itemOf(fields)]), render)
  }
  const items = batchItems(batch_input, itemForm)
  const results = process(items.map(itemOfBatch))
  if (failsAlone === true) return batchResults(items, results, render, failedResult)
  const status = failureStatus(results, fields.partial_failure_response_code)
  return batchResults(items, results, render, failedResult, status)
}

function itemOf(fields: SingleItemFields): TransitItem {
  const { plaintext = '', ciphertext = '', context, associated_data = '', key_version = 0 } = fields
  const associatedData = associated_data
  return { plaintext, ciphertext, context, associatedData, keyVersion: key_version }
}

function itemOfBatch(item: BatchItem): TransitItem {
  return {
    plaintext: item.text('plaintext'),
    ciphertext: item.text('ciphertext'),
    context: item.text('context'),
    associatedData: item.text('associated_data'),
    keyVersion: item.integer('key_version'),
  }
}

function ciphertextOf(sealed: Versioned, dialect: SecretsDialect): object {
  return { ciphertext: versionedText(sealed, dialect), key_version: sealed.version }
}

function plaintextOf(plaintext: Uint8Array): object {
  return { plaintext: Buffer.from(plaintext).toString('base64') }
}
