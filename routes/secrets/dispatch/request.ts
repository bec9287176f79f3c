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

const verbs: Readonly<Record<string, Verb>> = {
  GET: 'read',
  HEAD: 'read',
  POST: 'write',
  PUT: 'write',
  PATCH: 'patch',
  DELETE: 'delete',
}

/** Go's spellings of booleans, which query switches use. */
const booleans: Readonly<Record<string, boolean>> = {
  '1': true,
  t: true,
  T: true,
  TRUE: true,
  true: true,
  True: true,
  '0': false,
  f: false,
  F: false,
  FALSE: false,
  false: false,
  False: false,
}

/** The texts that Go reads as a boolean. */
export function goBooleanTexts(value: boolean): readonly string[] {
  return Object.keys(booleans).filter((text) => booleans[text] === value)
}

/** Reads a switch as Go does; undefined when it is no boolean. */
export function parseGoBoolean(text: string): boolean | undefined {
  return Object.hasOwn(booleans, text) ? booleans[text] : undefined
}

/**
 * Returns the verb of an HTTP method.
 *
 * @param takesAnyMethod whether the path takes every method for a write
 */
export function verbOf(method: string, takesAnyMethod: boolean): Verb {
  const verb = verbs[method] ?? (takesAnyMethod ? 'write' : undefined)
  if (verb === undefined) throw refuse('verb-unknown', { method })
  return verb
}

/** Returns the first value of a header or query parameter that may have several. */
export function firstValue(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0]
}

/** The path of a URL below `/v1/`, decoded. */
export function requestPath(url: string): string {
  const mark = url.indexOf('?')
  const encoded = url.slice('/v1/'.length, mark < 0 ? undefined : mark)
  if (!encoded.includes('%')) return encoded
  try {
    return decodeURIComponent(encoded)
  } catch {
    throw refuse('path-escape-invalid')
  }
}

type Query = Readonly<Record<string, string | string[]>>

/** Query parameters that steer the request and are no fields. */
const verbParameters = new Set(['list', 'help'])

/**
 * Query parameters as fields, for reads, lists and deletes. A name that is there more than once has a
 * list of texts; bare endpoints take the first, as they look into the query themselves.
 */
function queryFields(query: Query, bare: boolean): JsonObject {
  const fields: JsonObject = {}
  for (const [name, value] of Object.entries(query)) {
    if (!verbParameters.has(name)) setMember(fields, name, bare ? (firstValue(value) ?? '') : value)
  }
  return fields
}

/**
 * The fields of a body. One without a value has none; any content type is JSON, except a form that
 * does not look like JSON, and what follows an object is passed over (behaviour/secrets#conventions).
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

/** The same for a bare endpoint, which takes JSON alone and words the failure itself. */
function strictFields(text: string | undefined, { struct }: StrictBody): JsonObject {
  if (isBlank(text)) return {}
  const unreadable = (why: string) => refuse('bare-body-unreadable', { why })
  const value = readBody(text, unreadable)
  if (value === null) return {}
  if (isJsonObject(value)) return value
  throw unreadable(`json: cannot unmarshal ${jsonKind(value)} into Go value of type http.${struct}`)
}

/** Tells whether a request has no body, or none with a value in it. */
export function isBodyless({ body }: FastifyRequest): boolean {
  return isBlank(body as string | undefined)
}

/** White space is JSON's. */
function isBlank(text: string | undefined): text is undefined {
  return text === undefined || /^[ \t\r\n]*$/.test(text)
}

function readBody(text: string, refused: (why: string) => Refusal): Json {
  try {
    return parseJson(text, decodeFirst)
  } catch (error) {
    throw error instanceof JsonError ? refused(error.message) : error
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
 * Seconds for which a caller wants the answer wrapped (behaviour/secrets#wrapping);
 * undefined without the header `X-Secrets-Wrap-TTL`.
 */
function wrapTtlOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  try {
    const ttl = parseDuration(text)
    if (ttl < 0) throw refuse('wrap-ttl-negative')
    // A part of a second must not pass for 0, which would send the answer openly.
    return ttl > 0 ? Math.max(1, toSeconds(ttl)) : 0
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw refuse('wrap-ttl-unreadable', { why: error.reason })
  }
}

const mergePatchType = 'application/merge-patch+json'

/** Refuses a PATCH of another content type (behaviour/secrets#api-json). */
export function checkPatchType({ raw }: FastifyRequest): void {
  const contentType = contentTypeOf(raw)
  if (contentType === undefined || contentType === '') throw refuse('media-type-missing')
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase()
  if (type !== mergePatchType) {
    throw refuse('content-type-unsupported', { expected: mergePatchType, type })
  }
}

/**
 * Returns what a request sends as fields: its body, or its query for reads, lists and deletes.
 *
 * @param bare the operation of a bare endpoint
 */
export function requestFields(
  request: FastifyRequest,
  { verb, query }: { readonly verb: Verb; readonly query: Query },
  bare: Pick<SecretsOperation, 'strict'> | undefined,
): JsonObject {
  if (bare?.strict !== undefined) {
    return strictFields(request.body as string | undefined, bare.strict)
  }
  if (verb !== 'write' && verb !== 'patch') return queryFields(query, bare !== undefined)
  const contentType = contentTypeOf(request.raw)
  return bodyFields(request.body as string | undefined, contentType)
}

/** Returns how the answer is to be wrapped; formats other than `jwt` count as none. */
export function wrappingOf(request: FastifyRequest): Wrapping | undefined {
  const ttl = wrapTtlOf(apiHeader(request.headers, 'wrap-ttl'))
  if (ttl === undefined) return undefined
  const signed = apiHeader(request.headers, 'wrap-format') === 'jwt'
  return { ttl, address: signed ? request.worldOrigin : undefined }
}

/** 412 without `X-Secrets-Request: true`, where the option asks for it. */
export function checkRequestHeader(request: FastifyRequest): void {
  if (apiHeader(request.headers, 'request') !== 'true') {
    throw refuse('request-header-missing')
  }
}

/** 412 when the caller knows of writes that the world does not, unless it takes what there is. */
export function checkIndexState(world: World, { headers }: FastifyRequest): void {
  if (apiHeader(headers, 'inconsistent') === 'forward-active-node') return
  for (const state of apiHeaderValues(headers, 'index')) requireIndexState(world, state)
}
