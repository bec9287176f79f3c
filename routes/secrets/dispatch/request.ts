import type { FastifyRequest } from 'fastify'
import { parseDuration, toSeconds } from '../../../state/go/duration.ts'
import { decodeFirst } from '../../../state/json/decodings.ts'
import { JsonError, parseJson } from '../../../state/json/json.ts'
import { isJsonObject, type Json, type JsonObject, setMember } from '../../../state/kernel/json.ts'
import { Refusal } from '../../../state/kernel/refusal.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { requireIndexState } from '../../../state/secrets/index-state.ts'
import { hasTooManyFields } from '../../http/body-limit.ts'
import { contentTypeOf } from '../../http/journal-hooks/request-head.ts'
import { apiHeader, apiHeaderValues } from '../dialect/dialect.ts'
import { jsonKind, type StrictBody } from '../fields/strict-body.ts'
import { refuse } from '../messages.ts'
import type { SecretsOperation, Verb, Wrapping } from '../operation.ts'

const verbByMethod: Readonly<Record<string, Verb>> = {
  GET: 'read',
  HEAD: 'read',
  POST: 'write',
  PUT: 'write',
  PATCH: 'patch',
  DELETE: 'delete',
}

/**
 * Maps an HTTP method to a verb. Throws `verb-unknown` for an unknown method, unless the path
 * accepts every method.
 *
 * @param takesAnyMethod whether the path accepts every method as a write
 */
export function verbOf(method: string, takesAnyMethod: boolean): Verb {
  const verb = verbByMethod[method] ?? (takesAnyMethod ? 'write' : undefined)
  if (verb === undefined) throw refuse('verb-unknown', { method })
  return verb
}

/**
 * Returns the first value of a header or query parameter, which may have several values; undefined
 * if it is missing.
 */
export function firstValue(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0]
}

/** Returns the decoded path of a URL below `/v1/`. Throws a refusal for an invalid escape. */
export function requestPath(url: string): string {
  const queryStart = url.indexOf('?')
  const encoded = url.slice('/v1/'.length, queryStart < 0 ? undefined : queryStart)
  if (!encoded.includes('%')) return encoded
  try {
    return decodeURIComponent(encoded)
  } catch {
    throw refuse('path-escape-invalid')
  }
}

/** Query parameters by name. A parameter that occurs several times has a list of values. */
export type Query = Readonly<Record<string, string | string[]>>

/** Query parameters that request a list or help. These parameters are not fields. */
const verbParameters = new Set(['list', 'help'])

/**
 * Returns the query parameters as fields, for reads, lists and deletes. A repeated parameter
 * becomes a list of strings, except at bare endpoints, which use its first value.
 */
function queryFields(query: Query, isBare: boolean): JsonObject {
  const fields: JsonObject = {}
  for (const [name, value] of Object.entries(query)) {
    if (!verbParameters.has(name))
      setMember(fields, name, isBare ? (firstValue(value) ?? '') : value)
  }
  return fields
}

/**
 * Parses the fields of a body. An empty body and `null` have no fields. Every content type counts
 * as JSON, except a form that does not look like JSON (behaviour/secrets#conventions). Text after
 * the JSON object is ignored (behaviour/secrets#refusals). Throws `body-unreadable` for text that
 * is not a JSON object, and `body-too-large` for a form with too many fields.
 */
