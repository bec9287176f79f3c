import { JsonNumber } from '../../../state/kernel/json.ts'
import { any, bytes, list, nullable, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { optional, partial, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import type { ParsedOf } from '../../../state/kernel/shape/values.ts'
import { isKeyRead, keyTxnOperation } from '../../../state/mesh/kv/transactions.ts'
import { message, refuse } from '../../../state/mesh/messages.ts'
import { linksToFormerSite } from '../../../state/mesh/options.ts'
import { runTransaction, type TxnOutcome } from '../../../state/mesh/transactions.ts'
import { insideOperation } from '../../http/declare/access.ts'
import { JsonText } from '../../http/json-text.ts'
import { requires } from '../access.ts'
import {
  catalogTxnMembers,
  type ParsedTxnOperation,
  parseCatalogOperation,
  txnResultRenderer,
} from '../catalog/txn-operations.ts'
import { decodeOne, parseBody, withRefusal } from '../decode.ts'
import type { MeshDialect } from '../dialect.ts'
import { type MeshContext, operationsOf } from '../operation.ts'
import { metadataMembers, readMetadata } from '../read-metadata.ts'
import { readOptions } from '../read-options.ts'
import { entryJson, exactUint } from './view.ts'

const operation = operationsOf({ spec: 'behaviour/mesh#transactions' })

/** Maximum number of operations of a transaction (behaviour/mesh#transactions). */
const maxOperations = 128

/** Maximum size of a transaction's body in bytes (behaviour/mesh#transactions). */
const maxBodySize = 524_288

const keyOperation = partial(
  struct('KVTxnOp', {
    Verb: text,
    Key: text,
    Value: bytes,
    Flags: any,
    Index: uint,
    Session: text,
    Namespace: text,
    Partition: text,
  }),
)

const txnOperation = partial(struct('TxnOp', { KV: keyOperation, ...catalogTxnMembers }))

/**
 * Parses an operation. Returns undefined for an operation without an object; such an operation has
 * no effect. Throws a refusal for malformed flags.
 */
function parseOperation(
  input: ParsedOf<typeof txnOperation>,
  dialect: MeshDialect,
): ParsedTxnOperation | undefined {
  if (input.KV === undefined) return parseCatalogOperation(input, dialect)
  const { Verb = '', Key = '', Value, Flags, Index = 0, Session = '', Namespace = '' } = input.KV
  const operation = {
    verb: Verb,
    key: Key,
    value: Buffer.from(Value ?? '', 'base64'),
    flags: parseFlags(Flags),
    index: Index,
    session: Session,
  }
  return {
    isRead: isKeyRead(Verb),
    inNamespace: (fallback) => keyTxnOperation({ ...operation, namespace: Namespace || fallback }),
  }
}

function parseFlags(input: unknown): number | string {
  if (input === undefined || input === null) return 0
  const isNumber = typeof input === 'number' || input instanceof JsonNumber
  const literal = String(input)
  if (isNumber && /^\d+$/.test(literal)) return exactUint(literal)
  const found = isNumber ? `number ${literal}` : typeof input
  throw refuse('wrong-type', {
    found,
    location: 'Go struct field KVTxnOp.KV.Flags',
    type: 'uint64',
  })
}

function parseOperations(context: MeshContext): readonly ParsedTxnOperation[] {
  const { body, world, dialect } = context
  if (body.length > maxBodySize) {
    const rule = linksToFormerSite(world) ? 'txn-too-large-before-1.21' : 'txn-too-large'
    throw refuse(rule, { size: body.length, largest: maxBodySize })
  }
  let sentCount = 0
  const operations = withRefusal(
    () => {
      const input = parseBody(body) ?? []
      if (!Array.isArray(input)) {
        const found = typeof input === 'object' ? 'object' : typeof input
        throw refuse('wrong-type', { found, location: 'Go value', type: 'api.TxnOps' })
      }
      sentCount = input.length
      return input.flatMap((each) => parseOperation(decodeOne(each, txnOperation), dialect) ?? [])
    },
    (problem) => refuse('txn-body-unreadable', { problem }),
  )
  if (sentCount > maxOperations)
    throw refuse('txn-too-long', { count: sentCount, most: maxOperations })
  return operations
}

/**
 * Formats the read metadata at the end of a reply to a read-only transaction. Other reads send
 * these values as headers. The JSON has no opening brace, because it continues the object of the
 * reply.
 */
function readMetadataJson({ hasRun, isFiltered }: TxnOutcome, hasToken: boolean): string {
  const ResultsFilteredByACLs = isFiltered && hasToken
  return JSON.stringify(
    readMetadata({ Index: hasRun ? 1 : 0, KnownLeader: hasRun, ResultsFilteredByACLs }),
  ).slice(1)
}

const resultSchema = storedSchema(
  struct({
    Results: nullable(
      list(
        struct({
          KV: optional(any),
          Node: optional(any),
          Service: optional(any),
          Check: optional(any),
        }),
      ),
    ),
    Errors: nullable(list(struct({ OpIndex: uint, What: text }))),
    ...partial(struct(metadataMembers)).fields,
  }),
)

export const txnOperations = [
  operation.put('runTransaction', '/txn', {
    tenancy: 'none',
    // Each operation of the transaction requires its own right.
    access: insideOperation(requires('key:read', 'key:write', 'node:write', 'service:write')),
    summary: 'Run operations on keys, nodes, services and checks atomically.',
    rawBody: true,
    failures: [413],
    secrets: { body: ['*/KV/Value'], reply: ['Results/*/KV/Value'] },
    reply: { 200: resultSchema, 409: resultSchema },
    run({ context }) {
      const { world, dialect, secret, query } = context
      const parsed = parseOperations(context)
      const isRead = parsed.every((each) => each.isRead)
      if (isRead) readOptions(query, undefined)
      context.requireOwnDatacenter()
      const { caller, namespace: fallbackNamespace = caller.namespace } = context
      const operations = parsed.map((each) => each.inNamespace(fallbackNamespace))
      const outcome = runTransaction(world, operations, caller)
      const { results, failures, hasRun } = outcome
      const [failure] = failures
      const succeeded = failure === undefined
      if (!succeeded) {
        const { index, message: problem } = failure
        context.noteReason(message('txn-operation-failed', { index, problem }))
      }
      const renderObject = txnResultRenderer(world, dialect)
      const resultsJson = results.map((object) =>
        object.kind === 'KV'
          ? `{"KV":${entryJson(world, object.row, object.showsValue)}}`
          : renderObject(object),
      )
      const errors = failures.map(({ index, message }) => ({
        OpIndex: index,
        What: dialect.renderMessage(message),
      }))
      const members = [
        `"Results":${succeeded ? `[${resultsJson.join(',')}]` : 'null'}`,
        `"Errors":${succeeded ? 'null' : JSON.stringify(errors)}`,
      ].join(',')
      const tail = isRead ? `,${readMetadataJson(outcome, secret !== undefined)}` : '}'
      return {
        status: succeeded ? (200 as const) : (409 as const),
        body: new JsonText(`{${members}${tail}`),
        headers: isRead ? dialect.headers({ KnownLeader: String(hasRun), LastContact: '0' }) : {},
      }
    },
  }),
]
