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
import type { RequestInfo, SecretsOperation, Verb, Wrapping } from '../operation.ts'
import { headerToken } from './caller.ts'

/** A request as the service sees it, before anything is looked up. */
export interface ParsedRequest {
  readonly verb: Verb
  /** Below `/v1/`, decoded; lists end with a slash. */
  readonly path: string
  /** The same as it was sent: without the slash that lists get. */
  readonly rawPath: string
  readonly query: Readonly<Record<string, string | string[]>>
  /** Non-empty when the caller asks for help instead. */
  readonly help: boolean
}

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
 * Verb, path and query of a request (behaviour/secrets#api-conventions).
 *
 * @param acceptsAnyVerb whether a path takes every verb for a write
 */
export function parseRequest(
  request: FastifyRequest,
  acceptsAnyVerb: (path: string) => boolean,
): ParsedRequest {
  const { method, url } = request
  const query = request.query as Record<string, string | string[]>
  const rawPath = requestPath(url)
  if (rawPath.includes('..') && rawPath.split('/').includes('..')) throw refuse('path-relative')
  const verb = verbs[method] ?? (acceptsAnyVerb(rawPath) ? 'write' : undefined)
  if (verb === undefined) throw refuse('verb-unknown', { method })
  const list = method === 'GET' ? first(query['list']) : undefined
  const listing = list === undefined || list === '' ? false : parseGoBoolean(list)
  if (listing === undefined) throw refuse('list-no-boolean')
  return {
    verb: listing ? 'list' : verb,
    path: listing && !rawPath.endsWith('/') ? `${rawPath}/` : rawPath,
    rawPath,
    query,
    help: first(query['help']) !== undefined && first(query['help']) !== '',
  }
}

function first(value: string | string[] | undefined): string | undefined {
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

/** Query parameters that steer the request and are no fields. */
const verbParameters = new Set(['list', 'help'])

/**
 * Query parameters as fields, for reads, lists and deletes. A name that is there more than once has a
 * list of texts; bare endpoints take the first, as they look into the query themselves.
 */
function queryFields(query: ParsedRequest['query'], bare: boolean): JsonObject {
  const fields: JsonObject = {}
  for (const [name, value] of Object.entries(query)) {
    if (!verbParameters.has(name)) setMember(fields, name, bare ? (first(value) ?? '') : value)
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

/** PATCH asks for its content type (behaviour/secrets#api-json). */
function checkPatchType(contentType: string | undefined): void {
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
  { verb, query }: Pick<ParsedRequest, 'verb' | 'query'>,
  bare: Pick<SecretsOperation, 'strict'> | undefined,
): JsonObject {
  if (bare?.strict !== undefined) {
    return strictFields(request.body as string | undefined, bare.strict)
  }
  if (verb !== 'write' && verb !== 'patch') return queryFields(query, bare !== undefined)
  const contentType = contentTypeOf(request.raw)
  if (verb === 'patch') checkPatchType(contentType)
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

/**
 * The facts of a Fastify request that handlers see. A class, because a literal with a getter is
 * slow to make.
 */
export class FastifyRequestInfo implements RequestInfo {
  readonly #request: FastifyRequest

  constructor(request: FastifyRequest) {
    this.#request = request
  }

  get id(): string {
    return this.#request.id
  }

  get clientToken(): string {
    return headerToken(this.#request)
  }

  get method(): string {
    return this.#request.method
  }

  get peer(): string {
    return this.#request.ip
  }

  get origin(): string {
    return this.#request.worldOrigin
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name]
    return typeof value === 'string' ? value : value?.[0]
  }
}