function bodyFields(text: string | undefined, contentType: string | undefined): JsonObject {
  if (isBlank(text)) return {}
  if (contentType?.startsWith('application/x-www-form-urlencoded') && !/^\s*[{[]/.test(text)) {
    return formFields(text)
  }
  const value = readBody(text, () => refuse('body-unreadable'))
  if (value === null) return {}
  if (isJsonObject(value)) return value
  throw refuse('body-unreadable')
}

/**
 * Parses the fields of a body for a bare endpoint, which accepts only JSON. Throws
 * `bare-body-unreadable` for a body that is neither blank, `null` nor an object.
 */
function strictFields(text: string | undefined, { struct }: StrictBody): JsonObject {
  if (isBlank(text)) return {}
  const unreadable = (why: string) => refuse('bare-body-unreadable', { why })
  const value = readBody(text, unreadable)
  if (value === null) return {}
  if (isJsonObject(value)) return value
  throw unreadable(`json: cannot unmarshal ${jsonKind(value)} into Go value of type http.${struct}`)
}

/** Returns whether a request has no body or only white space. */
export function isBodyless({ body }: FastifyRequest): boolean {
  return isBlank(body as string | undefined)
}

/** Returns whether a text is missing or consists of JSON white space. */
function isBlank(text: string | undefined): text is undefined {
  return text === undefined || /^[ \t\r\n]*$/.test(text)
}

function readBody(text: string, toRefusal: (why: string) => Refusal): Json {
  try {
    return parseJson(text, decodeFirst)
  } catch (error) {
    throw error instanceof JsonError ? toRefusal(error.message) : error
  }
}

function formFields(text: string): JsonObject {
  if (hasTooManyFields(text)) throw refuse('body-too-large')
  const values = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(text)) {
    const others = values.get(name)
    if (others === undefined) values.set(name, [value])
    else others.push(value)
  }
  return Object.fromEntries(
    [...values].map(([name, all]): [string, Json] => [
      name,
      all.length === 1 ? (all[0] ?? '') : all,
    ]),
  )
}

/**
 * Parses the time to live of the wrapping token, in nanoseconds (behaviour/secrets#wrapping).
 * Returns undefined if the header `X-Secrets-Wrap-TTL` is missing or empty. Throws
 * `wrap-ttl-unreadable` for a malformed or negative time.
 */
function wrapTtlOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  try {
    const ttl = parseDuration(text)
    if (ttl < 0) throw refuse('wrap-ttl-negative')
    return ttl
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw refuse('wrap-ttl-unreadable', { why: error.reason })
  }
}

/**
 * Content type of OCSP requests, whose bodies are in DER. The text of such a body has one character
 * for each byte (behaviour/secrets#pki-ocsp).
 */
export const ocspRequestType = 'application/ocsp-request'

const mergePatchType = 'application/merge-patch+json'

/** Refuses a PATCH with a missing or wrong content type (behaviour/secrets#api-json). */
export function checkPatchType({ raw }: FastifyRequest): void {
  const contentType = contentTypeOf(raw)
  if (contentType === undefined || contentType === '') throw refuse('media-type-missing')
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase()
  if (type !== mergePatchType) {
    throw refuse('content-type-unsupported', { expected: mergePatchType, type })
  }
}

/**
 * Returns the fields of a request. Reads, lists and deletes have their fields in the query, other
 * requests in the body. A bare endpoint with a declared body has its fields in the body for every
 * verb. A body in DER becomes the field `req` in base64. Throws a refusal for a malformed body.
 *
 * @param bareOperation the operation, if the endpoint is bare
 */
export function requestFields(
  request: FastifyRequest,
  { verb, query }: { readonly verb: Verb; readonly query: Query },
  bareOperation: Pick<SecretsOperation, 'strict'> | undefined,
): JsonObject {
  if (bareOperation?.strict !== undefined) {
    return strictFields(request.body as string | undefined, bareOperation.strict)
  }
  if (verb !== 'write' && verb !== 'patch') return queryFields(query, bareOperation !== undefined)
  const contentType = contentTypeOf(request.raw)
  if (contentType?.startsWith(ocspRequestType)) {
    return {
      req: Buffer.from((request.body as string | undefined) ?? '', 'latin1').toString('base64'),
    }
  }
  return bodyFields(request.body as string | undefined, contentType)
}

/**
 * Returns the wrapping that the caller requests; undefined if the header `X-Secrets-Wrap-TTL` is
 * missing or empty. Formats other than `jwt` are ignored. Throws a refusal for a malformed or
 * negative time to live.
 */
export function wrappingOf(request: FastifyRequest): Wrapping | undefined {
  const requestedTtl = wrapTtlOf(apiHeader(request.headers, 'wrap-ttl'))
  if (requestedTtl === undefined) return undefined
  // Less than a second must not become 0, because the reply would then not be wrapped.
  const ttl = requestedTtl > 0 ? Math.max(1, toSeconds(requestedTtl)) : 0
  const isSigned = apiHeader(request.headers, 'wrap-format') === 'jwt'
  return { ttl, requestedTtl, address: isSigned ? request.worldOrigin : undefined }
}

/** Refuses, with 412, a request without the header `X-Secrets-Request: true`. */
export function checkRequestHeader(request: FastifyRequest): void {
  if (apiHeader(request.headers, 'request') !== 'true') {
    throw refuse('request-header-missing')
  }
}

/**
 * Refuses, with 412, a request that names an index state that the world has not reached. Refuses,
 * with 400, a malformed index state and an index state of another cluster. Does nothing if the
 * caller accepts older data.
 */
export function checkIndexState(world: World, { headers }: FastifyRequest): void {
  if (apiHeader(headers, 'inconsistent') === 'forward-active-node') return
  for (const state of apiHeaderValues(headers, 'index')) requireIndexState(world, state)
}
