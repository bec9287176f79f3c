import { JsonNumber } from '../../../state/kernel/json.ts'
import { any, bool, bytes, list, nullable, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { optional, partial, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import type { ParsedOf } from '../../../state/kernel/shape/values.ts'
import {
  type KeyOperation,
  type KeyOutcome,
  onlyReads,
  runTransaction,
} from '../../../state/mesh/kv/transactions.ts'
import { refuse } from '../../../state/mesh/texts.ts'
import { insideOperation } from '../../http/access.ts'
import { JsonText } from '../../http/json-text.ts'
import { requiresAnyOf } from '../access.ts'
import { decodeOne, parseBody, reading } from '../decode.ts'
import { type MeshContext, operation } from '../operation.ts'
import { entryJson, exactUint } from './view.ts'

/** The most operations of a transaction, and the largest body, in bytes (behaviour/mesh#server). */
const mostOperations = 128
const largestBody = 524_288

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

/** One operation; those on other things than keys are not served, but clients name them as null. */
const txnOperation = partial(
  struct('TxnOp', { KV: keyOperation, Node: any, Service: any, Check: any, Session: any }),
)

const others = ['Node', 'Service', 'Check', 'Session'] as const

/** An operation; its namespace is empty where it says none. */
function operationOf(sent: ParsedOf<typeof txnOperation>): KeyOperation {
  for (const name of others) {
    if (sent[name] !== undefined) throw refuse('unknown-field', { quoted: JSON.stringify(name) })
  }
  const {
    Verb = '',
    Key = '',
    Value,
    Flags,
    Index = 0,
    Session = '',
    Namespace = '',
  } = sent.KV ?? {}
  return {
    verb: Verb,
    key: Key,
    value: Buffer.from(Value ?? '', 'base64'),
    flags: flagsOf(Flags),
    index: Index,
    session: Session,
    namespace: Namespace,
  }
}

function flagsOf(sent: unknown): number | string {
  if (sent === undefined || sent === null) return 0
  const isNumber = typeof sent === 'number' || sent instanceof JsonNumber
  const literal = String(sent)
  if (isNumber && /^\d+$/.test(literal)) return exactUint(literal)
  const found = isNumber ? `number ${literal}` : typeof sent
  throw refuse('wrong-type', { found, place: 'Go struct field TxnOp.KV.Flags', type: 'uint64' })
}

function sentOperations(context: MeshContext): readonly KeyOperation[] {
  const { body } = context
  if (body.length > largestBody) {
    throw refuse('txn-too-large', { size: body.length, largest: largestBody })
  }
  const operations = reading(
    () => {
      const sent = parseBody(body.toString('utf8')) ?? []
      if (!Array.isArray(sent)) {
        const found = typeof sent === 'object' ? 'object' : typeof sent
        throw refuse('wrong-type', { found, place: 'Go value', type: 'api.TxnOps' })
      }
      return sent.map((each) => operationOf(decodeOne(each, txnOperation)))
    },
    (problem) => refuse('txn-body-unreadable', { problem }),
  )
  const count = operations.length
  if (count > mostOperations) throw refuse('txn-too-long', { count, most: mostOperations })
  // An unknown token is refused only here.
  const usual = context.namespace ?? context.caller.namespace
  return operations.map((each) => ({ ...each, namespace: each.namespace || usual }))
}

/** What an answer to reads goes on with: as much as headers of other reads tell. */
function readMetadataJson({ ran, filtered }: KeyOutcome, hasToken: boolean): string {
  return JSON.stringify({
    Index: ran ? 1 : 0,
    LastContact: 0,
    KnownLeader: ran,
    ConsistencyLevel: '',
    NotModified: false,
    Backend: 0,
    ResultsFilteredByACLs: filtered && hasToken,
  }).slice(1)
}

const resultSchema = storedSchema(
  struct({
    Results: nullable(list(struct({ KV: any }))),
    Errors: nullable(list(struct({ OpIndex: uint, What: text }))),
    Index: optional(uint),
    LastContact: optional(uint),
    KnownLeader: optional(bool),
    ConsistencyLevel: optional(text),
    NotModified: optional(bool),
    Backend: optional(uint),
    ResultsFilteredByACLs: optional(bool),
  }),
)

/** Transactions on keys (behaviour/mesh#server). */
export const txnOperations = [
  operation({
    id: 'runTransaction',
    method: 'PUT',
    path: '/txn',
    // Each operation on a key takes its own.
    access: insideOperation(requiresAnyOf('key:read', 'key:write')),
    summary: 'Run operations on keys, all of them or none.',
    spec: 'behaviour/mesh#transactions',
    rawBody: true,
    failures: [413],
    reply: { 200: resultSchema, 409: resultSchema },
    run({ context }) {
      const { world, dialect, secret } = context
      const operations = sentOperations(context)
      const outcome = runTransaction(world, operations, context.caller)
      const { results, failures, ran } = outcome
      const isDone = failures.length === 0
      const resultsJson = results.map(
        ({ entry, showsValue }) => `{"KV":${entryJson(world, entry, showsValue)}}`,
      )
      const errors = failures.map(({ index: at, message: said }) => ({
        OpIndex: at,
        What: dialect.renderMessage(said),
      }))
      const members = [
        `"Results":${isDone ? `[${resultsJson.join(',')}]` : 'null'}`,
        `"Errors":${isDone ? 'null' : JSON.stringify(errors)}`,
      ].join(',')
      const isRead = onlyReads(operations)
      const rest = isRead ? `,${readMetadataJson(outcome, secret !== undefined)}` : '}'
      return {
        status: isDone ? (200 as const) : (409 as const),
        body: new JsonText(`{${members}${rest}`),
        headers: isRead ? dialect.headers({ KnownLeader: String(ran), LastContact: '0' }) : {},
      }
    },
  }),
]
