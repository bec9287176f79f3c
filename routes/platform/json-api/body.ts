import type { FastifyRequest } from 'fastify'
import { isObject } from '../../../state/kernel/objects.ts'
import type { StructShape } from '../../../state/kernel/shape/kinds.ts'
import type { StoredOf } from '../../../state/kernel/shape/values.ts'
import { refuse } from '../../../state/platform/messages.ts'
import { contentTypeOf } from '../../http/journal-hooks/request-head.ts'
import type { PlatformDialect } from '../dialect.ts'
import type { BodyContext, BodyForm, ParsedBody } from '../operation.ts'
import { hyphenated, hyphenatedMembers, readAttributes } from './attributes.ts'
import { mediaType } from './resource.ts'

/**
 * Rejects a POST, PATCH, PUT or DELETE whose media type is not JSON:API's
 * (behaviour/platform#media-types). Unless `strict`, also accepts `application/json`, and an empty
 * body of any type.
 */
export function checkContentType(request: FastifyRequest, strict: boolean): void {
  if (!['POST', 'PATCH', 'PUT', 'DELETE'].includes(request.method)) return
  const type = (contentTypeOf(request.raw) ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === mediaType) return
  if (strict) throw refuse('content-type-unknown')
  const isEmpty = typeof request.body !== 'string' || request.body === ''
  if (!isEmpty && type !== 'application/json') throw refuse('content-type-unknown')
}

/**
 * Parses the body as a JSON:API document (behaviour/platform#errors, document level). Throws a
 * refusal for a malformed document, a wrong type or invalid attributes.
 */
export function readInput<const S extends StructShape>(
  text: unknown,
  form: BodyForm<S>,
  { world, dialect }: BodyContext,
): ParsedBody<S> {
  const { type, typeRequired = false, attributesRequired = false, dataOptional = false } = form
  const document = parse(text)
  const data = readData(document, dataOptional)
  // A null type counts as blank, as null strings do elsewhere (behaviour/platform#coercion).
  const typeName = member(data, 'type') ?? ''
  if (typeRequired && typeName === '') throw refuse('type-missing')
  if (type !== undefined && typeName !== '') {
    if (!namesType(typeName, type, dialect)) {
      throw refuse('type-wrong', { type: dialect.toWire('type', type) })
    }
  }
  const attributes = member(data, 'attributes')
  if (attributes === undefined && attributesRequired) {
    throw refuse('attributes-missing')
  }
  if (attributes !== undefined && !isObject(attributes)) {
    throw refuse('attributes-wrong')
  }
  const relationships = member(data, 'relationships')
  const { topLevel = [] } = form
  const topLevelEntries = isObject(document) ? Object.entries(document) : []
  const actionMembers = topLevelEntries.filter(([name]) => topLevel.includes(hyphenated(name)))
  return {
    // The cast is safe: the accepted attributes are a subset of the declared ones.
    attributes: readAttributes(
      form.attributesInWorld?.(world) ?? form.attributesInDialect?.(dialect) ?? form.attributes,
      { ...Object.fromEntries(actionMembers), ...attributes },
      dialect,
    ) as StoredOf<S>,
    relationships: isObject(relationships) ? hyphenatedMembers(relationships) : {},
    data,
  }
}

/**
 * Returns whether a value names a resource type, in any spelling, plural or singular
 * (behaviour/platform#coercion).
 */
export function namesType(
  sent: unknown,
  type: string,
  { fromWire }: Pick<PlatformDialect, 'fromWire'>,
): boolean {
  if (typeof sent !== 'string') return false
  const name = hyphenated(sent)
  return [name, `${name}s`, name.replace(/y$/, 'ies')].some(
    (each) => fromWire('type', each) === type,
  )
}

const identityDialect: Pick<PlatformDialect, 'fromWire'> = { fromWire: (_vocabulary, word) => word }

/**
 * Parses a document whose `data` is a list, as for relationships. Throws a refusal for other
 * documents.
 */
export function readList(text: unknown): readonly unknown[] {
  const document = parse(text)
  const data = isObject(document) ? document['data'] : undefined
  if (Array.isArray(data)) return data
  throw data === undefined ? refuse('data-missing') : refuse('data-no-list')
}

/**
 * Returns the ids in a list of resource identifiers. Throws 422 if an identifier has another type
 * or no id.
 */
export function identifiersIn(list: readonly unknown[], type: string): string[] {
  return list.map((item) => {
    if (!isObject(item)) throw refuse('id-missing')
    const sent = member(item, 'type')
    if (sent !== undefined && !namesType(sent, type, identityDialect)) {
      throw refuse('type-wrong', { type })
    }
    const id = member(item, 'id')
    if (typeof id !== 'string') throw refuse('id-missing')
    return id
  })
}

function readData(document: unknown, optional: boolean): Readonly<Record<string, unknown>> {
  const data = isObject(document) ? member(document, 'data') : undefined
  if (isObject(data)) return data
  if (optional) return {}
  throw refuse('data-missing')
}

function parse(text: unknown): unknown {
  if (typeof text !== 'string' || text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw refuse('body-unreadable')
  }
}

/** Returns the items in a relationship's data. Returns undefined if the data are not a list. */
export function relatedItems(
  relationships: Readonly<Record<string, unknown>>,
  name: string,
): readonly unknown[] | undefined {
  const relationship = member(relationships, name)
  const data = isObject(relationship) ? member(relationship, 'data') : undefined
  return Array.isArray(data) ? data : undefined
}

/** A resource with its attributes that a request contains in a relationship. */
interface RelatedResource<S extends StructShape> {
  readonly id: string | undefined
  readonly attributes: StoredOf<S>
}

/**
 * Returns the complete resources in the relationship with the name `type`; undefined if the
 * relationship has no list. Throws 422 for resources of another type and for attributes that do not
 * fit the shape.
 */
export function relatedResources<const S extends StructShape>(
  relationships: Readonly<Record<string, unknown>>,
  type: string,
  shape: S,
  dialect: PlatformDialect,
): RelatedResource<S>[] | undefined {
  return relatedItems(relationships, type)?.map((item) => {
    const { type: sent, attributes, id } = isObject(item) ? hyphenatedMembers(item) : {}
    if (sent !== undefined && !namesType(sent, type, dialect)) throw refuse('type-wrong', { type })
    return {
      id: typeof id === 'string' ? id : undefined,
      attributes: readAttributes(shape, isObject(attributes) ? attributes : {}, dialect),
    }
  })
}

/**
 * Returns the id in a relationship's data; undefined without an id. Throws 404 for an id that is
 * not text.
 */
export function relatedId(relationships: Readonly<Record<string, unknown>>, name: string) {
  const relationship = member(relationships, name)
  const data = isObject(relationship) ? member(relationship, 'data') : undefined
  const id = isObject(data) ? member(data, 'id') : undefined
  if (id === undefined || id === null) return undefined
  if (typeof id !== 'string') throw refuse('not-found')
  return id
}

/**
 * Returns the id of the project in the relationships of a body. Returns an empty string if `data`
 * is not a resource with an id, and undefined if the body names no project.
 */
export function relatedProject(
  relationships: Readonly<Record<string, unknown>>,
): string | undefined {
  const relationship = member(relationships, 'project')
  const data = isObject(relationship) ? member(relationship, 'data') : undefined
  if (data === undefined || data === null) return undefined
  const id = isObject(data) ? member(data, 'id') : undefined
  return typeof id === 'string' ? id : ''
}

function member(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}
