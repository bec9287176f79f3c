import { memoizeByKey } from '../../state/kernel/memoize.ts'
import type { Shape } from '../../state/kernel/shape/kinds.ts'
import type { Change } from '../../state/kernel/store/commits.ts'
import type { RowDifference } from '../../state/kernel/store/diff.ts'
import type { Row, TableSecrets } from '../../state/kernel/store/table.ts'
import { formatTimestamp } from '../../state/kernel/time.ts'
import { kernelTables } from '../../state/kernel/worlds/document.ts'
import type { OperationDeclaration } from '../http/declare/operation.ts'
import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import { requestIdHeader } from '../http/journal-hooks/request-recording.ts'
import { redactTokens } from '../http/redact-url.ts'
import { ruleOf } from './diagnosis.ts'
import type { Fingerprint } from './fingerprint.ts'
import { outcomeOf, type RequestOutcome } from './outcome.ts'
import { bodyValue, pathOf, queryOf, sentToken } from './record-values.ts'
import {
  fieldNamed,
  holdsSecrets,
  redact,
  redactAt,
  redactByShape,
  redactConfiguredPaths,
  redactedTexts,
  redactQuotedSecrets,
  redactUndeclaredMembers,
} from './redact.ts'
import { redactForm } from './redact-form.ts'
import { Digest } from './retained-body.ts'

type OneOrMany = string | readonly string[]

/** A change that a request made to one row. */
interface EntryChange {
  /** Table as `service.table`. */
  readonly table: string
  readonly key: string
  readonly kind: 'put' | 'delete'
}

/** A request in the form of the journal, without secrets (behaviour/program#journal). */
export interface Entry {
  readonly id: string
  readonly world: string
  /** Position of the world's change feed before the request. */
  readonly sequence: number
  /** Time on the world's clock, in RFC 3339. */
  readonly at: string
  readonly service: string
  readonly operation: string | null
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, OneOrMany>>
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly caller: EntryCaller | null
  readonly status: number | null
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly responseBody?: unknown
  /** Duration in milliseconds of real time. */
  readonly durationMs: number
  readonly committed: boolean
  readonly index: { readonly before: number; readonly after: number }
  readonly changes: readonly EntryChange[]
  /** Id of the fault that was applied; null if no fault was applied. */
  readonly fault: string | null
  readonly outcome: RequestOutcome
  readonly rule: string | null
}

/** The caller of a request that has a token. Without a known caller, only `id` is set. */
interface EntryCaller {
  /** Fingerprint of the token. */
  readonly id: string
  readonly name?: string
  readonly policies?: readonly string[]
}

/** Returns the journal's entry for a recorded request, in which fingerprints replace secrets. */
export function entryOf(record: RequestRecord, fingerprint: Fingerprint): Entry {
  const { world, api, operation, sequence, method, status, indexBefore, indexAfter } = record
  const changes = changesOf(record, fingerprint)
  const body = redactedBody(record, fingerprint)
  const responseBody = redactedReply(record, fingerprint)
  return {
    id: record.id,
    world: world.id,
    sequence,
    at: formatTimestamp(record.at),
    service: api.name,
    operation: operation?.id ?? null,
    method,
    path: redactedPath(record, fingerprint),
    query: redactedQuery(record, fingerprint),
    headers: redactedHeaders(record.headers, record, fingerprint),
    ...(body === undefined ? {} : { body }),
    caller: callerOf(record, fingerprint),
    status,
    responseHeaders: redactedHeaders(responseHeadersOf(record), record, fingerprint),
    ...(responseBody === undefined ? {} : { responseBody }),
    durationMs: Math.round(record.duration * 1000) / 1000,
    committed: changes.length > 0,
    index: { before: indexBefore, after: indexAfter },
    changes,
    fault: record.fault ?? null,
    outcome: outcomeOf(record),
    rule: ruleOf(record),
  }
}

/**
 * Returns the headers of the answer. Requests with equal headers share one object, whose id header
 * may belong to another request, so this function sets the id.
 */
function responseHeadersOf({ responseHeaders, id }: RequestRecord) {
  const isNamed = responseHeaders[requestIdHeader] !== undefined
  return isNamed ? { ...responseHeaders, [requestIdHeader]: id } : responseHeaders
}

/** Returns the changes that a request made to the services' tables, in order. */
function changesOf({ changes, world }: RequestRecord, fingerprint: Fingerprint) {
  return changes
    .filter(({ service }) => service !== 'kernel')
    .map((change) => changeOf(world, change, fingerprint))
}

/** Returns the declared secrets of a table, by the table's id. */
function tableSecretsOf({ services }: RequestRecord['world'], id: string): TableSecrets {
  return secretsByTable(services).get(id) ?? 'none'
}

