import type { JsonSchema } from '../../../state/kernel/schema.ts'
import { toDialect } from '../../../state/kernel/shape/dialect.ts'
import {
  bool,
  constant,
  type Field,
  int,
  list,
  nullable,
  type Shape,
  type StructShape,
  text,
  textOf,
} from '../../../state/kernel/shape/kinds.ts'
import { optional, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import { JsonText } from '../../http/json-text.ts'
import type { PlatformDialect } from '../dialect.ts'

/** Media type of every body (behaviour/platform#media-types). */
export const mediaType = 'application/vnd.api+json'

interface Relationship {
  readonly data?: ResourceIdentifier | readonly ResourceIdentifier[] | null
  readonly links?: { readonly related: string }
  readonly meta?: object
}

interface ResourceIdentifier {
  readonly id: string
  readonly type: string
}

/** A resource in a document. The attributes have their neutral names. */
export interface Resource extends ResourceIdentifier {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly relationships?: Readonly<Record<string, Relationship>>
  readonly links?: Readonly<Record<string, string | null>>
}

/** Translates the type and the attributes of a resource to a dialect. Ids stay unchanged. */
export function inDialect(
  resource: Resource,
  attributes: StructShape,
  dialect: PlatformDialect,
): Resource {
  return {
    ...resource,
    type: dialect.toWire('type', resource.type),
    // The cast is safe: attributes are an object in every dialect.
    attributes: toDialect(resource.attributes, attributes, dialect.name) as Resource['attributes'],
  }
}

/** Returns the shape of a resource in replies, from the shapes of its parts. */
export function resourceShape(
  type: string,
  attributes: Shape,
  extraParts: Readonly<Partial<Record<'relationships' | 'links', StructShape>>> = {},
): StructShape {
  const parts: Readonly<Record<string, Shape>> = {
    id: text,
    type: constant(type),
    attributes,
    ...extraParts,
  }
  return struct(parts)
}

/** Schema of every failure: JSON:API error objects (behaviour/platform#errors). */
export const failureSchema: JsonSchema = storedSchema(
  struct({
    errors: list(
      struct({
        status: textOf({ pattern: '^[45]\\d\\d$' }),
        title: text,
        detail: optional(text),
        source: optional(struct({ pointer: text })),
      }),
      { minItems: 1 },
    ),
  }),
)

/** Returns a document with one resource that is already serialized. */
export function documentText(resource: string): JsonText {
  return new JsonText(`{"data":${resource}}`)
}

export function documentOf(resource: Shape): StructShape {
  return struct({ data: resource })
}

/** Returns the shape of a document with additional members, such as `included`. */
export function withExtraFields(
  { fields }: StructShape,
  extraParts: Readonly<Record<string, Shape | Field>>,
): StructShape {
  return struct({ ...fields, ...extraParts })
}

/** Returns the shape of a document with a list of resources, but without `links` and `meta`. */
export function unpagedListOf(resource: Shape): StructShape {
  return struct({ data: list(resource) })
}

/** Shape of `links` with only the resource's own address. */
export const selfLink = struct({ self: text })

const related = struct({ related: text })

/** Shape of a relationship that has a link to the resource, but no identifier. */
export const linkShape = struct({ links: related })

export function identifierOf(type: string): StructShape {
  return struct({ id: text, type: constant(type) })
}

/**
 * Returns the shape of a relationship to one resource, with its identifier and an optional link.
 */
export function relationOf(type: string): StructShape {
  return struct({ data: identifierOf(type), links: optional(related) })
}

/** Returns the shape of a relationship to at most one resource. Null stands for no resource. */
export function optionalRelationOf(type: string): StructShape {
  return struct({ data: nullable(identifierOf(type)) })
}

/** Returns the shape of a relationship to one resource, with its identifier and a link. */
export function linkedRelationOf(type: string): StructShape {
  return struct({ data: identifierOf(type), links: related })
}

/** Renders a relationship to one resource, with its identifier and a link. */
export function linkedRelation(type: string, id: string) {
  return { data: { id, type }, links: { related: `/api/v2/${type}/${id}` } }
}

/** Returns the shape of a relationship to several resources, with their identifiers. */
export function relationsOf(type: string): StructShape {
  return struct({ data: list(identifierOf(type)) })
}

/**
 * Returns the shape of a relationship to several resources that has a link and may have
 * identifiers.
 */
export function linkWithData(type: string): StructShape {
  return struct({ data: optional(list(identifierOf(type))), links: related })
}

/** Returns the shape of an object with exactly the given boolean members. */
export function flags(names: readonly string[]): StructShape {
  return struct(Object.fromEntries(names.map((name) => [name, bool])))
}

const link = nullable(text)
const number = nullable(int)

/** Returns the shape of a page of resources (behaviour/platform#pagination). */
export function listOf(
  resource: Shape,
  extraMeta: Readonly<Record<string, Shape>> = {},
): StructShape {
  return struct({
    data: list(resource),
    links: struct({ self: link, first: link, prev: link, next: link, last: link }),
    meta: struct({
      pagination: struct({
        'current-page': int,
        'page-size': int,
        'prev-page': number,
        'next-page': number,
        'total-pages': int,
        'total-count': int,
      }),
      ...extraMeta,
    }),
  })
}

/** Returns the shape of a page of a list that is not counted. */
export function listWithoutTotalsOf(resource: Shape): StructShape {
  return struct({
    data: list(resource),
    links: struct({ self: link, prev: link, next: link }),
    meta: struct({
      pagination: struct({
        'current-page': int,
        'page-size': int,
        'prev-page': number,
        'next-page': number,
      }),
    }),
  })
}