/** Declared secrets by the ids of tables. Worlds share their services. */
const secretsByTable = memoizeByKey((services: RequestRecord['world']['services']) => {
  const tables = [...services.flatMap(({ tables }) => tables), ...kernelTables]
  return new Map(tables.map(({ id, secrets }): [string, TableSecrets] => [id, secrets]))
})

function redactedKey(secrets: TableSecrets, key: string, fingerprint: Fingerprint): string {
  return secrets !== 'none' && secrets.key === true ? fingerprint(key) : key
}

/** Returns a row difference in which fingerprints replace the secrets in its key and its rows. */
export function redactedDifference(
  world: RequestRecord['world'],
  { table: id, key, before, after }: RowDifference,
  fingerprint: Fingerprint,
): RowDifference {
  const secrets = tableSecretsOf(world, id)
  const members = secrets === 'none' ? [] : secrets.members
  const hide = (row: Row) =>
    redactConfiguredPaths(redactAt(row, members, fingerprint), world, fingerprint)
  return {
    table: id,
    key: redactedKey(secrets, key, fingerprint),
    // The casts are safe, because `hide` replaces only values inside an object.
    ...(before === undefined ? {} : { before: hide(before) as Row }),
    ...(after === undefined ? {} : { after: hide(after) as Row }),
  }
}

/** Returns a change in the form of the journal, with the secrets in its key redacted. */
export function changeOf(
  world: RequestRecord['world'],
  { table, key, after }: Change,
  fingerprint: Fingerprint,
): EntryChange {
  return {
    table,
    key: redactedKey(tableSecretsOf(world, table), key, fingerprint),
    kind: after === undefined ? 'delete' : 'put',
  }
}

export function redactedPath(record: RequestRecord, fingerprint: Fingerprint): string {
  const path = pathOf(record)
  const { secretPaths } = record.api
  if (secretPaths !== undefined && path.startsWith(secretPaths)) {
    return `${secretPaths}${redact(path.slice(secretPaths.length), fingerprint)}`
  }
  const params = record.operation?.secrets?.params
  if (params === undefined) return redactTokens(path, sentToken(record), fingerprint)
  const declared = record.operation?.path.split('/') ?? []
  const sent = path.split('/')
  const shift = sent.length - declared.length
  return sent
    .map((segment, at) =>
      params.includes(declared[at - shift]?.slice(1) ?? '') ? fingerprint(segment) : segment,
    )
    .join('/')
}

export function redactedQuery(record: RequestRecord, fingerprint: Fingerprint): Entry['query'] {
  const { api, operation } = record
  const shape = operation === undefined ? undefined : bodyShapeOf(record, operation)
  const isSecret = (name: string) =>
    name === 'token' ||
    api.secretParameters?.includes(name) === true ||
    // Fields that operations of the secrets API declare for the body may also be in the query.
    operation?.secrets?.body?.includes(name) === true ||
    (shape?.kind === 'struct' && fieldNamed(shape, name)?.secret === true)
  return Object.fromEntries(
    Object.entries(queryOf(record)).map(([name, value]) => [
      name,
      isSecret(name) ? (redact(value, fingerprint) as OneOrMany) : value,
    ]),
  )
}

/** Returns the headers as strings without secrets. The scheme in `Authorization` is kept. */
export function redactedHeaders(
  headers: Readonly<Record<string, unknown>>,
  { api: { secretHeaders = [] } }: RequestRecord,
  fingerprint: Fingerprint,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === undefined) return []
      const text = Array.isArray(value) ? value.join(', ') : String(value)
      if (name === 'authorization') return [[name, redactedCredentials(text, fingerprint)]]
      if (name === 'location') return [[name, redactedLocation(text, fingerprint)]]
      const isSecret = name === 'cookie' || isTokenHeader(name) || secretHeaders.includes(name)
      return [[name, isSecret ? String(redact(text, fingerprint)) : text]]
    }),
  )
}

/**
 * Returns an address whose parameter `code` is replaced with a fingerprint. This parameter is an
 * authorization code, which a redirect takes to a client.
 */
function redactedLocation(address: string, fingerprint: Fingerprint): string {
  return address.replace(/(?<=[?&]code=)[^&#]+/, (code) => fingerprint(code))
}

/**
 * Returns true for a header from which one of the APIs reads tokens. Clients may send a token to
 * the wrong API by mistake.
 */
function isTokenHeader(header: string): boolean {
  return header.endsWith('-token')
}

function redactedCredentials(text: string, fingerprint: Fingerprint): string {
  const [scheme = '', ...rest] = text.split(' ')
  return rest.length === 0
    ? String(redact(text, fingerprint))
    : `${scheme} ${fingerprint(rest.join(' '))}`
}

/**
 * Returns the body in which fingerprints replace the declared secrets and the values that the
 * world's option `redact` selects; undefined if there is no body.
 */
export function redactedBody(record: RequestRecord, fingerprint: Fingerprint): unknown {
  return redactConfiguredPaths(
    bodyWithoutDeclaredSecrets(record, fingerprint),
    record.world,
    fingerprint,
  )
}

/**
 * Returns the body in which fingerprints replace the secrets that its operation declares. In an
 * object with declared secrets, undeclared members are replaced as well. If secrets are declared, a
 * text that cannot be parsed is replaced as a whole. Without an operation, the whole body is
 * replaced if the API hides unknown requests.
 */
function bodyWithoutDeclaredSecrets(record: RequestRecord, fingerprint: Fingerprint): unknown {
  const { operation, api, body } = record
  const value = bodyValue(body)
  if (value === undefined || value instanceof Digest) return value && { ...value }
  if (operation === undefined) return api.hidesUnroutedRequests ? redact(value, fingerprint) : value
  const shape = bodyShapeOf(record, operation)
  const places = operation.secrets?.body ?? []
  if (typeof value === 'string' && !places.includes('')) {
    const hasSecrets = places.length > 0 || (shape !== undefined && holdsSecrets(shape))
    if (value === '' || !hasSecrets) return value
    if (isForm(record)) return redactForm(value, places, shape, fingerprint)
    // In a body that cannot be parsed, secrets may be anywhere.
    return fingerprint(value)
  }
  const redactedByShape = shape === undefined ? value : redactByShape(value, shape, fingerprint)
  const redacted = redactAt(redactedByShape, places, fingerprint)
  if (places.length === 0 || shape?.kind !== 'struct') return redacted
  return redactUndeclaredMembers(value, redacted, shape, fingerprint)
}

function isForm({ headers }: RequestRecord): boolean {
  return String(headers['content-type']).startsWith('application/x-www-form-urlencoded')
}

/**
 * Returns the reply's body in which fingerprints replace the declared secrets and the values that
 * the world's option `redact` selects; undefined if there is no body.
 */
function redactedReply(record: RequestRecord, fingerprint: Fingerprint): unknown {
  return redactConfiguredPaths(
    replyWithoutDeclaredSecrets(record, fingerprint),
    record.world,
    fingerprint,
  )
}

/**
 * Returns the reply's body in which fingerprints replace the secrets that its API and its operation
 * declare and, in a refusal, secrets of the request.
 */
function replyWithoutDeclaredSecrets(record: RequestRecord, fingerprint: Fingerprint): unknown {
  const { operation, api, status, responseBody } = record
  const value = bodyValue(responseBody)
  if (value === undefined || value instanceof Digest) return value && { ...value }
  const base = redactAt(value, api.secretReplies ?? [], fingerprint)
  const { wholeReplyParameter } = operation?.secrets ?? {}
  if (wholeReplyParameter !== undefined && queryOf(record)[wholeReplyParameter] !== undefined) {
    return typeof responseBody === 'string' || Buffer.isBuffer(responseBody)
      ? fingerprint(String(responseBody))
      : redact(value, fingerprint)
  }
  if (operation === undefined || status === null || status >= 300) {
    // Refusals quote the request, and some refusals describe its partial result.
    const sent = redactedTexts(bodyValue(record.body), redactedBody(record, fingerprint))
    const withoutDeclaredSecrets = redactAt(base, operation?.secrets?.reply ?? [], fingerprint)
    return redactQuotedSecrets(withoutDeclaredSecrets, sent, fingerprint)
  }
  const shape = api.replyShape?.(operation, status) ?? asShape(operation.reply[status])
  const redactedByShape = shape === undefined ? base : redactByShape(base, shape, fingerprint)
  return redactAt(redactedByShape, operation.secrets?.reply ?? [], fingerprint)
}

function bodyShapeOf({ api }: RequestRecord, operation: OperationDeclaration<string, unknown>) {
  return api.bodyShape?.(operation) ?? asShape(operation.body)
}

function asShape(described: unknown): Shape | undefined {
  const isShape = typeof described === 'object' && described !== null && 'kind' in described
  // The cast is safe, because only shapes have the member `kind`.
  return isShape ? (described as Shape) : undefined
}

/**
 * Returns the caller of a request, with the fingerprint of its token; null if the request has no
 * token.
 */
export function callerOf(record: RequestRecord, fingerprint: Fingerprint): EntryCaller | null {
  const token = sentToken(record)
  if (token === undefined) return null
  const { api, caller, world } = record
  const description = caller === undefined ? undefined : api.describeCaller?.(caller, world)
  return { id: fingerprint(token), ...description }
}
